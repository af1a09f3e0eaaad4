import { fileURLToPath } from "node:url";
import { runClient, writeInto } from "./clients/any-client.mjs";
import { claudeCode } from "./clients/claude-code.mjs";
import { codex } from "./clients/codex.mjs";
import { geminiCli } from "./clients/gemini-cli.mjs";
import { textOf } from "./hosts/probe-server.mjs";
import { built } from "./machine.mjs";

/**
 * What a client lets through of a server's answers, held against its row of the table of hosts.
 *
 * @type {import("./contract.mjs").Part}
 */
export const part = { name: "hosts", title: "The table of hosts", run };

const server = {
  command: process.execPath,
  args: [fileURLToPath(new URL("hosts/probe-server.mjs", import.meta.url))],
};

/** @typedef {import("./clients/any-client.mjs").Client} Client */

/** How each client's own settings name a server. @type {readonly { readonly client: Client, write(ground: import("./clients/any-client.mjs").Ground): void }[]} */
const probed = [
  {
    client: claudeCode,
    write: ({ home }) => writeInto(home, ".claude.json", JSON.stringify({ mcpServers: { probe: server } })),
  },
  {
    client: geminiCli,
    write: ({ project }) =>
      writeInto(
        project,
        ".gemini/settings.json",
        JSON.stringify({ mcpServers: { probe: { ...server, trust: true } } }),
      ),
  },
  {
    client: codex,
    write: ({ home }) =>
      writeInto(
        home,
        ".codex/config.toml",
        `[mcp_servers.probe]\ncommand = ${JSON.stringify(server.command)}\nargs = ${JSON.stringify(server.args)}\n`,
      ),
  },
];

/** @param {import("./contract.mjs").RunOptions} options */
async function run({ quick, print }) {
  if (quick)
    return [{ figure: "H1", what: "each client's row", tried: 0, bad: {}, notHad: "left to the full run" }];
  /** @type {{ readonly knownHosts: readonly import("@holdfast/mcp").Host[] }} */
  const { knownHosts } = await import(built.hosts);
  const rows = [];
  for (const { client, write } of probed) {
    print(client.title);
    const host = knownHosts.find(({ title }) => title === client.title);
    if (host === undefined) throw new Error(`no row of ${client.title}`);
    rows.push(await probe(client, write, host));
  }
  return rows;
}

/** @param {Client} client @param {(ground: import("./clients/any-client.mjs").Ground) => void} write @param {any} host */
async function probe(client, write, host) {
  const figure = "H1";
  const what = `${client.title} ${client.version}`;
  const installed = client.install();
  if (installed.kind === "missing") return { figure, what, tried: 0, bad: {}, notHad: installed.reason };
  const least = Math.min(host.answerChars, host.within?.bytes ?? host.answerChars);
  const sizes = [least, Math.ceil(least * 1.25), least * 2];
  const call = (/** @type {string} */ tool, count = 0) => [
    { call: client.toolName("probe", tool), args: { count } },
  ];
  const turns = () => [
    ...sizes.map((size) => () => call("size", size)),
    () => call("fail"),
    () => call("both"),
  ];
  return runClient(client, { program: installed.program, files: {}, prepare: write, turns }, (told) => {
    const answers = told.requests.slice(1).map((request) => client.answers(request).join("\n"));
    const whole = sizes.map((size, at) => answers[at]?.includes(textOf(size)) === true);
    const [error = "", both = ""] = answers.slice(sizes.length);
    const text = both.includes("the text");
    const structured = both.includes("structured");
    const sees = text && structured ? "both" : structured ? "structured" : "text";
    const passes =
      error
        .trim()
        .replace(/<system-reminder>[\s\S]*/, "")
        .trim() === "FAILED (probe): as asked.";
    return {
      figure,
      what,
      tried: turns().length,
      bad: {
        "cut below the row": whole[0] === true ? 0 : 1,
        "another part than the row": sees === host.sees ? 0 : 1,
        "errors otherwise than in the row": passes === host.passesErrors ? 0 : 1,
        "broken run":
          told.exit === 0 && told.faults.length === 0 && answers.length === turns().length ? 0 : 1,
      },
      seen: `${sizes.map((size, at) => `${size.toLocaleString("en")} characters ${whole[at] ? "whole" : "cut"}`).join(", ")}; an error ${passes ? "as it is" : "reworded"}; sees ${sees}`,
    };
  });
}
