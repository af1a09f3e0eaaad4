import type { BaseText } from "../model/base-text.js";
import type { Deadline } from "../model/deadline.js";
import type { ShapedHunk } from "../model/hunk.js";
import { isBlankLine } from "../model/line-key.js";
import type { Steps } from "../model/steps.js";
import { isEllipsis } from "./embed.js";
import { MatchFinder } from "./matches.js";
import { type HunkSearch, type Unlocated, unlocated } from "./placement.js";

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
  const finder = new MatchFinder(base, deadline);
  for (const hunk of hunks) {
    yield;
    if (deadline.late()) return undefined;
    if (hunk.old.every(({ text }) => isBlankLine(text) || isEllipsis(text))) continue;
    const found = (yield* finder.findOldSide(hunk)) ?? (yield* finder.findMended(hunk));
    if (found !== undefined) continue;
    const search: HunkSearch = { hunk, tier: undefined, starts: [], alignment: undefined, appliedAt: [] };
    return unlocated("idle_missing", search, [search], []);
  }
  return undefined;
}
