import { hash } from "node:crypto";
import { type Stats, statSync } from "node:fs";
import { entriesOf, type FileAccess, type HistoryEntry, type Operation } from "../../files/index.js";
import { isObject, jsonOf } from "../../text/index.js";
import { ifPossible, readAt, withOpened } from "../disk/platform.js";
import { mostRecordBytes, sha256 } from "../disk/reading.js";

/**
 * A file of lines that is only ever appended to, as far as it was read. It is read on from where it ended, if the last bytes
 * that were read still stand there. Of a line only the keys are looked at until somebody asks for one of them.
 */
export class LogSegment {
  private seen: Pick<Stats, "size" | "ino" | "mtimeMs"> = missing;
  /** So many bytes of whole lines were read. */
  private size = 0;
  private lastBytes: Buffer = Buffer.alloc(0);
  /** The keys of all lines, in their order, and beside each its line. */
  private keys: number[] = [];
  private lines: LogLine[] = [];
  /** Keys of whole lines; those behind them are of a line that may still get its end. */
  private settled = 0;
  private parsed = 0;

  constructor(readonly path: string) {}

  /** Reads what was added. A file that cannot be read counts as empty: the next write fails to be recorded in it, and says so. */
  refresh(): this {
    const stat = ifPossible(() => statSync(this.path, { throwIfNoEntry: false }), undefined) ?? missing;
    const { size, ino, mtimeMs } = this.seen;
    if (stat.size === size && stat.ino === ino && stat.mtimeMs === mtimeMs) return this;
    const read = () => withOpened(this.path, "r", (fd) => this.readOn(fd, stat.size));
    const isRead = stat !== missing && ifPossible(read, false);
    if (!isRead) this.forget();
    this.seen = isRead ? stat : missing;
    return this;
  }

  /** What the lines of a key say, or all; oldest first. Others may be among them; damaged ones are left out. */
  said(key?: number): readonly ParsedLine[] {
    const lines = key === undefined ? [...new Set(this.lines)] : this.linesOf(key);
    const unknown = lines.filter(({ said }) => said === undefined);
    const parseAll = (fd: number) => {
      for (const line of unknown) parse(fd, line);
    };
    if (unknown.length > 0) ifPossible(() => withOpened(this.path, "r", parseAll), undefined);
    const said = lines.flatMap((line) => line.said ?? []);
    this.parsed += unknown.length;
    if (this.parsed > mostParsed) {
      for (const line of this.lines) line.said = undefined;
      this.parsed = 0;
    }
    return said;
  }

  private linesOf(key: number): readonly LogLine[] {
    const lines: LogLine[] = [];
    for (let at = this.keys.indexOf(key); at >= 0; at = this.keys.indexOf(key, at + 1))
      lines.push(...this.lines.slice(at, at + 1));
    return lines;
  }

  /** @param until so many bytes are there. */
  private readOn(fd: number, until: number): true {
    const there = Buffer.alloc(this.lastBytes.length);
    readFully(fd, there, this.size - there.length);
    if (!there.equals(this.lastBytes)) this.forget();
    for (let bytes: Buffer = chunk, filled = 0; ; ) {
      const count = readAt(fd, bytes, filled, bytes.length - filled, this.size + filled);
      filled += count;
      const isEnd = count === 0 || this.size + filled >= until;
      const whole = this.take(bytes.subarray(0, filled), isEnd);
      if (isEnd) return true;
      bytes.copyWithin(0, whole, filled);
      filled -= whole;
      if (filled < bytes.length) continue;
      if (filled < mostKeysBytes) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(filled)]);
      else if (this.takeLong(fd, bytes, until)) filled = 0;
      else return true;
    }
  }

  /** Takes a line of which the beginning, with all keys, was read: of the rest only the end. @returns whether it has one. */
  private takeLong(fd: number, begun: Buffer, until: number): boolean {
    const piece = Buffer.allocUnsafe(chunk.length);
    let [at, end] = [this.size + begun.length, -1];
    for (let count = -1; count !== 0 && end < 0 && at < until; at += count) {
      count = readAt(fd, piece, 0, piece.length, at);
      const found = piece.subarray(0, count).indexOf(newline);
      if (found >= 0) end = at + found;
    }
    this.index(begun, 0, (end < 0 ? until : end) - this.size);
    if (end < 0) return false;
    this.settled = this.keys.length;
    this.size = end + 1;
    this.lastBytes = Buffer.alloc(lastBytesLength);
    readFully(fd, this.lastBytes, this.size - lastBytesLength);
    return true;
  }

  /** @returns how many bytes of whole lines there were. */
  private take(bytes: Buffer, isEnd: boolean): number {
    let from = 0;
    this.keys.length = this.settled;
    this.lines.length = this.settled;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
      this.index(bytes, from, end);
      from = end + 1;
    }
    this.settled = this.keys.length;
    if (isEnd) this.index(bytes, from, bytes.length);
    if (from > 0) this.lastBytes = Buffer.from(bytes.subarray(Math.max(0, from - lastBytesLength), from));
    this.size += from;
    return from;
  }

  private index(bytes: Buffer, from: number, end: number): void {
    if (end - from <= keysAt) return;
    const line: LogLine = { from: this.size + from, end: this.size + end, said: undefined };
    const add = (key: number) => {
      this.keys.push(key);
      this.lines.push(line);
    };
    // One of an earlier release has no keys: each of its files is of one path.
    if (bytes[from + keysAt - 1] !== quote) add(0);
    else
      for (
        let at = from + keysAt;
        at + keyBytes < Math.min(end, bytes.length) && bytes[at] !== quote;
        at += keyBytes
      )
        add(bytes.readUIntBE(at, keyBytes));
  }

  private forget(): void {
    this.size = 0;
    this.lastBytes = Buffer.alloc(0);
    this.keys = [];
    this.lines = [];
    this.settled = 0;
  }
}

