import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { built } from "../machine.mjs";
import { freshFolder, makeFolder, remove } from "../rooms.mjs";
import { mostMegabytes, peakMegabytes } from "./room.mjs";

/** @typedef {import("../contract.mjs").Row} Row */
/** @typedef {{ readonly name: string, readonly args: object, readonly base?: "at the start" | "none" }} Call */
/** @typedef {{ readonly what: string, readonly text: string, readonly calls: readonly Call[], readonly room?: number }} Case */

const megabytes = 50;
const line = "a line of a log, of fifty characters with its end\n";
const beyondAscii = "eine Zeile eines Protokolls, fünfzig Zeichen lang x\n";
const half = (megabytes * 500_000) / line.length;
const inLines = (/** @type {string} */ one) => `${one.repeat(half)}one place\n${one.repeat(half)}`;
/** Node 24 takes 25 MB more before anything is done. */
const most = mostMegabytes + (process.versions.node.startsWith("20.") ? 0 : 20);

/** The clock stands still: a busy machine may not make it in the time that a change has. */
const clock = `--import=data:text/javascript,${encodeURIComponent("const at = Date.now(); Date.now = () => at;")}`;

/** @type {Call} */
const edit = { name: "edit_file", args: { edits: [{ old_string: "one place", new_string: "another" }] } };
/** @type {Call} */
const append = { name: "append_to_file", args: { content: "x\n" }, base: "none" };
/** @type {Call} */
const patch = {
  name: "safe_patch",
  args: { unified_diff: `@@ -${half + 1},1 +${half + 1},1 @@\n-one place\n+another\n` },
};
const whole = [append, { ...append, name: "prepend_to_file" }, edit];

/** A file of 50 MB, changed by one tool after the other: of a line of 50 MB no diff is wanted. @returns {readonly Case[]} */
function cases() {
  const [lines, oneLine] = [inLines(line), `${"ab".repeat(megabytes * 500_000)}one place`];
  const changed = (
    /** @type {string} */ how,
    /** @type {string} */ text,
    /** @type {readonly Call[]} */ calls,
  ) => [
    ...calls.map((call) => ({ what: `${how}: ${call.name}`, text, calls: [call] })),
    { what: `${how}: ${edit.name}, then undo_edit`, text, calls: [edit, { name: "undo_edit", args: {} }] },
  ];
  /** The base is decoded as well. @param {Call} call */
  const behind = (call) => /** @type {readonly Call[]} */ ([append, { ...call, base: "at the start" }]);
  return [
    ...changed("in lines", lines, [...whole, patch]),
    ...changed("in one line", oneLine, whole),
    { what: "beyond ASCII: edit_file", text: inLines(beyondAscii), calls: [edit] },
    { what: "in lines, added to since the base: edit_file", text: lines, calls: behind(edit), room: 30 },
    // What is collected in time is another amount in each run: 281 to 335 MB.
    { what: "in lines, added to since the base: safe_patch", text: lines, calls: behind(patch), room: 40 },
    { what: "in one line, added to since the base: edit_file", text: oneLine, calls: behind(edit), room: 30 },
  ];
}

/** M3: changes of a large file by a server with little room for its objects. @param {boolean} quick some of them @returns {AsyncGenerator<Row>} */
export async function* largeChanges(quick) {
  for (const one of quick ? cases().filter((_, at) => at % 4 === 0) : cases()) yield await change(one);
}

/** @param {Case} one @returns {Promise<Row>} */
async function change({ what, text, calls, room = 0 }) {
  const top = freshFolder();
  const file = join(makeFolder(`${top}/root`), "f.md");
  writeFileSync(file, text);
  const sha256 = () => createHash("sha256").update(readFileSync(file)).digest("hex");
  // The state before and the one after as text are 100 MB of it.
  const flags = [
    "--max-old-space-size=144",
    clock,
    built.cli,
    "mcp",
    "--tools",
    "all",
    "--root",
    `${top}/root`,
  ];
  const server = spawn(process.execPath, [...flags, "--state-dir", `${top}/state`], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  server.stdin.on("error", () => {});
  const say = (/** @type {object} */ message) =>
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const answerTo = async (/** @type {string} */ id, /** @type {object} */ message) => {
    say({ id, ...message });
    for (let next = await lines.next(); next.done !== true; next = await lines.next())
      if (next.value.includes(`"id":"${id}"`)) return next.value;
    return "";
  };
  try {
    await answerTo("hello", { method: "initialize", params: hello });
    say({ method: "notifications/initialized" });
    const start = sha256();
    let refused = 0;
    for (const { name, args, base } of calls) {
      const hash = base === "none" ? {} : { base_content_sha256: base === undefined ? sha256() : start };
      const params = { name, arguments: { file_path: "f.md", ...hash, ...args } };
      const answer = await answerTo(name, { method: "tools/call", params });
      const isAnswered = answer.includes("OK (applied)");
      if (!isAnswered && !(base !== undefined && answer.includes("(state_mismatch)"))) refused += 1;
    }
    const undone = calls.some(({ name }) => name === "undo_edit");
    const peak = peakMegabytes(server.pid);
    return {
      figure: "M3",
      what: `${megabytes} MB ${what}`,
      tried: calls.length,
      bad: {
        [`above ${most + room} MB`]: peak > most + room ? 1 : 0,
        refused,
        ...(undone ? { "not as it was": sha256() === start ? 0 : 1 } : {}),
      },
      seen: `${peak} MB at most`,
    };
  } finally {
    server.kill("SIGKILL");
    remove(top);
  }
}

const hello = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "proof", version: "1" },
};
