import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { closeSync, createReadStream, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { freshFolder, makeFolder, remove } from "../rooms.mjs";
import { smallHeap, tooMuch } from "./room.mjs";

/** @typedef {import("../contract.mjs").Row} Row */

/**
 * A command, and where the long line comes from: its input, or a file of the project or of the state folder.
 *
 * @typedef {{ readonly args: readonly string[], readonly line: "stdin" | "root" | "state", readonly file?: string,
 *   readonly input?: string, readonly head?: string, readonly tail?: string, readonly before?: readonly (readonly string[])[] }} Reader
 */

/** M2: every reader of lines, with one line of 150 MB. @param {boolean} quick some of them @returns {AsyncGenerator<Row>} */
export async function* longLines(quick) {
  for (const reader of quick ? readers.filter((_, at) => at % 4 === 0) : readers)
    yield await readLine(reader);
}

const json = { head: '{"text":"', tail: '"}' };
const hook = {
  head: '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Write","tool_input":{"file_path":"/f","content":"',
  tail: '"}}',
};

const called = JSON.stringify({
  hook_event_name: "PreToolUse",
  session_id: "s",
  tool_name: "Write",
  tool_input: { file_path: "/none/f", content: "x" },
});
const guardKey = createHash("sha256").update("s").digest("hex").slice(0, 32);

/** @type {readonly Reader[]} */
const readers = [
  { args: ["sessions", "import", "-"], line: "stdin", ...json },
  { args: ["sessions", "import", "ROOT/f"], line: "root", file: "f", ...json },
  { args: ["patch", "--jsonl"], line: "stdin", ...json },
  { args: ["guard"], line: "stdin", ...hook },
  { args: ["write", "f"], line: "stdin" },
  { args: ["append", "f"], line: "stdin" },
  { args: ["apply"], line: "stdin", head: "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+" },
  { args: ["patch", "g"], line: "stdin", head: "@@ -1 +1 @@\n-x\n+" },
  { args: ["read", "f"], line: "root", file: "f" },
  { args: ["search", "y"], line: "root", file: "f" },
  { args: ["find", "*"], line: "root", file: "f" },
  { args: ["list"], line: "root", file: ".gitignore" },
  { args: ["list"], line: "root", file: ".holdfastignore" },
  { args: ["setup", "claude", "--yes"], line: "root", file: ".mcp.json", ...json },
  { args: ["append", "f", "ROOT/small"], line: "root", file: "f" },
  { args: ["sessions", "list"], line: "state", file: "conversations/long.jsonl", ...json },
  { args: ["sessions", "show", "long"], line: "state", file: "conversations/long.jsonl", ...json },
  {
    args: ["log", "small"],
    line: "state",
    file: "history/KEY.jsonl",
    before: [["append", "small", "ROOT/small"]],
    ...json,
  },
  {
    args: ["undo", "small"],
    line: "state",
    file: "history/KEY.jsonl",
    before: [["append", "small", "ROOT/small"]],
    ...json,
  },
  { args: ["list"], line: "state", file: "changes/x.jsonl", ...json },
  { args: ["sessions", "list"], line: "state", file: "conversations/index.cache", ...json },
  { args: ["guard"], line: "state", file: `guard/${guardKey}.jsonl`, input: called },
];

/** @param {Reader} reader @returns {Promise<Row>} */
async function readLine(reader) {
  const top = freshFolder();
  const root = makeFolder(join(top, "root"));
  const state = makeFolder(join(top, "state"));
  try {
    writeFileSync(join(root, "small"), "x\n");
    for (const args of reader.before ?? [])
      await run(
        args.map((arg) => arg.replace("ROOT", root)),
        root,
        state,
      );
    const key = createHash("sha256").update(join(root, "small")).digest("hex").slice(0, 40);
    const place = reader.line === "state" ? state : root;
    const file = join(reader.line === "stdin" ? top : place, (reader.file ?? "input").replace("KEY", key));
    makeFolder(dirname(file));
    writeLong(file, reader);
    const beside = join(top, "beside");
    if (reader.input !== undefined) writeFileSync(beside, reader.input);
    const input = reader.line === "stdin" ? file : reader.input === undefined ? undefined : beside;
    const ended = await run(
      reader.args.map((arg) => arg.replace("ROOT", root)),
      root,
      state,
      input,
    );
    return {
      figure: "M2",
      what: `\`${reader.args.join(" ").replace("ROOT/", "")}\`: a line of 150 MB in ${reader.line === "stdin" ? "its input" : reader.file}`,
      tried: 1,
      bad: { ...tooMuch(ended.megabytes), "ended badly": ended.code === null || ended.code === 70 ? 1 : 0 },
      seen: `${ended.megabytes} MB at most, exit code ${ended.code}${ended.said}`,
    };
  } finally {
    remove(top);
  }
}

/** @param {string} file @param {Reader} reader */
function writeLong(file, { head = "", tail = "" }) {
  const fd = openSync(file, "a");
  writeSync(fd, head);
  const piece = "x".repeat(1_000_000);
  for (let at = 0; at < 150; at++) writeSync(fd, piece);
  writeSync(fd, `${tail}\n`);
  closeSync(fd);
}

/**
 * Runs the command in the project; its last breath is how much it held.
 *
 * @param {readonly string[]} args @param {string} root @param {string} state @param {string} [input] a file
 */
async function run(args, root, state, input) {
  const peak = join(state, "..", "peak");
  const last = `process.on("exit",()=>require("fs").writeFileSync(${JSON.stringify(peak)},String(process.resourceUsage().maxRSS)))`;
  const hook = join(state, "..", "last.cjs");
  writeFileSync(hook, last);
  writeFileSync(peak, "0");
  const env = { ...process.env, HOLDFAST_STATE_DIR: state };
  const child = spawn(process.execPath, ["--require", hook, ...smallHeap(args)], {
    cwd: root,
    env,
    stdio: ["pipe", "ignore", "pipe"],
  });
  child.stdin.on("error", () => {});
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    said = (said + chunk).slice(0, 300);
  });
  if (input === undefined) child.stdin.end();
  else createReadStream(input).pipe(child.stdin);
  const [code] = await once(child, "close");
  const megabytes = Math.round(Number(readFileSync(peak, "utf8")) / 1_024);
  const line = said.trim().split("\n")[0]?.slice(0, 120) ?? "";
  return { code, megabytes, said: line === "" ? "" : `, ${line.replaceAll("|", "/")}` };
}