/** Where a line begins and ends, and what it says: `null` of a damaged one, undefined where nobody asked. */
interface LogLine {
  readonly from: number;
  readonly end: number;
  said: ParsedLine | null | undefined;
}

const missing = { size: 0, ino: 0, mtimeMs: 0 };
/** One for all: memory that is touched for the first time costs more than what is read into it. */
const chunk = Buffer.allocUnsafeSlow(64 * 1024);
/** The keys of a hundred thousand files take less. */
const mostKeysBytes = 8 * 1024 * 1024;
/** So many lines are remembered as what they say. */
const mostParsed = 10_000;
/** Enough for the check of the last line, and its id. */
const lastBytesLength = 512;
const newline = 0x0a;
const quote = 0x22;

function parse(fd: number, line: LogLine): void {
  line.said = null;
  if (line.end - line.from > mostRecordBytes) return;
  const bytes = Buffer.allocUnsafe(line.end - line.from);
  line.said = parseLine(bytes.toString("utf8", 0, readFully(fd, bytes, line.from))) ?? null;
}

function readFully(fd: number, bytes: Buffer, position: number): number {
  let length = 0;
  for (let count = -1; count !== 0 && length < bytes.length; length += count)
    count = readAt(fd, bytes, length, bytes.length - length, position + length);
  return length;
}

/**
 * A line of the operation log is `["CHECK","KEYS",{…}]`. The check is the beginning of the SHA-256 of the operation's text,
 * so a line that was cut or damaged is left out. The keys, six characters each, are those of its files, its conversation
 * and its change set: whoever looks for one of them parses no other line.
 */
export function formatOperation(operation: Operation): string {
  const { files, caller, changeSet } = operation;
  const named = [...files.map(({ realPath }) => realPath), caller?.conversation, changeSet];
  const keys = new Set(named.filter((name) => name !== undefined).map(keyText));
  return withCheck(JSON.stringify(operation), `"${[...keys].join("")}",`);
}

/** A text of JSON behind its check. */
export function withCheck(text: string, between = ""): string {
  return `["${checkOf(text)}",${between}${text}]`;
}

/** Where the keys stand in a line; one of an earlier release has none. */
const keysAt = 21;
const keyBytes = 6;

function keyText(name: string): string {
  return hash("sha256", name, "base64url").slice(0, keyBytes);
}

/** The key of a path, a conversation or a change set, as the number that its bytes are. */
export function lineKey(name: string): number {
  return Buffer.from(keyText(name)).readUIntBE(0, keyBytes);
}

/** What a line says: its operation, and what that is to each file. */
export interface ParsedLine {
  /** Undefined of a line of an earlier release, which wrote one a file. */
  readonly operation?: Operation;
  /** By real path. */
  readonly entries: ReadonlyMap<string, HistoryEntry>;
}

/** @returns undefined for a damaged line. */
export function parseLine(line: string): ParsedLine | undefined {
  const value = proved(line);
  if (!isObject(value) || !("files" in value)) {
    const entry = parseEntry(value);
    return entry && { entries: byPath([entry]) };
  }
  if (!Array.isArray(value.files) || !value.files.every(isObject)) return undefined;
  // A cast: each field is looked at in the entries.
  const operation = value as unknown as Operation;
  const entries = entriesOf(operation);
  const isRight = entries.every((entry) => parseEntry(entry) !== undefined);
  return isRight ? { operation, entries: byPath(entries) } : undefined;
}

function byPath(entries: readonly HistoryEntry[]): ReadonlyMap<string, HistoryEntry> {
  return new Map(entries.map((entry) => [entry.realPath, entry]));
}

/** The JSON behind the check of a line; undefined where that is wrong. */
export function proved(line: string): unknown {
  const [, check, text] = /^\["([0-9a-f]{16})",(?:"[\w-]*",)?(.*)\]$/s.exec(line) ?? [];
  return text === undefined || checkOf(text) !== check ? undefined : jsonOf(text);
}

function checkOf(text: string): string {
  return sha256(text).slice(0, 16);
}

/** An entry from JSON; undefined where it is none. Up to 0.1 that of a deletion called its access `removed`. */
export function parseEntry(value: unknown): HistoryEntry | undefined {
  if (!isObject(value)) return undefined;
  const fields: Partial<Record<keyof HistoryEntry, unknown>> =
    "removed" in value ? { ...value, access: value.removed } : value;
  const { id, realPath, time, session, tool, before, after, folders = [] } = fields;
  const texts =
    [id, realPath, session, tool].every((field) => typeof field === "string") && isCaller(fields.caller);
  const hashes = [before, after].every((field) => field === null || isHash(field));
  const isRight = areTexts(folders) && isAccess(fields.access);
  // Every field was just looked at.
  return texts && hashes && isRight && typeof time === "number" ? (fields as HistoryEntry) : undefined;
}

function isCaller(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const of = "call" in value ? value.call : value.restore;
  return areTexts([value.conversation, value.path, of]);
}

function isAccess(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const fields: Partial<Record<keyof FileAccess, unknown>> = value;
  const { mode, uid = 0, gid = 0, hadMore = true, folders = [] } = fields;
  const areIds = [uid, gid].every((id) => typeof id === "number" && Number.isInteger(id) && id >= 0);
  const isMode = typeof mode === "number" && Number.isInteger(mode) && mode >= 0 && mode <= 0o7777;
  const areFolders = Array.isArray(folders) && folders.every((one) => one !== undefined && isAccess(one));
  return isMode && areIds && hadMore === true && areFolders;
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}
