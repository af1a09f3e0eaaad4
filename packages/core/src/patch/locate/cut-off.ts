import type { BaseText } from "../model/base-text.js";
import type { ShapedHunk } from "../model/hunk.js";
import { isBlankLine } from "../model/line-key.js";
import type { Deadline, Steps } from "../model/steps.js";
import { isEllipsis } from "./embed.js";
import { MatchFinder } from "./matches.js";
import { type HunkSearch, hintOf, type Placement, type Unlocated, unlocated } from "./placement.js";

/**
 * Whether a diff breaks off in its last hunk: it ends with an added line, its header announces old and new lines that
 * are not there, more new ones than old ones, and the file has room for these old lines. What is merely lost of the
 * context is missing on both sides alike, and so are the lines of a writer who always counts seven.
 *
 *     file   diff              result
 *     1 a    @@ -1,4 +1,6 @@   invalid_diff
 *     2 b     a
 *     3 c    -b
 *     4 d    +B
 *     5 e    +BB
 *
 * Two old lines and three new ones more are announced, and the file goes on.
 *
 * @param last the last hunk of the diff.
 * @param placement its place; undefined where it has none.
 */
export function isCutOff(base: BaseText, last: ShapedHunk, placement: Placement | undefined): boolean {
  const { hunk, oldCount, newCount } = last;
  const { numbers } = hunk.header;
  if (numbers === undefined || hunk.newLacksNewline || hunk.kindOf(hunk.count - 1) !== "added") return false;
  const missing = numbers.oldCount - oldCount;
  if (missing < 1 || numbers.newCount - newCount <= missing) return false;
  if (placement === undefined) return numbers.oldCount <= base.count;
  // Where the header claims just the lines up to the end of the hunk, what is missing was above it.
  const claimsEnd = (hintOf(last) ?? 0) + numbers.oldCount === placement.end;
  return !claimsEnd && base.count - placement.end >= missing;
}

/**
 * The first of the hunks that change nothing whose lines are not in the file. It is no hunk to be left out: its
 * writer believes in another file, or forgot the signs of the change.
 *
 * @param hunks all of them without a change.
 */
export function* findMissingIdle(
  base: BaseText,
  hunks: readonly ShapedHunk[],
  deadline: Deadline,
): Steps<Unlocated | undefined> {
  const finder = new MatchFinder(base, deadline, hunks);
  for (const hunk of hunks) {
    yield;
    if (deadline.late()) return undefined;
    if (hunk.old.every(({ text }) => isBlankLine(text) || isEllipsis(text))) continue;
    const found = (yield* finder.findVerbatim(hunk, "old")) ?? (yield* finder.findMended(hunk));
    if (found !== undefined) continue;
    const search: HunkSearch = { hunk, tier: undefined, starts: [], alignment: undefined, appliedAt: [] };
    return unlocated("idle_missing", search, [search], []);
  }
  return undefined;
}
