import { closeSync, fstatSync, ftruncateSync, readSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Committed, FileAccess, HistoryEntry, HistoryStore } from "../../files/index.js";
import { jsonOf } from "../../text/index.js";
import { newStageName } from "../commit/stage.js";
import {
  ifPossible,
  ifThere,
  openDescriptor,
  quietly,
  readAt,
  syncFolder,
  withOpened,
  writeAll,
} from "../disk/platform.js";
import { longestLineBytes, readText, removeQuietly, sha256, shortLines } from "../disk/reading.js";
import { syncState } from "./blobs.js";
import { pathsOfCaller } from "./callers.js";
import { writeIntent } from "./intents.js";
import { keyOf } from "./locks.js";
import type { Presence } from "./sessions.js";
import type { StateFolder } from "./state-folder.js";

/**
 * One file of lines for each path, appended to under the path's lock. A line is `[check, entry]`: the
 * check is the beginning of the SHA-256 of the entry's text, so a line that was cut or damaged is left out.
 */
export function openHistory(state: StateFolder, presence: Presence): HistoryStore {
  const remembered = new RememberedHistories();
  const reads = new RememberedHistories();
  return {
    record: async (write) => {
      presence.show();
      quietly(() => appendHistory(state, write));
    },
    entries: async (realPath) => remembered.read(state, realPath),
    noteRead: async (read) => {
      quietly(() => {
        const known = reads.read(state, read.realPath).findLast(({ after }) => after === read.after);
        if (known === undefined || !isDeepStrictEqual(known.access, read.access)) appendHistory(state, read);
      });
    },
    ofConversation: async (conversation) => pathsOfCaller(state, conversation),
    together: async (changeSet) => readTogether(state, changeSet),
  };
}

/** A write that is announced and not yet decided: whoever gets the lock of its path next decides by what is on the disk. */
interface HistoryIntent {
  /** Recovery looks for a stage file of this name beside the target. */
  readonly stageName: string;
  /** The step was taken, and it came to this. After a fault the record stays, for recovery. */
  done(step: Pick<Committed, "fault">, written: HistoryEntry): void;
  /** Nothing happened. */
  dropped(): void;
}

/**
 * Announces the write of one file, under the path's lock and before its step, so that a kill leaves a trace. Throws the
 * system's error.
 */
export function beginWrite(state: StateFolder, change: HistoryEntry): HistoryIntent {
  const stageName = newStageName();
  const path = writeIntent(state, { stageName, change });
  if (change.inPlace === true) syncBefore(state, change);
  return {
    stageName,
    done: ({ fault }, written) => {
      // The step was taken and must not be called a failure now: the intent stays, and recovery adds the entry.
      const isRecorded = quietly(() => appendHistory(state, written));
      if (isRecorded && fault === undefined) removeQuietly(path);
    },
    dropped: () => removeQuietly(path),
  };
}

/** No stage is synced before the first old byte goes: the record and the old state are. */
function syncBefore(state: StateFolder, { before }: HistoryEntry): void {
  syncFolder(state.at("intents"));
  if (before !== null) syncState(state, before);
}

/** Where it is kept which files a change set wrote: beside the histories, and collected like them. */
export function togetherPath(state: StateFolder, changeSet: string): string {
  return state.at("history", `${keyOf(changeSet)}.set`);
}

function readTogether(state: StateFolder, changeSet: string): readonly string[] | undefined {
  const value = jsonOf(ifThere(() => readText(togetherPath(state, changeSet))) ?? "");
  return Array.isArray(value) && value.every((path) => typeof path === "string") ? value : undefined;
}

/** Oldest first; damaged lines are left out. */
export function readHistory(state: StateFolder, realPath: string): readonly HistoryEntry[] {
  const bytes = historyBytes(state, realPath);
  return bytes === undefined ? [] : parseLines(bytes, realPath);
}

/**
 * The histories that were read last: a write would else take longer with each write before it. A file is
 * read on from where it ended, if the last line that was read still stands there; lines are only ever
 * appended, and each is the only one of its kind.
 */
class RememberedHistories {
  private readonly byPath = new Map<string, ReadHistory>();

  read(state: StateFolder, realPath: string): readonly HistoryEntry[] {
    const before = this.byPath.get(realPath) ?? nothingRead;
    this.byPath.delete(realPath);
    const bytes = historyBytes(state, realPath, before);
    if (bytes === undefined) return [];
    const goesOn = before.size > 0 && bytes.subarray(0, before.lastLine.length).equals(before.lastLine);
    if (before.size > 0 && !goesOn) return this.read(state, realPath);
    const fresh = bytes.subarray(before.lastLine.length);
    const whole = fresh.lastIndexOf(newline) + 1;
    const entries = [...before.entries, ...parseLines(fresh.subarray(0, whole), realPath)];
    const lastLine = lastLineOf(bytes);
    // Kept for as long as the path is known.
    if (lastLine.length <= longestLineBytes)
      this.remember(realPath, { size: before.size + whole, lastLine: Buffer.from(lastLine), entries });
    return whole === fresh.length ? entries : [...entries, ...parseLines(fresh.subarray(whole), realPath)];
  }

