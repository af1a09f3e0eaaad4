import { type Advancing, finish } from "../../text/index.js";
import { isSealed, readLine, sealedEnd } from "./journal-codec.js";
import { type LineFinding, type SortedOut, sortOut } from "./sort-out.js";

/** What the bytes of a journal say; the torn tail is no problem of it, since a writer may be at it. */
export interface ReadJournal extends SortedOut {
  /** Up to here it is lines, whole or damaged; behind it stands the torn tail. */
  readonly wholeBytes: number;
  /** False where the last record lacks its line break only. */
  readonly terminated: boolean;
  readonly lines: number;
}

/**
 * Reads a journal. A damaged line loses itself only, and bytes behind the last line that is whole are told
 * apart from it.
 *
 * @param readBlob the bytes of this SHA-256, proved by it; undefined where they are gone.
 * @param sessionId whose journal it is, where lines of several sessions stand in it; else that of the first.
 */
export function readJournal(
  bytes: Uint8Array,
  readBlob: (sha256: string) => Uint8Array | undefined,
  sessionId?: string,
): ReadJournal {
  return finish(readJournalInSteps(bytes, readBlob, sessionId));
}

/** The same in steps, counted in bytes. */
export function* readJournalInSteps(
  bytes: Uint8Array,
  readBlob: (sha256: string) => Uint8Array | undefined,
  sessionId?: string,
): Advancing<ReadJournal> {
  const reader = new JournalReader(bytes, readBlob);
  for (let at = 0; at < bytes.length; ) {
    at = reader.piece(at);
    yield { done: at, of: bytes.length };
  }
  return reader.end(sessionId);
}

/** Text is made of so many bytes at once: fewer calls, and one letter beyond Latin-1 widens only its piece. */
const pieceBytes = 256 * 1024;
const lineBreak = 0x0a;
const brace = 0x7b;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

class JournalReader {
  private readonly found: LineFinding[] = [];
  /** In which line each of these was found. */
  private readonly lineNumbers: number[] = [];
  private lines = 0;
  private wholeBytes = 0;
  private terminated = true;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly readBlob: (sha256: string) => Uint8Array | undefined,
  ) {}

  /** Reads the lines of about a piece. @returns where the next one begins. */
  piece(from: number): number {
    const to = this.pieceEnd(from);
    if (to - from > pieceBytes + 1) return this.longLine(from, to);
    const text = decoder.decode(this.bytes.subarray(from, to));
    const isAscii = text.length === to - from;
    let inText = 0;
    for (let at = from; at < to; ) {
      const end = this.bytes.indexOf(lineBreak, at);
      if (end < 0 || end >= to) return this.tail(at);
      // A line break is a byte of its own in UTF-8, whatever stands around it.
      const textEnd = isAscii ? end - from : text.indexOf("\n", inText);
      this.lines += 1;
      if (isSealed(this.bytes, at, end)) this.add(readLine(text.slice(inText, textEnd), this.readBlob));
      else this.mend(at, end);
      inText = textEnd + 1;
      at = end + 1;
      this.wholeBytes = at;
    }
    return to;
  }

  /** A line that is longer than a piece. Its text is made only if it is whole: damage may be of any length. */
  private longLine(from: number, to: number): number {
    const { bytes } = this;
    const end = to - 1;
    if (bytes[end] !== lineBreak) return this.tail(from);
    this.lines += 1;
    if (isSealed(bytes, from, end)) this.addBytes(from, end);
    else this.mend(from, end);
    this.wholeBytes = to;
    return to;
  }

  end(sessionId: string | undefined): ReadJournal {
    const { found, lineNumbers, wholeBytes, terminated, lines } = this;
    return { ...sortOut(found, lineNumbers, sessionId), wholeBytes, terminated, lines };
  }

  private pieceEnd(from: number): number {
    const { bytes } = this;
    if (from + pieceBytes >= bytes.length) return bytes.length;
    const last = bytes.lastIndexOf(lineBreak, from + pieceBytes);
    const end = last >= from ? last : bytes.indexOf(lineBreak, from + pieceBytes);
    return end < 0 ? bytes.length : end + 1;
  }

  /** What follows on the last line break: nothing, records that lack only theirs, or a torn tail. */
  private tail(from: number): number {
    const { bytes } = this;
    for (let at = from; at < bytes.length; ) {
      const end = sealedEnd(bytes, at, bytes.length);
      if (end < 0) break;
      if (at === from) this.lines += 1;
      else this.add(rest);
      this.addBytes(at, end);
      this.wholeBytes = end;
      this.terminated = false;
      at = bytes[end] === brace ? end : end + 1;
    }
    return bytes.length;
  }

  /**
   * A line that is not whole may be several whose line breaks were damaged, or one behind the half of another.
   * All that follows stands in the same line of the file.
   */
  private mend(from: number, to: number): void {
    let tries = mostTries;
    let inDamage = false;
    for (let at = from; at >= 0; ) {
      const end = sealedEnd(this.bytes, at, to);
      if (end >= 0) this.addBytes(at, end);
      else if (!inDamage) this.add(damaged);
      if (end === to) return;
      if (end < 0) tries -= 1;
      else this.add(rest);
      const next = tries === 0 ? -1 : this.startAfter(end < 0 ? at + 1 : end, to);
      inDamage = end < 0;
      if (end >= 0 && (next < 0 ? to : next) > end + 1) {
        this.add(damaged);
        inDamage = true;
      }
      at = next;
    }
  }

  private addBytes(from: number, to: number): void {
    this.add(readLine(decoder.decode(this.bytes.subarray(from, to)), this.readBlob));
  }

  /** Where a line may begin in the midst of another; -1 where none does. */
  private startAfter(from: number, to: number): number {
    const { bytes } = this;
    for (let at = bytes.indexOf(brace, from); at >= 0 && at < to; at = bytes.indexOf(brace, at + 1))
      if (bytes[at + 1] === 0x22 && bytes[at + 2] === 0x76 && bytes[at + 3] === 0x22) return at;
    return -1;
  }

  private add(what: LineFinding): void {
    this.found.push(what);
    this.lineNumbers.push(this.lines);
  }
}

const damaged: LineFinding = { kind: "damaged" };
const rest: LineFinding = { kind: "rest" };
/** A line may hold many places that look like a beginning and are none; each costs a check over the rest of it. */
const mostTries = 100;
