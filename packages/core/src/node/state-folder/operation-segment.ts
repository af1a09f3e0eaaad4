import { type Stats, statSync } from "node:fs";
import { ifPossible, readAt, withOpened } from "../disk/platform.js";
import { mostRecordBytes } from "../disk/reading.js";
import { keyBytes, keysAt, type ParsedLine, parseLine } from "./operation-lines.js";

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
      if (filled === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(filled)]);
    }
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
      for (let at = from + keysAt; at + keyBytes < end && bytes[at] !== quote; at += keyBytes)
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
/** So many lines are remembered as what they say. */
const mostParsed = 10_000;
/** Enough for the check of the last line, and its id. */
const lastBytesLength = 512;
const newline = 0x0a;
const quote = 0x22;

function parse(fd: number, line: LogLine): void {
  const bytes = Buffer.allocUnsafe(Math.min(line.end - line.from, mostRecordBytes));
  line.said = parseLine(bytes.toString("utf8", 0, readFully(fd, bytes, line.from))) ?? null;
}

function readFully(fd: number, bytes: Buffer, position: number): number {
  let length = 0;
  for (let count = -1; count !== 0 && length < bytes.length; length += count)
    count = readAt(fd, bytes, length, bytes.length - length, position + length);
  return length;
}
