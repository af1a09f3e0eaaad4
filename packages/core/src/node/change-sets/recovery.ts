import { rmdirSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  defaultKeepSecrets,
  type HistoryEntry,
  isStoredAsSecret,
  type Locks,
  operationOf,
} from "../../files/index.js";
import { isRefusal, type Refusal, refuse } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { bytesOf, exchange, restoreName, swapNameOf } from "../commit/exchanged.js";
import { findFolder, hashNow, isStageName, openFolder, removeStage } from "../commit/real-path.js";
import type { Folder } from "../disk/folder.js";
import { codeOf, quietly, refusalOrFault, renameOver } from "../disk/platform.js";
import { lookAt, newId, removeQuietly, type Spot, sha256 } from "../disk/reading.js";
import { keepBlob } from "../state-folder/blobs.js";
import { logOf } from "../state-folder/operations.js";
import { belongsToSecrets, keepSecret, markSecret } from "../state-folder/secrets.js";
import { livenessOf } from "../state-folder/sessions.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import {
  decideRecord,
  isForgotten,
  isOrphan,
  logRecord,
  mayHaveBegun,
  type RecordedStep,
  readRecord,
  readRecords,
  type StoredRecord,
  type WriteRecord,
} from "./record.js";
import { restoreStep, stateOf, strayBytes } from "./step-state.js";

/** How much killed writes of one file had left behind. */
export interface Recovered {
  /** Stage files removed from the folders of their targets. */
  readonly stages: number;
  /** Writes that were made and were missing from the log. */
  readonly entries: number;
  /** Records of writes that are over. */
  readonly intents: number;
}

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

/** Who is told of what recovery does. */
export interface RecoveryEvents {
  readonly onRecovered?: (sets: RecoveredSets) => void;
  /** Is told the real path of a file that a kill may have left half written in place; its old bytes are kept. Must not throw. */
  readonly onHalfWritten?: (realPath: string) => void;
}

/**
 * Clears up after processes that were killed in an operation. Of a write of one file the stage goes, a step that was taken
 * enters the log, and a file of somebody else that a swap displaced goes back to its place; a change set is finished or
 * taken back. Done twice it does no more than once; what cannot be recovered now waits.
 */
export async function recover(
  state: StateFolder,
  locks: Locks,
  events: RecoveryEvents = {},
): Promise<Recovered> {
  const recovery = new Recovery(state, locks, events);
  for (const room of ["intents", "changes"] as const)
    for (const record of readRecords(state, room)) await recovery.start(record);
  recovery.tell();
  return recovery.writes;
}

/**
 * Locks that are given out only after recovery: their holder finds no half of an operation. (Whoever runs one holds the
 * locks of all its files, so a record that a new holder finds is of one that was interrupted.)
 */
export function locksAfterRecovery(state: StateFolder, locks: Locks, events: RecoveryEvents): Locks {
  return {
    acquire: async (realPath, limitMs) => {
      const lock = await locks.acquire(realPath, limitMs);
      if (isRefusal(lock)) return lock;
      try {
        const recovery = new Recovery(state, locks, events);
        // What lies there by another name was left beside this one, or by an earlier release: the start has settled it.
        if (mayHaveBegun(state, realPath)) recovery.settleWrites(realPath);
        const refusal = await recovery.settleSets(realPath);
        recovery.tell();
        if (refusal === undefined) return lock;
        await lock.release();
        return refusal;
      } catch (error) {
        await lock.release();
        return refusalOrFault(error, `the state folder ${state.path}`);
      }
    },
  };
}

/** One recovery, and what it has done. */
class Recovery {
  readonly writes = { stages: 0, entries: 0, intents: 0 };
  private readonly leftAlone: string[] = [];
  private finished = 0;
  private takenBack = 0;

  constructor(
    private readonly state: StateFolder,
    private readonly locks: Locks,
    private readonly events: RecoveryEvents,
  ) {}

  tell(): void {
    const { finished, takenBack, leftAlone } = this;
    if (finished + takenBack > 0)
      this.events.onRecovered?.({ kind: "recovered_sets", finished, takenBack, leftAlone });
  }

