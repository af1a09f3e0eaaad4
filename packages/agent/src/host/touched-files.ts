import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { FileStamp, TouchedFiles } from "@holdfast/core/conversation/values";
import { quietly } from "./quietly.js";
import { askGit } from "./repository.js";

/** Looks at the workspace before a command; what is returned looks again and says what is different. */
export type WatchFiles = () => Promise<() => Promise<TouchedFiles>>;

/** Which folders are looked at. */
interface WatchedFolders {
  /** Absolute; names of files in the first one are relative. */
  readonly roots: readonly string[];
  /** Files below a folder that git does not know, relative to it; nothing is said of such a folder unless given. */
  readonly list?: (root: string) => Promise<readonly string[] | undefined>;
}

/**
 * Finds what a command changes by size, time, inode and mode: of the files that git knows or would take in, else of a listing. A
 * workspace with more files, or one that takes longer, is not looked at.
 */
export function watchFiles(folders: WatchedFolders, { mostFiles = 20_000, mostMs = 500 } = {}): WatchFiles {
  const look = () => stamps(folders, { mostFiles, untilMs: performance.now() + mostMs });
  return async () => {
    const before = await look();
    return async () => {
      const after = before === undefined ? undefined : await look();
      if (before === undefined || after === undefined) return { files: [], isWhole: false };
      const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
      const files = paths.flatMap((path) => {
        const [was, is] = [before.get(path) ?? null, after.get(path) ?? null];
        return isDeepStrictEqual(was, is) ? [] : [{ path, before: was, after: is }];
      });
      return { files: files.slice(0, mostTold), isWhole: files.length <= mostTold };
    };
  };
}

const mostTold = 1_000;

async function stamps(
  { roots, list }: WatchedFolders,
  { mostFiles, untilMs }: { readonly mostFiles: number; readonly untilMs: number },
): Promise<ReadonlyMap<string, FileStamp> | undefined> {
  const found = new Map<string, FileStamp>();
  for (const [at, root] of roots.entries()) {
    const names = (await namesOfGit(root)) ?? (await list?.(root));
    if (names === undefined || found.size + names.length > mostFiles) return undefined;
    for (const [index, name] of names.entries()) {
      // The loop is free for others in between.
      if (index % 2_000 === 1_999) await nextRound();
      if (performance.now() > untilMs) return undefined;
      const stat = quietly(() => lstatSync(join(root, name), { throwIfNoEntry: false }));
      if (stat === undefined || stat.isDirectory()) continue;
      const { size: sizeBytes, mtimeMs: modifiedMs, ino: inode } = stat;
      const mode = stat.mode & 0o7777;
      found.set(at === 0 ? name : join(root, name), { sizeBytes, modifiedMs, inode, mode });
    }
  }
  return found;
}

/** Undefined where the folder is not git's, or there is no git. */
async function namesOfGit(root: string): Promise<readonly string[] | undefined> {
  const args = ["ls-files", "-z", "-co", "--exclude-standard", "--deduplicate"];
  const said = await askGit(root, args, { timeoutMs: 2_000 });
  return said?.split("\0").filter((name) => name !== "");
}
