import { lstatSync } from "node:fs";
import { type Clock, isRefusal, type Refusal } from "../../files/index.js";
import { recoverSets } from "../change-sets/recovery.js";
import { namesIn, readLink, removeQuietly } from "../disk/entries.js";
import { conversationRemains, removeAll } from "../journal/remains.js";
import { unfinishedPrefix } from "../state-folder/blobs.js";
import { breakLock, isAbandoned, openLocks } from "../state-folder/locks.js";
import { type Recovered, recover } from "../state-folder/recovery.js";
import { type RemovedSecrets, removeSecrets } from "../state-folder/secrets.js";
import { readSessions } from "../state-folder/sessions.js";
import { openStateFolder, type StateFolder } from "../state-folder/state-folder.js";

/** What of the state folder is kept. */
export interface GarbageOptions {
  readonly stateDir?: string | undefined;
  /** What was not used for so long goes; 30 days unless given. */
  readonly maxAgeMs?: number;
  /** Blobs beyond this total go, the longest unused first; 1 GiB unless given. */
  readonly maxBytes?: number;
  /**
   * States of files that may hold secrets: `all` removes each of them, also what a live session saw; a number, what was
   * kept longer ago than so many days. Unless given, those go whose own days are over.
   */
  readonly secrets?: number | "all" | undefined;
  /** By which the days of secrets are counted; this machine's unless given. */
  readonly clock?: Clock;
  /** Counts only. */
  readonly dryRun?: boolean;
}

/** The files that were removed and kept, or, in a dry run, would be. */
export interface GarbageReport {
  readonly kind: "collected";
  readonly removedBlobs: number;
  readonly removedBytes: number;
  readonly keptBlobs: number;
  readonly keptBytes: number;
  readonly secrets: RemovedSecrets;
  readonly removedHistories: number;
  readonly removedLocks: number;
  readonly removedSessions: number;
  /** What killed writes had left; all zero in a dry run. */
  readonly recovered: Recovered;
}

/**
 * Bounds the state folder. What a live session saw or wrote since the oldest of them began is never
 * removed; a state that is gone is answered by `bytes_gone` afterwards, never wrongly. Conversations are
 * never removed, nor what belongs to them; only what an interrupted call left beside them.
 */
export async function collectGarbage(options: GarbageOptions = {}): Promise<GarbageReport | Refusal> {
  const state = openStateFolder(options.stateDir);
  if (isRefusal(state)) return state;
  const dryRun = options.dryRun ?? false;
  const remove = dryRun ? () => {} : removeQuietly;
  const recovered = dryRun ? nothing : await recover(state, openLocks(state));
  if (!dryRun) await recoverSets(state, openLocks(state));
  const sessions = readSessions(state);
  for (const path of sessions.overPaths) remove(path);
  const locks = abandonedLocks(state);
  if (!dryRun) for (const { path, text } of locks) breakLock(path, text);
  const oldest = Date.now() - (options.maxAgeMs ?? defaultMaxAgeMs);
  const pinnedFrom = sessions.oldestBegan - clockSlackMs;
  const blobs = collectBlobs(state, {
    usedBefore: Math.min(oldest, pinnedFrom),
    pinnedFrom,
    maxBytes: options.maxBytes ?? defaultMaxBytes,
    remove,
  });
  const secrets = collectSecrets(state, options);
  const histories = oldHistories(state, Math.min(oldest, pinnedFrom));
  for (const path of histories) remove(path);
  if (!dryRun) for (const path of conversationRemains(state)) removeAll(path);
  return {
    kind: "collected",
    ...blobs,
    secrets,
    removedHistories: histories.length,
    removedLocks: locks.length,
    removedSessions: sessions.overPaths.length,
    recovered,
  };
}

const defaultMaxAgeMs = 30 * 24 * 60 * 60 * 1_000;
const defaultMaxBytes = 1024 * 1024 * 1024;
/** The file system's time stamps lag some milliseconds behind the clock. */
const clockSlackMs = 1_000;
const unfinishedMs = 60 * 60 * 1_000;
const nothing: Recovered = { stages: 0, entries: 0, intents: 0 };

/** One kept content in the state folder; sizes in bytes. */
export interface StoredBlob {
  readonly path: string;
  readonly size: number;
  /** When it was last put, in milliseconds since the epoch. */
  readonly used: number;
  readonly unfinished: boolean;
}

/** All blobs, the longest unused first. */
export function listBlobs(state: StateFolder): readonly StoredBlob[] {
  const blobs: StoredBlob[] = [];
  for (const folder of namesIn(state.at("blobs"))) {
    for (const name of namesIn(state.at("blobs", folder))) {
      const path = state.at("blobs", folder, name);
      // A link names a state that is kept within another one: it has no size of its own.
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined) continue;
      const unfinished = name.startsWith(unfinishedPrefix);
      blobs.push({ path, size: stat.isSymbolicLink() ? 0 : stat.size, used: stat.mtimeMs, unfinished });
    }
  }
  return blobs.sort((one, other) => one.used - other.used);
}

/** Locks without living holders, and the remains of breaking one. */
export function abandonedLocks(state: StateFolder): readonly { path: string; text: string }[] {
  const found: { path: string; text: string }[] = [];
  for (const name of namesIn(state.at("locks"))) {
    const path = state.at("locks", name);
    const text = readLink(path);
    if (text !== undefined && isAbandoned(path, text)) found.push({ path, text });
  }
  return found;
}

interface BlobPlan {
  readonly usedBefore: number;
  readonly pinnedFrom: number;
  readonly maxBytes: number;
  readonly remove: (path: string) => void;
}

function collectBlobs(
  state: StateFolder,
  plan: BlobPlan,
): Pick<GarbageReport, "removedBlobs" | "removedBytes" | "keptBlobs" | "keptBytes"> {
  const blobs = listBlobs(state);
  let keptBytes = blobs.reduce((sum, blob) => sum + blob.size, 0);
  let removedBytes = 0;
  let removedBlobs = 0;
  for (const blob of blobs) {
    const tooOld = blob.used < plan.usedBefore;
    const tooMuch = blob.size > 0 && keptBytes > plan.maxBytes && blob.used < plan.pinnedFrom;
    const leftOver = blob.unfinished && Date.now() - blob.used > unfinishedMs;
    if (!(blob.unfinished ? leftOver : tooOld || tooMuch)) continue;
    // Used since it was listed: a session has begun to rely on it.
    if (lstatSync(blob.path, { throwIfNoEntry: false })?.mtimeMs !== blob.used) continue;
    plan.remove(blob.path);
    keptBytes -= blob.size;
    removedBytes += blob.size;
    removedBlobs += 1;
  }
  return { removedBlobs, removedBytes, keptBlobs: blobs.length - removedBlobs, keptBytes };
}

function collectSecrets(state: StateFolder, options: GarbageOptions): RemovedSecrets {
  const { secrets, clock = { now: () => Date.now() }, dryRun = false } = options;
  return secrets === "all"
    ? removeSecrets(state, { now: "all", dryRun })
    : removeSecrets(state, { now: clock.now(), mostDays: secrets, dryRun });
}

/** Histories of paths without writes for so long that their states are gone. */
function oldHistories(state: StateFolder, usedBefore: number): readonly string[] {
  return namesIn(state.at("history"))
    .map((name) => state.at("history", name))
    .filter(
      (path) =>
        (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY) < usedBefore,
    );
}
