import type { FoundLine } from "../values/findings.js";
import type { LinePattern } from "./line-pattern.js";

/**
 * Searches the lines of one file as they come by, in memory bounded by the matches and their context.
 * A line stands in one match only: where a match lies in the context of the one before, it ends that.
 */
export class LineSearch {
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
