import { fstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { sha256 } from "../disk/digest.js";
import { codeOf, ifThere, openFlags, syncFolder, withOpened } from "../disk/platform.js";
import { readUpTo } from "../disk/reading.js";
import { readSlices, type Slices } from "../disk/slices.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import { placeWhole } from "../state-folder/whole-file.js";

/** Unfinished files begin with this; no id does, since ids have no dots. */
export const unfinishedJournal = "tmp.";

/** The paths of a session's files: all names begin with its id and a dot. */
export interface JournalPaths {
  readonly id: string;
  readonly folder: string;
  /** The journal; also what the lease is taken on. */
  readonly file: string;
  /** Large texts, each under its SHA-256. */
  readonly blobs: string;
}

/** @param id a session id (`isSessionId`), so a plain file name. */
export function journalPaths(state: StateFolder, id: string): JournalPaths {
  return {
    id,
    folder: state.at("conversations"),
    file: state.at("conversations", `${id}${journalSuffix}`),
    blobs: state.at("conversations", `${id}.blobs`),
  };
}

export const journalSuffix = ".jsonl";

/** The whole file; undefined where there is none. Throws the system's error. */
export function readWhole(path: string): Uint8Array | undefined {
  const read = (fd: number) => readUpTo(fd, fstatSync(fd).size, Number.MAX_SAFE_INTEGER);
  return ifThere(() => withOpened(path, openFlags.read, read));
}

/** The same of what may be large, in slices: up to the size that it has when it is opened. */
export function* readWholeSlices(path: string): Slices<Uint8Array | undefined> {
  try {
    return yield* readSlices(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Writes a file under its name in one step, its content durable; its name is durable once the folder is synced.
 * Throws the system's error; nothing is left then.
 */
export function publishFile(state: StateFolder, path: string, bytes: Uint8Array): void {
  placeWhole(state, path, bytes, { prefix: unfinishedJournal, isDurable: true });
}

/** Makes the names in the room durable, and the room's own. */
export function syncConversations(state: StateFolder, isNew: boolean): void {
  syncFolder(state.at("conversations"));
  if (isNew) for (const folder of [state.path, dirname(state.path)]) syncFolder(folder);
}

/** Whether the path leads to anything; links are followed. */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Keeps bytes of a journal in a file of their own, once. @returns its path.
 *
 * @param why `torn` for a tail that is cut off, `damaged` for a whole journal before its repair.
 */
export function quarantineBytes(
  state: StateFolder,
  paths: JournalPaths,
  bytes: Uint8Array,
  why: "torn" | "damaged" = "torn",
): string {
  const path = `${paths.folder}/${paths.id}.${why}-${sha256(bytes).slice(0, 16)}`;
  publishFile(state, path, bytes);
  syncFolder(paths.folder);
  return path;
}
