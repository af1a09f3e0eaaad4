import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { quietly } from "./repository.js";
import { safeOutput } from "./safe-output.js";

/** The bounds of what is kept of one command's output, in bytes. */
interface OutputBounds {
  /** In memory: the beginning and the end, half of it each. What is not longer is shown whole. */
  readonly shownBytes: number;
  /** On disk. What comes after it is counted, and its end is shown. */
  readonly fileBytes: number;
}

/** A stretch of an output. */
export interface OutputPart {
  readonly bytes: Uint8Array;
  /** Where it begins; later than asked for where what was asked for is not kept. */
  readonly from: number;
  /** Where the next part begins. */
  readonly next: number;
}

/**
 * What a command prints, in order of arrival: its beginning and its end in memory, and as a whole in a file, which is
 * made where it is needed. Takes bounded memory and bounded room on disk, however much comes.
 */
export class OutputLog {
  private readonly head: Uint8Array;
  private readonly tail: Uint8Array;
  private file: number | undefined;
  private fileEnd = 0;
  private hasFile = false;
  private isFull = false;
  private size = 0;
  private ends = 0;

  /**
   * @param path where the file goes, if there is to be one.
   * @param early makes the file with the first byte, so that each part can be read again.
   */
  constructor(
    private readonly path: string,
    private readonly bounds: OutputBounds,
    private readonly early = false,
  ) {
    this.head = new Uint8Array(Math.floor(bounds.shownBytes / 2));
    this.tail = new Uint8Array(bounds.shownBytes - this.head.length);
  }

  /** How many bytes came, kept or not. */
  get sizeBytes(): number {
    return this.size;
  }

  /** How many lines came, kept or not. */
  get lines(): number {
    const last = this.size === 0 ? 10 : this.endFrom(this.size - 1)[0];
    return this.ends + (last === 10 ? 0 : 1);
  }

  /** The file and how much of the output it holds; undefined where there is none. */
  get kept(): { readonly path: string; readonly bytes: number } | undefined {
    return this.hasFile ? { path: this.path, bytes: this.fileEnd } : undefined;
  }

  /** Takes what was printed. Never throws: a disk that is full costs the rest of the file. */
  add(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const before = this.size;
    if (!this.hasFile && (this.early || before + chunk.length > this.bounds.shownBytes)) this.begin();
    if (before < this.head.length) this.head.set(chunk.subarray(0, this.head.length - before), before);
    this.keepEnd(chunk);
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) this.ends += 1;
    this.size += chunk.length;
    this.write(chunk);
  }

  /** What is shown: all of it, or its beginning and its end with what is left out between them in bytes. */
  shown(): { readonly head: Uint8Array; readonly left: number; readonly tail: Uint8Array } {
    const headEnd = Math.min(this.size, this.head.length);
    const tailStart = Math.max(headEnd, this.size - this.tail.length);
    const head = this.head.subarray(0, headEnd);
    const tail = this.endFrom(tailStart);
    if (tailStart === headEnd) return { head: joined(head, tail), left: 0, tail: new Uint8Array() };
    const whole = { head: wholeEnd(head), tail: wholeStart(tail) };
    return { ...whole, left: this.size - whole.head.length - whole.tail.length };
  }

  /** What is shown, for a person. */
  text(): string {
    const { head, left, tail } = this.shown();
    if (left === 0) return safeOutput(head);
    return `${safeOutput(head)}\n[… ${left.toLocaleString("en-US")} bytes left out …]\n${safeOutput(tail)}`;
  }

  /** The part from an offset on, at most so many bytes, in whole characters of UTF-8. */
  read(from: number, limit: number): OutputPart {
    const start = Math.min(Math.max(0, from), this.size);
    const inFile = this.readFile(start, limit);
    if (inFile.length > 0) {
      const isEnd = start + inFile.length >= this.size;
      const bytes = isEnd ? inFile : wholeEnd(inFile);
      return { bytes, from: start, next: start + bytes.length };
    }
    const at = Math.max(start, this.size - this.tail.length);
    const rest = this.endFrom(at).subarray(0, limit);
    return { bytes: rest, from: at, next: at + rest.length };
  }

  /** Closes the file; it can be read still. */
  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
    this.isFull = true;
  }

  /** Closes the file and removes it. */
  remove(): void {
    this.close();
    if (this.hasFile) rmSync(this.path, { force: true });
    this.hasFile = false;
  }

  private begin(): void {
    if (this.isFull) return;
    try {
      mkdirSync(join(this.path, ".."), { recursive: true, mode: 0o700 });
      this.file = openSync(this.path, "wx", 0o600);
      this.hasFile = true;
      // So far everything is in memory.
      this.write(
        joined(this.head.subarray(0, this.size), this.endFrom(Math.min(this.size, this.head.length))),
      );
    } catch {
      this.isFull = true;
    }
  }

  private write(chunk: Uint8Array): void {
    if (this.file === undefined || this.isFull) return;
    const room = this.bounds.fileBytes - this.fileEnd;
    try {
      for (let at = 0; at < Math.min(room, chunk.length); ) {
        const written = writeSync(this.file, chunk, at, Math.min(room, chunk.length) - at);
        at += written;
        this.fileEnd += written;
      }
    } catch {
      this.isFull = true;
    }
    if (room <= chunk.length) this.isFull = true;
  }

  /** The end of the output lies in a ring: the byte at `offset` of the output is at `offset % length`. */
  private keepEnd(chunk: Uint8Array): void {
    const ring = this.tail;
    const kept = chunk.subarray(Math.max(0, chunk.length - ring.length));
    const at = (this.size + chunk.length - kept.length) % ring.length;
    const first = Math.min(kept.length, ring.length - at);
    ring.set(kept.subarray(0, first), at);
    ring.set(kept.subarray(first), 0);
  }

  private endFrom(offset: number): Uint8Array {
    const start = offset % this.tail.length;
    const length = this.size - offset;
    const first = this.tail.subarray(start, Math.min(this.tail.length, start + length));
    return joined(first, this.tail.subarray(0, length - first.length));
  }

  private readFile(from: number, limit: number): Uint8Array {
    const length = Math.min(limit, this.fileEnd - from);
    if (!this.hasFile || length <= 0) return new Uint8Array();
    const bytes = new Uint8Array(length);
    const file = quietly(() => openSync(this.path, "r"));
    if (file === undefined) return new Uint8Array();
    const read = quietly(() => readSync(file, bytes, 0, length, from)) ?? 0;
    closeSync(file);
    return bytes.subarray(0, read);
  }
}

function joined(one: Uint8Array, two: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + two.length);
  both.set(one);
  both.set(two, one.length);
  return both;
}

const isInner = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Without the beginning of a character whose rest is cut off: at most three bytes. */
function wholeEnd(bytes: Uint8Array): Uint8Array {
  let start = bytes.length - 1;
  while (start >= Math.max(0, bytes.length - 3) && isInner(bytes[start])) start--;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start >= 0 && start + length > bytes.length ? bytes.subarray(0, start) : bytes;
}

/** Without the rest of a character whose beginning is cut off. */
function wholeStart(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isInner(bytes[start])) start++;
  return bytes.subarray(start);
}
