/**
 * Lets release 0.1 itself fill a state folder, and packs it as one file of JSON: writes from the command line
 * and from the MCP server, undos, a change set, writes and a change set that were killed, a session.
 *
 *     node make.mjs CHECKOUT_OF_0.1 > packed.json
 *
 * The checkout is built. The project's folder is written as `{{root}}`, and names that are hashes of a path in it as
 * `{{key of PATH}}`, so that the folder can be unpacked anywhere; boot and process are nobody's.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv, env, execPath, kill, stdout } from "node:process";
import { createInterface } from "node:readline";

const [, , checkout = ""] = argv;
const base = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-0.1-")));
const [root, state] = [join(base, "project"), join(base, "state")];
for (const folder of [root, join(root, "src"), join(root, "docs")]) mkdirSync(folder);
const bin = join(checkout, "packages/cli/bin/holdfast.js");
const settings = { cwd: root, env: { ...env, HOLDFAST_STATE_DIR: state }, encoding: "utf8" };

try {
  fromTheCommandLine();
  await fromTheServer();
  const session = spawnSync(
    execPath,
    [join(checkout, "scripts/sample-session.mjs"), state, root],
    settings,
  ).stdout.trim();
  await killed();
  stdout.write(`${JSON.stringify({ session, state: pack(state), project: pack(root) }, null, 1)}\n`);
} finally {
  rmSync(base, { recursive: true });
}

function fromTheCommandLine() {
  holdfast(["write", "src/app.ts"], "const a = 1;\nconst b = 2;\n");
  holdfast(["edit", "src/app.ts", "--old", "b = 2", "--new", "b = 3", "--atomic"]);
  holdfast(["append", "src/app.ts"], "const c = 4;\n");
  holdfast(["undo", "src/app.ts"]);
  // What is added to becomes the beginning of a longer state.
  holdfast(["write", "log.txt"], "first\n");
  for (const line of ["second\n", "third\n"]) holdfast(["append", "log.txt"], line);
  holdfast(["write", "one.txt"], "1\n");
  holdfast(["write", "two.txt"], "2\n");
  const diff =
    "--- a/one.txt\n+++ b/one.txt\n@@ -1 +1 @@\n-1\n+one\n--- a/two.txt\n+++ b/two.txt\n@@ -1 +1 @@\n-2\n+two\n";
  holdfast(["apply", "--atomic"], diff);
}

async function fromTheServer() {
  const server = spawn(execPath, [bin, "mcp"], { ...settings, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const ask = async (method, params) => {
    id += 1;
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { value } = await lines.next();
    const { result, error } = JSON.parse(value);
    if (error !== undefined || result.isError === true) throw new Error(value);
    return result;
  };
  const call = (name, args) => ask("tools/call", { name, arguments: args });
  const clientInfo = { name: "maker", version: "1" };
  await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  await call("write_file", { file_path: "docs/guide.md", content: "# Guide\n\nRead me.\n" });
  await call("edit_file", {
    file_path: "docs/guide.md",
    edits: [{ old_string: "Read me.", new_string: "Read all of it." }],
  });
  await call("update_section", {
    file_path: "docs/guide.md",
    section_header: "# Guide",
    new_content: "New.\n",
  });
  await call("undo_edit", { file_path: "docs/guide.md" });
  server.stdin.end();
  await new Promise((resolve) => server.on("exit", resolve));
}

/** Before the step, after it and before its line in the history, and in the middle of a change set. */
async function killed() {
  for (const name of ["before.txt", "after.txt"]) holdfast(["write", name], "old\n");
  holdfast(["write", "three.txt"], "3\n");
  holdfast(["write", "four.txt"], "4\n");
  const diff =
    "--- a/three.txt\n+++ b/three.txt\n@@ -1 +1 @@\n-3\n+three\n--- a/four.txt\n+++ b/four.txt\n@@ -1 +1 @@\n-4\n+four\n";
  const held = [
    holdAt("renameat2", 1, ["write", "before.txt", "--atomic"], "never written\n"),
    // The folder is synced after the exchange, and the history is written after that.
    holdAt("fsync", 2, ["write", "after.txt", "--atomic"], "written\n"),
    // The states get their names by two of the calls, then the files.
    holdAt("rename", 4, ["apply", "--atomic"], diff),
  ];
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  for (const { pid } of held) kill(-pid, "SIGKILL");
  await Promise.all(held.map((run) => new Promise((resolve) => run.on("exit", resolve))));
}

/**
 * Held for long as it enters the system call of this name for the `count`th time. All of them at once: a start
 * of Holdfast makes good what dead ones have left.
 */
function holdAt(call, count, args, input) {
  const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:delay_enter=100000000:when=${count}`];
  const command = ["-f", "-qq", "-o", "/dev/null", ...inject, execPath, bin, ...args];
  const run = spawn("strace", command, {
    ...settings,
    detached: true,
    stdio: ["pipe", "inherit", "inherit"],
  });
  run.stdin.end(input);
  return run;
}

function holdfast(args, input = "") {
  const { status, stderr } = spawnSync(execPath, [bin, ...args], { ...settings, input });
  if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
}

/** Every entry of a folder by its path: a text, bytes, the text of a link, or another name of the same file. */
function pack(folder) {
  const entries = {};
  const seen = new Map();
  const names = readdirSync(folder, { recursive: true }).sort();
  for (const name of names) {
    const path = join(folder, name);
    const stat = lstatSync(path);
    if (stat.isDirectory()) continue;
    const twin = stat.nlink > 1 ? seen.get(stat.ino) : undefined;
    seen.set(stat.ino, name);
    entries[neutral(name)] = stat.isSymbolicLink()
      ? { link: neutral(readlinkSync(path)) }
      : twin === undefined
        ? contentOf(readFileSync(path))
        : { same: neutral(twin) };
  }
  return entries;
}

function contentOf(bytes) {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? { text: neutral(text) } : { base64: bytes.toString("base64") };
}

/** Without the folder in which it was made, and without this machine. */
function neutral(text) {
  let said = text.replaceAll(root, "{{root}}");
  for (const name of paths()) {
    const key = createHash("sha256").update(join(root, name)).digest("hex").slice(0, 40);
    said = said.replaceAll(key, `{{key of ${name}}}`);
  }
  return said
    .replace(/\b\d+:\d+:[0-9a-f-]{36}:[\w:[\]-]+/g, "1:1:boot:namespace")
    .replace(/\b\d+,\d+,[0-9a-f-]{36},[\w,[\]-]+/g, "1,1,boot,namespace");
}

function paths() {
  return readdirSync(root, { recursive: true }).filter((name) => !name.includes(".holdfast-"));
}
