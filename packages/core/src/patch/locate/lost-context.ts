import type { BaseText } from "../model/base-text.js";
import { announcesMore, type ShapedHunk } from "../model/hunk.js";
import type { Steps } from "../model/steps.js";
import { type HunkSearch, type Placement, type Unlocated, unlocated } from "./placement.js";

/**
 * If the counts of a header agree with each other but not with its lines, context was lost on the way. The hunk
 * may have been cut at an edge; then its match is right. Or lines were lost between the others; then it may be
 * meant to change another line. An insertion at the edge of such a hunk may have had the lost lines beside
 * itself, if an end of the file is that near.
 *
 *     file     diff              result
 *     1 a      @@ -1,4 +1,4 @@   1 a
 *     2 b       a                2 b
 *     3 same    b                3 other
 *     4 c      -same             4 c
 *     5 d      +other            5 d
 *     6 same                     6 same
 *     7 e                        7 e
 *
 * The header claims lines 1 to 4, the hunk has three: one line is lost. With a line lost between `b` and `same`,
 * the change would be at line 4, but that is `c`. The other copy, line 6, is beyond the claim. Therefore the hunk
 * was cut below, after its change.
 *
 *     file     diff              result
 *     1 a      @@ -1,4 +1,4 @@   invalid_diff
 *     2 b       a
 *     3 same    b
 *     4 same   -same
 *     5 e      +other
 *
 * Here a `same` may be lost above the change as well as below it: the change can slide from line 3 to line 4.
 *
 *     file   diff              result
 *     1 a    @@ -1,3 +1,4 @@   invalid_diff
 *     2 b     a
 *     3 c     b
 *            +X
 *
 * One line is lost. If it was below X, then X follows `b`; if it was between `b` and X, then X ends the file.
 */
export function* findLostContext(
  base: BaseText,
  placements: readonly Placement[],
): Steps<Unlocated | undefined> {
  const lost = yield* findLosing(base, placements);
  if (lost === undefined) return undefined;
  const searches = placements.map(({ hunk, tier, start, alignment }): HunkSearch => {
    return { hunk, tier, starts: [start], alignment, appliedAt: [] };
  });
  const search = searches[placements.indexOf(lost)];
  return search === undefined ? undefined : unlocated("context_lost", search, searches, search.starts);
}

/** The first hunk whose lost context may have stood where it makes a difference. */
function* findLosing(base: BaseText, placements: readonly Placement[]): Steps<Placement | undefined> {
  for (const [at, placement] of placements.entries()) {
    if (at % 1_024 === 1_023) yield;
    const { hunk, start, end, alignment } = placement;
    const { numbers } = hunk.hunk.header;
    if (numbers === undefined || !announcesMore(hunk)) continue;
    const from = numbers.oldStart - 1;
    const claim: Claim = { from, to: from + numbers.oldCount, lost: numbers.oldCount - hunk.oldCount };
    if (
      (hunk.runs[0]?.to === 0 && mayStartFile(claim, start, end)) ||
      (hunk.runs.at(-1)?.from === hunk.old.length && mayEndFile(base, claim, start, end))
    )
      return placement;
    if (alignment !== undefined) continue;
    yield* base.prepare("trailing");
    if (canSlide(base, placement, claim)) return placement;
  }
  return undefined;
}

/** The lines, 0-based, that a header claims, and how many of them the hunk has lost. */
interface Claim {
  readonly from: number;
  readonly to: number;
  readonly lost: number;
}

/** Whether the header is true if the hunk was cut at one edge and its match is right. */
function isCut(claim: Claim, start: number, end: number): boolean {
  return start === claim.from || end === claim.to;
}

/** Whether added lines at the top of a hunk may be meant for the top of the file, the lost lines behind them. */
function mayStartFile(claim: Claim, start: number, end: number): boolean {
  if (start === 0 || start > claim.lost) return false;
  return !isCut(claim, start, end) || (claim.from === 0 && end === claim.to);
}

