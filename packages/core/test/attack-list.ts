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
  readonly read?: string;
  readonly write?: string;
  readonly setUp?: (on: Ground) => void;
}

export const at = (on: Ground, path: string) => join(on.root, path);
export const outside = (on: Ground) => dirname(on.root);
export const secret = (on: Ground) => join(outside(on), "secret.txt");
export const link = (target: (on: Ground) => string, name: string) => (on: Ground) => {
  mkdirSync(dirname(at(on, name)), { recursive: true });
  symlinkSync(target(on), at(on, name));
};

export const names: readonly Attack[] = [
  { id: "1", name: "a climb", path: "../secret.txt", read: "outside_workspace", write: "outside_workspace" },
  {
    id: "2",
    name: "a climb after a step down",
    path: "a/../../secret.txt",
    read: "outside_workspace",
    write: "outside_workspace",
  },
  {
    id: "3",
    name: "an absolute path outside",
    path: secret,
    read: "outside_workspace",
    write: "outside_workspace",
  },
  {
    id: "4",
    name: "a folder whose name begins like the root's",
    path: (on) => `${on.root}-evil/f.txt`,
    setUp: (on) => {
      mkdirSync(`${on.root}-evil`);
      writeFileSync(`${on.root}-evil/f.txt`, "SECRET\n");
    },
    read: "outside_workspace",
    write: "outside_workspace",
  },
  { id: "5", name: "NUL", path: "a\0.txt", read: "invalid_arguments", write: "invalid_arguments" },
  { id: "6a", name: "nothing", path: "", read: "invalid_arguments", write: "invalid_arguments" },
  { id: "6b", name: "the root itself", path: ".", read: "is_directory", write: "is_directory" },
  { id: "7a", name: "a literal ~", path: "~/x.txt", read: "file_missing", write: "applied" },
  { id: "7b", name: "a literal $HOME", path: "$HOME/x.txt", read: "file_missing", write: "applied" },
  { id: "7c", name: "a literal %2e%2e", path: "%2e%2e/x.txt", read: "file_missing", write: "applied" },
  { id: "7d", name: "a literal file://", path: "file:///etc/passwd", read: "file_missing", write: "applied" },
  { id: "8", name: "superfluous slashes and dots", path: ".//a.txt/./", read: "ok", write: "missing_base" },
  {
    id: "9a",
    name: "a backslash",
    path: "..\\secret.txt",
    read: "invalid_arguments",
    write: "invalid_arguments",
  },
  {
    id: "9b",
    name: "a drive letter",
    path: "C:/x.txt",
    read: "invalid_arguments",
    write: "invalid_arguments",
  },
  {
    id: "10a",
    name: "a name of 256 bytes",
    path: "x".repeat(256),
    read: "invalid_arguments",
    write: "invalid_arguments",
  },
  { id: "10b", name: "a name of 255 bytes", path: "x".repeat(255), read: "file_missing", write: "applied" },
  {
    id: "10c",
    name: "a path of 4,096 bytes",
    path: `${"d/".repeat(2047)}xx`,
    read: "invalid_arguments",
    write: "invalid_arguments",
  },
  {
    id: "11a",
    name: "a newline in a name",
    path: "a\nb.txt",
    read: "invalid_arguments",
    write: "invalid_arguments",
  },
  {
    id: "11b",
    name: "an escape in a name",
    path: "a\u001b[2Jb.txt",
    read: "invalid_arguments",
    write: "invalid_arguments",
  },
  {
    id: "11c",
    name: "quotes, angle brackets, bidi and zero width in a name",
    path: `a"'<\u202e\u200b.txt`,
    read: "file_missing",
    write: "applied",
  },
  {
    id: "14",
    name: "half a surrogate pair",
    path: "a\ud800.txt",
    read: "invalid_arguments",
    write: "invalid_arguments",
  },
  {
    id: "9c",
    name: "an alternate data stream",
    path: "a.txt::$DATA",
    read: "invalid_arguments",
    write: "invalid_arguments",
  },
  {
    id: "9d",
    name: "a Windows device",
    path: "sub/NUL",
    read: "invalid_arguments",
    write: "invalid_arguments",
  },
];

