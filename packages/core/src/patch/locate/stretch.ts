import type { BaseText } from "../model/base-text.js";
import type { ShapedHunk } from "../model/hunk.js";
import { indentOf } from "../model/line-key.js";
import { isInside, SectionFinder } from "./anchors.js";
import type { Stretch } from "./embed.js";

/**
 * A hunk whose context is damaged may pass over lines of the file, but not over the end of a section, so that
 * it would change another one than it quotes. It may if an ellipsis stands there, or if the number of its header
 * or the section that it names confirms the place of the change.
 *
 *     file             diff              result
 *     1 class A:       @@ class A:       invalid_diff
 *     2   def f():      class A:
 *     3     p             def f():
 *     4 class B:            q
 *     5   def g():     +    x
 *     6     q
 *     7     r
 *
 * `class A:` and `def f():` are lines 1 and 2, `q` is line 6: between them `class A:` ends, at line 4.
 *
 * @param runStarts the 0-based lines at which the runs of changes would begin.
 * @returns the two 0-based lines between which it is stretched; undefined where it is not.
 */
export function findOverstretch(
  base: BaseText,
  hunk: ShapedHunk,
  stretches: readonly Stretch[],
  runStarts: readonly number[],
): readonly number[] | undefined {
  const { positions } = base.nonBlankLines;
  const unmarked = stretches.filter(({ isMarked }) => !isMarked);
  const far = unmarked.find(({ above, below }) => below - above > farLines);
  const over = far ?? unmarked.find((stretch) => passesSectionEnd(base, stretch));
  if (over === undefined || (far === undefined && isConfirmed(base, hunk, runStarts))) return undefined;
  return [positions[over.above] ?? 0, positions[over.below] ?? base.count - 1];
}

/** Whether the header claims the lines that would change, or names the section that they are in. */
function isConfirmed(base: BaseText, { hunk, runs }: ShapedHunk, runStarts: readonly number[]): boolean {
  const { numbers, anchors } = hunk.header;
  if (numbers !== undefined) {
    const from = numbers.oldStart - 1;
    const to = from + numbers.oldCount;
    const isClaimed = (start: number, at: number) => {
      const run = runs[at];
      return start >= from && start + (run === undefined ? 0 : run.to - run.from) <= to;
    };
    return runStarts.every(isClaimed);
  }
  const sections = new SectionFinder(base).find(anchors);
  return sections.length > 0 && runStarts.every((start) => isInside(sections, start));
}

/**
 * Whether a section ends between the two lines: that of the upper one, if it is a heading, or one that neither
 * of them is the heading of.
 */
function passesSectionEnd(base: BaseText, { above, below }: Stretch): boolean {
  const { positions } = base.nonBlankLines;
  const text = (rank: number) => base.line(positions[rank] ?? -1);
  const depth = (rank: number) => indentOf(text(rank)).length;
  if (above < 0 || below >= positions.length) return false;
  const isHeading = depth(above + 1) > depth(above);
  const limit = isHeading ? depth(above) + 1 : Math.min(depth(above), depth(below));
  for (let rank = above + 1; rank < below; rank++) {
    const line = text(rank);
    const indent = indentOf(line);
    if (indent.length < limit && /^[\p{L}_$]/u.test(line.slice(indent.length))) return true;
  }
  return false;
}

/** So many lines in a row that were left out are no slip of a writer. */
const farLines = 400;
