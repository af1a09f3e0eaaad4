import type { LineEnding } from "../../text/index.js";
import type { LineTable } from "./line-table.js";
import type { Deadline } from "./steps.js";

/** One hunk as the model wrote it, its lines classified, nothing believed yet. */
export interface Hunk {
  /** 1-based, counting every hunk of the diff. */
  readonly number: number;
  readonly header: HunkHeader;
  /** All lines as objects, made when first asked for; the functions below give them one by one. */
  readonly lines: readonly HunkLine[];
  /** How many lines it has. */
  readonly count: number;
  /** @param at from 0 to below `count`, here and in the next two. */
  kindOf(at: number): HunkLine["kind"];
  textOf(at: number): string;
  endingOf(at: number): LineEnding;
  /** Whether it is known that `\n` ends all of its lines that are ended. */
  readonly endsWithNewlines: boolean;
  /** What the markers "\ No newline at end of file" claim about the last old and the last new line. */
  readonly oldLacksNewline: boolean;
  readonly newLacksNewline: boolean;
  /** Whether it says that its old lines are the last ones of the file. */
  readonly atEnd: boolean;
}

/** What the `@@` line of a hunk says. */
export interface HunkHeader {
  /** The header as written; "" where there was none. */
  readonly raw: string;
  readonly numbers: HunkNumbers | undefined;
  /** The text after `@@`, outermost first; empty where there is none. */
  readonly anchors: readonly string[];
}

/** The numbers of a header as written, 1-based; of a side without lines the start is the line before. */
export interface HunkNumbers {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

/** A line of a hunk, without its sign and its terminator. */
export interface HunkLine {
  readonly kind: "context" | "removed" | "added";
  readonly text: string;
  readonly ending: LineEnding;
  /** A context line without the space before it. */
  readonly bare: boolean;
}

/**
 * A hunk seen from both sides: what locating, correcting and explaining work on. The lists are made when first
 * asked for; what is asked of every hunk of a diff does without them.
 */
export interface ShapedHunk {
  readonly hunk: Hunk;
  readonly old: readonly HunkLine[];
  readonly new: readonly HunkLine[];
  readonly oldCount: number;
  readonly newCount: number;
  /** The old lines from the first to the last change (after it); all of them where nothing is changed. */
  readonly coreFrom: number;
  readonly coreTo: number;
  /** The changes, in order; with context between them. */
  readonly runs: readonly Run[];
}

/** Lines `from` to `to` (after the last) of the old side give way to `added`. */
export interface Run {
  readonly from: number;
  readonly to: number;
  readonly added: readonly HunkLine[];
}

/** Sees a hunk from both sides; once the deadline has passed, what is returned is incomplete. */
export function shapeHunk(hunk: Hunk, deadline: Deadline): ShapedHunk {
  let oldCount = 0;
  let newCount = 0;
  let coreFrom = -1;
  let coreTo = -1;
  for (let at = 0; at < hunk.count; at++) {
    if (deadline.passes()) break;
    const kind = hunk.kindOf(at);
    if (kind !== "context" && coreFrom < 0) coreFrom = oldCount;
    if (kind !== "added") oldCount += 1;
    if (kind !== "removed") newCount += 1;
    if (kind !== "context") coreTo = oldCount;
  }
  if (coreFrom < 0) [coreFrom, coreTo] = [0, oldCount];
  return new Shape(hunk, oldCount, newCount, coreFrom, coreTo);
}

class Shape implements ShapedHunk {
  private oldLines: readonly HunkLine[] | undefined;
  private newLines: readonly HunkLine[] | undefined;
  private changes: readonly Run[] | undefined;

  constructor(
    readonly hunk: Hunk,
    readonly oldCount: number,
    readonly newCount: number,
    readonly coreFrom: number,
    readonly coreTo: number,
  ) {}

  get old(): readonly HunkLine[] {
    this.oldLines ??= this.hunk.lines.filter((line) => line.kind !== "added");
    return this.oldLines;
  }

