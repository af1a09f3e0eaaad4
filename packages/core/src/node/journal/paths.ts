import { fstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type ConversationRefusal, refuseHeldSession } from "../../conversation/values/index.js";
import type { Lock } from "../../files/index.js";
import { isRefusal } from "../../files/values/index.js";
import { type Advancing, finish } from "../../text/index.js";
import { codeOf, ifPossible, ifThere, openFlags, syncFolder, withOpened } from "../disk/platform.js";
import { readLink, readSlices, readUpTo, type Slices, sha256 } from "../disk/reading.js";
import { holderOf, isAbandoned, keyOf, openLocks } from "../state-folder/locks.js";
import { placeWhole, type StateFolder } from "../state-folder/state-folder.js";
import { refuseLike, storeRefusalFrom } from "./store-answers.js";

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

/**
 * Takes the lease of a session at once or not at all.
 *
 * @returns `busy`, naming the holder; `disk_full`, `permission_denied`, `read_only`, `store_failed`.
 */
export async function takeLease(
  state: StateFolder,
  paths: JournalPaths,
): Promise<Lock | ConversationRefusal> {
  try {
    const lock = await openLocks(state).acquire(paths.file, 0);
    if (!isRefusal(lock)) return lock;
    return lock.code === "busy"
      ? refuseHeldSession(paths.id, leaseHolder(state, paths) ?? anotherProcess)
      : refuseLike(lock);
  } catch (error) {
    return storeRefusalFrom(error, `Session ${paths.id} could not be locked`);
  }
}

/** The name of the writer of a session, for a person; undefined if there is none. */
export function leaseHolder(state: StateFolder, paths: JournalPaths): string | undefined {
  const path = state.at("locks", keyOf(paths.file));
  const text = ifPossible(() => readLink(path), undefined);
  if (text === undefined || ifPossible(() => isAbandoned(path, text), true)) return undefined;
  return `process ${holderOf(text)?.pid ?? "unknown"}`;
}

/** Who holds a lease of which no more can be told. */
export const anotherProcess = "another process";

/** The large texts and the media of one session, each in a file named by its SHA-256. */
export class JournalBlobs {
  /** Of which it is known that they are there, whole and durable. */
  private readonly kept = new Set<string>();
  private readonly waiting = new Map<string, Uint8Array>();

  constructor(
    private readonly state: StateFolder,
    private readonly paths: JournalPaths,
  ) {}

  /** Takes a text to be kept with the next `write`. @returns its name. */
  readonly put = (bytes: Uint8Array): string => {
    const name = sha256(bytes);
    if (!this.kept.has(name)) this.waiting.set(name, bytes);
    return name;
  };

  /** The bytes of this name, proved by it; undefined where they are missing or damaged. */
  readonly read = (name: string): Uint8Array | undefined => {
    // A journal may name anything.
    if (!/^[0-9a-f]{64}$/.test(name)) return undefined;
    const waits = this.waiting.get(name);
    if (waits !== undefined) return waits;
    // A blob that cannot be read is as good as gone, and reported so.
    const bytes = ifPossible(() => readWhole(`${this.paths.blobs}/${name}`), undefined);
    if (bytes === undefined || sha256(bytes) !== name) return undefined;
    this.kept.add(name);
    return bytes;
  };

  /** Makes all that waits durable, before a line names it. Throws the system's error. */
  write(): void {
    finish(this.writing());
  }

  /** The same in steps, counted in files. Where it is ended, some are there, and no line names them. */
  *writing(): Advancing<void> {
    const of = this.waiting.size;
    if (of === 0) return;
    const { blobs } = this.paths;
    const isNew = !isThere(blobs);
    let done = 0;
    for (const [name, bytes] of this.waiting) {
      publishFile(this.state, `${blobs}/${name}`, bytes);
      done += 1;
      yield { done, of };
    }
    syncFolder(blobs);
    if (isNew) syncFolder(dirname(blobs));
    for (const name of this.waiting.keys()) this.kept.add(name);
    this.waiting.clear();
  }

  /** The lines that name what waits were dropped. */
  drop(): void {
    this.waiting.clear();
  }
}