function mayEndFile(base: BaseText, claim: Claim, start: number, end: number): boolean {
  if (end === base.count || base.count - end > claim.lost) return false;
  return !isCut(claim, start, end) || (start === claim.from && claim.to === base.count);
}

/**
 * Whether what is changed could as well be lines next to it, alike ones, with at most as many lines of the
 * file between the hunk's as it has lost. Where a cut at an edge makes the header true, so must this; and it
 * must not leave a hunk lopsided that has as much context on one side as on the other after a mere cut.
 */
function canSlide(base: BaseText, { hunk, start, end }: Placement, claim: Claim): boolean {
  const index = base.index("trailing");
  const ids = hunk.old.map((line) => index.idOf(line.text));
  const { lost } = claim;
  const cut = isCut(claim, start, end);
  const isReading = (positions: readonly number[]) =>
    movesRun(hunk, positions, start) &&
    (!cut ||
      (positions[0] === claim.from &&
        positions.at(-1) === claim.to - 1 &&
        !(isEven(hunk, claim, start) && isLopsided(base, hunk, claim, positions))));
  for (let by = 1; by <= lost; by++) {
    const later = matchInOrder(
      index.ids,
      ids.toReversed(),
      start + ids.length - 1 + by,
      -1,
      ids.length + lost,
    );
    const earlier = matchInOrder(index.ids, ids, start - by, 1, ids.length + lost);
    if (later !== undefined && isReading(later.toReversed())) return true;
    if (earlier !== undefined && isReading(earlier)) return true;
  }
  return false;
}

/** Whether a cut makes it a hunk such as tools write: the same three lines of context or more on both sides. */
function isEven({ old, runs }: ShapedHunk, claim: Claim, start: number): boolean {
  const above = start + (runs[0]?.from ?? 0) - claim.from;
  const below = claim.to - start - (runs.at(-1)?.to ?? old.length);
  return above === below && above >= usualContext;
}

/** Whether a reading has less context on one side than on the other, though the file has more there. */
function isLopsided(
  base: BaseText,
  { old, runs }: ShapedHunk,
  claim: Claim,
  positions: readonly number[],
): boolean {
  const from = runs[0]?.from ?? 0;
  const to = runs.at(-1)?.to ?? old.length;
  const first = positions[from] ?? claim.to;
  const last = to === 0 ? claim.from : (positions[to - 1] ?? claim.from) + 1;
  const above = {
    most: first - claim.from,
    least: from === 0 ? 0 : (positions[from - 1] ?? 0) + 1 - claim.from,
  };
  const below = { most: claim.to - last, least: claim.to - (positions[to] ?? claim.to) };
  return (claim.from > 0 && above.most < below.least) || (claim.to < base.count && below.most < above.least);
}

/** The positions of the lines if the first is at `from` and each as soon after the one before as possible. */
function matchInOrder(
  base: Int32Array,
  ids: readonly number[],
  from: number,
  step: 1 | -1,
  span: number,
): readonly number[] | undefined {
  if (base[from] !== ids[0]) return undefined;
  const positions: number[] = [];
  let at = from;
  for (const id of ids) {
    while (base[at] !== id) {
      at += step;
      if (at < 0 || at >= base.length || Math.abs(at - from) >= span) return undefined;
    }
    positions.push(at);
    at += step;
  }
  return Math.abs(at - from) <= span ? positions : undefined;
}

function movesRun({ old, runs }: ShapedHunk, positions: readonly number[], start: number): boolean {
  const stays = (at: number) => at >= 0 && at < old.length && positions[at] === start + at;
  return runs.some(({ from, to }) =>
    from === to ? !stays(from - 1) && !stays(from) : !old.slice(from, to).every((_, n) => stays(from + n)),
  );
}

/** What diff tools put on either side of a change by default. */
const usualContext = 3;
