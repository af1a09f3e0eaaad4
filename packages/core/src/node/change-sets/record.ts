import { closeSync, fstatSync, fsyncSync, ftruncateSync, lstatSync, statSync, symlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type Committed, type HistoryEntry, operationOf } from "../../files/index.js";
import { isObject, jsonOf, textIn } from "../../text/index.js";
import { swapNameOf } from "../commit/exchanged.js";
import { newStageName } from "../commit/stage.js";
import {
  codeOf,
  ifPossible,
  ifThere,
  openDescriptor,
  openFlags,
  quietly,
  syncFolder,
  writeAll,
} from "../disk/platform.js";
import { namesIn, newId, readLink, readText, removeQuietly } from "../disk/reading.js";
import { syncState } from "../state-folder/blobs.js";
import { keyOf } from "../state-folder/locks.js";
import { parseEntry, proved, withCheck } from "../state-folder/operation-segment.js";
import { logOf } from "../state-folder/operations.js";
import {
  formatIdentity,
  livenessOf,
  ownIdentity,
  type ProcessIdentity,
  parseIdentity,
} from "../state-folder/sessions.js";
import type { StateFolder } from "../state-folder/state-folder.js";

/** An operation that is about to happen: a record that outlives a kill, and of a change set a power cut. */
export interface WriteRecord {
  readonly id: string;
  readonly steps: readonly RecordedStep[];
  /** Real paths of the folders that a change set has to make, the outermost first. */
  readonly folders: readonly string[];
}

/** One file of it. */
export interface RecordedStep {
  readonly entry: HistoryEntry;
  /** The new content beside the target, before the step. */
  readonly stageName: string;
  /** The old file beside the target: of a change set from before the step to its end, of one file from the step on. */
  readonly keptName: string;
}

/**
 * `cut`: it was cut off while it was written, and nothing had begun; `alone`: the step of one file decides by itself;
 * `open`: a set is not decided; else only clearing up is left to do.
 */
export type Fate = "cut" | "alone" | "open" | "committed" | "taken_back";

/** A record as it lies in the state folder, with how far the operation came. */
export interface StoredRecord extends WriteRecord {
  readonly path: string;
  readonly owner: ProcessIdentity | undefined;
  readonly fate: Fate;
}

/**
 * Announces the write of one file, under the path's lock and before its step: until it is done or dropped, whoever gets the
 * lock next decides by what is on the disk, and looks for a stage of that name. The record is the text of a symbolic link:
 * made by one call, so it is whole or not there. And it is among what file systems keep in their journal: where the state
 * folder and the project share one, the fsync of the stage file makes its record durable, too, and costs nothing more.
 * Throws the system's error.
 */
export function beginWrite(state: StateFolder, change: HistoryEntry) {
  const stageName = newStageName();
  const name = keyOf(change.realPath);
  const text = JSON.stringify({ stageName, change, owner: formatIdentity(ownIdentity()) });
  let path = state.at("intents", name);
  try {
    placeText(state, path, text);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    path = state.at("intents", `${name}.${newId()}`);
    placeText(state, path, text);
  }
  if (change.inPlace === true) syncBefore(state, change);
  return {
    stageName,
    done: ({ fault }: Pick<Committed, "fault">, written: HistoryEntry) => {
      // The step was taken and must not be called a failure now: the record stays, and recovery adds the operation.
      const isRecorded = quietly(() => logOf(state).append(operationOf([written])));
      if (isRecorded && fault === undefined) removeQuietly(path);
    },
    dropped: () => removeQuietly(path),
  };
}

function placeText(state: StateFolder, path: string, text: string): void {
  const isShort = Buffer.byteLength(text) <= linkLimitBytes;
  state.within(dirname(path), () => {
    if (isShort) symlinkSync(text, path);
    // Of a path of thousands of letters, which no link can hold.
    else closeSync(createWith(path, text));
  });
}

const linkLimitBytes = 4_095;

/** @returns the new file, open. Throws the system's error; nothing is left then. */
function createWith(path: string, text: string): number {
  const fd = openDescriptor(path, openFlags.create, 0o600);
  try {
    writeAll(fd, Buffer.from(text), 0);
    return fd;
  } catch (error) {
    closeSync(fd);
    removeQuietly(path);
    throw error;
  }
}

/** No stage is synced before the first old byte goes: the record and the old state are. */
function syncBefore(state: StateFolder, { before }: HistoryEntry): void {
  syncFolder(state.at("intents"));
  if (before !== null) syncState(state, before);
}

/**
 * Writes the record of a change set and makes it durable, before anything is staged.
 *
 * @returns its path. Throws the system's error; nothing is left then.
 */
export function writeRecord(state: StateFolder, record: WriteRecord): string {
  const room = state.at("changes");
  const isNew = statSync(room, { throwIfNoEntry: false }) === undefined;
  const path = state.at("changes", `${record.id}.${formatIdentity(ownIdentity()).replaceAll(":", ",")}`);
  const text = `${withCheck(JSON.stringify(record))}\n`;
  const fd = state.within(room, () => createWith(path, text));
  try {
    fsyncSync(fd);
    syncFolder(room);
    if (isNew) for (const folder of [state.path, dirname(state.path)]) syncFolder(folder);
  } catch (error) {
    removeQuietly(path);
    throw error;
  } finally {
    closeSync(fd);
  }
  return path;
}