  /** A path whose lock is held has a living holder, who found what a dead one left when the lock was taken over. */
  async start(record: StoredRecord): Promise<void> {
    const { path, owner, fate } = record;
    const [realPath] = record.steps.map(({ entry }) => entry.realPath);
    const isGone = owner !== undefined && livenessOf(owner) === "dead";
    if (fate === "cut" && (isGone || isForgotten(path))) removeQuietly(path);
    // Under the lock an owner that cannot be looked up counts as dead: it did not hold the lock. A set of a living process is
    // its own business, unless the process gave the set up.
    const isAlone = fate === "alone";
    if (realPath === undefined || (isAlone && !isOrphan(record))) return;
    const lock = await this.locks.acquire(realPath, !isAlone && isOrphan(record) ? patienceMs : 0);
    if (isRefusal(lock)) return;
    try {
      if (isAlone) this.settleWrites(realPath);
      else await this.settleSets(realPath);
    } finally {
      await lock.release();
    }
  }

  /**
   * The interrupted writes of one path, whose lock the caller has just taken: none is under way, so each record is of one
   * that ended, be it that its process was killed or that it could not finish.
   */
  settleWrites(realPath: string): void {
    // Where a folder may not be written, or a disk fails, the record stays for another start.
    for (const { path, steps } of readRecords(this.state, "intents", realPath))
      quietly(() => {
        if (!steps.every((step) => this.settle(step))) return;
        removeQuietly(path);
        this.writes.intents += 1;
      });
  }

  /** @returns false where it is to be told to somebody, and nobody is there: it stays for another start. */
  private settle({ entry, stageName }: RecordedStep): boolean {
    const { state, writes } = this;
    const { onHalfWritten } = this.events;
    const folder = openFolder(dirname(entry.realPath));
    if (folder === undefined) return true;
    try {
      if (removeStage(folder, stageName)) writes.stages += 1;
      if (recoverSwap(state, folder, entry, stageName)) writes.stages += 1;
      const now = hashNow(folder, entry.realPath);
      const isHalf = entry.inPlace && now !== null && now !== entry.before && now !== entry.after;
      const isDone = entry.before !== entry.after && now === entry.after;
      if (now === undefined || !(isHalf || isDone) || logOf(state).has(entry)) return true;
      if (isHalf && onHalfWritten === undefined) return false;
      const { undoes, ...written } = entry;
      // As a write, so that an undo puts the old bytes back.
      logOf(state).append(operationOf([isHalf ? { ...written, after: now } : entry]));
      writes.entries += 1;
      if (isHalf) onHalfWritten?.(entry.realPath);
      return true;
    } finally {
      folder.close();
    }
  }

  /** Under the lock of a path: the interrupted sets that name it. */
  async settleSets(realPath: string): Promise<Refusal | undefined> {
    for (const { path, id } of readRecords(this.state, "changes", realPath)) {
      // Of two holders of locks in one set, the second waits and finds nothing left to do.
      const lock = await this.locks.acquire(this.state.at("changes", id), patienceMs);
      if (isRefusal(lock)) return lock;
      try {
        const record = readRecord("changes", path);
        if (record !== undefined) this.settleSet(record);
      } catch (error) {
        if (codeOf(error) === "") throw error;
        return stuck(realPath, codeOf(error));
      } finally {
        await lock.release();
      }
    }
    return undefined;
  }

  private settleSet(record: StoredRecord): void {
    const openSteps: OpenStep[] = [];
    try {
      for (const names of record.steps)
        openSteps.push({ names, folder: findFolder(dirname(names.entry.realPath)) });
      if (record.fate === "open" && openSteps.every(isComplete)) {
        syncFolders(openSteps);
        decideRecord(record.path, "committed");
      } else if (record.fate !== "committed") {
        if (record.fate === "open") this.takeBack(openSteps);
        forget(record, record.path, openSteps);
        this.takenBack += 1;
        return;
      }
      finish(this.state, record, openSteps);
      this.finished += 1;
    } finally {
      for (const { folder } of openSteps) folder?.close();
    }
  }

  private takeBack(openSteps: readonly OpenStep[]): void {
    const { overwritten, foreign, displaced } = takeBack(openSteps);
    keepDisplaced(this.state, displaced);
    this.leftAlone.push(...[...overwritten, ...foreign].sort());
  }
}

const patienceMs = 10_000;

/**
 * Recovers the file that a kill left under the swap name. It is the new file before the exchange, the old one
 * after it or after it was moved aside to be deleted, or the file of a program without our lock: that one gets its name
 * back, or, if another file has the name by now, its bytes are kept. Throws the system's error; the record then stays.
 *
 * @returns whether there was such a file; it is gone now.
 */