  get new(): readonly HunkLine[] {
    this.newLines ??= this.hunk.lines.filter((line) => line.kind !== "removed");
    return this.newLines;
  }

  get runs(): readonly Run[] {
    this.changes ??= findRuns(this.hunk.lines);
    return this.changes;
  }
}

/** A run of changes with the lines that it removes. */
interface RunLines {
  /** Counted in old lines. */
  readonly from: number;
  readonly removed: readonly HunkLine[];
  readonly added: readonly HunkLine[];
}

/** The changes of a hunk, in order, read anew: for a single look that leaves nothing behind. */
export function runLinesOf(hunk: Hunk): readonly RunLines[] {
  const runs: { from: number; removed: HunkLine[]; added: HunkLine[] }[] = [];
  let run: (typeof runs)[number] | undefined;
  let oldAt = 0;
  for (let at = 0; at < hunk.count; at++) {
    const kind = hunk.kindOf(at);
    if (kind === "context") run = undefined;
    else {
      if (run === undefined) {
        run = { from: oldAt, removed: [], added: [] };
        runs.push(run);
      }
      const line = { kind, text: hunk.textOf(at), ending: hunk.endingOf(at), bare: false };
      run[kind].push(line);
    }
    if (kind !== "added") oldAt += 1;
  }
  return runs;
}

function findRuns(lines: readonly HunkLine[]): readonly Run[] {
  const runs: { from: number; to: number; added: HunkLine[] }[] = [];
  let run: (typeof runs)[number] | undefined;
  let oldAt = 0;
  for (const line of lines) {
    if (line.kind === "context") run = undefined;
    else if (run === undefined) {
      run = { from: oldAt, to: oldAt, added: [] };
      runs.push(run);
    }
    if (line.kind !== "added") oldAt += 1;
    if (run !== undefined && line.kind === "removed") run.to += 1;
    if (run !== undefined && line.kind === "added") run.added.push(line);
  }
  return runs;
}

/** Whether both sides of the hunk are the same lines, so that it asks for nothing. */
export function changesNothing(hunk: ShapedHunk): boolean {
  const { oldLacksNewline, newLacksNewline } = hunk.hunk;
  if (oldLacksNewline !== newLacksNewline || hunk.oldCount !== hunk.newCount) return false;
  if (opensWithChange(hunk.hunk)) return false;
  return hunk.runs.every(
    (run) =>
      run.to - run.from === run.added.length &&
      run.added.every((line, at) => {
        const removed = hunk.old[run.from + at];
        return removed?.text === line.text && sameEnding(removed.ending, line.ending);
      }),
  );
}

/** Whether the first line that the first run removes differs from the first that it adds: true of most. */
function opensWithChange(hunk: Hunk): boolean {
  let removed = -1;
  let added = -1;
  for (let at = 0; at < hunk.count && (removed < 0 || added < 0); at++) {
    const kind = hunk.kindOf(at);
    if (kind === "removed" && removed < 0) removed = at;
    else if (kind === "added" && added < 0) added = at;
    else if (kind === "context" && (removed >= 0 || added >= 0)) return true;
  }
  return removed >= 0 && added >= 0 && hunk.textOf(removed) !== hunk.textOf(added);
}

/** The last line of a diff often ends without newline; that says nothing about the file. */
function sameEnding(one: LineEnding, other: LineEnding): boolean {
  return one === other || one === "" || other === "";
}

/** The context lines that follow each other from one on, in one direction, as far as they are asked for. */
export function* contextFrom(old: readonly HunkLine[], from: number, step: 1 | -1): Generator<HunkLine> {
  for (let at = from; at >= 0; at += step) {
    const line = old[at];
    if (line?.kind !== "context") return;
    yield line;
  }
}

/** How many lines the hunk puts in less the lines it takes out. */
export function growth(hunk: ShapedHunk): number {
  return hunk.newCount - hunk.oldCount;
}

/** How many lines two lists have in common at their beginnings and, of the rest, at their ends. */
export function trimCommon(
  removed: readonly HunkLine[],
  added: readonly HunkLine[],
  same: (one: HunkLine, other: HunkLine) => boolean,
): { readonly head: number; readonly tail: number } {
  const shorter = Math.min(removed.length, added.length);
  const alike = (one: HunkLine | undefined, other: HunkLine | undefined) =>
    one !== undefined && other !== undefined && same(one, other);
  let head = 0;
  while (head < shorter && alike(removed[head], added[head])) head += 1;
  let tail = 0;
  while (tail < shorter - head && alike(removed.at(-1 - tail), added.at(-1 - tail))) tail += 1;
  return { head, tail };
}

/**
 * A hunk without a flaw: each of its lines is a line of the diff that begins with its sign, one after the
 * other. Nothing is kept of them but where they begin; of the thousands of lines of a large diff most are
 * looked at once and need no object that outlives the look.
 */
export class WrittenHunk implements Hunk {
  private list: readonly HunkLine[] | undefined;

