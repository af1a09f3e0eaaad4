import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, parse, relative, sep } from "node:path";
import { escapeForDisplay } from "@holdfast/core/text";

/** The folders from that of the git repository down to this one; this one alone where there is no repository. */
export function foldersOfRepository(folder: string): readonly string[] {
  const up = [folder];
  for (let at = folder; dirname(at) !== at; at = dirname(at), up.unshift(at))
    if (existsSync(join(at, ".git"))) return up;
  return [folder];
}

/** How git is asked. */
interface GitQuestion {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** What counts in place of the repository's own configuration: keys and values, as they are. */
  readonly settings?: readonly (readonly [key: string, value: string])[];
  readonly timeoutMs: number;
}

/**
 * What git answers about a folder; undefined where it fails, or does not answer in time. It fetches nothing and runs no hook
 * and no monitor. A command that compares files runs their filters as well, unless `settings` turn these off.
 */
export function askGit(
  folder: string,
  args: readonly string[],
  { environment = process.env, settings = [], timeoutMs }: GitQuestion,
): Promise<string | undefined> {
  const own = ["core.fsmonitor=false", "core.hooksPath=/dev/null"].flatMap((setting) => ["-c", setting]);
  // Not by `-c`: that splits at the first `=`, which a name may hold.
  const values = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  const env = {
    ...environment,
    ...quiet,
    GIT_CONFIG_COUNT: `${settings.length}`,
    ...Object.fromEntries(values),
  };
  // A `PATH` that names folders of the project finds nothing from there.
  const options = { cwd: parse(folder).root, env, timeout: timeoutMs, maxBuffer: 16 << 20 };
  return new Promise((resolve) => {
    execFile("git", [...own, "-C", folder, ...args], options, (error, said) =>
      resolve(error === null ? said : undefined),
    );
  });
}

const quiet = { GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };

/**
 * Which files of a folder that nobody trusts may go into a prompt by themselves: Markdown that git tracks.
 *
 * @returns tells why a file, by its absolute path, may not; undefined where it may, or is not there.
 */
export function onlyTracked(top: string): (path: string) => Promise<string | undefined> {
  let tracked: Promise<ReadonlySet<string> | undefined> | undefined;
  const listed = async () => {
    const said = await askGit(top, ["ls-files", "-z", "--", ":(icase)*.md"], { timeoutMs: 5_000 });
    return said === undefined ? undefined : new Set(said.split("\0"));
  };
  return async (path) => {
    const real = realPathOf(path);
    if (real === undefined) return undefined;
    tracked ??= listed();
    const names = await tracked;
    if (names === undefined) return `git does not say whether it tracks it, and ${untrusted}`;
    // What a link names is meant as well as what it leads to.
    const shown = [relative(top, path), relative(realPathOf(top) ?? top, real)];
    const isTracked = shown.every((name) => names.has(name.split(sep).join("/")));
    return isTracked ? undefined : `it is no Markdown that git tracks, and ${untrusted}`;
  };
}

const untrusted = "the folder is not trusted";

/** The path with its links resolved; undefined where nothing is there. */
export function realPathOf(path: string): string | undefined {
  return quietly(() => realpathSync.native(path));
}

/** A sentence on the branch and on whether the tree is clean; undefined where git does not say so in time. */
export async function gitWords(folder: string, environment: Readonly<Record<string, string>>) {
  const settings = await withoutFilters(folder, environment);
  if (settings === undefined) return undefined;
  const args = ["status", "--porcelain", "--branch", "--no-ahead-behind", "--ignore-submodules=all"];
  const said = await askGit(folder, args, { environment, settings, timeoutMs: statusMs });
  const [head = "", ...changed] = (said ?? "").trimEnd().split("\n");
  const branch = /^## (?:No commits yet on )?(.+?)(?:\.\.\..*)?$/.exec(head)?.[1];
  if (branch === undefined) return undefined;
  const files = changed.length === 1 ? "1 file has" : `${changed.length} files have`;
  const tree = changed.length === 0 ? "the tree is clean" : `${files} uncommitted changes`;
  return `The git branch is ${escapeForDisplay(branch)}; ${tree}.`;
}

const statusMs = 3_000;

/** Settings that turn off each filter of the repository's own; undefined where not all of them are known for certain. */
async function withoutFilters(folder: string, environment: Readonly<Record<string, string>>) {
  const args = ["config", "--null", "--show-scope", "--name-only", "--get-regexp", "^filter\\."];
  // A git that is too old to take settings so does not list this one either.
  const settings = [["filter.holdfast.clean", ""]] as const;
  const said = await askGit(folder, args, { environment, settings, timeoutMs: statusMs });
  const words = said?.split("\0") ?? [];
  if (!words.includes("filter.holdfast.clean")) return undefined;
  const own = words.flatMap((key, at) =>
    words[at - 1] === "local" || words[at - 1] === "worktree" ? [key.slice(0, key.lastIndexOf("."))] : [],
  );
  return [...new Set(own)].flatMap((name): readonly [string, string][] => [
    [`${name}.clean`, ""],
    [`${name}.process`, ""],
    [`${name}.required`, "false"],
  ]);
}

/** Does what the system may say no to, such as a look at a file that is gone meanwhile. @returns undefined where it does. */
export function quietly<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
