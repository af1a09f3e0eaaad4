import type { LineEnding } from "../text/index.js";
import type { Deadline } from "./deadline.js";

/** One hunk as the model wrote it, its lines told apart, nothing believed yet. */
export interface Hunk {
  /** 1-based, counting every hunk of the diff. */
  readonly number: number;
  readonly header: HunkHeader;
  readonly lines: readonly HunkLine[];
  /** What the markers "\ No newline at end of file" claim about the last old and the last new line. */
  readonly oldLacksNewline: boolean;
  readonly newLacksNewline: boolean;
  /** Whether it says that its old lines are the last ones of the file. */
  readonly atEnd: boolean;
}

export interface HunkHeader {
  /** The header as written; "" where there was none. */
  readonly raw: string;
  readonly numbers: HunkNumbers | undefined;
  /** The text after `@@`, outermost first; empty where there is none. */
  readonly anchors: readonly string[];
}

export interface HunkNumbers {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
}

export interface HunkLine {
  readonly kind: "context" | "removed" | "added";
  readonly text: string;
  readonly ending: LineEnding;
  /** A context line without the space before it. */
  readonly bare: boolean;
}

/** A hunk seen from both sides: what locating, correcting and explaining work on. */
export interface ShapedHunk {
  readonly hunk: Hunk;
  readonly old: readonly HunkLine[];
  readonly new: readonly HunkLine[];
  readonly newCount: number;
  /** The changes, in order; between them stands context. */
  readonly runs: readonly Run[];
}

/** Lines `from` to `to` (after the last) of the old side give way to `added`. */
export interface Run {
  readonly from: number;
  readonly to: number;
  readonly added: readonly HunkLine[];
  /** Whether the first line of the run, as written, is an added one. */
  readonly opensAdded: boolean;
}

/** Sees a hunk from both sides; once the deadline has passed, what is returned is incomplete. */
export function shapeHunk(hunk: Hunk, deadline: Deadline): ShapedHunk {
  const old: HunkLine[] = [];
  const runs: { from: number; to: number; added: HunkLine[]; opensAdded: boolean }[] = [];
  let run: (typeof runs)[number] | undefined;
  let newCount = 0;
  for (const line of hunk.lines) {
    if (deadline.passes()) break;
    if (line.kind === "context") run = undefined;
    else if (run === undefined) {
      run = { from: old.length, to: old.length, added: [], opensAdded: line.kind === "added" };
      runs.push(run);
    }
    if (line.kind !== "added") old.push(line);
    if (line.kind !== "removed") newCount += 1;
    if (run !== undefined && line.kind === "removed") run.to += 1;
    if (run !== undefined && line.kind === "added") run.added.push(line);
  }
  // Copies have no room to grow, of which many small arrays would waste much.
  for (const one of runs) one.added = one.added.slice();
  return new Shape(hunk, old.slice(), newCount, runs.slice());
}

class Shape implements ShapedHunk {
  private lines: readonly HunkLine[] | undefined;

  constructor(
    readonly hunk: Hunk,
    readonly old: readonly HunkLine[],
    readonly newCount: number,
    readonly runs: readonly Run[],
  ) {}

  // Most hunks are placed without a look at their new side.
  get new(): readonly HunkLine[] {
    this.lines ??= this.hunk.lines.filter((line) => line.kind !== "removed");
    return this.lines;
  }
}

/** Whether both sides of the hunk are the same lines, so that it asks for nothing. */
export function changesNothing(hunk: ShapedHunk): boolean {
  const { oldLacksNewline, newLacksNewline } = hunk.hunk;
  if (oldLacksNewline !== newLacksNewline || hunk.old.length !== hunk.newCount) return false;
  return hunk.runs.every(
    (run) =>
      run.to - run.from === run.added.length &&
      run.added.every((line, at) => {
        const removed = hunk.old[run.from + at];
        return removed?.text === line.text && sameEnding(removed.ending, line.ending);
      }),
  );
}

/** The last line of a diff often ends without newline; that says nothing about the file. */
function sameEnding(one: LineEnding, other: LineEnding): boolean {
  return one === other || one === "" || other === "";
}

/** Whether the counts of the header agree with each other, but announce more context than there is. */
export function announcesMore(hunk: ShapedHunk): boolean {
  const { numbers } = hunk.hunk.header;
  if (numbers === undefined || hunk.old.length === 0) return false;
  const lost = numbers.oldCount - hunk.old.length;
  return lost > 0 && lost <= 8 && numbers.newCount - hunk.newCount === lost;
}

/** The context lines that follow each other from one on, in one direction. */
export function contextFrom(old: readonly HunkLine[], from: number, step: 1 | -1): readonly HunkLine[] {
  const context: HunkLine[] = [];
  for (let at = from; at >= 0; at += step) {
    const line = old[at];
    if (line?.kind !== "context") break;
    context.push(line);
  }
  return context;
}

/** How many lines the hunk puts in less the lines it takes out. */
export function growth(hunk: ShapedHunk): number {
  return hunk.newCount - hunk.old.length;
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