function recoverSwap(state: StateFolder, folder: Folder, change: HistoryEntry, stageName: string): boolean {
  const name = swapNameOf(stageName);
  const aside: Spot = { folder, name, shown: name };
  if (!isStageName(stageName) || lookAt(aside).kind === "missing") return false;
  const bytes = bytesOf(aside);
  const hash = bytes === undefined ? undefined : sha256(bytes);
  const isKnown = hash !== undefined && (hash === change.after || hash === change.before);
  if (isKnown) unlinkSync(folder.at(name));
  else if (hashNow(folder, change.realPath) !== change.after || !restoreDisplaced(folder, aside, change))
    quarantineBytes(state, aside, change);
  return true;
}

/** What lies there is somebody else's, who has lost the name to a still later file. */
function quarantineBytes(state: StateFolder, aside: Spot, change: HistoryEntry): void {
  const bytes = bytesOf(aside);
  if (bytes === undefined) throw leftThere(aside.name);
  keepDisplacedBytes(state, change, bytes, aside.name);
  unlinkSync(aside.folder.at(aside.name));
}

/**
 * Keeps and records bytes that another program lost to an interrupted write. Throws the system's error;
 * those of a secret are kept apart, or may not be copied.
 *
 * @param change the write that displaced them.
 */
export function keepDisplacedBytes(
  state: StateFolder,
  change: HistoryEntry,
  bytes: Uint8Array,
  shown: string,
): void {
  const hash = sha256(bytes);
  const { realPath, keepSecrets: days = defaultKeepSecrets } = change;
  const isMarked = [change.before, change.after].some(
    (known) => known !== null && belongsToSecrets(state, realPath, known),
  );
  if (isMarked) markSecret(state, realPath, hash, Date.now());
  if (!isMarked && !isStoredAsSecret(change)) keepBlob(state, hash, bytes);
  else if (days === "none") throw leftThere(shown);
  else keepSecret(state, realPath, { sha256: hash, bytes, days }, Date.now());
  const { undoes: _, changeSet: __, ...written } = change;
  const lost = { ...written, id: newId(), tool: "another program", after: hash, displaced: true };
  logOf(state).append(operationOf([lost]));
}

/**
 * @returns false if another program was there first: its file is the newest and has the name, and what is to be kept
 *   lies aside.
 */
function restoreDisplaced(folder: Folder, aside: Spot, { realPath, after }: HistoryEntry): boolean {
  const name = basename(realPath);
  const [from, to] = [folder.at(aside.name), folder.at(name)];
  if (after === null) return restoreName(from, { ...aside, name });
  const isExchanged = exchange(from, to);
  if (!isExchanged) renameOver(from, to);
  const isOurs = !isExchanged || hashNow(folder, aside.name) === after;
  // As in a step that is exchanged back: what came out is newer than what went in.
  if (!isOurs) exchange(from, to);
  else if (isExchanged) unlinkSync(from);
  folder.sync();
  return isOurs;
}

/** A file that may be neither deleted nor copied stays there. */
function leftThere(name: string): Error {
  return Object.assign(new Error(`${name} is left where it is`), { code: "EBUSY", syscall: "unlink" });
}

/** Whether the step was taken, and moved nothing aside but the expected file. */
function isComplete({ names, folder }: OpenStep): boolean {
  if (folder === undefined || stateOf(folder, names) !== "new") return false;
  const { entry, keptName } = names;
  return entry.before === null || hashNow(folder, join(dirname(entry.realPath), keptName)) === entry.before;
}

/** Names of ours under which other programs' bytes lie are removed next. Throws the system's error. */
function keepDisplaced(state: StateFolder, displaced: readonly DisplacedBytes[]): void {
  for (const { names, bytes } of displaced) keepDisplacedBytes(state, names.entry, bytes, names.keptName);
}

function finish(state: StateFolder, record: StoredRecord, openSteps: readonly OpenStep[]): void {
  const isRecorded = quietly(() => {
    // An earlier release may have been killed between two of its files.
    logRecord(state, record, (entry) => !logOf(state).has(entry));
    keepDisplaced(state, displacedIn(openSteps));
  });
  // Where the state folder is full, the files are right, and the record waits for the next recovery.
  if (isRecorded && clear(openSteps).whole) removeQuietly(record.path);
}

function stuck(realPath: string, code: string): Refusal {
  return refuse(
    "busy",
    `${escapeForDisplay(realPath)} belongs to a change set that was interrupted and cannot be taken back now (${code}); nothing was changed. Try again.`,
  );
}