export const links: readonly Attack[] = [
  {
    id: "15",
    name: "a link to a file outside",
    path: "out.txt",
    setUp: link(secret, "out.txt"),
    read: "outside_workspace",
    write: "outside_workspace",
  },
  {
    id: "16",
    name: "a link to a folder outside",
    path: "out",
    setUp: link(outside, "out"),
    read: "outside_workspace",
    write: "outside_workspace",
  },
  {
    id: "17",
    name: "a link out in a parent",
    path: "deep/out/secret.txt",
    setUp: link(outside, "deep/out"),
    read: "outside_workspace",
    write: "outside_workspace",
  },
  {
    id: "18",
    name: "a dangling link out",
    path: "gone",
    setUp: link((on) => join(outside(on), "made-by-attack.txt"), "gone"),
    read: "outside_workspace",
    write: "outside_workspace",
  },
  {
    id: "19",
    name: "a dangling link inside",
    path: "here",
    setUp: link(() => "later.txt", "here"),
    read: "file_missing",
    write: "applied",
  },
  {
    id: "20a",
    name: "a chain of 41 links",
    path: "l0",
    setUp: (on) => {
      for (let n = 0; n < 41; n++) symlinkSync(n === 40 ? "a.txt" : `l${n + 1}`, at(on, `l${n}`));
    },
    read: "not_a_file",
    write: "not_a_file",
  },
  {
    id: "20b",
    name: "links in a circle",
    path: "loop",
    setUp: link(() => "loop", "loop"),
    read: "not_a_file",
    write: "not_a_file",
  },
  {
    id: "21",
    name: "a link to a protected file",
    path: "innocent.txt",
    setUp: (on) => {
      on.put(".git/config", "[core]\n");
      symlinkSync(".git/config", at(on, "innocent.txt"));
    },
    read: "ok",
    write: "protected_path",
  },
  {
    id: "22",
    name: "a relative link that climbs out",
    path: "sub/up.txt",
    setUp: link(() => "../../secret.txt", "sub/up.txt"),
    read: "outside_workspace",
    write: "outside_workspace",
  },
  {
    id: "25a",
    name: "/proc/self/root",
    path: "/proc/self/root/etc/passwd",
    read: "outside_workspace",
    write: "outside_workspace",
  },
  {
    id: "25b",
    name: "a link to /proc/self/root",
    path: "proc/etc/passwd",
    setUp: link(() => "/proc/self/root", "proc"),
    read: "outside_workspace",
    write: "outside_workspace",
  },
  {
    id: "25c",
    name: "a link to /proc/self/fd",
    path: "fd/0",
    setUp: link(() => "/proc/self/fd", "fd"),
    read: "outside_workspace",
    write: "outside_workspace",
  },
  {
    id: "25d",
    name: "a link to /dev/fd",
    path: "fd",
    setUp: link(() => "/dev/fd/0", "fd"),
    read: "outside_workspace",
    write: "outside_workspace",
  },
];

export const kinds: readonly Attack[] = [
  {
    id: "26",
    name: "a FIFO",
    path: "pipe",
    setUp: (on) => void execFileSync("mkfifo", [at(on, "pipe")]),
    read: "not_a_file",
    write: "not_a_file",
  },
  {
    id: "27a",
    name: "a link to /dev/zero",
    path: "zero",
    setUp: link(() => "/dev/zero", "zero"),
    read: "outside_workspace",
    write: "outside_workspace",
  },
  {
    id: "28",
    name: "a folder",
    path: "sub",
    setUp: (on) => void on.put("sub/x", "x"),
    read: "is_directory",
    write: "is_directory",
  },
  {
    id: "31",
    name: "a sparse file of 1 GB",
    path: "big",
    setUp: (on) => {
      on.put("big", "");
      truncateSync(at(on, "big"), 2 ** 30);
    },
    read: "too_large",
    write: "too_large",
  },
  { id: "32", name: "a parent that is a file", path: "a.txt/b", read: "not_a_file", write: "not_a_file" },
];

export const protectedPaths = [
  [
    "42",
    ".git/hooks/pre-commit",
    ".git/config",
    "sub/.git/HEAD",
    ".git",
    ".GIT/config",
    ".git./config",
    ".git /config",
    "git~1/config",
    ".g\u200cit/config",
  ],
  ["43", ".vscode/settings.json", ".vscode/tasks.json", ".vscode/launch.json", "sub/.VSCode/Tasks.JSON"],
  ["44", ".cursor/mcp.json", ".mcp.json", ".CURSOR/MCP.JSON"],
  ["45", ".claude/settings.json", ".gemini/settings.json", ".codex/config.toml"],
  ["46", ".npmrc", ".ssh/authorized_keys", ".bashrc", ".zshrc", ".profile"],
  ["47", ".husky/pre-commit", ".github/workflows/ci.yml", ".envrc"],
] as const;
