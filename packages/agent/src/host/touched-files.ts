import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { FileStamp, TouchedFiles } from "@holdfast/core/conversation/values";
import { askGit, quietly } from "./repository.js";

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
 * workspace with more files, or one whose files take longer to look at, is not looked at: what git takes does not count, and
 * four times as long as the last look took is allowed to the next, twice as long after one that was too short.
 */
export function watchFiles(
  folders: WatchedFolders,
  { mostFiles = 500_000, mostMs = 2_000 } = {},
): WatchFiles {
  let allowedMs = mostMs;
  const look = async () => {
    const done = await stamps(folders, { mostFiles, mostMs: allowedMs });
    allowedMs = done === undefined ? Math.min(2 * allowedMs, mostLookMs) : Math.max(mostMs, 4 * done.spentMs);
    return done;
  };
  return async () => {
    const before = await look();
    return async () => {
      const after = before && (await look());
      if (before === undefined || after === undefined) return { files: [], isWhole: false };
      const paths = [...new Set([...before.found.keys(), ...after.found.keys()])].toSorted();
      const files = paths.flatMap((path) => {
        const [was, is] = [before.found.get(path) ?? null, after.found.get(path) ?? null];
        return isDeepStrictEqual(was, is) ? [] : [{ path, before: was, after: is }];
      });
      return { files: files.slice(0, mostTold), isWhole: files.length <= mostTold };
    };
  };
}

const mostTold = 1_000;
/** Nobody waits longer for it, on however slow a disk. */
const mostLookMs = 20_000;

/** What a look found, and how long the files took. */
interface Look {
  readonly found: ReadonlyMap<string, FileStamp>;
  readonly spentMs: number;
}

async function stamps(
  { roots, list }: WatchedFolders,
  { mostFiles, mostMs }: { readonly mostFiles: number; readonly mostMs: number },
): Promise<Look | undefined> {
  const found = new Map<string, FileStamp>();
  let spentMs = 0;
  for (const [at, root] of roots.entries()) {
    const names = (await namesOfGit(root)) ?? (await list?.(root));
    if (names === undefined || found.size + names.length > mostFiles) return undefined;
    for (let from = 0; from < names.length; from += slice) {
      const beganMs = performance.now();
      for (const name of names.slice(from, from + slice)) {
        const stamp = stampOf(join(root, name));
        if (stamp !== undefined) found.set(at === 0 ? name : join(root, name), stamp);
      }
      spentMs += performance.now() - beganMs;
      if (spentMs > mostMs) return undefined;
      // The loop is free for others in between.
      await nextRound();
    }
  }
  return { found, spentMs };
}

const slice = 2_000;

/** Undefined of a folder, and of what is not there. */
function stampOf(path: string): FileStamp | undefined {
  const stat = quietly(() => lstatSync(path, { throwIfNoEntry: false }));
  if (stat === undefined || stat.isDirectory()) return undefined;
  const { size: sizeBytes, mtimeMs: modifiedMs, ino: inode } = stat;
  return { sizeBytes, modifiedMs, inode, mode: stat.mode & 0o7777 };
}

/** Undefined where the folder is not git's, or there is no git. */
async function namesOfGit(root: string): Promise<readonly string[] | undefined> {
  const args = ["ls-files", "-z", "-co", "--exclude-standard", "--deduplicate"];
  const said = await askGit(root, args, { timeoutMs: 10_000 });
  return said?.split("\0").filter((name) => name !== "");
}