/** A step and the open folder of its file; undefined where the folder is gone, or was never reached. */
export interface OpenStep {
  readonly names: RecordedStep;
  readonly folder: Folder | undefined;
  /** Whether names may be exchanged, where the system can; they may unless it is `false`. */
  readonly exchanges?: boolean | undefined;
}

/** What taking a set back found. */
export interface TakenBack {
  /** Real paths where somebody else wrote after our step: left as they are. */
  readonly overwritten: readonly string[];
  /** Real paths where somebody else wrote before it. */
  readonly foreign: readonly string[];
  /** Bytes of somebody else that have no name any more but ours, which is about to go. */
  readonly displaced: readonly DisplacedBytes[];
}

/** Bytes that another program wrote to one of the files, and that stand nowhere else. */
interface DisplacedBytes {
  readonly names: RecordedStep;
  readonly bytes: Uint8Array;
}

/**
 * Takes back every step that was taken, the last first, and makes that durable; a file that somebody else
 * wrote since is left alone. It goes by what is on the disk, so it can be interrupted and begun again.
 * Throws the system's error; the journal then stays as it is.
 */
export function takeBack(steps: readonly OpenStep[]): TakenBack {
  const overwritten: string[] = [];
  const foreign: string[] = [];
  for (const step of inOrder(steps, ({ names }) => names).toReversed()) {
    const { names, folder } = step;
    const { realPath, before } = names.entry;
    // Without a folder there is no file, which is the old state of one that was to be created.
    const state = folder === undefined ? (before === null ? "old" : "foreign") : stateOf(folder, names);
    const isTaken = state === "new" || state === "swapped";
    const left =
      state === "overwritten" ||
      (isTaken && folder !== undefined && !restoreStep(folder, names, step.exchanges !== false));
    if (left) overwritten.push(realPath);
    if (!left && (state === "foreign" || state === "swapped")) foreign.push(realPath);
  }
  syncFolders(steps);
  return { overwritten, foreign, displaced: displacedIn(steps) };
}

/** What other programs wrote and would be removed with the names of ours. Throws the system's error. */
function displacedIn(steps: readonly OpenStep[]): readonly DisplacedBytes[] {
  return steps.flatMap(({ names, folder }) =>
    folder === undefined ? [] : strayBytes(folder, names).map((bytes) => ({ names, bytes })),
  );
}

/** New names first, old ones last: a reader in between finds a renamed file twice rather than not at all. */
export function inOrder<Item>(items: readonly Item[], stepOf: (item: Item) => RecordedStep): readonly Item[] {
  const rank = (item: Item) => {
    const { before, after } = stepOf(item).entry;
    return before === null ? 0 : after === null ? 2 : 1;
  };
  return [...items].sort((one, other) => rank(one) - rank(other));
}

/** Makes the entries of all folders durable, each once. */
export function syncFolders(steps: readonly OpenStep[]): void {
  const synced = new Set<string>();
  for (const { names, folder } of steps) {
    const path = dirname(names.entry.realPath);
    if (folder === undefined || synced.has(path)) continue;
    synced.add(path);
    folder.sync();
  }
}

/**
 * Decides a set that was taken back, and removes everything that is ours. Nothing of it matters for the
 * files any more: what fails here is found by recovery.
 */
export function forget(record: WriteRecord, path: string, steps: readonly OpenStep[]): number {
  quietly(() => decideRecord(path, "taken_back"));
  const { removed } = clear(steps);
  for (const folder of record.folders.toReversed()) quietly(() => removeEmpty(folder));
  removeQuietly(path);
  return removed;
}

/** Removes stages and second names; `whole` unless one could not be removed. */
export function clear(steps: readonly OpenStep[]): { readonly removed: number; readonly whole: boolean } {
  let removed = 0;
  let whole = true;
  for (const { names, folder } of steps) {
    if (folder === undefined) continue;
    // The second name first: a remaining stage means that the step was not taken.
    for (const name of [names.keptName, names.stageName]) {
      whole =
        quietly(() => {
          if (removeStage(folder, name)) removed += 1;
        }) && whole;
    }
  }
  return { removed, whole };
}

function removeEmpty(realPath: string): void {
  const parent = findFolder(dirname(realPath));
  if (parent === undefined) return;
  try {
    rmdirSync(parent.at(basename(realPath)));
  } finally {
    parent.close();
  }
}
