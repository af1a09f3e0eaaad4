import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { sha256 } from "./ground.mjs";

/**
 * A server of `holdfast mcp` over stdio, and the transcript of what was sent to it and what it answered.
 *
 * @typedef {readonly [tool: string, args: Readonly<Record<string, unknown>>]} Call a tool's name, or `tools/list`, or
 *   `page`: a read of which the transcript has the first line and a hash
 */

/** @param {import("./run.mjs").Ground} ground @param {{ readonly flags: readonly string[], readonly client?: string }} options */
export async function openServer({ folder, house }, { flags, client = "golden" }) {
  const program = join(house, "packages/cli/bin/holdfast.js");
  const places = ["--root", join(folder, "project"), "--state-dir", join(folder, "state")];
  const child = spawn(process.execPath, [program, "mcp", ...places, ...flags]);
  const said = [`# holdfast mcp ${flags.join(" ")} (client ${client})`];
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    complaints += chunk;
  });
  /** @type {Map<number, (message: any) => void>} */
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  let last = 0;
  /** Sends messages in one piece, so that the server has all of them before it answers one. @param {readonly (readonly [method: string, params: object])[]} messages */
  const send = (messages) => {
    const ids = messages.map(() => ++last);
    const bodies = messages.map(([method, params], at) => ({ jsonrpc: "2.0", id: ids[at], method, params }));
    child.stdin.write(bodies.map((body) => `${JSON.stringify(body)}\n`).join(""));
    return Promise.all(
      ids.map(
        (id) => new Promise((/** @type {(message: any) => void} */ resolve) => waiting.set(id, resolve)),
      ),
    );
  };
  const clientInfo = { name: client, version: "1" };
  const [opened] = await send([
    ["initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }],
  ]);
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return {
    say: (/** @type {string} */ heading) => void said.push("", `## ${heading}`),
    /** Sends the calls at once. @param {...Call} calls */
    async call(...calls) {
      const answers = await send(calls.map(toMessage));
      for (const [at, [name, args]] of calls.entries()) {
        said.push(`> ${name} ${JSON.stringify(args)}`);
        if (name === "tools/list")
          said.push(...[opened, answers[at]].map(({ result }) => JSON.stringify(result, null, 2)));
        else said.push(...(name === "page" ? pageOf(answers[at]) : shown(answers[at])));
      }
    },
    /** Ends the server. @returns {Promise<string>} the transcript */
    async close() {
      child.stdin.end();
      const [code] = await once(child, "close");
      const last = [`# the end: exit code ${code}`, ...(complaints === "" ? [] : [framed(complaints)])];
      return `${[...said, "", ...last].join("\n")}\n`;
    },
  };
}

/** @param {Call} call @returns {readonly [string, object]} */
function toMessage([name, args]) {
  return name === "tools/list"
    ? [name, args]
    : ["tools/call", { name: name === "page" ? "read_file" : name, arguments: args }];
}

/** @param {{ result: any }} message */
function pageOf({ result }) {
  const text = String(result.content[0].text);
  return [`|${text.split("\n")[0]}`, `< ${text.length} characters, sha256 ${sha256(text)}`];
}

/** @param {{ result?: any, error?: unknown }} message */
function shown({ result, error }) {
  if (result === undefined) return [`< ${JSON.stringify(error)}`];
  const { content, structuredContent, isError, ...rest } = result;
  return [
    ...(isError === true ? ["< isError"] : []),
    ...content.map((/** @type {any} */ block) =>
      block.type === "text" ? framed(block.text) : `< ${JSON.stringify(block)}`,
    ),
    ...(structuredContent === undefined ? [] : [`< structured ${JSON.stringify(structuredContent)}`]),
    ...(Object.keys(rest).length === 0 ? [] : [`< ${JSON.stringify(rest)}`]),
  ];
}

/** A text line by line; a line after the last newline shows that the text ends in one. @param {string} text */
export function framed(text) {
  return text
    .split("\n")
    .map((line) => `|${line.replaceAll("\r", "␍")}`)
    .join("\n");
}
