import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Ground } from "./support.js";

/**
 * The attack list: cases 1 to 33 and 42 to 48, each with the code that answers it (docs/files.md says what is
 * protected, and what becomes of hard links). `read` and `write` are what read_file and write_file answer.
 */
export interface Attack {
  readonly id: string;
  readonly name: string;
  readonly path: string | ((on: Ground) => string);
  readonly read: string;
  readonly write: string;
  readonly setUp?: ((on: Ground) => void) | undefined;
}

export const at = (on: Ground, path: string) => join(on.root, path);
export const outside = (on: Ground) => dirname(on.root);
export const secret = (on: Ground) => join(outside(on), "secret.txt");

type Row = readonly [id: string, name: string, path: Attack["path"], codes: readonly [string, string]];
const refused = (code: string) => [code, code] as const;
const [out, invalid, noFile] = ["outside_workspace", "invalid_arguments", "not_a_file"].map(refused) as [
  Row[3],
  Row[3],
  Row[3],
];
const made = ["file_missing", "applied"] as const;

const attack = ([id, name, path, [read, write]]: Row, setUp?: Attack["setUp"]): Attack => ({
  id,
  name,
  path,
  read,
  write,
  setUp,
});

const rows: readonly Row[] = [
  ["1", "a climb", "../secret.txt", out],
  ["2", "a climb after a step down", "a/../../secret.txt", out],
  ["3", "an absolute path outside", secret, out],
  ["5", "NUL", "a\0.txt", invalid],
  ["6a", "nothing", "", invalid],
  ["6b", "the root itself", ".", refused("is_directory")],
  ["7a", "a literal ~", "./~/x.txt", made],
  ["7b", "a literal $HOME", "./$HOME/x.txt", made],
  ["7c", "a literal %2e%2e", "%2e%2e/x.txt", made],
  ["7d", "a literal file://", "./file:///etc/passwd", made],
  ["7e", "a file URL out of the root", "file:///etc/passwd", out],
  ["7f", "a ~ that nobody said is meant", "~/x.txt", invalid],
  ["8", "superfluous slashes and dots", ".//a.txt/./", ["ok", "missing_base"]],
  ["9a", "a backslash", "..\\secret.txt", invalid],
  ["9b", "a drive letter", "C:/x.txt", invalid],
  ["9c", "an alternate data stream", "a.txt::$DATA", invalid],
  ["9d", "a Windows device", "sub/NUL", invalid],
  ["10a", "a name of 256 bytes", "x".repeat(256), invalid],
  ["10b", "a name of 255 bytes", "x".repeat(255), made],
  ["10c", "a path of 4,096 bytes", `${"d/".repeat(2047)}xx`, invalid],
  ["11a", "a newline in a name", "a\nb.txt", invalid],
  ["11b", "an escape in a name", "a\u001b[2Jb.txt", invalid],
  ["11c", "quotes, angle brackets, bidi and zero width in a name", `./a"'<\u202e\u200b.txt`, made],
  ["14", "half a surrogate pair", "a\ud800.txt", invalid],
];

export const names: readonly Attack[] = [
  ...rows.map((row) => attack(row)),
  attack(["4", "a folder whose name begins like the root's", (on) => `${on.root}-evil/f.txt`, out], (on) => {
    mkdirSync(`${on.root}-evil`);
    writeFileSync(`${on.root}-evil/f.txt`, "SECRET\n");
  }),
];

type Link = readonly [...Row, target: string | ((on: Ground) => string), link?: string];

/** An attack through a link; the link lies where the path says, unless it is named. */
const linked = ([id, name, path, codes, target, link = String(path)]: Link): Attack =>
  attack([id, name, path, codes], (on) => {
    mkdirSync(dirname(at(on, link)), { recursive: true });
    symlinkSync(typeof target === "string" ? target : target(on), at(on, link));
  });

const linkRows: readonly Link[] = [
  ["15", "a link to a file outside", "out.txt", out, secret],
  ["16", "a link to a folder outside", "out", out, outside],
  ["17", "a link out in a parent", "deep/out/secret.txt", out, outside, "deep/out"],
  ["18", "a dangling link out", "gone", out, (on) => join(outside(on), "made-by-attack.txt")],
  ["19", "a dangling link inside", "here", made, "later.txt"],
  ["20b", "links in a circle", "loop", noFile, "loop"],
  ["22", "a relative link that climbs out", "sub/up.txt", out, "../../secret.txt"],
  ["25b", "a link to /proc/self/root", "proc/etc/passwd", out, "/proc/self/root", "proc"],
  ["25c", "a link to /proc/self/fd", "fd/0", out, "/proc/self/fd", "fd"],
  ["25d", "a link to /dev/fd", "fd", out, "/dev/fd/0"],
];

export const links: readonly Attack[] = [
  ...linkRows.map(linked),
  attack(["20a", "a chain of 41 links", "l0", noFile], (on) => {
    for (let n = 0; n < 41; n++) symlinkSync(n === 40 ? "a.txt" : `l${n + 1}`, at(on, `l${n}`));
  }),
  attack(["21", "a link to a protected file", "innocent.txt", ["ok", "protected_path"]], (on) => {
    on.put(".git/config", "[core]\n");
    symlinkSync(".git/config", at(on, "innocent.txt"));
  }),
  attack(["25a", "/proc/self/root", "/proc/self/root/etc/passwd", out]),
];

export const kinds: readonly Attack[] = [
  attack(["26", "a FIFO", "pipe", noFile], (on) => void execFileSync("mkfifo", [at(on, "pipe")])),
  linked(["27a", "a link to /dev/zero", "zero", out, "/dev/zero"]),
  attack(["28", "a folder", "sub", refused("is_directory")], (on) => void on.put("sub/x", "x")),
  attack(["31", "a sparse file of 1 GB", "big", refused("too_large")], (on) => {
    on.put("big", "");
    truncateSync(at(on, "big"), 2 ** 30);
  }),
  attack(["32", "a parent that is a file", "a.txt/b", noFile]),
];

/** Each row: its number, then its paths. */
export const protectedPaths: readonly (readonly string[])[] = [
  "42|.git/hooks/pre-commit|.git/config|sub/.git/HEAD|.git|.GIT/config|.git./config|.git /config|git~1/config|./.g\u200cit/config",
  "43|.vscode/settings.json|.vscode/tasks.json|.vscode/launch.json|sub/.VSCode/Tasks.JSON",
  "44|.cursor/mcp.json|.mcp.json|.CURSOR/MCP.JSON",
  "45|.claude/settings.json|.gemini/settings.json|.codex/config.toml",
  "46|.npmrc|.ssh/authorized_keys|.bashrc|.zshrc|.profile",
  "47|.husky/pre-commit|.github/workflows/ci.yml|.envrc",
].map((row) => row.split("|"));
