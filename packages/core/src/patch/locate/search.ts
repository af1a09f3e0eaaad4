import type { BaseText } from "../model/base-text.js";
import { announcesMore, type HunkLine, type ShapedHunk } from "../model/hunk.js";
import { isBlankLine, normalize } from "../model/line-key.js";
import type { Deadline } from "../model/steps.js";
import { mapInSteps, type Steps } from "../model/steps.js";
import { alignHunk } from "./align.js";
import {
  type AddedLineCounts,
  addsUniqueLine,
  appliedAtStatedLine,
  gapIsPinned,
  isPureDeletion,
  keepsRemovedEdge,
  matchesBothSides,
  mayBeApplied,
  mustBeApplied,
  newSideCore,
  newSideIsEvidence,
  newSideProvesApplied,
} from "./already-applied.js";
import { findPointsBelowAnchor } from "./anchors.js";
import { appliedInsertionAt } from "./applied-insertion.js";
import { assignInOrder, type Candidate, includesSorted } from "./assign.js";
import { explainWindow, findMadeAsWell } from "./made.js";
import type { MatchFinder, Tier } from "./matches.js";
import {
  type AlreadyApplied,
  type HunkSearch,
  hintOf,
  type MadeOr,
  placementAt,
  type Unlocated,
  unlocated,
} from "./placement.js";
import { findWindow } from "./window.js";

/** Matches of the old side as it is; for lines without any context, their possible insertion points. */
export function* findVerbatim(
  base: BaseText,
  hunk: ShapedHunk,
  finder: MatchFinder,
  deadline: Deadline,
): Steps<HunkSearch> {
  const found = (tier: Tier | undefined, starts: ArrayLike<number>): HunkSearch => {
    return { hunk, tier, starts, alignment: undefined, appliedAt: none };
  };
  if (deadline.passes()) return found(undefined, none);
  if (hunk.oldCount === 0) return found("exact", findInsertionPoints(base, hunk));
  const matches = yield* finder.findOldSide(hunk);
  if (matches === undefined) return found(undefined, none);
  const hint = hintOf(hunk);
  // The number may name another copy that differs in trailing blanks only: two witnesses that disagree.
  if (
    matches.tier === "exact" &&
    hint !== undefined &&
    !includesSorted(matches.starts, hint) &&
    oldSideMatchesLooselyAt(base, hunk, hint)
  )
    return found(
      "trailing",
      [...Array.from(matches.starts), hint].sort((a, b) => a - b),
    );
  return found(matches.tier, matches.starts);
}

function oldSideMatchesLooselyAt(base: BaseText, { hunk, oldCount }: ShapedHunk, start: number): boolean {
  if (start < 0 || start + oldCount > base.count) return false;
  let position = start;
  for (let at = 0; at < hunk.count; at++) {
    if (hunk.kindOf(at) === "added") continue;
    if (normalize(hunk.textOf(at), "trailing") !== normalize(base.line(position), "trailing")) return false;
    position += 1;
  }
  return true;
}

/** Insertion points for added lines without any context: an empty file, an exact number, or below an anchor. */
function findInsertionPoints(base: BaseText, hunk: ShapedHunk): readonly number[] {
  if (base.count === 0) return [0];
  const { numbers, anchors } = hunk.hunk.header;
  if (hunk.hunk.atEnd) return [base.count];
  if (numbers === undefined) return findPointsBelowAnchor(base, anchors);
  return numbers.oldCount === 0 && numbers.oldStart <= base.count ? [numbers.oldStart] : [];
}

