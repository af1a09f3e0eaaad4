import { type Advancing, finish } from "../../text/index.js";
import type { JournalRecord } from "../values/event.js";
import type { JournalProblem } from "../values/store.js";
import { isSealed, type Line, readLine, sealedEnd } from "./journal-codec.js";
import { type QuarantinedRecord, sortOut } from "./sort-out.js";

/** What the bytes of a journal say. */
export interface ReadJournal {
  /** In the order of `seq`; a second one of a number stands behind the first. */
  readonly records: readonly JournalRecord[];
  /** In the order of the lines; the torn tail is not among them, since a writer may be at it. */
  readonly problems: readonly JournalProblem[];
  /** Up to here it is lines, whole or damaged; behind it stands the torn tail. */
  readonly wholeBytes: number;
  /** False where the last record lacks its line break only. */
  readonly terminated: boolean;
  /** What the next record is called: greater than any that may have stood in a damaged line. */
  readonly nextSeq: number;
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
  private readonly records: JournalRecord[] = [];
  private readonly problems: JournalProblem[] = [];
  /** In which line each of the records stands. */
  private readonly lineNumbers: number[] = [];
  /** Records whose number was there already. */
  private readonly laidAside: QuarantinedRecord[] = [];
  private lines = 0;
  /** The greatest that was met. */
  private seq = 0;
  /** Damaged lines since that. */
  private damagedSince = 0;
  private ordered = true;
  private wholeBytes = 0;
  private terminated = true;
  /** The numbers of the first records; of all only once one stands in the wrong place. */
  private readonly seen = new Set<number>();
  private remembered = 0;

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
      if (isSealed(this.bytes, at, end)) this.take(readLine(text.slice(inText, textEnd), this.readBlob));
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
    if (isSealed(bytes, from, end)) this.takeBytes(from, end);
    else this.mend(from, end);
    this.wholeBytes = to;
    return to;
  }

  end(sessionId: string | undefined): ReadJournal {
    const { records, laidAside, lineNumbers, damagedSince, wholeBytes, terminated, lines } = this;
    const begun = records.filter(({ event }) => event.type === "session_started");
    const first = begun[0]?.event;
    const ownId = sessionId ?? (first?.type === "session_started" ? first.sessionId : undefined);
    const isMixed =
      laidAside.length > 0 ||
      begun.some(({ event }) => event.type === "session_started" && event.sessionId !== ownId);
    if (isMixed && ownId !== undefined) {
      const { problems } = this;
      const sorted = sortOut({ sessionId: ownId, records, lineNumbers, laidAside, problems });
      const nextSeq = (sorted.records.at(-1)?.seq ?? 0) + damagedSince + 1;
      return { ...sorted, wholeBytes, terminated, nextSeq, lines };
    }
    return {
      records: this.ordered ? records : records.toSorted((one, other) => one.seq - other.seq),
      problems: this.problems,
      wholeBytes,
      terminated,
      nextSeq: this.seq + damagedSince + 1,
      lines,
    };
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
    const line = this.lines;
    for (let at = from; at < bytes.length; ) {
      const end = sealedEnd(bytes, at, bytes.length);
      if (end < 0) break;
      if (at > from) this.report("damaged_line", "what stood behind its record was damaged");
      this.lines = line;
      this.takeBytes(at, end);
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
    const line = this.lines;
    let tries = mostTries;
    let inDamage = false;
    for (let at = from; at >= 0; ) {
      const end = sealedEnd(this.bytes, at, to);
      this.lines = line;
      if (end >= 0) this.takeBytes(at, end);
      else if (!inDamage) this.damaged();
      this.lines = line + 1;
      if (end === to) return;
      if (end < 0) tries -= 1;
      else this.report("damaged_line", "what stood behind its record was damaged");
      const next = tries === 0 ? -1 : this.startAfter(end < 0 ? at + 1 : end, to);
      inDamage = end < 0;
      if (end >= 0 && (next < 0 ? to : next) > end + 1) {
        this.lines = line;
        this.damaged();
        inDamage = true;
      }
      at = next;
    }
  }

  private takeBytes(from: number, to: number): void {
    this.take(readLine(decoder.decode(this.bytes.subarray(from, to)), this.readBlob));
  }

  /** Where a line may begin in the midst of another; -1 where none does. */
  private startAfter(from: number, to: number): number {
    const { bytes } = this;
    for (let at = bytes.indexOf(brace, from); at >= 0 && at < to; at = bytes.indexOf(brace, at + 1))
      if (bytes[at + 1] === 0x22 && bytes[at + 2] === 0x76 && bytes[at + 3] === 0x22) return at;
    return -1;
  }

  private take(line: Line): void {
    if (line.kind === "damaged") {
      this.damaged();
      return;
    }
    this.lines += 1;
    const seq = line.kind === "record" ? line.record.seq : line.seq;
    if (!this.isFirst(seq)) {
      if (line.kind === "record")
        this.laidAside.push({ record: line.record, line: this.lines, behind: this.records.length });
      return;
    }
    switch (line.kind) {
      case "record":
        this.records.push(line.record);
        this.lineNumbers.push(this.lines);
        for (const name of line.lostBlobs)
          this.report("missing_blob", `a text of record ${seq} is lost: blob ${name} is missing or damaged`);
        return;
      case "newer_version":
        this.report(
          "newer_version",
          `record ${seq} is of format ${line.v}, which only a newer release can read`,
        );
        return;
      case "no_event":
        this.report(
          "damaged_line",
          `record ${seq} is as it was written and yet no event: ${line.flaw}; it was left out, all others hold`,
        );
        return;
      case "unknown_event":
        this.report(
          "unknown_event",
          `record ${seq} is an event "${line.type}", which only a newer release knows`,
        );
        return;
      default:
        line satisfies never;
    }
  }

  /** Whether a record is the first one of its number; reports gaps and records out of order. */
  private isFirst(seq: number): boolean {
    if (seq <= this.seq) {
      this.ordered = false;
      if (this.has(seq)) return false;
      this.report("damaged_line", `record ${seq} stands behind record ${this.seq}; it was put in its place`);
      this.seen.add(seq);
      return true;
    }
    const missing = seq - this.seq - 1 - this.damagedSince;
    if (missing > 0) this.reportGap(seq, missing);
    this.seq = seq;
    this.damagedSince = 0;
    return true;
  }

  private has(seq: number): boolean {
    for (; this.remembered < this.records.length; this.remembered += 1)
      this.seen.add(this.records[this.remembered]?.seq ?? 0);
    return this.seen.has(seq);
  }

  private reportGap(seq: number, missing: number): void {
    const what = missing === 1 ? "one record is" : `${missing} records are`;
    this.report("missing_record", `${what} missing before record ${seq}`);
  }

  private damaged(): void {
    this.lines += 1;
    this.damagedSince += 1;
    this.report("damaged_line", "it is not as it was written; it was left out, all others hold");
  }

  private report(what: JournalProblem["what"], message: string): void {
    this.problems.push({ line: this.lines, what, message: `Line ${this.lines}: ${message}.` });
  }
}

/** A line may hold many places that look like a beginning and are none; each costs a check over the rest of it. */
const mostTries = 100;
