import { linkSync, lstatSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../../files/index.js";
import { isRefusal, type Refusal } from "../../files/values/index.js";
import { type Advancing, finish, type Pace, takeAtPace } from "../../text/index.js";
import { type Recovered, recover } from "../change-sets/recovery.js";
import { codeOf, quietly } from "../disk/platform.js";
import { namesIn, newId, readLink, removeQuietly } from "../disk/reading.js";
import { removeRemains } from "../journal/remains.js";
import { unfinishedPrefix } from "../state-folder/blobs.js";
import { breakLock, isAbandoned, openLocks } from "../state-folder/locks.js";
import { LogSegment } from "../state-folder/operation-segment.js";
import { logOf } from "../state-folder/operations.js";
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
  /** Is told how far it is, in states; false ends it, and what was removed until then is gone. At once without it. */
  readonly pace?: Pace;
}

/** The files that were removed and kept, or, in a dry run, would be. */
export interface GarbageReport {
  readonly kind: "collected";
  /** Somebody ended it: what it counts is what was done, and the rest is as it was. */
  readonly interrupted?: true;
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
  // Before the look: whatever session is not seen by it begins later.
  const started = Date.now();
  const sessions = readSessions(state);
  for (const path of sessions.overPaths) remove(path);
  const locks = abandonedLocks(state);
  if (!dryRun) for (const { path, text } of locks) breakLock(path, text);
  const oldest = Date.now() - (options.maxAgeMs ?? defaultMaxAgeMs);
  const pinnedFrom = Math.min(sessions.oldestBegan, started) - clockSlackMs;
  const plan = {
    usedBefore: Math.min(oldest, pinnedFrom),
    pinnedFrom,
    maxBytes: options.maxBytes ?? defaultMaxBytes,
    remove: dryRun ? isStillUnused : removeUnused,
  };
  const collecting = new BlobCollection(plan);
  const ended = await takeAtPace(collecting.run(state), options.pace ?? (async () => true));
  const blobs = collecting.counts();
  const isInterrupted = ended === "interrupted";
  const secrets = isInterrupted ? noSecrets : collectSecrets(state, options);
  const removedHistories = isInterrupted ? 0 : await collectHistories(state, plan.usedBefore, dryRun);
  if (!dryRun && !isInterrupted) await removeRemains(state);
  return {
    kind: "collected",
    ...(isInterrupted ? { interrupted: true } : {}),
    ...blobs,
    secrets,
    removedHistories,
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
interface StoredBlob {
  readonly path: string;
  readonly size: number;
  /** When it was last put, in milliseconds since the epoch. */
  readonly used: number;
  readonly unfinished: boolean;
}

/** All blobs, the longest unused first. */
export function listBlobs(state: StateFolder): readonly StoredBlob[] {
  return finish(listSteps(state));
}

/** The same in steps, one a folder: there are 256. */
function* listSteps(state: StateFolder): Advancing<readonly StoredBlob[]> {
  const blobs: StoredBlob[] = [];
  const folders = namesIn(state.at("blobs"));
  for (const [at, folder] of folders.entries()) {
    yield { done: at, of: folders.length };
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
  /** @returns false for one that was used since it was listed: a session has begun to rely on it. */
  readonly remove: (blob: StoredBlob) => boolean;
}

function isStillUnused({ path, used }: StoredBlob): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs === used;
}

/** Moved aside before the last look: whoever would mark it as used then finds that it is gone, and keeps it anew. */
function removeUnused(blob: StoredBlob): boolean {
  if (!isStillUnused(blob)) return false;
  const aside = join(dirname(blob.path), `${unfinishedPrefix}${newId()}`);
  if (!quietly(() => renameSync(blob.path, aside))) return false;
  const isUnused = isStillUnused({ ...blob, path: aside });
  if (!isUnused) restoreQuarantined(aside, blob.path);
  removeQuietly(aside);
  return isUnused;
}

/** What has that name by now is the same state, kept anew. */
function restoreQuarantined(aside: string, path: string): void {
  try {
    linkSync(aside, path);
  } catch (error) {
    if (codeOf(error) === "") throw error;
    // A file system without further names.
    if (codeOf(error) !== "EEXIST") renameSync(aside, path);
  }
}

/** Removes states one by one, and has counted them wherever it is ended. */
class BlobCollection {
  private removedBlobs = 0;
  private removedBytes = 0;
  private listed = 0;
  private keptBytes = 0;

  constructor(private readonly plan: BlobPlan) {}

  *run(state: StateFolder): Advancing<void> {
    const { plan } = this;
    const blobs = yield* listSteps(state);
    this.listed = blobs.length;
    this.keptBytes = blobs.reduce((sum, blob) => sum + blob.size, 0);
    for (const [at, blob] of blobs.entries()) {
      if (at % stepBlobs === stepBlobs - 1) yield { done: at, of: blobs.length };
      const tooOld = blob.used < plan.usedBefore;
      const tooMuch = blob.size > 0 && this.keptBytes > plan.maxBytes && blob.used < plan.pinnedFrom;
      const leftOver = blob.unfinished && Date.now() - blob.used > unfinishedMs;
      if (!(blob.unfinished ? leftOver : tooOld || tooMuch)) continue;
      if (!plan.remove(blob)) continue;
      this.keptBytes -= blob.size;
      this.removedBytes += blob.size;
      this.removedBlobs += 1;
    }
  }

  counts(): Pick<GarbageReport, "removedBlobs" | "removedBytes" | "keptBlobs" | "keptBytes"> {
    const { removedBlobs, removedBytes, keptBytes } = this;
    return { removedBlobs, removedBytes, keptBlobs: this.listed - removedBlobs, keptBytes };
  }
}

/** Looked at and removed in some milliseconds. */
const stepBlobs = 64;
const noSecrets: RemovedSecrets = { removed: 0, removedBytes: 0, kept: 0, keptBytes: 0 };

function collectSecrets(state: StateFolder, options: GarbageOptions): RemovedSecrets {
  const { secrets, clock = { now: () => Date.now() }, dryRun = false } = options;
  return secrets === "all"
    ? removeSecrets(state, { now: "all", dryRun })
    : removeSecrets(state, { now: clock.now(), mostDays: secrets, dryRun });
}

/**
 * Removes the weeks of the log that are so long ago that their states are gone, and what earlier releases recorded of paths
 * that they did not write since; each of those under the lock of its path, so that no line is added to one that goes.
 * Returns how many.
 */
async function collectHistories(state: StateFolder, usedBefore: number, dryRun: boolean): Promise<number> {
  const isOld = (path: string) =>
    (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY) < usedBefore;
  const weeks = logOf(state).ended().filter(isOld);
  const old = namesIn(state.at("history"))
    .map((name) => state.at("history", name))
    .filter(isOld);
  if (dryRun) return weeks.length + old.length;
  for (const path of weeks) removeQuietly(path);
  let removed = weeks.length;
  for (const path of old) {
    const [realPath] = new LogSegment(path).refresh().said()[0]?.entries.keys() ?? [];
    // In one that says of no path nothing can be read: nothing is lost with it.
    const lock = realPath === undefined ? undefined : await openLocks(state).acquire(realPath, 0);
    if (lock !== undefined && isRefusal(lock)) continue;
    if (isOld(path)) {
      removeQuietly(path);
      removed += 1;
    }
    await lock?.release();
  }
  // Earlier releases kept beside them which were written for which conversation.
  if (namesIn(state.at("history")).length === 0)
    quietly(() => rmSync(state.at("callers"), { recursive: true, force: true }));
  return removed;
}
