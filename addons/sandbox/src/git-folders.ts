import { basename, dirname, join } from "node:path";
import { realPathOf } from "@holdfast/agent/host";
import { listForeign, readForeignText } from "@holdfast/core/node";
import type { GitFolder } from "./git-mirror.js";

/**
 * The folders that git keeps for a folder of the workspace, and for its submodules. That of a worktree lies elsewhere: it
 * counts where it points back, so that no file of the workspace can name another one.
 */
export function gitFoldersOf(folder: string): readonly GitFolder[] {
  const git = join(folder, ".git");
  if (isFolder(git, folder)) return withModules({ path: git, within: folder });
  const worktree = worktreeOf(git, folder);
  if (worktree === undefined) return [];
  const within = dirname(dirname(worktree));
  return isFolder(within, within)
    ? [...withModules({ path: within, within }), { path: worktree, within }]
    : [];
}

/** A folder of git with those of its submodules, which may have slashes in their names and submodules of their own. */
export function withModules(folder: GitFolder, depth = 6): readonly GitFolder[] {
  const { path, within } = folder;
  const isOne = readForeignText(join(path, "HEAD"), { limitBytes: mostBytes, below: within }).kind === "read";
  const below = isOne ? join(path, "modules") : path;
  const listed = depth > 0 ? listForeign(below, { below: within, limitEntries: mostModules }) : undefined;
  const inside = listed?.kind === "listed" ? listed.entries.filter((entry) => entry.isDirectory()) : [];
  const modules = inside.flatMap(({ name }) => withModules({ path: join(below, name), within }, depth - 1));
  return isOne ? [folder, ...modules] : modules;
}

/** Git's own folder of a worktree: `.git/worktrees/NAME` of the repository. */
function worktreeOf(file: string, within: string): string | undefined {
  const named = /^gitdir: (.+)$/mu.exec(textOf(file, within))?.[1];
  if (named === undefined) return undefined;
  const folder = realPathOf(named);
  if (folder === undefined || basename(dirname(folder)) !== "worktrees") return undefined;
  const back = realPathOf(textOf(join(folder, "gitdir"), folder).trim());
  return back !== undefined && back === realPathOf(file) ? folder : undefined;
}

function isFolder(path: string, within: string): boolean {
  return listForeign(path, { below: within, limitEntries: mostEntries }).kind === "listed";
}

function textOf(path: string, within: string): string {
  const read = readForeignText(path, { limitBytes: mostBytes, below: within });
  return read.kind === "read" ? read.text : "";
}

const mostBytes = 64 << 10;
const mostModules = 200;
const mostEntries = 10_000;
