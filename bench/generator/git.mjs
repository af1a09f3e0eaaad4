import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";

/**
 * Diffs written by the real git, in a repository of its own that is gone when the process ends. Nothing of the
 * user's settings is read, so the same texts give the same diffs. Objects are written here, since a process for
 * each would cost more than all the rest.
 *
 * @typedef {{ readonly name: string, readonly text: string, readonly mode?: "100644" | "100755" }} GitFile
 */

/** @type {string | undefined} */
let folder;
let indexes = 0;

/**
 * What git says of two sets of files.
 *
 * @param {readonly GitFile[]} before @param {readonly GitFile[]} after @param {readonly string[]} [flags]
 * @returns {string | undefined} nothing where there is no git
 */
export function diffTrees(before, after, flags = []) {
  const home = open();
  return home === undefined
    ? undefined
    : git(home, ["diff", ...flags, writeTree(home, before), writeTree(home, after)]);
}

/**
 * What git says of a file whose index and working copy differ.
 *
 * @param {string} name @param {string} index @param {string} working @param {readonly string[]} flags before `diff`
 * @param {readonly string[]} more behind it
 */
export function diffWorking(name, index, working, flags, more = []) {
  const home = open();
  if (home === undefined) return undefined;
  const file = join(home, ".git", `index-${indexes++}`);
  const info = `100644,${writeObject(home, "blob", Buffer.from(index))},${name}`;
  git(home, ["update-index", "--add", "--cacheinfo", info], file);
  writeFileSync(join(home, name), working);
  const said = git(home, [...flags, "diff", ...more], file);
  rmSync(file, { force: true });
  return said;
}

/** @param {string} home @param {readonly GitFile[]} files sorted by name */
function writeTree(home, files) {
  const entries = files.map(({ name, text, mode = "100644" }) => {
    const blob = writeObject(home, "blob", Buffer.from(text));
    return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(blob, "hex")]);
  });
  return writeObject(home, "tree", Buffer.concat(entries));
}

/** @param {string} home @param {"blob" | "tree"} kind @param {Buffer} content */
function writeObject(home, kind, content) {
  const whole = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
  const id = createHash("sha1").update(whole).digest("hex");
  const file = join(home, ".git", "objects", id.slice(0, 2), id.slice(2));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, deflateSync(whole));
  return id;
}

/** @param {string} home @param {readonly string[]} args @param {string} [index] */
function git(home, args, index) {
  const quoted = ["git", ...args].map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(" ");
  const own = index === undefined ? "" : `GIT_INDEX_FILE='${index}' `;
  return runInShell(home, `${own}${quoted}`) === 0 ? readFileSync(join(home, "said"), "utf8") : undefined;
}

function open() {
  if (folder !== undefined) return folder;
  const home = mkdtempSync(join(tmpdir(), "holdfast-git-"));
  const made = spawnSync("git", ["init", "--quiet", "--initial-branch=main"], { cwd: home, env });
  const pipes = spawnSync("mkfifo", ["orders", "codes"], { cwd: home });
  if (made.status !== 0 || pipes.status !== 0) {
    rmSync(home, { recursive: true });
    return undefined;
  }
  // To start a process out of one with a large heap takes ten times what git does: a small shell starts them.
  const loop = 'while read -r _ <&3; do . ./order >said 2>/dev/null; echo "$?" >&4; done';
  const shell = spawn("sh", ["-c", `exec 3<>orders 4<>codes; ${loop}`], { cwd: home, env, stdio: "ignore" });
  shell.unref();
  process.on("exit", () => {
    shell.kill();
    rmSync(home, { recursive: true, force: true });
  });
  pipe = { orders: openSync(join(home, "orders"), "r+"), codes: openSync(join(home, "codes"), "r+") };
  folder = home;
  return home;
}

/** @type {{ readonly orders: number, readonly codes: number } | undefined} */
let pipe;

/** @param {string} home @param {string} command @returns the exit code; what it prints is in the file `said` */
function runInShell(home, command) {
  if (pipe === undefined) return 1;
  writeFileSync(join(home, "order"), `${command}\n`);
  writeSync(pipe.orders, "\n");
  const code = Buffer.alloc(8);
  return Number(code.toString("latin1", 0, readSync(pipe.codes, code)));
}

const env = {
  PATH: process.env.PATH,
  HOME: tmpdir(),
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CEILING_DIRECTORIES: tmpdir(),
  LC_ALL: "C.UTF-8",
};
