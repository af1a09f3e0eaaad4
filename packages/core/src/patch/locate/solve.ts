import type { BaseText } from "../model/base-text.js";
import { growth, type HunkLine, type ShapedHunk } from "../model/hunk.js";
import { indentOf, isBlankLine } from "../model/line-key.js";
import { type Deadline, mapSteps, type Steps } from "../model/steps.js";
import { isInside, SectionFinder } from "./anchors.js";
import {
  type Assignments,
  assignInOrder,
  type Candidate,
  findCollision,
  includesSorted,
  nearestTo,
} from "./assign.js";
import { findShift } from "./indent.js";
import {
  candidateOf,
  type HunkSearch,
  hintOf,
  type Located,
  placementAt,
  type Unlocated,
  unlocated,
} from "./matches.js";

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
 *     1 a     @@ -2 +2 @@   1 A
 *     2 b     -a            2 b
 *     3 k=1   +A            3 k=2
 *     4 c     @@ -3 +9 @@   4 c
 *     5 k=1   -k=1          5 k=1
 *             +k=2
 *
 * The number of hunk 1 is wrong (`a` is line 1), and so is the new number of hunk 2; but its old number hits a copy
 * exactly, which no number does by chance.
 *
 *     file       diff                result
 *     1 f() {    @@ -5 +5 @@ f() {   ambiguous 2, 6
 *     2   k=1    -  k=1
 *     3 }        +  k=2
 *     4
 *     5 g() {
 *     6   k=1
 *     7 }
 *
 * The number hits no copy, so the section would decide for line 2; but line 6 is nearer to the number: two
 * witnesses that disagree.
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
export function* solve(
  base: BaseText,
  searches: readonly HunkSearch[],
  deadline: Deadline,
): Steps<Located | Unlocated> {
  const all = searches.map((search) => candidateOf(search.hunk, search.starts, search.alignment));
  yield;
  const assigned = assignInOrder(all);
  yield;
  if (assigned === undefined) return yield* solveOutOfOrder(base, searches, all);
  const chosen = assignInOrder(yield* breakTies(base, searches, assigned, deadline)) ?? assigned;
  const unclear = findUnclear(base, searches, chosen);
  if (unclear !== undefined) return unlocated("ambiguous", unclear, searches, unclear.starts);
  const starts = chosen.earliest;
  yield;
  const against = searches.find((search, at) => contradictsHint(search, starts[at] ?? 0));
  if (against !== undefined) return unlocated("ambiguous", against, searches, against.starts);
  return yield* confirmPlacements(base, searches, starts, false);
}

/** The first hunk with several places, unless it is the only one and they all come to the same text. */
function findUnclear(
  base: BaseText,
  searches: readonly HunkSearch[],
  { earliest, latest }: Assignments,
): HunkSearch | undefined {
  const open = searches.filter((_, at) => earliest[at] !== latest[at]);
  const [unclear, another] = open;
  if (unclear === undefined || another !== undefined || unclear.tier !== "exact") return unclear;
  const at = searches.indexOf(unclear);
  const [first = 0, last = 0] = [earliest[at], latest[at]];
  const starts = Array.from(unclear.starts).filter((start) => start >= first && start <= last);
  return comesToSameText(base, unclear.hunk, starts) ? undefined : unclear;
}

/** The placements at the chosen starts, unless something contradicts them. */
function* confirmPlacements(
  base: BaseText,
  searches: readonly HunkSearch[],
  starts: readonly number[],
  outOfOrder: boolean,
): Steps<Located | Unlocated> {
  // Added lines without context have their place by a number only: then all numbers have to be right.
  const numbered = searches.find(
    ({ hunk }, at) => hunk.oldCount === 0 && hunk.hunk.header.numbers !== undefined && starts[at] !== 0,
  );
  const hunks = searches.map(({ hunk }) => hunk);
  const areRight = () => numbersAgree(hunks) && hunks.every((hunk, at) => hintOf(hunk) === starts[at]);
  if (numbered !== undefined && (outOfOrder || !areRight()))
    return unlocated("numbers_contradict", numbered, searches, numbered.starts);
  const shallow = findUnknownIndent(base, searches);
  if (shallow !== undefined) return unlocated("indent_unknown", shallow, searches, shallow.starts);
  yield;
  const placements = yield* mapSteps(searches, (search, at) => placementAt(base, search, starts[at] ?? 0));
  return { kind: "located", placements, outOfOrder, repeated: [], appliedBefore: [] };
}

/** Ties broken by what the headers say; hunks that the order places keep what they have, as do all when time is up. */
function* breakTies(
  base: BaseText,
  searches: readonly HunkSearch[],
  { earliest, latest }: Assignments,
  deadline: Deadline,
): Steps<readonly Candidate[]> {
  const finder = new SectionFinder(base);
  const offset = commonOffset(searches);
  const candidateAt = (search: HunkSearch, at: number) => {
    const isPlaced = earliest[at] === latest[at] || deadline.late();
    const starts = isPlaced ? search.starts : namedCopies(base, search, finder, offset);
    return candidateOf(search.hunk, starts, search.alignment);
  };
  return yield* mapSteps(searches, candidateAt, 1);
}

/** By how much the numbers of all hunks with one place are off, if it is the same for all; 0 otherwise. */
function commonOffset(searches: readonly HunkSearch[]): number {
  let common: number | undefined;
  for (const { hunk, starts, tier } of searches) {
    const hint = hintOf(hunk);
    const start = starts[0];
    if (hint === undefined || start === undefined || starts.length > 1 || tier === "aligned") continue;
    if (common !== undefined && common !== start - hint) return 0;
    common = start - hint;
  }
  return common ?? 0;
}

/** The copies that the header names: the one of its number, else those of its section; all if it names none. */
function namedCopies(
  base: BaseText,
  search: HunkSearch,
  finder: SectionFinder,
  offset: number,
): ArrayLike<number> {
  const { hunk, starts } = search;
  const last = base.count - hunk.oldCount;
  if (hunk.hunk.atEnd && includesSorted(starts, last)) return [last];
  const named = copyOfNumber(search);
  // Where all other numbers are off by the same, and this one with them names another copy, it may be off, too.
  if (named !== undefined) return offset !== 0 && includesSorted(starts, named + offset) ? starts : [named];
  const sections = finder.find(hunk.hunk.header.anchors);
  const inside = Array.from(starts).filter((start) => isInside(sections, start));
  const hint = hintOf(hunk);
  const isNearest = hint === undefined || nearestTo(starts, hint).some((start) => inside.includes(start));
  return inside.length > 0 && isNearest ? inside : starts;
}

/** The copy that the old number of the header hits exactly; undefined if it hits none of several. */
function copyOfNumber({ hunk, starts }: HunkSearch): number | undefined {
  const hint = hintOf(hunk) ?? -1;
  return includesSorted(starts, hint) ? hint : undefined;
}

/** The number names one copy, the order of the hunks leaves only another: two witnesses that disagree. */
function contradictsHint(search: HunkSearch, start: number): boolean {
  return (copyOfNumber(search) ?? start) !== start;
}

function* solveOutOfOrder(
  base: BaseText,
  searches: readonly HunkSearch[],
  candidates: readonly Candidate[],
): Steps<Located | Unlocated> {
  const several = searches.find((search) => search.starts.length > 1 && copyOfNumber(search) === undefined);
  if (several !== undefined) return unlocated("ambiguous", several, searches, several.starts);
  const mended = searches.find(({ tier }) => tier === "aligned" || tier === "window" || tier === "shift");
  if (mended !== undefined) return unlocated("disorder", mended, searches, mended.starts);
  const starts = searches.map((search) => copyOfNumber(search) ?? search.starts[0] ?? 0);
  const colliding = searches[findCollision(candidates, starts) ?? -1];
  if (colliding !== undefined) return unlocated("overlap", colliding, searches, colliding.starts);
  return yield* confirmPlacements(base, searches, starts, true);
}

/**
 * Where other hunks had to be moved in or out, a hunk between blank lines does not say how deep it goes; nor does one
 * without any indented line of the file say what its own indented lines begin with, where others have tabs for blanks.
 */
function findUnknownIndent(base: BaseText, searches: readonly HunkSearch[]): HunkSearch | undefined {
  const moved = searches.filter((search) => search.tier === "shift");
  if (moved.length === 0) return undefined;
  const swaps = moved.some(({ hunk, starts }) => findShift(base, hunk.old, starts[0] ?? 0)?.isRepeated);
  const isWord = (line: HunkLine) => !isBlankLine(line.text);
  const isIndented = (line: HunkLine) => isWord(line) && indentOf(line.text) !== "";
  return searches.find(
    ({ hunk }) =>
      (!hunk.old.some(isWord) && hunk.new.some(isWord)) ||
      (swaps && !hunk.old.some(isIndented) && hunk.new.some(isIndented)),
  );
}

/** Whether old and new numbers of each header belong together. */
function numbersAgree(hunks: readonly ShapedHunk[]): boolean {
  let shift = 0;
  for (const hunk of hunks) {
    const { numbers } = hunk.hunk.header;
    if (numbers !== undefined) {
      const { oldStart, oldCount, newStart, newCount } = numbers;
      if (firstLine(newStart, newCount) !== firstLine(oldStart, oldCount) + shift) return false;
    }
    shift += growth(hunk);
  }
  return true;
}

/** The first line of a side; of one without lines the header names the line before. */
function firstLine(start: number, count: number): number {
  return count === 0 ? start + 1 : start;
}

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
function comesToSameText(base: BaseText, hunk: ShapedHunk, starts: readonly number[]): boolean {
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
