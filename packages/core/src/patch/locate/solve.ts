import type { BaseText } from "../model/base-text.js";
import { isInside, SectionFinder } from "./anchors.js";
import { assignInOrder, type Candidate, findCollision, includesSorted } from "./assign.js";
import { findUnknownIndent, findUnsupportedInsertion, hintMatches, numbersAgree } from "./doubts.js";
import {
  candidateOf,
  type HunkSearch,
  hintOf,
  type Located,
  placementAt,
  type Unlocated,
  unlocated,
} from "./placement.js";

/**
 * Chooses one candidate position for each hunk, all together: uniquely, or not at all. The order of the diff comes
 * first (`assignInOrder`), then the ties are broken by exact numbers and anchors.
 *
 *     file    diff          result
 *     1 a     @@ -5 +5 @@   1 a
 *     2 b     -k=1          2 b
 *     3 k=1   +k=2          3 k=1
 *     4 c                   4 c
 *     5 k=1                 5 k=2
 *
 * Two candidates, lines 3 and 5; the number hits the second exactly.
 *
 *     file    diff          result
 *     1 a     @@ -2 +2 @@   ambiguous 3, 5
 *     2 b     -a
 *     3 k=1   +A
 *     4 c     @@ -3 +3 @@
 *     5 k=1   -k=1
 *             +k=2
 *
 * The number of hunk 1 is wrong (`a` is line 1), so the number of hunk 2 is no reliable witness.
 *
 *     file    diff          result
 *     1 k=1   @@ -2 +2 @@   ambiguous 1, 3
 *     2 a     -a
 *     3 k=1   +A
 *             @@ -1 +1 @@
 *             -k=1
 *             +k=2
 *
 * The order of the hunks leaves line 3 for hunk 2, but its number names line 1: the witnesses contradict each
 * other.
 *
 *     file   diff   result
 *     1 a    @@     1 A
 *     2 b    -c     2 b
 *     3 c    +C     3 C
 *            @@
 *            -a
 *            +A
 *
 * No assignment keeps the order of the diff. Each hunk has one candidate, and they do not overlap: accepted, and
 * reported as `hunk_order`.
 */
export function solve(base: BaseText, searches: readonly HunkSearch[]): Located | Unlocated {
  if (areUniqueInOrder(searches))
    return confirmPlacements(
      base,
      searches,
      searches.map(({ starts }) => starts[0] ?? 0),
    );
  const all = searches.map((search) => candidateOf(search.hunk, search.starts, search.alignment));
  const assigned = assignInOrder(all);
  if (assigned === undefined) return solveOutOfOrder(base, searches, all);
  let starts = assigned.earliest;
  let open = starts.findIndex((start, at) => start !== assigned.latest[at]);
  if (open >= 0) {
    const narrowed = assignInOrder(breakTies(base, searches, all, assigned.earliest, assigned.latest));
    open =
      narrowed === undefined
        ? open
        : narrowed.earliest.findIndex((start, at) => start !== narrowed.latest[at]);
    starts = narrowed?.earliest ?? starts;
  }
  const unclear = searches[open];
  if (unclear !== undefined) return unlocated("ambiguous", unclear, searches, unclear.starts);
  const against = searches.find((search, at) => contradictsHint(search, starts[at] ?? 0));
  if (against !== undefined) return unlocated("ambiguous", against, searches, against.starts);
  return confirmPlacements(base, searches, starts);
}

/** Whether each hunk has one candidate only, all of them in order: the usual case, which needs no search. */
function areUniqueInOrder(searches: readonly HunkSearch[]): boolean {
  let from = 0;
  let insertionAt = -1;
  for (const { hunk, starts, alignment } of searches) {
    const start = starts[0];
    if (starts.length !== 1 || start === undefined || alignment !== undefined) return false;
    const isInsertion = hunk.coreFrom === hunk.coreTo;
    if (start + hunk.coreFrom < from || (isInsertion && insertionAt === start + hunk.coreFrom)) return false;
    from = start + hunk.coreTo;
    insertionAt = isInsertion ? from : -1;
  }
  return true;
}

