import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { findServer } from "../proof/postgres/cluster.mjs";

/**
 * What some tests need beside Node, npm, git and Debian's base system: the package that has it, and arguments with which it
 * shows that it works here. No test may ask for one of these in another way (`tools.test.ts`).
 */
export const tools = {
  bwrap: ["bubblewrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "true"],
  tmux: ["tmux", "-V"],
  strace: ["strace", "-qq", "-o", "/dev/null", "true"],
  chromium: ["chromium", "--version"],
  rg: ["ripgrep", "--version"],
  zsh: ["zsh", "--version"],
  fish: ["fish", "--version"],
  initdb: ["postgresql"],
  patch: ["patch", "--version"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const found = new Map<string, boolean>();

/** Whether a tool works here. Where it does not, what needs it is skipped, which is said once. */
export function has(tool: keyof typeof tools): boolean {
  const [debian, ...trial] = tools[tool];
  // Debian keeps PostgreSQL's programs off the path.
  return worksHere(`${tool} (Debian's package ${debian})`, () =>
    tool === "initdb" ? findServer() !== undefined : spawnSync(tool, trial).status === 0,
  );
}

/** Where a tool is. */
export function pathOf(tool: keyof typeof tools): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, tool)).find((path) => existsSync(path)) ?? tool;
}

/** Whether tests may give files away, become other users and mount; as `has`. */
export const isRoot = worksHere("root", () => process.geteuid?.() === 0);

function worksHere(name: string, tried: () => boolean): boolean {
  const works = found.get(name) ?? tried();
  if (!works && !found.has(name)) console.warn(`skipped: the tests that need ${name}, which is not here`);
  found.set(name, works);
  return works;
}