/** Whether the new text matches where the old text should. Checked before locating. */
export function* findApplied(
  base: BaseText,
  searches: readonly HunkSearch[],
  finder: MatchFinder,
  added: AddedLineCounts,
): Steps<AlreadyApplied | undefined> {
  const byNumbers = yield* mapInSteps(searches, ({ hunk }) => appliedAtStatedLine(base, hunk));
  const isOpen = searches.some(({ hunk }, at) => matchesBothSides(base, hunk, byNumbers[at] ?? -1));
  // If one hunk proves that it was applied, the numbers of the other hunks are believed.
  if (!isOpen && byNumbers.every((start) => start !== undefined)) {
    for (const { hunk } of searches) {
      yield;
      if (yield* provesApplied(base, hunk, finder, added))
        return { kind: "already_applied", starts: byNumbers };
    }
  }
  if (searches.every((search) => search.starts.length > 0)) return undefined;
  const candidates: Candidate[] = [];
  for (const { hunk, starts } of searches) {
    if (starts.length > 0 && hunk.runs.some((run) => run.from !== run.to)) return undefined;
    yield;
    candidates.push({ ...newSideCore(hunk), starts: yield* findNewSide(base, hunk, finder, added) });
  }
  const assigned = assignInOrder(candidates);
  if (assigned === undefined || assigned.earliest.some((start, at) => start !== assigned.latest[at]))
    return undefined;
  return { kind: "already_applied", starts: assigned.earliest };
}

function* provesApplied(
  base: BaseText,
  hunk: ShapedHunk,
  finder: MatchFinder,
  added: AddedLineCounts,
): Steps<boolean> {
  yield* base.prepare("trimmed");
  if (mustBeApplied(base, hunk, added)) return true;
  if (!isPureDeletion(hunk)) return newSideProvesApplied(base, hunk, added);
  return (yield* findNewSide(base, hunk, finder, added)).length > 0;
}

/**
 * A hunk whose new side is where its number says, and whose old side is elsewhere. It may be made already, but nothing
 * proves it, since the lines that it removes are still in the file.
 */
export function findMadeOrElsewhere(base: BaseText, searches: readonly HunkSearch[]): Unlocated | undefined {
  const made: number[] = [];
  for (const { hunk } of searches) {
    const start = appliedAtStatedLine(base, hunk);
    if (start === undefined || !newSideIsEvidence(hunk) || !mayBeApplied(base, hunk)) return undefined;
    made.push(start);
  }
  const at = searches.findIndex(({ starts }) => starts.length === 1);
  const search = searches[at];
  if (search === undefined) return undefined;
  const positions = [made[at] ?? 0, search.starts[0] ?? 0].sort((a, b) => a - b);
  return unlocated("made_or_elsewhere", search, searches, positions);
}

/** Matches of the new side that prove that the hunk was applied. */
function* findNewSide(
  base: BaseText,
  hunk: ShapedHunk,
  finder: MatchFinder,
  added: AddedLineCounts,
): Steps<ArrayLike<number>> {
  yield* base.prepare("trimmed");
  if (announcesMore(hunk) || !newSideProvesApplied(base, hunk, added)) return [];
  const found = (yield* finder.findVerbatim(hunk.new))?.starts ?? [];
  const starts = Array.from(found).filter((start) => !keepsRemovedEdge(base, hunk, start));
  const { numbers } = hunk.hunk.header;
  const weak = isPureDeletion(hunk) && !hunk.runs.every((run) => gapIsPinned(base, hunk, run));
  if (weak && (starts.length > 1 || (numbers === undefined && countNonBlank(hunk.new) < 3))) return [];
  const hasNoContext = !hunk.new.some((line) => line.kind === "context");
  // The place of a bare new line does not show the place of the line that it replaces.
  if (hasNoContext && numbers === undefined) return [];
  if (numbers === undefined || !(weak || hasNoContext || contextMatchesAt(base, hunk, numbers.oldStart - 1)))
    return starts;
  return [numbers.newStart - 1, numbers.oldStart - 1].filter(
    (at, n, all) => all.indexOf(at) === n && includesSorted(starts, at),
  );
}

/** Whether all context matches at the stated line. If so, perhaps the removed lines are merely misquoted. */
function contextMatchesAt(base: BaseText, { old }: ShapedHunk, start: number): boolean {
  return old.every((line, at) => line.kind !== "context" || base.line(start + at) === line.text);
}

function nonBlankContextMatchesAt(base: BaseText, { old }: ShapedHunk, start: number): boolean {
  return old.every(
    (line, at) => line.kind !== "context" || isBlankLine(line.text) || base.isLine(start + at, line.text),
  );
}

function countNonBlank(lines: readonly HunkLine[]): number {
  return lines.filter((line) => !isBlankLine(line.text)).length;
}

