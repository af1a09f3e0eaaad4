import { dirname } from "node:path";
import type { Lock, Locks } from "../../files/index.js";
import { isRefusal } from "../../files/values/index.js";
import { hashNow, openFolder, removeStage } from "../commit/real-path.js";
import { codeOf, quietly } from "../disk/platform.js";
import { removeQuietly } from "../disk/reading.js";
import { appendHistory, parseEntry, readHistory } from "./history.js";
import { isForgotten, readIntents, type StoredIntent } from "./intents.js";
import { livenessOf } from "./process-identity.js";
import type { StateFolder } from "./state-folder.js";
import { recoverSwap } from "./swap-recovery.js";

/** How much killed writes had left behind. */
export interface Recovered {
  /** Stage files removed from the folders of their targets. */
  readonly stages: number;
  /** Writes that were made and whose entry in the history was missing. */
  readonly entries: number;
  /** Records of writes that are over. */
  readonly intents: number;
}

/** Is told the real path of a file that a kill may have left half written in place; its old bytes are kept. Must not throw. */
export type HalfWritten = (realPath: string) => void;

/**
 * Clears up after processes that were killed in a write: their stage files go, and writes whose step was
 * taken enter the history, and a file of somebody else that a swap displaced goes back to its place. One call of the system where there is nothing to do; done twice it does no
 * more than once.
 */
export async function recover(state: StateFolder, locks: Locks, onHalf?: HalfWritten): Promise<Recovered> {
  const total = { stages: 0, entries: 0, intents: 0 };
  const { intents, unreadable } = readIntents(state, parseEntry);
  for (const path of unreadable) if (isForgotten(path)) removeQuietly(path);
  // Under the lock an owner that cannot be looked up counts as dead: it did not hold the lock.
  const orphans = intents.filter(({ owner }) => livenessOf(owner) !== "alive");
  const paths = new Set(orphans.map(({ change }) => change.realPath));
  for (const realPath of paths) {
    // A path whose lock is held has a living holder, who found the orphan when the lock was taken over.
    const lock = await lockOf(locks, realPath);
    if (lock === undefined) continue;
    try {
      add(total, recoverPath(state, realPath, onHalf));
    } finally {
      await lock.release();
    }
  }
  return total;
}

async function lockOf(locks: Locks, realPath: string): Promise<Lock | undefined> {
  try {
    const lock = await locks.acquire(realPath, 0);
    return isRefusal(lock) ? undefined : lock;
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}

/**
 * The same for one path, whose lock the caller has just taken: no write on it is under way, so each record is of one
 * that ended, be it that its process was killed or that it could not finish.
 */
export function recoverPath(state: StateFolder, realPath: string, onHalf?: HalfWritten): Recovered {
  const total = { stages: 0, entries: 0, intents: 0 };
  for (const intent of readIntents(state, parseEntry, realPath).intents) {
    // Where a folder may not be written, or a disk fails, the record stays for another start.
    quietly(() => add(total, settle(state, intent, onHalf)));
  }
  return total;
}

function settle(state: StateFolder, intent: StoredIntent, onHalf?: HalfWritten): Recovered {
  const { change } = intent;
  const folder = openFolder(dirname(change.realPath));
  let stages = 0;
  let entries = 0;
  if (folder !== undefined) {
    try {
      stages = removeStage(folder, intent.stageName) ? 1 : 0;
      stages += recoverSwap(state, folder, intent) ? 1 : 0;
      const known = readHistory(state, change.realPath).some((entry) => entry.id === change.id);
      const now = hashNow(folder, change.realPath);
      const isHalf = change.inPlace && now !== null && now !== change.before && now !== change.after;
      const isDone = change.before !== change.after && now === change.after;
      if (!known && now !== undefined && (isHalf || isDone)) {
        // If nobody can be told, it stays for another start.
        if (isHalf && onHalf === undefined) return { stages, entries, intents: 0 };
        const { undoes, ...written } = change;
        // As a write, so that an undo puts the old bytes back.
        appendHistory(state, isHalf ? { ...written, after: now } : change);
        entries = 1;
        if (isHalf) onHalf?.(change.realPath);
      }
    } finally {
      folder.close();
    }
  }
  removeQuietly(intent.path);
  return { stages, entries, intents: 1 };
}

function add(total: { stages: number; entries: number; intents: number }, more: Recovered): void {
  total.stages += more.stages;
  total.entries += more.entries;
  total.intents += more.intents;
}
