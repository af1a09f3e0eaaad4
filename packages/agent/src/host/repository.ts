import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { escapeForDisplay } from "@holdfast/core/text";

/** The folders from that of the git repository down to this one; this one alone where there is no repository. */
export function foldersOfRepository(folder: string): readonly string[] {
  const up = [folder];
  for (let at = folder; dirname(at) !== at; at = dirname(at), up.unshift(at))
    if (existsSync(join(at, ".git"))) return up;
  return [folder];
}

/**
 * A sentence on the branch and on whether the tree is clean; undefined where git does not say so in time. No program
 * that the repository's own configuration names is run for it.
 */
export async function gitWords(folder: string, environment: Readonly<Record<string, string>>) {
  const env = { ...environment, GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };
  const options = { cwd: folder, env, signal: AbortSignal.timeout(1_000), maxBuffer: 8 << 20 };
  const asked = async (args: string[]) => (await promisify(execFile)("git", args, options)).stdout;
  const git = (...args: string[]) => asked(args).catch(() => "");
  const known = await git("config", "--show-scope", "--name-only", "--get-regexp", "^filter\\.");
  const own = [...known.matchAll(/^(?:local|worktree)\t(filter\..+)\.[^.\n]+$/gm)].map(([, name]) => name);
  const without = own.flatMap((name) => [`${name}.clean=`, `${name}.process=`, `${name}.required=false`]);
  const flags = ["core.fsmonitor=false", ...without].flatMap((setting) => ["-c", setting]);
  const said = await git(...flags, "status", "--porcelain", "--branch", "--ignore-submodules=all");
  const [head = "", ...changed] = said.trimEnd().split("\n");
  const branch = /^## (?:No commits yet on )?(.+?)(?:\.\.\..*)?$/.exec(head)?.[1];
  if (branch === undefined) return undefined;
  const files = changed.length === 1 ? "1 file has" : `${changed.length} files have`;
  const tree = changed.length === 0 ? "the tree is clean" : `${files} uncommitted changes`;
  return `The git branch is ${escapeForDisplay(branch)}; ${tree}.`;
}
