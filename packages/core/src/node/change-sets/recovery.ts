import { dirname, join } from "node:path";
import { isRefusal, type Locks, type Refusal, refuse } from "../../files/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { findFolder, hashNow } from "../commit/real-path.js";
import { removeQuietly } from "../disk/entries.js";
import { faultFrom, refusalFrom } from "../disk/faults.js";
import { codeOf } from "../disk/platform.js";
import { readHistory } from "../state-folder/history.js";
import { isForgotten } from "../state-folder/intents.js";
import { livenessOf } from "../state-folder/process-identity.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import { recordWrites } from "./history.js";
import {
  cutRecords,
  decideRecord,
  isLeft,
  type RecordedStep,
  readRecord,
  readRecords,
  type StoredRecord,
} from "./record.js";
import { stateOf } from "./step.js";
import { clear, forget, type HeldStep, syncFolders, takeBack } from "./undoing.js";

/** Change sets that were interrupted, and what became of them. */
export interface RecoveredSets {
  readonly kind: "recovered_sets";
  /** Those whose steps had all been taken. */
  readonly finished: number;
  /** Those that were taken back: all files are as before. */
  readonly takenBack: number;
  /** Real paths of files that are neither as before nor as the set made them: nobody touched them. */
  readonly leftAlone: readonly string[];
}

/** Settles what killed processes left of their change sets. What cannot be settled now waits. */
export async function recoverSets(state: StateFolder, locks: Locks): Promise<RecoveredSets> {
  let total = none;
  for (const { path, owner } of cutRecords(state)) {
    if ((owner !== undefined && livenessOf(owner) === "dead") || isForgotten(path)) removeQuietly(path);
  }
  for (const record of readRecords(state)) {
    const [step] = record.steps;
    if (step === undefined) continue;
    // Of a process that lives nothing is to be done, unless it has given the set up.
    const lock = await locks.acquire(step.entry.realPath, isLeft(record) ? patienceMs : 0);
    if (isRefusal(lock)) continue;
    try {
      const settled = await settleSets(state, locks, step.entry.realPath);
      if (!isRefusal(settled)) total = sum(total, settled);
    } finally {
      await lock.release();
    }
  }
  return total;
}

/**
 * Locks that are given out only over settled ground: whoever gets one finds no half of a change set under
 * it. (While a set is at work it holds the locks of all its files; so who gets one of them finds the
 * record of a set only if that set was interrupted.)
 */
export function overSettledSets(
  state: StateFolder,
  locks: Locks,
  onRecovered: (sets: RecoveredSets) => void,
): Locks {
  return {
    acquire: async (realPath, limitMs) => {
      const lock = await locks.acquire(realPath, limitMs);
      if (isRefusal(lock)) return lock;
      try {
        const settled = await settleSets(state, locks, realPath);
        if (isRefusal(settled)) {
          await lock.release();
          return settled;
        }
        if (settled !== none) onRecovered(settled);
        return lock;
      } catch (error) {
        await lock.release();
        const refusal = refusalFrom(error, `the state folder ${state.path}`);
        if (refusal === undefined) throw faultFrom(error, `the state folder ${state.path}`);
        return refusal;
      }
    },
  };
}

/** Under the lock of a path: settles the interrupted sets that speak of it. */
async function settleSets(
  state: StateFolder,
  locks: Locks,
  realPath: string,
): Promise<RecoveredSets | Refusal> {
  let total = none;
  for (const { path, id } of readRecords(state, realPath)) {
    // Two who hold locks of two files of one set: the second waits, and finds nothing left to do.
    const lock = await locks.acquire(state.at("changes", id), patienceMs);
    if (isRefusal(lock)) return lock;
    try {
      const record = readRecord(path);
      if (record !== undefined) total = sum(total, settle(state, record));
    } catch (error) {
      if (codeOf(error) === "") throw error;
      return stuck(realPath, codeOf(error));
    } finally {
      await lock.release();
    }
  }
  return total;
}

const patienceMs = 10_000;
const none: RecoveredSets = { kind: "recovered_sets", finished: 0, takenBack: 0, leftAlone: [] };

function settle(state: StateFolder, record: StoredRecord): RecoveredSets {
  const held: HeldStep[] = [];
  try {
    for (const names of record.steps) held.push({ names, folder: findFolder(dirname(names.entry.realPath)) });
    return settleHeld(state, record, held);
  } finally {
    for (const { folder } of held) folder?.close();
  }
}

function settleHeld(state: StateFolder, record: StoredRecord, held: readonly HeldStep[]): RecoveredSets {
  switch (record.fate) {
    case "open":
      if (!held.every(isComplete)) {
        const { overwritten, foreign } = takeBack(held);
        forget(record, record.path, held);
        return {
          kind: "recovered_sets",
          finished: 0,
          takenBack: 1,
          leftAlone: [...overwritten, ...foreign].sort(),
        };
      }
      syncFolders(held);
      decideRecord(record.path, "committed");
      finish(state, record, held);
      return { kind: "recovered_sets", finished: 1, takenBack: 0, leftAlone: [] };
    case "committed":
      finish(state, record, held);
      return { kind: "recovered_sets", finished: 1, takenBack: 0, leftAlone: [] };
    case "taken_back":
      forget(record, record.path, held);
      return { kind: "recovered_sets", finished: 0, takenBack: 1, leftAlone: [] };
    default:
      return record.fate satisfies never;
  }
}

/** Whether the step was taken and nothing but what was expected was moved aside by it. */
function isComplete({ names, folder }: HeldStep): boolean {
  if (folder === undefined || stateOf(folder, names) !== "new") return false;
  const { entry, keptName } = names;
  return entry.after !== null || hashNow(folder, join(dirname(entry.realPath), keptName)) === entry.before;
}

function finish(state: StateFolder, record: StoredRecord, held: readonly HeldStep[]): void {
  try {
    recordWrites(state, record, (step) => isMissing(state, held, step));
  } catch (error) {
    // A state folder that is full: the files are right, the record waits for another time.
    if (codeOf(error) === "") throw error;
    return;
  }
  if (clear(held).whole) removeQuietly(record.path);
}

/** A write that nothing has followed yet and that the history does not know. */
function isMissing(state: StateFolder, held: readonly HeldStep[], { entry }: RecordedStep): boolean {
  const folder = held.find(({ names }) => names.entry.id === entry.id)?.folder;
  const stands = folder === undefined ? null : hashNow(folder, entry.realPath);
  return stands === entry.after && !readHistory(state, entry.realPath).some(({ id }) => id === entry.id);
}

function sum(one: RecoveredSets, other: RecoveredSets): RecoveredSets {
  return {
    kind: "recovered_sets",
    finished: one.finished + other.finished,
    takenBack: one.takenBack + other.takenBack,
    leftAlone: [...one.leftAlone, ...other.leftAlone],
  };
}

function stuck(realPath: string, code: string): Refusal {
  return refuse(
    "busy",
    `${escapeForDisplay(realPath)} belongs to a change set that was interrupted and cannot be taken back now (${code}); nothing was changed. Try again.`,
  );
}
