import type { BaseText } from "../model/base-text.js";
import type { ShapedHunk } from "../model/hunk.js";

/**
 * Whether a change comes to the same text wherever it is made, so that its several places are one outcome.
 *
 *     file     diff     result
 *     1 a      @@       1 a
 *     2 same   -same    2 same
 *     3 same            3 b
 *     4 b
 *
 * Lines 2 and 3 both fit. Without either of them the same is left.
 *
 *     file     diff     result
 *     1 a      @@       ambiguous 2, 3
 *     2 same   -same
 *     3 same   +other
 *     4 b
 *
 * Of two neighbours it is enough to compare the lines from the change at the one to the change at the other: the
 * changed lines with those between behind them, and with those between before them.
 *
 * @param starts where its old lines stand, byte for byte, 0-based and ascending; no other hunk changes a line
 *   between the first change and the last.
 */
export function comesToSameText(base: BaseText, hunk: ShapedHunk, starts: readonly number[]): boolean {
  const [first, last] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined || starts.length > mostStarts) return false;
  if (!hasOneEnding(base, hunk, first + hunk.coreFrom, last + hunk.coreTo)) return false;
  const added = changedLines(hunk);
  let compared = 0;
  return starts.every((start, n) => {
    const next = starts[n + 1];
    if (next === undefined) return true;
    compared += next - start + added.length;
    return compared <= mostCompared && isSameAt(base, hunk, added, start, next);
  });
}

/** The new lines from the first change of a hunk to its last. */
function changedLines({ hunk, oldCount, coreFrom, coreTo, new: lines }: ShapedHunk): readonly string[] {
  const below = oldCount - coreTo;
  return hunk.count === 0 ? [] : lines.slice(coreFrom, lines.length - below).map(({ text }) => text);
}

function isSameAt(
  base: BaseText,
  { coreFrom, coreTo }: ShapedHunk,
  added: readonly string[],
  start: number,
  next: number,
): boolean {
  const distance = next - start;
  const above = (at: number) => added[at] ?? base.line(start + coreTo + at - added.length);
  const below = (at: number) => (at < distance ? base.line(start + coreFrom + at) : added[at - distance]);
  for (let at = 0; at < distance + added.length; at++) if (above(at) !== below(at)) return false;
  return true;
}

/** Whether lines may change places without their endings, in the file and in the hunk. */
function hasOneEnding(base: BaseText, { hunk }: ShapedHunk, from: number, to: number): boolean {
  const usual = base.ending(from);
  if (to - from > mostCompared || usual === "") return false;
  for (let at = Math.max(0, from - 1); at < to; at++) if (base.ending(at) !== usual) return false;
  if (hunk.oldLacksNewline || hunk.newLacksNewline) return false;
  const written = hunk.endingOf(0);
  for (let at = 0; at < hunk.count; at++) {
    const ending = hunk.endingOf(at);
    if (ending !== written && !(ending === "" && at === hunk.count - 1)) return false;
  }
  return true;
}

/** So many places of one change are compared, and so many lines in all. */
const mostStarts = 4_096;
const mostCompared = 65_536;