/**
 * The matches of the new side that contain one of the places. Wrapped lines are moved in by the wrapping, so they match once
 * more at another depth.
 *
 *     file       diff     result
 *     1 if a:    @@       invalid_diff
 *     2   go()   -go()
 *     3 end      +if a:
 *                +  go()
 *
 * `go()` is line 2 at another depth, but the new lines are in the file from line 1 on: they are not wrapped again.
 */
function* findMadeAround(
  hunk: ShapedHunk,
  starts: ArrayLike<number>,
  finder: MatchFinder,
): Steps<readonly number[]> {
  const had = new Set(hunk.old.map(({ text }) => text.trim()));
  const isFresh = ({ kind, text }: HunkLine) =>
    kind === "added" && /[\p{L}\p{N}]/u.test(text) && !had.has(text.trim());
  const verbatim = (yield* finder.findVerbatim(hunk.new))?.starts ?? none;
  const made = [
    ...Array.from(verbatim),
    ...(hunk.new.some(isFresh) ? finder.findAtAnyDepth(hunk.new) : none),
  ];
  const isAround = (from: number) =>
    Array.from(starts).some((start) => start < from + hunk.newCount && from < start + hunk.oldCount);
  return made.filter(isAround);
}

/**
 * The lines that a hunk adds are in the file with all of its context, nowhere else, and nearer to its number than the one
 * place of its old lines, or around that place. The hunk may have been made, and its place may be a copy.
 */
function* findMadeNearer(
  base: BaseText,
  search: HunkSearch,
  finder: MatchFinder,
  added: AddedLineCounts,
): Steps<MadeOr | undefined> {
  const { hunk, starts } = search;
  const [start, other] = [starts[0], starts[1]];
  const { numbers } = hunk.hunk.header;
  if (start === undefined || other !== undefined || hintOf(hunk) === start) return undefined;
  // This runs for every hunk with a wrong number. Most of them add a line that the file does not have.
  const index = base.index("exact");
  if (hunk.new.some(({ text }) => index.idOf(text) < 0)) return undefined;
  yield* base.prepare("trimmed");
  if (!addsUniqueLine(base, hunk, added) || isAppliedInsertion(base, search, added)) return undefined;
  const made = (yield* finder.findVerbatim(hunk.new))?.starts ?? none;
  const away = (at: number) =>
    Math.min(Math.abs(at + 1 - (numbers?.oldStart ?? 0)), Math.abs(at + 1 - (numbers?.newStart ?? 0)));
  const nearer = Array.from(made).find((at) => {
    const isAround = start < at + hunk.newCount && at < start + hunk.oldCount;
    return isAround || (numbers !== undefined && away(at) < away(start));
  });
  return nearer === undefined ? undefined : { made: nearer + hunk.coreFrom, start: start + hunk.coreFrom };
}

/** Looks further for a hunk that matches nowhere as it is. */
export function* findMended(
  base: BaseText,
  search: HunkSearch,
  finder: MatchFinder,
  added: AddedLineCounts,
  deadline: Deadline,
): Steps<HunkSearch> {
  if (search.hunk.oldCount === 0 || deadline.late()) return search;
  const { hunk } = search;
  if (search.starts.length > 0) {
    // Its added lines are where its number says and nowhere else: its old lines elsewhere are a copy.
    const made = appliedAtStatedLine(base, hunk);
    if (made !== undefined && addsUniqueLine(base, hunk, added))
      return { ...search, tier: undefined, starts: none, appliedAt: [made] };
    const madeOr = yield* findMadeNearer(base, search, finder, added);
    return madeOr === undefined ? search : { ...search, tier: undefined, starts: none, madeOr };
  }
  const appliedAt = yield* findNewSide(base, hunk, finder, added);
  const matches = yield* finder.findMended(hunk);
  if (matches !== undefined) {
    const found = { ...search, tier: matches.tier, starts: matches.starts, appliedAt };
    const isMoved = matches.tier === "shift" && !isAppliedInsertion(base, found, added);
    const made = isMoved ? yield* findMadeAround(hunk, matches.starts, finder) : none;
    // Either the hunk was applied, or all of it was written at another depth. Nothing else in it shows which.
    if (made.length > 0) return { ...search, appliedAt, newSideAt: made, maybeAppliedAt: made };
    return found;
  }
  if (appliedAt.length > 0) return { ...search, appliedAt };
  // If the new lines match, the hunk may have been applied, so it is not proved to be damaged.
  const newSide = yield* finder.findVerbatim(hunk.new);
  if (newSide !== undefined) {
    const proves = mayBeApplied(base, hunk) || mustBeApplied(base, hunk, added);
    const seen = newSideIsEvidence(hunk) ? { newSideAt: newSide.starts } : {};
    return { ...search, ...seen, ...(proves ? { maybeAppliedAt: newSide.starts } : {}) };
  }
  yield;
  if (hunk.runs.length > 0 && hunk.old.some(({ kind }) => kind === "context")) yield* base.prepare("loose");
  return findDamaged(base, search, added, deadline);
}

