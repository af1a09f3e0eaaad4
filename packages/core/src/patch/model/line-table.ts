import type { LineEnding } from "../../text/index.js";

/**
 * The lines of a text, the same that `splitLines` gives; but only where they begin is kept, and a line is
 * cut out when it is asked for. A large file or diff then costs four bytes a line, not two objects.
 */
export class LineTable {
  readonly count: number;
  /** Where each line begins, and after the last one the end of the text. */
  private readonly starts: Int32Array | readonly number[];
  /** What ends a line, after a `\r` or not. */
  readonly mark: "\n" | "\r";
  /** Whether a `\n` may have a `\r` before it. */
  private readonly hasPairs: boolean;
  private readonly isEnded: boolean;

  constructor(readonly text: string) {
    const hasReturns = text.includes("\r");
    this.mark = hasReturns && !text.includes("\n") ? "\r" : "\n";
    this.hasPairs = hasReturns && this.mark === "\n";
    this.isEnded = text.endsWith(this.mark);
    this.starts = text.length <= shortLength ? startsOfShort(text, this.mark) : findStarts(text, this.mark);
    this.count = this.starts.length - 1;
  }

  /** A line without its terminator; "" beyond the text. */
  line(at: number): string {
    return this.text.slice(this.startOf(at), this.endOf(at));
  }

  /** The terminator of a line; undefined beyond the text. */
  ending(at: number): LineEnding | undefined {
    if (at < 0 || at >= this.count) return undefined;
    if (at === this.count - 1 && !this.isEnded) return "";
    return this.mark === "\r" ? "\r" : this.startOf(at + 1) - this.endOf(at) === 2 ? "\r\n" : "\n";
  }

  /** A line without its first character and its terminator. */
  textAfterSign(at: number): string {
    return this.text.slice(this.startOf(at) + 1, this.endOf(at));
  }

  /** Whether a lone `\r` ends its lines. */
  get endsWithReturns(): boolean {
    return this.mark === "\r";
  }

  /** Whether `\n` ends all lines that are ended. */
  get endsWithNewlines(): boolean {
    return this.mark === "\n" && !this.hasPairs;
  }

  /** The lines `from` to `to` (after the last), with their terminators, as in the text. */
  slice(from: number, to: number): string {
    return this.text.slice(this.startOf(from), this.startOf(to));
  }

  /** Where in the text a line begins; the end of the text beyond it. */
  startOf(at: number): number {
    return this.starts[at] ?? (at < 0 ? 0 : this.text.length);
  }

  /** Where in the text the terminator of a line begins. */
  endOf(at: number): number {
    if (at < 0) return 0;
    if (at >= this.count || (at === this.count - 1 && !this.isEnded)) return this.text.length;
    const end = this.startOf(at + 1) - 1;
    return this.hasPairs && end > this.startOf(at) && this.text.charCodeAt(end - 1) === carriage
      ? end - 1
      : end;
  }

  /** The code of a line's first character, its terminator where it has no other. */
  firstCode(at: number): number {
    return this.text.charCodeAt(this.startOf(at));
  }

  /** Whether a line begins so; `prefix` holds no terminator. */
  startsWith(at: number, prefix: string): boolean {
    return this.text.startsWith(prefix, this.startOf(at));
  }

  /** The terminator that most lines have, of equally many the one met first; undefined where no line is ended. */
  get usualEnding(): Exclude<LineEnding, ""> | undefined {
    const ended = this.isEnded ? this.count : this.count - 1;
    if (ended <= 0) return undefined;
    if (!this.hasPairs) return this.mark;
    let pairs = 0;
    for (let at = 0; at < ended; at++) if (this.ending(at) === "\r\n") pairs += 1;
    if (pairs * 2 === ended) return this.ending(0) === "\r\n" ? "\r\n" : "\n";
    return pairs * 2 > ended ? "\r\n" : "\n";
  }
}

/** A plain list costs a short text less than a typed one, which has its memory outside of the heap. */
function startsOfShort(text: string, mark: string): readonly number[] {
  const starts: number[] = [];
  for (let from = 0; from < text.length; ) {
    starts.push(from);
    const end = text.indexOf(mark, from);
    from = end < 0 ? text.length : end + 1;
  }
  starts.push(text.length);
  return starts;
}

function findStarts(text: string, mark: string): Int32Array {
  let starts = new Int32Array(guessCount(text, mark));
  let count = 0;
  for (let from = 0; from < text.length; ) {
    if (count + 2 > starts.length) starts = enlarge(starts);
    starts[count++] = from;
    const end = text.indexOf(mark, from);
    from = end < 0 ? text.length : end + 1;
  }
  starts[count] = text.length;
  return starts.subarray(0, count + 1);
}

/** How many lines a text may have if it goes on as it begins, and some to spare. */
function guessCount(text: string, mark: string): number {
  if (text.length <= 8 * sampleLength) return Math.ceil(text.length / 8) + 16;
  const sample = sampleLength;
  let ends = 0;
  for (let at = text.indexOf(mark); at >= 0 && at < sample; at = text.indexOf(mark, at + 1)) ends += 1;
  const guess = (ends + 1) * 1.1 * (text.length / sample);
  return Math.ceil(Math.min(guess, text.length / 8)) + 16;
}

function enlarge(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

/** Up to so many UTF-16 units a text is short. */
const shortLength = 1 << 16;
const sampleLength = 2_048;
const carriage = 13;
