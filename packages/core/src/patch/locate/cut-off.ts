import type { BaseText } from "../model/base-text.js";
import type { HunkLine, ShapedHunk } from "../model/hunk.js";
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
 * A hunk whose number is wrong as well, and whose last line ends as the one that it replaces, is whole.
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
  const first = placement.alignment === undefined ? placement.start : placement.start - last.coreFrom;
  if (first !== hintOf(last) && endsAsReplaced(last)) return false;
  // Where the header claims just the lines up to the end of the hunk, what is missing was above it.
  const claimsEnd = (hintOf(last) ?? 0) + numbers.oldCount === placement.end;
  return !claimsEnd && base.count - placement.end >= missing;
}

/** Whether the last lines replace as many others, and the last one ends in the same word or sign. */
function endsAsReplaced({ old, runs }: ShapedHunk): boolean {
  const { from = 0, to = 0, added = [] } = runs.at(-1) ?? {};
  const end = (line: HunkLine | undefined) =>
    /[\p{L}\p{N}_]+$|.$/u.exec(line?.text.trimEnd().slice(-80) ?? "")?.[0];
  return to - from === added.length && end(added.at(-1)) === end(old[to - 1]);
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