/**
 * The last two tiers, for damaged context. Two cases are refused, since their witnesses disagree: all of the context is
 * where the header says, and only the removed lines are not; or the hunk fits as well if it was made already.
 */
function findDamaged(
  base: BaseText,
  search: HunkSearch,
  added: AddedLineCounts,
  deadline: Deadline,
): HunkSearch {
  const { explained, ...found } = findInParts(base, search, deadline);
  if (explained === undefined || isAppliedInsertion(base, found, added)) return found;
  const { hunk, starts, alignment } = found;
  const first = hunk.runs[0]?.from ?? 0;
  const start = (starts[0] ?? 0) + (alignment === undefined ? first : 0);
  const runStarts = alignment?.runStarts ?? hunk.runs.map(({ from }) => (starts[0] ?? 0) + from);
  const made = findMadeAsWell(base, hunk, { runStarts, explained }, deadline);
  if (made !== undefined) return { ...search, madeOr: { made, start } };
  const hint = hintOf(hunk);
  if (hint === undefined || !nonBlankContextMatchesAt(base, hunk, hint)) return found;
  if (Math.abs(start - hint - first) < hunk.oldCount) return found;
  return { ...search, tier: "aligned", starts: [start, hint + first].sort((a, b) => a - b) };
}

/** Whether a hunk with one place only adds lines, and they are beside that place already. Reported later. */
function isAppliedInsertion(base: BaseText, search: HunkSearch, added: AddedLineCounts): boolean {
  const [start, other] = [search.starts[0], search.starts[1]];
  if (start === undefined || other !== undefined) return false;
  return appliedInsertionAt(base, placementAt(base, search, start), added) !== undefined;
}

/** A search with the context lines that the file has at the one place of the hunk. */
type DamagedSearch = HunkSearch & { readonly explained?: ReadonlySet<string> };

/** Searches in a window of as many lines, and line by line. Both must find the same place. */
function findInParts(base: BaseText, search: HunkSearch, deadline: Deadline): DamagedSearch {
  const { hunk } = search;
  const window = findWindow(base, hunk, deadline);
  // If damaged context fits several times, the positions are those of the change, not of the hunk's first line.
  const first = hunk.runs[0]?.from ?? 0;
  if (window.kind === "several")
    return { ...search, tier: "aligned", starts: window.positions.map((start) => start + first) };
  const outcome = alignHunk(base, hunk, deadline);
  if (window.kind === "window") {
    const { start } = window;
    const other = outcome.kind === "aligned" ? outcome.alignment.runStarts : [];
    const isSame = other.every((at, n) => at === start + (hunk.runs[n]?.from ?? 0));
    const explained = explainWindow(base, hunk, start);
    if (isSame) return { ...search, tier: "window", starts: [start], explained };
    return { ...search, tier: "aligned", starts: [start + first, other[0] ?? start].sort((a, b) => a - b) };
  }
  switch (outcome.kind) {
    case "aligned": {
      const { alignment, explained } = outcome;
      return { ...search, tier: "aligned", starts: [alignment.runStarts[0] ?? 0], alignment, explained };
    }
    case "stretched":
      return { ...search, stretched: outcome.stretched };
    case "several":
      return { ...search, tier: "aligned", starts: outcome.positions };
    case "open":
      return { ...search, tier: "aligned", starts: outcome.positions, isOpen: true };
    case "none":
      return search;
    default:
      return outcome satisfies never;
  }
}

const none: readonly number[] = [];
