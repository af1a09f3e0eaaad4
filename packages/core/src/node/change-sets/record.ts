import { closeSync, fstatSync, fsyncSync, ftruncateSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { HistoryEntry } from "../../files/index.js";
import { jsonOf } from "../../text/index.js";
import { ifThere, openDescriptor, openFlags, syncFolder, writeAll } from "../disk/platform.js";
import { namesIn, readText, removeQuietly, sha256 } from "../disk/reading.js";
import { parseEntry } from "../state-folder/history.js";
import {
  formatIdentity,
  livenessOf,
  ownIdentity,
  type ProcessIdentity,
  parseIdentity,
} from "../state-folder/process-identity.js";
import type { StateFolder } from "../state-folder/state-folder.js";

/** What a change set is about to do: a record that outlives a kill and a power cut. */
export interface SetRecord {
  readonly id: string;
  readonly steps: readonly RecordedStep[];
  /** Real paths of the folders that have to be made, the outermost first. */
  readonly folders: readonly string[];
}

/** One file of a recorded change set. */
export interface RecordedStep {
  readonly entry: HistoryEntry;
  /** The new content beside the target, before the step. */
  readonly stageName: string;
  /** The old file beside the target, from before the step to the end of the set. */
  readonly keptName: string;
}

/** `open`: not decided; else only clearing up is left to do. */
export type Fate = "open" | "committed" | "taken_back";

/** A record as it lies in the state folder, with how far the set came. */
export interface StoredRecord extends SetRecord {
  readonly path: string;
  readonly fate: Fate;
}

/**
 * Writes the record and makes it durable, before anything is staged.
 *
 * @returns its path. Throws the system's error; nothing is left then.
 */
export function writeRecord(state: StateFolder, record: SetRecord): string {
  const room = state.at("changes");
  const isNew = statSync(room, { throwIfNoEntry: false }) === undefined;
  const path = state.at("changes", `${record.id}.${formatIdentity(ownIdentity()).replaceAll(":", ",")}`);
  const text = JSON.stringify(record);
  const fd = state.within(room, () => openDescriptor(path, openFlags.create, 0o600));
  try {
    writeAll(fd, Buffer.from(`["${checkOf(text)}",${text}]\n`), 0);
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
export function decideRecord(path: string, fate: Exclude<Fate, "open">): void {
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

/** The stored records, of all sets or of those that name one path. */
export function readRecords(state: StateFolder, realPath?: string): readonly StoredRecord[] {
  const records: StoredRecord[] = [];
  for (const name of namesIn(state.at("changes"))) {
    const record = readRecord(state.at("changes", name));
    if (record === undefined) continue;
    if (realPath === undefined || record.steps.some(({ entry }) => entry.realPath === realPath)) {
      records.push(record);
    }
  }
  return records;
}

/** Records that were cut off while they were written: their owners, now gone, had not begun. */
export function cutRecords(
  state: StateFolder,
): readonly { readonly path: string; readonly owner: ProcessIdentity | undefined }[] {
  return namesIn(state.at("changes"))
    .map((name) => ({ path: state.at("changes", name), owner: ownerOf(name) }))
    .filter(({ path }) => ifThere(() => readText(path))?.includes("\n") === false);
}

/** Whether the process that wrote a record is gone. */
export function isOrphan({ path }: StoredRecord): boolean {
  const owner = ownerOf(basename(path));
  return owner === undefined || livenessOf(owner) !== "alive";
}

function ownerOf(name: string): ProcessIdentity | undefined {
  return parseIdentity(name.slice(name.indexOf(".") + 1).replaceAll(",", ":"));
}

/** @returns undefined for a file that is gone or not as it was written: nothing may be done by it. */
export function readRecord(path: string): StoredRecord | undefined {
  const [line = "", ...rest] = ifThere(() => readText(path))?.split("\n") ?? [];
  const [, check, text] = /^\["([0-9a-f]{16})",(.*)\]$/s.exec(line) ?? [];
  // A damaged line is no ground to act upon.
  if (text === undefined || rest.length === 0 || checkOf(text) !== check) return undefined;
  const record = parseRecord(jsonOf(text));
  if (record === undefined) return undefined;
  const fate = rest.find((word): word is Fate => word === "committed" || word === "taken_back");
  return { ...record, path, fate: fate ?? "open" };
}

function parseRecord(value: unknown): SetRecord | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { id, steps, folders }: Partial<Record<keyof SetRecord, unknown>> = value;
  if (typeof id !== "string" || !Array.isArray(steps) || !Array.isArray(folders)) return undefined;
  const right = steps.every((step) => isStep(step)) && folders.every((folder) => typeof folder === "string");
  // Every field was just looked at.
  return right ? (value as SetRecord) : undefined;
}

function isStep(value: unknown): value is RecordedStep {
  if (typeof value !== "object" || value === null) return false;
  const { entry, stageName, keptName }: Partial<Record<keyof RecordedStep, unknown>> = value;
  return parseEntry(entry) !== undefined && typeof stageName === "string" && typeof keptName === "string";
}

function checkOf(text: string): string {
  return sha256(Buffer.from(text)).slice(0, 16);
}
