import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setUp, writeInto } from "../../proof/clients/any-client.mjs";
import { claudeCode } from "../../proof/clients/claude-code.mjs";
import { geminiCli } from "../../proof/clients/gemini-cli.mjs";
import { installPeers } from "../../proof/machine.mjs";
import { claudeHand, geminiHand, officialHand, oursHand } from "./hands.mjs";

/** The official filesystem server, as the other benches compare it. @type {string} */
export const officialVersion = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  .dependencies["@modelcontextprotocol/server-filesystem"];

/** @typedef {import("./session.mjs").Contender} Contender */

/** Three in each client: ours, the official server, the client's own tools. @returns {readonly Contender[]} */
export function openContenders() {
  const installed = installPeers("server-filesystem", {
    "@modelcontextprotocol/server-filesystem": officialVersion,
  });
  const entry =
    installed.kind === "missing"
      ? undefined
      : join(installed.folder, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
  return [
    ours(claudeCode),
    ...official(claudeCode, entry, ({ home }) => join(home, ".claude.json")),
    {
      name: "Claude Code's own",
      client: claudeCode,
      prepare: () => {},
      hand: claudeHand,
      owns: (tool) => ["Read", "Edit", "Write", "Bash"].includes(tool),
    },
    ours(geminiCli),
    ...official(geminiCli, entry, ({ project }) => join(project, ".gemini", "settings.json")),
    {
      name: "Gemini CLI's own",
      client: geminiCli,
      prepare: () => {},
      hand: geminiHand,
      owns: (tool) =>
        ["read_file", "replace", "write_file", "grep_search", "run_shell_command"].includes(tool),
    },
  ];
}

/** As `holdfast setup` writes it. @param {import("../../proof/clients/any-client.mjs").Client} client @param {readonly string[]} [flags] @returns {Contender} */
export function ours(client, flags = []) {
  const name = (/** @type {string} */ tool) => client.toolName("holdfast", tool);
  return {
    name: "holdfast",
    client,
    prepare: (ground) => setUp(client, ground, flags),
    hand: () => oursHand(name),
    owns: (tool) => tool.startsWith(name("")),
  };
}

/**
 * @param {import("../../proof/clients/any-client.mjs").Client} client @param {string | undefined} entry where it is installed
 * @param {(ground: import("../../proof/clients/any-client.mjs").Ground) => string} settings the file that names servers
 * @returns {readonly Contender[]}
 */
function official(client, entry, settings) {
  if (entry === undefined) return [];
  const name = (/** @type {string} */ tool) => client.toolName("filesystem", tool);
  /** @type {Contender} */
  const contender = {
    name: "server-filesystem",
    client,
    prepare: (ground) => {
      // Claude Code would defer its tools otherwise; the other client ignores the word.
      const server = { command: process.execPath, args: [entry, ground.project], alwaysLoad: true };
      writeInto("", settings(ground), JSON.stringify({ mcpServers: { filesystem: server } }));
    },
    hand: (project) => officialHand(name, project),
    owns: (tool) => tool.startsWith(name("")),
  };
  return [contender];
}