  private remember(realPath: string, read: ReadHistory): void {
    this.byPath.set(realPath, read);
    const [oldest] = this.byPath.keys();
    if (this.byPath.size > rememberedPaths && oldest !== undefined) this.byPath.delete(oldest);
  }
}

/** So many bytes of whole lines, the last of these lines, and what all of them say. */
interface ReadHistory {
  readonly size: number;
  readonly lastLine: Buffer;
  readonly entries: readonly HistoryEntry[];
}

const nothingRead: ReadHistory = { size: 0, lastLine: Buffer.alloc(0), entries: [] };
const rememberedPaths = 8;

/** The last whole line with its end; nothing where there is none. */
function lastLineOf(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(newline) + 1;
  const from = end < 2 ? 0 : bytes.lastIndexOf(newline, end - 2) + 1;
  return bytes.subarray(from, end);
}

/** The bytes of the file from the last line that was read; undefined if the file cannot be read. */
function historyBytes(state: StateFolder, realPath: string, before = nothingRead): Buffer | undefined {
  const from = before.size - before.lastLine.length;
  // An unreadable history counts as none; the next write reports it when it cannot be recorded.
  return ifPossible(
    () => withOpened(historyPath(state, realPath), "r", (fd) => readFrom(fd, from)),
    undefined,
  );
}

function readFrom(fd: number, from: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - from));
  let length = 0;
  while (length < bytes.length) {
    const count = readAt(fd, bytes, length, bytes.length - length, from + length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

function parseLines(bytes: Buffer, realPath: string): readonly HistoryEntry[] {
  const entries = [...shortLines(bytes)].map(parseLine);
  return entries.filter((entry): entry is HistoryEntry => entry?.realPath === realPath);
}

/** The real path that a history file speaks of; undefined where nothing in it can be read. */
export function pathOfHistory(file: string): string | undefined {
  const bytes = ifPossible(() => withOpened(file, "r", (fd) => readFrom(fd, 0)), Buffer.alloc(0));
  for (const line of shortLines(bytes)) {
    const entry = parseLine(line);
    if (entry !== undefined) return entry.realPath;
  }
  return undefined;
}

/** Adds one line. A half line that a full disk or a kill left at the end is closed off first. */
export function appendHistory(state: StateFolder, entry: HistoryEntry): void {
  const path = historyPath(state, entry.realPath);
  const fd = state.within(state.at("history"), () => openDescriptor(path, "a+", 0o600));
  try {
    const { size } = fstatSync(fd);
    const line = `${size > 0 && lastByte(fd, size) !== newline ? "\n" : ""}${formatLine(entry)}\n`;
    try {
      writeAll(fd, Buffer.from(line), size);
    } catch (error) {
      quietly(() => ftruncateSync(fd, size));
      throw error;
    }
  } finally {
    closeSync(fd);
  }
}

const newline = 0x0a;

function historyPath(state: StateFolder, realPath: string): string {
  return state.at("history", `${keyOf(realPath)}.jsonl`);
}

function lastByte(fd: number, size: number): number | undefined {
  const byte = Buffer.alloc(1);
  return readSync(fd, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined;
}

function formatLine(entry: HistoryEntry): string {
  const text = JSON.stringify(entry);
  return `["${checkOf(text)}",${text}]`;
}

function parseLine(line: string): HistoryEntry | undefined {
  const match = /^\["([0-9a-f]{16})",(.*)\]$/s.exec(line);
  const [, check, text] = match ?? [];
  if (text === undefined || checkOf(text) !== check) return undefined;
  return parseEntry(jsonOf(text));
}

/** An entry from JSON; undefined where it is none. Up to 0.1 that of a deletion called its access `removed`. */
export function parseEntry(value: unknown): HistoryEntry | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields: Partial<Record<keyof HistoryEntry, unknown>> =
    "removed" in value ? { ...value, access: value.removed } : value;
  const { id, realPath, time, session, tool, before, after, folders = [] } = fields;
  const texts =
    [id, realPath, session, tool].every((field) => typeof field === "string") && isCaller(fields.caller);
  const hashes = [before, after].every((field) => field === null || isHash(field));
  const isList = Array.isArray(folders) && folders.every((folder) => typeof folder === "string");
  const isRight = isList && isAccess(fields.access);
  // Every field was just looked at.
  return texts && hashes && isRight && typeof time === "number" ? (fields as HistoryEntry) : undefined;
}

function isCaller(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== "object" || value === null) return false;
  const fields: { readonly [key: string]: unknown } = { ...value };
  const of = "call" in fields ? fields.call : fields.restore;
  return [fields.conversation, fields.path, of].every((field) => typeof field === "string");
}

function isAccess(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== "object" || value === null) return false;
  const fields: Partial<Record<keyof FileAccess, unknown>> = value;
  const { mode, uid = 0, gid = 0, hadMore = true, folders = [] } = fields;
  const areIds = [uid, gid].every((id) => typeof id === "number" && Number.isInteger(id) && id >= 0);
  const isMode = typeof mode === "number" && Number.isInteger(mode) && mode >= 0 && mode <= 0o7777;
  const areFolders = Array.isArray(folders) && folders.every((one) => one !== undefined && isAccess(one));
  return isMode && areIds && hadMore === true && areFolders;
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function checkOf(text: string): string {
  return sha256(Buffer.from(text)).slice(0, 16);
}
