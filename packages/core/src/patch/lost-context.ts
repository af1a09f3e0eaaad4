import type { BaseText } from "./base-text.js";
import { announcesMore, type ShapedHunk } from "./hunk.js";
import { type Finding, type Misfit, misfit, type Placement } from "./placement.js";

/**
 * Where the counts of a header agree with each other but not with its lines, context was lost on the way. The
 * hunk may have been cut at an edge, then it is meant where it stands; or lines were lost between the others,
 * then what it changes may be another line. An insertion at the edge of such a hunk may have had them beside
 * itself, if an end of the file is that near.
 */
export function findLostContext(base: BaseText, placements: readonly Placement[]): Misfit | undefined {
  const lost = placements.find((placement) => {
    const { hunk, start, end, alignment } = placement;
    const { numbers } = hunk.hunk.header;
    if (numbers === undefined || !announcesMore(hunk)) return false;
    const from = numbers.oldStart - 1;
    const claim: Claim = { from, to: from + numbers.oldCount, lost: numbers.oldCount - hunk.oldCount };
    return (
      (hunk.runs[0]?.to === 0 && mayOpen(claim, start, end)) ||
      (hunk.runs.at(-1)?.from === hunk.old.length && mayClose(base, claim, start, end)) ||
      (alignment === undefined && slides(base, placement, claim))
    );
  });
  if (lost === undefined) return undefined;
  const findings = placements.map(({ hunk, tier, start, alignment }): Finding => {
    return { hunk, tier, starts: [start], alignment, applied: [] };
  });
  const finding = findings[placements.indexOf(lost)];
  return finding === undefined ? undefined : misfit("context_lost", finding, findings, finding.starts);
}

/** The lines, 0-based, that a header claims, and how many of them the hunk has lost. */
interface Claim {
  readonly from: number;
  readonly to: number;
  readonly lost: number;
}

/** Whether the header is true if the hunk was cut at one edge, and stands where it was found. */
function isCut(claim: Claim, start: number, end: number): boolean {
  return start === claim.from || end === claim.to;
}

/** Whether added lines at the top of a hunk may be meant for the top of the file, the lost lines behind them. */
function mayOpen(claim: Claim, start: number, end: number): boolean {
  if (start === 0 || start > claim.lost) return false;
  return !isCut(claim, start, end) || (claim.from === 0 && end === claim.to);
}

function mayClose(base: BaseText, claim: Claim, start: number, end: number): boolean {
  if (end === base.count || base.count - end > claim.lost) return false;
  return !isCut(claim, start, end) || (start === claim.from && claim.to === base.count);
}

/**
 * Whether what is changed could as well be lines next to it, alike ones, with at most as many lines of the
 * file between the hunk's as it has lost. Where a cut at an edge makes the header true, so must this; and it
 * must not leave a hunk lopsided that has as much context on one side as on the other after a mere cut.
 */
function slides(base: BaseText, { hunk, start, end }: Placement, claim: Claim): boolean {
  const index = base.index("trailing");
  const ids = hunk.old.map((line) => index.idOf(line.text));
  const { lost } = claim;
  const cut = isCut(claim, start, end);
  const counts = (places: readonly number[]) =>
    movesRun(hunk, places, start) &&
    (!cut ||
      (places[0] === claim.from &&
        places.at(-1) === claim.to - 1 &&
        !(isEven(hunk, claim, start) && isLopsided(base, hunk, claim, places))));
  for (let by = 1; by <= lost; by++) {
    const later = embed(index.ids, ids.toReversed(), start + ids.length - 1 + by, -1, ids.length + lost);
    const earlier = embed(index.ids, ids, start - by, 1, ids.length + lost);
    if (later !== undefined && counts(later.toReversed())) return true;
    if (earlier !== undefined && counts(earlier)) return true;
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
  places: readonly number[],
): boolean {
  const from = runs[0]?.from ?? 0;
  const to = runs.at(-1)?.to ?? old.length;
  const first = places[from] ?? claim.to;
  const last = to === 0 ? claim.from : (places[to - 1] ?? claim.from) + 1;
  const above = {
    most: first - claim.from,
    least: from === 0 ? 0 : (places[from - 1] ?? 0) + 1 - claim.from,
  };
  const below = { most: claim.to - last, least: claim.to - (places[to] ?? claim.to) };
  return (claim.from > 0 && above.most < below.least) || (claim.to < base.count && below.most < above.least);
}

/** The places of the lines if the first stands at `from` and each as soon after the one before as it can. */
function embed(
  base: Int32Array,
  ids: readonly number[],
  from: number,
  step: 1 | -1,
  span: number,
): readonly number[] | undefined {
  if (base[from] !== ids[0]) return undefined;
  const places: number[] = [];
  let at = from;
  for (const id of ids) {
    while (base[at] !== id) {
      at += step;
      if (at < 0 || at >= base.length || Math.abs(at - from) >= span) return undefined;
    }
    places.push(at);
    at += step;
  }
  return Math.abs(at - from) <= span ? places : undefined;
}

function movesRun({ old, runs }: ShapedHunk, places: readonly number[], start: number): boolean {
  const stays = (at: number) => at >= 0 && at < old.length && places[at] === start + at;
  return runs.some(({ from, to }) =>
    from === to ? !stays(from - 1) && !stays(from) : !old.slice(from, to).every((_, n) => stays(from + n)),
  );
}

/** What diff tools put on either side of a change unless told otherwise. */
const usualContext = 3;
