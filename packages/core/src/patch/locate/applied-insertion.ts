import type { BaseText } from "../model/base-text.js";
import { type HunkLine, type Run, trimCommon } from "../model/hunk.js";
import { type AddedLineCounts, addsUniqueLine } from "./already-applied.js";
import { shiftLine } from "./indent.js";
import { hintOf, type Placement, runStartOf } from "./placement.js";

/**
 * The position of a pure insertion that was made before: at the edge of its context, or where it ends like the
 * context above it (or begins like the context below it), so that its old lines match once more.
 *
 *     file      diff      result
 *     1 f {     @@        already_applied
 *     2   p      }
 *     3 }       +g {
 *     4 g {     +  q
 *     5   q     +}
 *     6 }        h {
 *     7 h {
 *
 * `}` and `h {` are lines 6 and 7, but the added lines are right above them, below another `}`, and the file has
 * `g {` once. Without such a line, or at the exact number, the lines are added once more.
 *
 * @returns the 0-based first line of the new side; undefined if the inserted lines are not there.
 */
export function appliedInsertionAt(
  base: BaseText,
  placement: Placement,
  added: AddedLineCounts,
): number | undefined {
  const { hunk } = placement;
  const insertion = insertionOf(placement);
  if (insertion === undefined) return undefined;
  const { run, point } = insertion;
  const above = point - run.added.length;
  const isAbove = standsAt(base, placement, run, above);
  const isBelow = standsAt(base, placement, run, point);
  const atTop = run.from === 0 && hunk.old.length > 0;
  if (atTop ? isAbove : isBelow && run.from === hunk.old.length) return atTop ? above : point - run.from;
  if (hintOf(hunk) === placement.start || !(isAbove || isBelow)) return undefined;
  if (!addsUniqueLine(base, hunk, added)) return undefined;
  // What stands there may be the context itself: then its own neighbour is another one.
  const isBeside = (at: number, line: HunkLine | undefined) =>
    line === undefined || base.line(at).trim() === line.text.trim();
  if (isAbove && isBeside(above - 1, hunk.old[run.from - 1])) return above - run.from;
  const isMade = isBelow && isBeside(point + run.added.length, hunk.old[run.from]);
  return isMade ? point - run.from : undefined;
}

type Inserted = Pick<Run, "from" | "added">;

/** The only run of a hunk, if it only adds lines, without lines that it removes and adds again; and its position. */
function insertionOf(placement: Placement): { readonly run: Inserted; readonly point: number } | undefined {
  const { hunk, alignment } = placement;
  if (hunk.coreFrom !== hunk.coreTo && alignment === undefined) return undefined;
  const [run, second] = hunk.runs;
  if (run === undefined || second !== undefined) return undefined;
  const removed = hunk.old.slice(run.from, run.to);
  const { head, tail } = trimCommon(removed, run.added, (one, other) => one.text === other.text);
  const added = run.added.slice(head, run.added.length - tail);
  if (head + tail < removed.length || added.length === 0) return undefined;
  return { run: { from: run.from + head, added }, point: runStartOf(placement, run, 0) + head };
}

/** Whether the file has the added lines of a run, as they would be written, from a line on. */
function standsAt(base: BaseText, { shift, moves }: Placement, { added }: Inserted, from: number): boolean {
  if (from < 0 || from + added.length > base.count) return false;
  const written = (text: string) =>
    shift === undefined || moves[0] === "stays" ? text : (shiftLine(text, shift) ?? text);
  return added.every(({ text }, at) => base.isLine(from + at, written(text)));
}