/** The placements at the chosen starts, unless something contradicts them. */
function confirmPlacements(
  base: BaseText,
  searches: readonly HunkSearch[],
  starts: readonly number[],
): Located | Unlocated {
  const unsupported = findUnsupportedInsertion(searches, starts);
  if (unsupported !== undefined)
    return unlocated("numbers_contradict", unsupported, searches, unsupported.starts);
  const shallow = findUnknownIndent(searches);
  if (shallow !== undefined) return unlocated("indent_unknown", shallow, searches, shallow.starts);
  const placements = searches.map((search, at) => placementAt(base, search, starts[at] ?? 0));
  return { kind: "located", placements, outOfOrder: false, repeated: [], appliedBefore: [] };
}

/** Ties broken by an exact line number or by the anchor of the header; never by one against the other. */
function breakTies(
  base: BaseText,
  searches: readonly HunkSearch[],
  candidates: readonly Candidate[],
  earliest: readonly number[],
  latest: readonly number[],
): readonly Candidate[] {
  const isTied = (at: number) => earliest[at] !== latest[at];
  // Numbers that are wrong where it can be checked are no witnesses where it cannot.
  const reliable =
    numbersAgree(searches.map(({ hunk }) => hunk)) &&
    searches.every((search, at) => isTied(at) || hintMatches(search, earliest[at] ?? 0));
  const finder = new SectionFinder(base);
  return candidates.map((candidate, at) => {
    const search = searches[at];
    if (search === undefined || !isTied(at)) return candidate;
    const sections = finder.find(search.hunk.hunk.header.anchors);
    const inside = Array.from(sections.length > 0 ? candidate.starts : []).filter((start) =>
      isInside(sections, start),
    );
    const hint = hintOf(search.hunk);
    const named = hint !== undefined && includesSorted(candidate.starts, hint) ? hint : undefined;
    const last = base.count - search.hunk.oldCount;
    if (search.hunk.hunk.atEnd && includesSorted(candidate.starts, last))
      return { ...candidate, starts: [last] };
    if (inside.length > 0 && named !== undefined && !inside.includes(named)) return candidate;
    if (named !== undefined && reliable) return { ...candidate, starts: [named] };
    return inside.length > 0 ? { ...candidate, starts: inside } : candidate;
  });
}

/** The number names one copy, the order of the hunks leaves only another: two witnesses that disagree. */
function contradictsHint(search: HunkSearch, start: number): boolean {
  const hint = hintOf(search.hunk);
  return hint !== undefined && hint !== start && includesSorted(search.starts, hint);
}

function solveOutOfOrder(
  base: BaseText,
  searches: readonly HunkSearch[],
  candidates: readonly Candidate[],
): Located | Unlocated {
  const several = searches.find((search) => search.starts.length > 1);
  if (several !== undefined) return unlocated("ambiguous", several, searches, several.starts);
  const mended = searches.find((search) => search.tier === "aligned");
  if (mended !== undefined) return unlocated("disorder", mended, searches, mended.starts);
  const starts = searches.map((search) => search.starts[0] ?? 0);
  const colliding = searches[findCollision(candidates, starts) ?? -1];
  if (colliding !== undefined) return unlocated("overlap", colliding, searches, colliding.starts);
  const insertion = searches.find(
    ({ hunk }) => hunk.oldCount === 0 && hunk.hunk.header.numbers !== undefined,
  );
  if (insertion !== undefined) return unlocated("numbers_contradict", insertion, searches, insertion.starts);
  const shallow = findUnknownIndent(searches);
  if (shallow !== undefined) return unlocated("indent_unknown", shallow, searches, shallow.starts);
  const placements = searches.map((search, at) => placementAt(base, search, starts[at] ?? 0));
  return { kind: "located", placements, outOfOrder: true, repeated: [], appliedBefore: [] };
}
