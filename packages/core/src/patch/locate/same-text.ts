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
 * @param starts where its old lines stand, byte for byte, 0-based and ascending; no other hunk changes a line
 *   between the first change and the last.
 */
export function comesToSameText(base: BaseText, hunk: ShapedHunk, starts: readonly number[]): boolean {
  const { coreFrom, coreTo, oldCount } = hunk;
  const from = (starts[0] ?? 0) + coreFrom;
  const to = (starts.at(-1) ?? 0) + coreTo;
  const region = base.slice(from, to);
  if (region.length * starts.length > mostCompared) return false;
  // Lines may change places only without their endings, in the file and in the hunk.
  const hasOneEnding =
    !region.includes("\r") && base.ending(to - 1) === "\n" && base.ending(from - 1) !== "\r\n";
  if (!hasOneEnding || hunk.hunk.lines.some(({ ending }) => ending.startsWith("\r"))) return false;
  if (hunk.hunk.oldLacksNewline || hunk.hunk.newLacksNewline) return false;
  const lines = hunk.new.slice(coreFrom, hunk.newCount - (oldCount - coreTo));
  const added = lines.map(({ text }) => `${text}\n`).join("");
  const results = starts.map(
    (start) => base.slice(from, start + coreFrom) + added + base.slice(start + coreTo, to),
  );
  return results.every((result) => result === results[0]);
}

/** So many characters are compared in all. */
const mostCompared = 1 << 22;
