import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeInto } from "../clients/any-client.mjs";
import { claudeCode } from "../clients/claude-code.mjs";
import { codex } from "../clients/codex.mjs";
import { copilotCli, serversFile } from "../clients/copilot-cli.mjs";
import { geminiCli } from "../clients/gemini-cli.mjs";
import { opencode, settingsFile as opencodeSettings } from "../clients/opencode.mjs";
import { qwenCode, settingsFile as qwenSettings } from "../clients/qwen-code.mjs";

/**
 * How each client's own settings name a server.
 *
 * @typedef {{ readonly command: string, readonly args: readonly string[] }} Server
 * @typedef {import("../clients/any-client.mjs").Ground} Ground
 * @typedef {{ readonly client: import("../clients/any-client.mjs").Client,
 *   write(ground: Ground, name: string, server: Server): void }} Probed
 * @type {readonly Probed[]}
 */
export const probedClients = [
  {
    client: claudeCode,
    write: ({ home }, name, server) =>
      writeInto(home, ".claude.json", JSON.stringify({ mcpServers: { [name]: server } })),
  },
  {
    client: geminiCli,
    write: ({ project }, name, server) =>
      writeInto(
        project,
        ".gemini/settings.json",
        JSON.stringify({ mcpServers: { [name]: { ...server, trust: true } } }),
      ),
  },
  {
    client: codex,
    write: ({ home }, name, { command, args }) =>
      writeInto(
        home,
        ".codex/config.toml",
        `[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`,
      ),
  },
  {
    client: opencode,
    write: ({ home }, name, { command, args }) =>
      addTo(home, opencodeSettings, { mcp: { [name]: { type: "local", command: [command, ...args] } } }),
  },
  {
    client: qwenCode,
    write: ({ home }, name, server) =>
      addTo(home, qwenSettings, { mcpServers: { [name]: { ...server, alwaysLoadTools: true } } }),
  },
  {
    client: copilotCli,
    write: ({ home }, name, server) =>
      writeInto(
        home,
        serversFile,
        JSON.stringify({ mcpServers: { [name]: { type: "local", ...server, tools: ["*"] } } }),
      ),
  },
];

/** Beside what says who the model is. @param {string} folder @param {string} file @param {object} members */
function addTo(folder, file, members) {
  const there = JSON.parse(readFileSync(join(folder, file), "utf8"));
  writeInto(folder, file, JSON.stringify({ ...there, ...members }));
}
