/**
 * A text as lines that keep their own terminators, so that putting the lines together again gives the
 * same text, whatever mixture of endings it has.
 */
export interface TextLines {
  /** The lines without their terminators. An empty text has no lines. */
  readonly contents: readonly string[];
  /** One terminator a line; only the last may be "". */
  readonly endings: readonly LineEnding[];
}

/** What ends a line; the last line of a text without a final newline has none. */
export type LineEnding = "\n" | "\r\n" | "\r" | "";

/**
 * Splits a text into lines. `\n` and `\r\n` end a line; a lone `\r` is content, as in the output of
 * progress bars, unless the text has no `\n` at all, as old Macintosh files have.
 *
 * @param text any string; it is not normalised in any way.
 * @returns lines for which `joinLines(splitLines(text)) === text`.
 */
export function splitLines(text: string): TextLines {
  if (!text.includes("\r")) return splitAt(text, "\n");
  if (!text.includes("\n")) return splitAt(text, "\r");
  const contents: string[] = [];
  const endings: LineEnding[] = [];
  for (const line of eachLine(text)) {
    contents.push(line.content);
    endings.push(line.ending);
  }
  return { contents, endings };
}

/** One line of a text, without its terminator, and what ends it. */
interface EndedLine {
  readonly content: string;
  readonly ending: LineEnding;
}

/** The lines of a text one by one, as `splitLines` has them: for a large one, of which not all lines are to be held. */
export function* eachLine(text: string): Generator<EndedLine, void, void> {
  const terminator = text.includes("\n") ? "\n" : "\r";
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf(terminator, from);
    if (end < 0) {
      yield { content: text.slice(from), ending: "" };
      return;
    }
    const isBoth = terminator === "\n" && end > from && text.charCodeAt(end - 1) === 13;
    yield { content: text.slice(from, isBoth ? end - 1 : end), ending: isBoth ? "\r\n" : terminator };
    from = end + 1;
  }
}

/** How many lines end in which way, in the order in which the ways are met; without cutting the text. */
export function countEndings(text: string): ReadonlyMap<LineEnding, number> {
  const terminator = text.includes("\n") ? "\n" : "\r";
  const counts = new Map<LineEnding, number>();
  let from = 0;
  for (let end = text.indexOf(terminator); end >= 0; end = text.indexOf(terminator, from)) {
    const isBoth = terminator === "\n" && end > from && text.charCodeAt(end - 1) === 13;
    const ending = isBoth ? "\r\n" : terminator;
    counts.set(ending, (counts.get(ending) ?? 0) + 1);
    from = end + 1;
  }
  if (from < text.length) counts.set("", 1);
  return counts;
}

/**
 * Puts lines together again.
 *
 * @param from index of the first line (0-based), `to` index after the last one.
 */
export function joinLines(lines: TextLines, from = 0, to = lines.contents.length): string {
  const parts: string[] = [];
  for (let at = from; at < to; at++) {
    parts.push(lines.contents[at] ?? "", lines.endings[at] ?? "");
  }
  return parts.join("");
}

/** How many lines a text has; a last line without terminator counts. */
export function countLines(text: string): number {
  const terminator = text.includes("\n") ? "\n" : "\r";
  let count = 0;
  let from = 0;
  for (let at = text.indexOf(terminator); at >= 0; at = text.indexOf(terminator, from)) {
    count += 1;
    from = at + 1;
  }
  return from < text.length ? count + 1 : count;
}

/**
 * Some lines of a text that is not cut into all of its lines: of a large one those would take as much memory as the text.
 * Quick where lines are asked for one behind the other.
 */
export class LineFinder {
  private readonly terminator: "\n" | "\r";
  private line = 1;
  private at = 0;

  constructor(private readonly text: string) {
    this.terminator = text.includes("\n") ? "\n" : "\r";
  }

  /** The lines with their terminators, both 1-based and included; those that are not there are left out. */
  lines(from: number, to: number): string {
    return from > to ? "" : this.text.slice(this.startOf(from), this.startOf(to + 1));
  }

  /** The same one by one, without their terminators. */
  contents(from: number, to: number): readonly string[] {
    const lines = this.lines(from, to).split(this.terminator);
    // A line without terminator keeps a return at its end.
    const last = lines.pop() ?? "";
    const ended = this.terminator === "\r" ? lines : lines.map(withoutReturn);
    return last === "" ? ended : [...ended, last];
  }

  /** Where a line begins, in UTF-16 units; behind the last one, where the text ends. */
  startOf(line: number): number {
    if (line < this.line) [this.line, this.at] = [1, 0];
    while (this.line < line) {
      const end = this.text.indexOf(this.terminator, this.at);
      if (end < 0) return this.text.length;
      this.at = end + 1;
      this.line += 1;
    }
    return this.at;
  }
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/**
 * Where the lines of a stretch of a file begin, in UTF-16 units, and where the last one ends: one number more than lines.
 * The stretch alone does not say what a lone `\r` in it is; how many lines it has, does.
 *
 * @returns undefined where the text has another number of lines, whatever a `\r` is.
 */
export function lineStarts(text: string, lines: number): Uint32Array | undefined {
  return startsAt(text, "\n", lines) ?? (text.includes("\r") ? startsAt(text, "\r", lines) : undefined);
}

function startsAt(text: string, terminator: "\n" | "\r", lines: number): Uint32Array | undefined {
  const starts = new Uint32Array(lines + 1);
  let count = 0;
  for (let from = 0; from < text.length; count += 1) {
    if (count === lines) return undefined;
    starts[count] = from;
    const end = text.indexOf(terminator, from);
    from = end < 0 ? text.length : end + 1;
  }
  starts[count] = text.length;
  return count === lines ? starts : undefined;
}

/** Whether the last line of a text has its terminator. */
export function endsLine(text: string): boolean {
  return text.endsWith("\n") || text.endsWith("\r");
}

/** The ending that most lines have, of counted ones; `\n` for a text without any. Ties go to the one met first. */
export function mostOften(counts: ReadonlyMap<LineEnding, number>): Exclude<LineEnding, ""> {
  let best: Exclude<LineEnding, ""> = "\n";
  let most = 0;
  for (const [ending, count] of counts) {
    if (ending !== "" && count > most) [best, most] = [ending, count];
  }
  return best;
}

/** A text with one kind of ending, as most texts are: much quicker. */
function splitAt(text: string, ending: "\n" | "\r"): TextLines {
  const contents = text.split(ending);
  const endings = new Array<LineEnding>(contents.length).fill(ending);
  if (contents.at(-1) === "") {
    contents.pop();
    endings.pop();
  } else endings[endings.length - 1] = "";
  return { contents, endings };
}

/**
 * Work in steps of a few milliseconds at most, whatever the size of its input. Between two steps whoever drives
 * it may let others run, or do all of it at once; the result is the same.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** Takes all steps at once. */
export function finish<Result>(steps: Generator<unknown, Result, void>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** How far some work is, in units of its own: lines, records, states. */
export interface Progress {
  readonly done: number;
  readonly of: number;
}

/** Work that a person started and waits for, in steps as `Steps`, each of which says how far it is. */
export type Advancing<Result> = Generator<Progress, Result, void>;

/** Is told between two steps how far the work is, and may let others run. @returns false to end it. */
export type Pace = (progress: Progress) => Promise<boolean>;

/** Takes the steps at somebody's pace. @returns `interrupted` where it was ended; what was done so far is dropped. */
export async function takeAtPace<Result>(
  work: Advancing<Result>,
  pace: Pace,
): Promise<Result | "interrupted"> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (!(await pace(step.value))) return "interrupted";
  }
}
