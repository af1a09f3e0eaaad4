import type { BaseText } from "../model/base-text.js";
import { growth, type ShapedHunk } from "../model/hunk.js";

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
 * @param starts where its old lines stand, byte for byte, 0-based and ascending; no other hunk changes a line
 *   between the first change and the last.
 */
export function comesToSameText(base: BaseText, hunk: ShapedHunk, starts: readonly number[]): boolean {
  const { coreFrom, coreTo } = hunk;
  const from = (starts[0] ?? 0) + coreFrom;
  const to = (starts.at(-1) ?? 0) + coreTo;
  const mostLines = mostCompared / starts.length;
  const ending = base.ending(from) ?? "";
  // Lines may change places only without their endings, in the file and in the hunk.
  if (to - from > mostLines || !hasOneEnding(hunk)) return false;
  for (let at = Math.max(0, from - 1); at < to; at++) if (base.ending(at) !== ending) return false;
  // What is added between two lines may take its ending from the one below.
  const below = coreFrom === coreTo ? base.ending(to) : undefined;
  if (below && below !== ending) return false;
  const lines = hunk.new.slice(coreFrom, coreTo + growth(hunk));
  const added = lines.map(({ text }) => text + ending).join("");
  const results = starts.map(
    (start) => base.slice(from, start + coreFrom) + added + base.slice(start + coreTo, to),
  );
  return results.every((result) => result === results[0]);
}

function hasOneEnding({ hunk }: ShapedHunk): boolean {
  if (hunk.oldLacksNewline || hunk.newLacksNewline) return false;
  const [first] = hunk.lines;
  return hunk.lines.slice(0, -1).every(({ ending }) => ending === first?.ending);
}

/** So many lines are compared in all. */
const mostCompared = 65_536;
