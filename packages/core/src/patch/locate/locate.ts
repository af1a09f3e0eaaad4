import type { BaseText } from "../model/base-text.js";
import { growth, type ShapedHunk } from "../model/hunk.js";
import { type Deadline, mapSteps, type Steps } from "../model/steps.js";
import { AddedLineCounts, appliedInsertionAt } from "./already-applied.js";
import { assignInOrder, includesSorted } from "./assign.js";
import { weighPlace } from "./made.js";
import {
  type AlreadyApplied,
  type AppliedHunk,
  candidateOf,
  type HunkSearch,
  hintOf,
  type Located,
  MatchFinder,
  matchesAt,
  type Placement,
  spellWithPrefix,
  type Unlocated,
  unlocated,
  verbatimPlacement,
} from "./matches.js";
import { findApplied, findMended, findVerbatim } from "./search.js";
import { solve } from "./solve.js";

/**
 * Finds the one position of every hunk, all together: by their numbers alone, unless one of them is an insertion that stands
 * there already, which their content may leave out.
 *
 * @returns every hunk with its placement; or that all of them were applied before; or the first hunk with
 *   no position, or with more than one. Where the deadline has passed the answer means nothing.
 */
export function* locateHunks(
  base: BaseText,
  hunks: readonly ShapedHunk[],
  deadline: Deadline,
): Steps<Located | AlreadyApplied | Unlocated> {
  const numbered = yield* locateByNumbers(base, hunks);
  const quick = numbered && (yield* resolveAppliedInsertions(base, numbered));
  if (quick !== undefined && quick.kind !== "unlocated") return quick;
  const located = yield* locateByContent(base, hunks, deadline);
  yield;
  return located.kind === "located" ? yield* resolveAppliedInsertions(base, located) : located;
}

function* locateByContent(
  base: BaseText,
  hunks: readonly ShapedHunk[],
  deadline: Deadline,
): Steps<Located | AlreadyApplied | Unlocated> {
  yield;
  expectLines(base, hunks);
  yield;
  const finder = new MatchFinder(base, deadline, hunks);
  const found: HunkSearch[] = [];
  for (const hunk of hunks) {
    yield;
    found.push(yield* findVerbatim(base, hunk, finder, deadline));
  }
  const { kept: verbatim, repeated } = mergeRepeated(found);
  const added = new AddedLineCounts(verbatim.map(({ hunk }) => hunk));
  yield;
  const missing = verbatim.filter(({ starts }) => starts.length === 0);
  base.expect((yield* mapSteps(missing, ({ hunk }) => spellWithPrefix(hunk.old))).flat());
  const applied = yield* findApplied(base, verbatim, finder, added);
  if (applied !== undefined) return applied;
  const searches: HunkSearch[] = [];
  for (const search of verbatim) {
    yield;
    searches.push(yield* findMended(base, search, finder, added, deadline));
  }
  if (finder.overflowed) {
    const [widest] = searches.toSorted((one, other) => other.starts.length - one.starts.length);
    if (widest !== undefined) return unlocated("ambiguous", widest, searches, widest.starts);
  }
  const { open, appliedBefore } = omitAppliedHunks(searches);
  const problem = findProblem(open);
  yield;
  if (problem !== undefined) return { ...problem, searches };
  const solved = yield* solve(base, open, deadline);
  if (solved.kind === "unlocated") return { ...solved, searches };
  for (const [at, placement] of solved.placements.entries()) {
    yield;
    const search = open[at];
    const doubtful = search && (yield* weighPlace(base, search, placement, finder, added));
    if (doubtful !== undefined) return unlocated("not_found", doubtful, searches, []);
  }
  return { ...solved, repeated, appliedBefore };
}

/**
 * Some hunks of a diff may have been applied before. They are left out if the numbers of all hunks confirm it:
 * each matches at its number, shifted by the applied hunks before it. Without that, a hunk whose context
 * another one has changed could match elsewhere.
 *
 *     file   diff              result
 *     1 a    @@ -1,3 +1,3 @@   1 a
 *     2 B     a                2 B
 *     3 c    -b                3 c
 *     4 d    +B                4 D
 *     5 e     c                5 e
 *            @@ -4,2 +4,2 @@
 *            -d
 *            +D
 *             e
 *
 * Hunk 1 was applied: its new side matches at its number, 1. Hunk 2 matches at its number, 4. Both numbers are
 * confirmed; hunk 1 is left out and reported as `applied_before`.
 */
function omitAppliedHunks(searches: readonly HunkSearch[]): {
  readonly open: readonly HunkSearch[];
  readonly appliedBefore: readonly AppliedHunk[];
} {
  const open: HunkSearch[] = [];
  const appliedBefore: AppliedHunk[] = [];
  const unchanged = { open: searches, appliedBefore: [] };
  let shift = 0;
  for (const search of searches) {
    const { hunk, starts, appliedAt, maybeAppliedAt = [], isLeft, tier } = search;
    if (hunk.oldCount === 0) return unchanged;
    const start = (hintOf(hunk) ?? Number.NaN) + shift;
    if (starts.length > 0) {
      if (starts.length > 1 || starts[0] !== start || tier === "aligned" || tier === "window")
        return unchanged;
      open.push(search);
    } else {
      const mayBe = isLeft !== true && includesSorted(maybeAppliedAt, start);
      if (!mayBe && !includesSorted(appliedAt, start)) return unchanged;
      appliedBefore.push({ hunk: hunk.hunk.number, start });
      shift += growth(hunk);
    }
  }
  return open.length > 0 ? { open, appliedBefore } : unchanged;
}

