import { dirname, join } from "node:path";
import type { Locks } from "../../files/index.js";
import { isRefusal, type Refusal, refuse } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { findFolder, hashNow } from "../commit/real-path.js";
import { codeOf, quietly, refusalOrFault } from "../disk/platform.js";
import { removeQuietly, sha256 } from "../disk/reading.js";
import { readHistory } from "../state-folder/history.js";
import { isForgotten } from "../state-folder/intents.js";
import { livenessOf } from "../state-folder/process-identity.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import { keepDisplacedBytes } from "../state-folder/swap-recovery.js";
import { recordWrites } from "./history.js";
import {
  cutRecords,
  decideRecord,
  isOrphan,
  type RecordedStep,
  readRecord,
  readRecords,
  type StoredRecord,
} from "./record.js";
import { stateOf } from "./step-state.js";
import {
  clear,
  type DisplacedBytes,
  displacedIn,
  forget,
  type OpenStep,
  syncFolders,
  takeBack,
} from "./undoing.js";

/** What recovery did with interrupted change sets. */
export interface RecoveredSets {
  readonly kind: "recovered_sets";
  /** Those whose steps had all been taken. */
  readonly finished: number;
  /** Those that were taken back: all files are as before. */
  readonly takenBack: number;
  /** Real paths of files that are neither as before nor as the set made them: nobody touched them. */
  readonly leftAlone: readonly string[];
}

/** Finishes or takes back the change sets of killed processes. A set that cannot be recovered now waits. */
export async function recoverSets(state: StateFolder, locks: Locks): Promise<RecoveredSets> {
  let total = none;
  for (const { path, owner } of cutRecords(state)) {
    if ((owner !== undefined && livenessOf(owner) === "dead") || isForgotten(path)) removeQuietly(path);
  }
  for (const record of readRecords(state)) {
    const [step] = record.steps;
    if (step === undefined) continue;
    // A set of a living process is its own business, unless the process gave the set up.
    const lock = await locks.acquire(step.entry.realPath, isOrphan(record) ? patienceMs : 0);
    if (isRefusal(lock)) continue;
    try {
      const recovered = await recoverSetsOf(state, locks, step.entry.realPath);
      if (!isRefusal(recovered)) total = sum(total, recovered);
    } finally {
      await lock.release();
    }
  }
  return total;
}

/**
 * Locks that are given out only after recovery: their holder finds no half of a change set. (A running set
 * holds the locks of all its files, so a record that a new holder finds is of an interrupted set.)
 */
export function locksAfterRecovery(
  state: StateFolder,
  locks: Locks,
  onRecovered: (sets: RecoveredSets) => void,
): Locks {
  return {
    acquire: async (realPath, limitMs) => {
      const lock = await locks.acquire(realPath, limitMs);
      if (isRefusal(lock)) return lock;
      try {
        const recovered = await recoverSetsOf(state, locks, realPath);
        if (isRefusal(recovered)) {
          await lock.release();
          return recovered;
        }
        if (recovered !== none) onRecovered(recovered);
        return lock;
      } catch (error) {
        await lock.release();
        return refusalOrFault(error, `the state folder ${state.path}`);
      }
    },
  };
}

/** Under the lock of a path: recovers the interrupted sets that name it. */
async function recoverSetsOf(
  state: StateFolder,
  locks: Locks,
  realPath: string,
): Promise<RecoveredSets | Refusal> {
  let total = none;
  for (const { path, id } of readRecords(state, realPath)) {
    // Of two holders of locks in one set, the second waits and finds nothing left to do.
    const lock = await locks.acquire(state.at("changes", id), patienceMs);
    if (isRefusal(lock)) return lock;
    try {
      const record = readRecord(path);
      if (record !== undefined) total = sum(total, recoverSet(state, record));
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

function recoverSet(state: StateFolder, record: StoredRecord): RecoveredSets {
  const openSteps: OpenStep[] = [];
  try {
    for (const names of record.steps)
      openSteps.push({ names, folder: findFolder(dirname(names.entry.realPath)) });
    return recoverOpenSteps(state, record, openSteps);
  } finally {
    for (const { folder } of openSteps) folder?.close();
  }
}

function recoverOpenSteps(
  state: StateFolder,
  record: StoredRecord,
  openSteps: readonly OpenStep[],
): RecoveredSets {
  switch (record.fate) {
    case "open":
      if (!openSteps.every(isComplete)) {
        const { overwritten, foreign, displaced } = takeBack(openSteps);
        for (const each of displaced) keepDisplaced(state, each);
        forget(record, record.path, openSteps);
        return {
          kind: "recovered_sets",
          finished: 0,
          takenBack: 1,
          leftAlone: [...overwritten, ...foreign].sort(),
        };
      }
      syncFolders(openSteps);
      decideRecord(record.path, "committed");
      finish(state, record, openSteps);
      return { kind: "recovered_sets", finished: 1, takenBack: 0, leftAlone: [] };
    case "committed":
      finish(state, record, openSteps);
      return { kind: "recovered_sets", finished: 1, takenBack: 0, leftAlone: [] };
    case "taken_back":
      forget(record, record.path, openSteps);
      return { kind: "recovered_sets", finished: 0, takenBack: 1, leftAlone: [] };
    default:
      return record.fate satisfies never;
  }
}

/** Whether the step was taken, and moved nothing aside but the expected file. */
function isComplete({ names, folder }: OpenStep): boolean {
  if (folder === undefined || stateOf(folder, names) !== "new") return false;
  const { entry, keptName } = names;
  return entry.before === null || hashNow(folder, join(dirname(entry.realPath), keptName)) === entry.before;
}

/** Names of ours under which other programs' bytes lie are removed next. Throws the system's error. */
function keepDisplaced(state: StateFolder, { names, bytes }: DisplacedBytes): void {
  const { entry, keptName } = names;
  keepDisplacedBytes(state, entry, { bytes, sha256: sha256(bytes), shown: keptName });
}

function finish(state: StateFolder, record: StoredRecord, openSteps: readonly OpenStep[]): void {
  const isRecorded = quietly(() => {
    recordWrites(state, record, (step) => isMissing(state, openSteps, step));
    for (const each of displacedIn(openSteps)) keepDisplaced(state, each);
  });
  // Where the state folder is full, the files are right, and the record waits for the next recovery.
  if (isRecorded && clear(openSteps).whole) removeQuietly(record.path);
}

/** Whether a write is still current and missing from the history. */
function isMissing(state: StateFolder, openSteps: readonly OpenStep[], { entry }: RecordedStep): boolean {
  const folder = openSteps.find(({ names }) => names.entry.id === entry.id)?.folder;
  const onDisk = folder === undefined ? null : hashNow(folder, entry.realPath);
  return onDisk === entry.after && !readHistory(state, entry.realPath).some(({ id }) => id === entry.id);
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