/**
 * Decides the set, durably: from here on it can only be cleared up. Throws the system's error; the set is
 * undecided then as before.
 */
export function decideRecord(path: string, fate: "committed" | "taken_back"): void {
  const fd = openDescriptor(path, "r+");
  try {
    const { size } = fstatSync(fd);
    try {
      // The line break first: a decision that was cut off stands in a line of its own.
      writeAll(fd, Buffer.from(`\n${fate}\n`), size);
      fsyncSync(fd);
    } catch (error) {
      ftruncateSync(fd, size);
      throw error;
    }
  } finally {
    closeSync(fd);
  }
}

/**
 * Records a change set: one line for all of its files. Throws the system's error.
 *
 * @param isWanted whether what became of a file is to be recorded.
 */
export function logRecord(
  state: StateFolder,
  { steps, folders }: WriteRecord,
  isWanted: (entry: HistoryEntry) => boolean = () => true,
): void {
  const wanted = steps.map(({ entry }) => entry).filter(isWanted);
  if (wanted.length > 0) logOf(state).append(operationOf(wanted.map((entry) => withFolders(entry, folders))));
}

/** With those of the folders that a set made which this file of it needed. */
function withFolders(entry: HistoryEntry, made: readonly string[]): HistoryEntry {
  const folders = made.filter((folder) => entry.after !== null && entry.realPath.startsWith(`${folder}/`));
  return folders.length === 0 ? entry : { ...entry, folders };
}

/** Whether a write on this path may have left a record: with each lock it is asked for by its name, not looked for. */
export function mayHaveBegun(state: StateFolder, realPath: string): boolean {
  return lstatSync(state.at("intents", keyOf(realPath)), { throwIfNoEntry: false }) !== undefined;
}

/** Where records lie: of writes of one file, and of change sets. */
export type RecordRoom = "intents" | "changes";

/** The records of one room: all of them, or those of one path that are not cut off. */
export function readRecords(
  state: StateFolder,
  room: RecordRoom,
  realPath?: string,
): readonly StoredRecord[] {
  const prefix = realPath === undefined || room === "changes" ? "" : keyOf(realPath);
  const names = namesIn(state.at(room)).filter((name) => name.startsWith(prefix));
  return names.flatMap((name) => {
    const record = readRecord(room, state.at(room, name));
    const isOf = realPath === undefined || record?.steps.some(({ entry }) => entry.realPath === realPath);
    return record !== undefined && isOf ? record : [];
  });
}

/** Whether a half-written record is so old that its writer must be gone. */
export function isForgotten(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) > forgottenMs;
}

const forgottenMs = 60_000;

/** Whether the process that wrote a record is gone. One that cannot be looked up counts as gone: under a lock it has none. */
export function isOrphan({ owner }: Pick<StoredRecord, "owner">): boolean {
  return owner === undefined || livenessOf(owner) !== "alive";
}

/** @returns undefined for a file that is gone or not as it was written: nothing may be done by it. */
export function readRecord(room: RecordRoom, path: string): StoredRecord | undefined {
  if (room === "intents") return readAlone(path);
  const text = ifThere(() => readText(path));
  if (text === undefined) return undefined;
  const [line = "", ...rest] = text.split("\n");
  const name = basename(path);
  const owner = parseIdentity(name.slice(name.indexOf(".") + 1).replaceAll(",", ":"));
  if (rest.length === 0) return { ...nothing, path, owner };
  // A damaged line is no ground to act upon.
  const record = parseRecord(proved(line));
  const fate = rest.find((word): word is Fate => word === "committed" || word === "taken_back") ?? "open";
  return record && { ...record, path, owner, fate };
}

const nothing = { id: "", steps: [], folders: [], fate: "cut" } as const;

function readAlone(path: string): StoredRecord {
  const text = ifPossible(() => readLink(path) || readText(path), undefined) ?? "";
  const value = jsonOf(text);
  const [stageName, owner] = [textIn(value, "stageName"), parseIdentity(textIn(value, "owner") ?? "")];
  const entry = isObject(value) ? parseEntry(value.change) : undefined;
  if (entry === undefined || owner === undefined || stageName === undefined)
    return { ...nothing, path, owner: undefined };
  const steps = [{ entry, stageName, keptName: swapNameOf(stageName) }];
  return { id: entry.id, steps, folders: [], path, owner, fate: "alone" };
}

function parseRecord(value: unknown): WriteRecord | undefined {
  if (!isObject(value)) return undefined;
  const { id, steps, folders } = value;
  if (typeof id !== "string" || !Array.isArray(steps) || !Array.isArray(folders)) return undefined;
  const isRight = steps.every(isStep) && folders.every((folder) => typeof folder === "string");
  return isRight ? { id, steps, folders } : undefined;
}

function isStep(value: unknown): value is RecordedStep {
  if (!isObject(value)) return false;
  const { entry, stageName, keptName } = value;
  return parseEntry(entry) !== undefined && typeof stageName === "string" && typeof keptName === "string";
}