/** Announces to the base all the texts that it will be asked for. */
function expectLines(base: BaseText, hunks: readonly ShapedHunk[]): void {
  let length = 0;
  for (const { hunk } of hunks) length += hunk.header.anchors.length + hunk.count;
  base.expect({
    length,
    *[Symbol.iterator]() {
      for (const { hunk } of hunks) {
        yield* hunk.header.anchors;
        for (let at = 0; at < hunk.count; at++) yield hunk.textOf(at);
      }
    },
  });
}

/** The quick way, without any index: all hunks match exactly where their headers say, in order. */
function* locateByNumbers(base: BaseText, hunks: readonly ShapedHunk[]): Steps<Located | undefined> {
  const placements = yield* mapSteps(hunks, (hunk) => placeByNumber(base, hunk), 512);
  if (!placements.every((placement) => placement !== undefined)) return undefined;
  const candidates = placements.map(({ hunk, start }) => candidateOf(hunk, [start]));
  if (assignInOrder(candidates) === undefined) return undefined;
  return { kind: "located", placements, outOfOrder: false, repeated: [], appliedBefore: [] };
}

/** The place of a number, where nothing else names one: a hunk for the end of the file has a second witness. */
function placeByNumber(base: BaseText, hunk: ShapedHunk): Placement | undefined {
  const hint = hintOf(hunk) ?? -1;
  const isTold = hunk.oldCount > 0 && !hunk.hunk.atEnd;
  if (isTold && matchesAt(base, hunk, "old", hint)) return verbatimPlacement(base, hunk, "exact", hint);
  return undefined;
}

/** The first hunk without a position, whatever the others do. */
function findProblem(searches: readonly HunkSearch[]): Unlocated | undefined {
  for (const search of searches) {
    const { hunk, starts, appliedAt, tier, alignment } = search;
    if (appliedAt.length > 0) return unlocated("already_applied", search, searches, appliedAt);
    if (starts.length === 0 && hunk.oldCount === 0) return unlocated("no_anchor", search, searches, []);
    if (starts.length === 0) return unlocated("not_found", search, searches, []);
    const several = search.isOpen === true ? "insertion_open" : "mended_ambiguous";
    if (tier === "aligned" && alignment === undefined) return unlocated(several, search, searches, starts);
  }
  return undefined;
}

/** A pure insertion is not made again if its text is there already. */
function* resolveAppliedInsertions(
  base: BaseText,
  located: Located,
): Steps<Located | AlreadyApplied | Unlocated> {
  const added = new AddedLineCounts(located.placements.map(({ hunk }) => hunk));
  const appliedAt = (placement: Placement) => appliedInsertionAt(base, placement, added);
  const applied = yield* mapSteps(located.placements, appliedAt);
  if (applied.every((start) => start !== undefined)) return { kind: "already_applied" };
  const searches = located.placements.map(({ hunk, tier, start, alignment }, at): HunkSearch => {
    const insertion = applied[at];
    return { hunk, tier, starts: [start], alignment, appliedAt: insertion === undefined ? [] : [insertion] };
  });
  const search = searches.find(({ appliedAt }) => appliedAt.length > 0);
  return search === undefined ? located : unlocated("already_applied", search, searches, search.appliedAt);
}

/**
 * A numbered hunk repeated to the letter, header included, is one change written twice. So are equal hunks without
 * numbers, if there is one match for all of them. If there are more, each hunk is one of its own, and the order of the
 * diff has to say which is where.
 *
 * @returns the hunks without their copies, and the numbers of those left out.
 *
 *     file    diff   result
 *     1 a     @@     1 a
 *     2 k=1   -k=1   2 k=2
 *     3 b     +k=2   3 b
 *             @@
 *             -k=1
 *             +k=2
 *
 * Two equal hunks, one match: it was one change, written twice.
 *
 *     file    diff   result
 *     1 k=1   @@     1 k=1
 *     2 a     -a     2 A
 *     3 k=1   +A     3 k=2
 *     4 b     @@     4 B
 *     5 k=1   -k=1   5 k=2
 *             +k=2
 *             @@
 *             -b
 *             +B
 *             @@
 *             -k=1
 *             +k=2
 *
 * Two equal hunks, three matches: the order of the hunks leaves lines 3 and 5.
 */
function mergeRepeated(searches: readonly HunkSearch[]) {
  const seen = new Set<string>();
  const repeated: number[] = [];
  const kept = searches.filter(({ hunk, starts }) => {
    if (hunk.hunk.header.numbers === undefined && starts.length > 1) return true;
    const letters = spell(hunk);
    const isCopy = seen.has(letters);
    if (isCopy) repeated.push(hunk.hunk.number);
    seen.add(letters);
    return !isCopy;
  });
  return { kept, repeated };
}

function spell({ hunk }: ShapedHunk): string {
  let letters = hunk.header.raw;
  for (let at = 0; at < hunk.count; at++) letters += `\n${hunk.kindOf(at)}:${hunk.textOf(at)}`;
  return letters;
}
