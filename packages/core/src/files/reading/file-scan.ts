import { beginsAsPdf, type CharsetCodec, splitLines } from "../../text/index.js";
import { decodeFile } from "../access/file-text.js";
import type { FileFindings, FoundLine, SearchOutput } from "../values/findings.js";
import { isRefusal } from "../values/refusal.js";
import type { LinePattern } from "./line-pattern.js";
import { LineStream } from "./line-stream.js";

/** What files are scanned for, and how far. */
export interface ScanJob {
  readonly pattern: LinePattern;
  /** Lines to keep before and after a match. */
  readonly context: number;
  /** `files` ends with the first match of a file, `counts` keeps none of them. */
  readonly output: SearchOutput;
  /** Matches at most. */
  readonly limit: number;
  /** What their lines may hold together, in UTF-16 units. */
  readonly units: number;
  readonly codec: CharsetCodec;
  /** Only lines behind this one are wanted. */
  readonly behind?: number | undefined;
  /** Whether bytes can hold a match at all; where it is missing, all can. */
  readonly mayHold?: ((bytes: Uint8Array) => boolean) | undefined;
  /** Whether there is time left. */
  readonly isGoingOn: () => boolean;
}

/** Nothing is known of a file that cannot be read. */
export const unreadableFile: FileFindings = {
  matches: [],
  lines: 0,
  bytes: 0,
  longLines: 0,
  skipped: "unreadable",
};

/**
 * Scans one file: a small one in one piece, in whatever encoding it has; a large one line by line, as UTF-8. Bytes
 * in which nothing can be found are not even decoded.
 */
export class FileScan {
  private readonly matches: FoundLine[] = [];
  private readonly lines: LineSearch;
  private stream: LineStream | undefined;
  private bytes = 0;
  private found = 0;
  private units = 0;
  private isBinary = false;
  private isEnded = false;
  private isCut = false;

  constructor(private readonly job: ScanJob) {
    this.lines = new LineSearch(job.pattern, job.context, (match) => this.keep(match));
  }

  /** @returns whether more of the file is wanted. */
  take(piece: Uint8Array, whole: boolean): boolean {
    this.bytes += piece.length;
    if (whole) return this.text(piece);
    // No line asks for the time while pieces go by in which none ends, or none can match.
    if (this.stream !== undefined && this.isOver()) return false;
    if (this.bytes === piece.length) this.isBinary = beginsAsPdf(piece);
    if (!this.isBinary) this.stream ??= piece.includes(0) ? undefined : this.open();
    if (this.stream === undefined) this.isBinary = true;
    return this.stream?.push(piece) ?? false;
  }

  /** The findings, once the file came to its end. */
  end(): FileFindings {
    if (!this.isEnded) this.stream?.end();
    const { matches, found: lines, bytes } = this;
    const skipped = this.isBinary ? { skipped: "binary" as const } : {};
    const cut = this.isCut ? { isCut: true as const } : {};
    return { matches, lines, bytes, longLines: this.lines.longLines, ...skipped, ...cut };
  }

  private open(): LineStream {
    const { mayHold, context } = this.job;
    // Lines around a match are wanted as text, whatever they hold.
    const passOver = (block: Uint8Array): boolean => {
      if (mayHold === undefined || context > 0 || mayHold(block)) return false;
      this.lines.passOver(linesIn(block));
      return true;
    };
    return new LineStream((text) => this.line(text), passOver);
  }

  private text(bytes: Uint8Array): boolean {
    const { mayHold, codec } = this.job;
    if (mayHold?.(bytes) === false) {
      this.isBinary = bytes.includes(0);
      return false;
    }
    const decoded = decodeFile(bytes, codec);
    if (isRefusal(decoded)) {
      this.isBinary = true;
      return false;
    }
    for (const text of splitLines(decoded.text).contents) if (!this.line(text)) return false;
    return true;
  }

  private line(text: string): boolean {
    if (this.isEnded) return false;
    this.isEnded = !this.lines.line(text);
    return !this.isOver();
  }

  /** Whether nothing more is wanted, or the time is up. */
  private isOver(): boolean {
    this.isCut ||= !this.isEnded && !this.job.isGoingOn();
    this.isEnded ||= this.isCut;
    return this.isEnded;
  }

  private keep(match: FoundLine): boolean {
    if (match.line <= (this.job.behind ?? 0)) return true;
    this.found += 1;
    const { output, limit, units } = this.job;
    if (output !== "lines") return output === "counts";
    this.matches.push(match);
    this.units += unitsOf(match);
    return this.found <= limit && this.units <= units;
  }
}

/** What a match takes of an answer, without its lines to come, in UTF-16 units. */
export function unitsOf({ text, before }: FoundLine): number {
  return before.reduce((sum, line) => sum + line.length, text.length);
}

function linesIn(block: Uint8Array): number {
  let count = 1;
  for (let at = block.indexOf(newline); at >= 0; at = block.indexOf(newline, at + 1)) count += 1;
  return count;
}

const newline = 0x0a;

/**
 * Searches the lines of one file as they come by, in memory bounded by the matches and their context.
 * A line stands in one match only: where a match lies in the context of the one before, it ends that.
 */
class LineSearch {
  /** Lines of which only the beginning was looked at. */
  longLines = 0;
  private number = 0;
  private readonly before: string[] = [];
  private last: OpenMatch | undefined;

  /** @param found takes a match; its lines after it are still to come. `false` ends the search. */
  constructor(
    private readonly pattern: LinePattern,
    private readonly context: number,
    private readonly found: (match: FoundLine) => boolean,
  ) {}

  /** Lines go by of which none can match, where no context is wanted. */
  passOver(lines: number): void {
    this.number += lines;
  }

  /** @returns whether to go on. */
  line(text: string): boolean {
    this.number += 1;
    const { reachUnits } = this.pattern;
    const long = text.length > reachUnits;
    if (long) this.longLines += 1;
    const looked = long ? text.slice(0, reachUnits) : text;
    if (this.pattern.matches(looked)) return this.take(looked);
    this.pass(text);
    return true;
  }

  private take(text: string): boolean {
    const at = this.pattern.position(text);
    const match: OpenMatch = {
      line: this.number,
      column: at + 1,
      text: excerpt(text, at),
      before: this.before.splice(0),
      after: [],
    };
    this.last = match;
    return this.found(match);
  }

  /** A line that does not match: the context of its neighbours. */
  private pass(text: string): void {
    if (this.context === 0) return;
    if (this.last !== undefined && this.last.after.length < this.context) {
      this.last.after.push(excerpt(text, 0));
      return;
    }
    this.before.push(excerpt(text, 0));
    if (this.before.length > this.context) this.before.shift();
  }
}

interface OpenMatch extends FoundLine {
  readonly after: string[];
}

/** The part of a line around a place, so that one long line does not fill the answer. */
function excerpt(text: string, at: number): string {
  if (text.length <= excerptUnits) return text;
  const from = Math.max(0, Math.min(at - excerptLead, text.length - excerptUnits));
  const cut = text.slice(from, from + excerptUnits).toWellFormed();
  return `${from > 0 ? "…" : ""}${cut}${from + excerptUnits < text.length ? "…" : ""}`;
}

const excerptUnits = 240;
const excerptLead = 60;