  constructor(
    readonly number: number,
    readonly header: HunkHeader,
    readonly atEnd: boolean,
    private readonly table: LineTable,
    /** The line of the diff that is the hunk's first. */
    private readonly from: number,
    readonly count: number,
  ) {}

  get endsWithNewlines(): boolean {
    return this.table.endsWithNewlines;
  }

  get oldLacksNewline(): boolean {
    return false;
  }

  get newLacksNewline(): boolean {
    return false;
  }

  get lines(): readonly HunkLine[] {
    this.list ??= cutLines(this.table, this.from, this.from + this.count);
    return this.list;
  }

  kindOf(at: number): HunkLine["kind"] {
    return kindOfSign(this.table.firstCode(this.from + at)) ?? "context";
  }

  textOf(at: number): string {
    return this.table.textAfterSign(this.from + at);
  }

  endingOf(at: number): LineEnding {
    return this.table.ending(this.from + at) ?? "";
  }
}

/** A hunk whose lines are not simply those of the diff. */
export class ListedHunk implements Hunk {
  readonly endsWithNewlines = false;
  readonly number: number;
  readonly header: HunkHeader;
  readonly oldLacksNewline: boolean;
  readonly newLacksNewline: boolean;
  readonly atEnd: boolean;

  constructor(
    from: Pick<Hunk, "number" | "header" | "oldLacksNewline" | "newLacksNewline" | "atEnd">,
    readonly lines: readonly HunkLine[],
  ) {
    this.number = from.number;
    this.header = from.header;
    this.oldLacksNewline = from.oldLacksNewline;
    this.newLacksNewline = from.newLacksNewline;
    this.atEnd = from.atEnd;
  }

  get count(): number {
    return this.lines.length;
  }

  kindOf(at: number): HunkLine["kind"] {
    return this.lines[at]?.kind ?? "context";
  }

  textOf(at: number): string {
    return this.lines[at]?.text ?? "";
  }

  endingOf(at: number): LineEnding {
    return this.lines[at]?.ending ?? "";
  }
}

/** Lines of a diff that all begin with their signs, as objects. */
function cutLines(table: LineTable, from: number, to: number): HunkLine[] {
  const lines: HunkLine[] = [];
  for (let at = from; at < to; at++) {
    const kind = kindOfSign(table.firstCode(at)) ?? "context";
    lines.push({ kind, text: table.textAfterSign(at), ending: table.ending(at) ?? "", bare: false });
  }
  return lines;
}

/** What the first character of a line in a hunk says; undefined where it is no sign. */
export function kindOfSign(code: number): HunkLine["kind"] | undefined {
  return code === space ? "context" : code === plus ? "added" : code === minus ? "removed" : undefined;
}

const space = 32;
const plus = 43;
const minus = 45;
