import type { BaseText } from "../model/base-text.js";
import { growth, type HunkLine, type ShapedHunk } from "../model/hunk.js";
import { indentOf, normalize } from "../model/line-key.js";
import { type Deadline, mapSteps, type Steps } from "../model/steps.js";
import { alignHunk } from "./align.js";
import {
  type AddedLineCounts,
  addsUniqueLine,
  appliedAtStatedLine,
  keepsDeleted,
  keepsRemoved,
  mayBeApplied,
  newSideProvesApplied,
} from "./already-applied.js";
import { findAnchorLines } from "./anchors.js";
import { appliedInsertionAt } from "./applied-insertion.js";
import { assignInOrder, type Candidate, includesSorted } from "./assign.js";
import { hasWords, isEllipsis } from "./embed.js";
import { explainWindow, weighMade } from "./made.js";
import type { MatchFinder, Tier } from "./matches.js";
import { type AlreadyApplied, type HunkSearch, hintOf, placementAt } from "./placement.js";
import { findContradiction } from "./stretch.js";
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
  const matches = yield* finder.findVerbatim(hunk, "old");
  if (matches === undefined) return found(undefined, none);
  const hint = hintOf(hunk) ?? -1;
  // The number may name another copy that differs in trailing blanks only: two witnesses that disagree.
  if (!includesSorted(matches.starts, hint) && oldSideMatchesLooselyAt(base, hunk, hint))
    return found(
      "trailing",
      [...Array.from(matches.starts), hint].sort((a, b) => a - b),
    );
  return found(matches.tier, matches.starts);
}

function oldSideMatchesLooselyAt(base: BaseText, { old }: ShapedHunk, start: number): boolean {
  const isSame = ({ text }: HunkLine, at: number) =>
    normalize(text, "trailing") === normalize(base.line(start + at), "trailing");
  return start >= 0 && start + old.length <= base.count && old.every(isSame);
}

/** Insertion points for added lines without any context: an empty file, an exact number, or below an anchor. */
function findInsertionPoints(base: BaseText, hunk: ShapedHunk): readonly number[] {
  if (base.count === 0) return [0];
  const { numbers, anchors } = hunk.hunk.header;
  if (hunk.hunk.atEnd) return [base.count];
  if (numbers === undefined) return findAnchorLines(base, anchors).map((line) => line + 1);
  return numbers.oldCount === 0 && numbers.oldStart <= base.count ? [numbers.oldStart] : [];
}

/** Whether the new text matches where the old text should. Checked before locating. */
export function* findApplied(
  base: BaseText,
  searches: readonly HunkSearch[],
  finder: MatchFinder,
  added: AddedLineCounts,
): Steps<AlreadyApplied | undefined> {
  const byNumbers = yield* mapSteps(searches, ({ hunk }) => appliedAtStatedLine(base, hunk));
  // If one hunk proves that it was applied, the numbers of the other hunks are believed.
  if (byNumbers.every((start) => start !== undefined)) {
    for (const { hunk } of searches) {
      yield* base.prepare("trimmed");
      if (addsUniqueLine(base, hunk, added) || (yield* findNewSide(base, hunk, finder, added)).length > 0)
        return { kind: "already_applied" };
    }
  }
  if (searches.every((search) => search.starts.length > 0)) return undefined;
  const candidates: Candidate[] = [];
  for (const { hunk, starts } of searches) {
    if (starts.length > 0 && hunk.runs.some((run) => run.from !== run.to)) return undefined;
    yield;
    const { coreFrom, coreTo } = hunk;
    const newStarts = yield* findNewSide(base, hunk, finder, added);
    candidates.push({ coreFrom, coreTo: coreTo + growth(hunk), starts: newStarts });
  }
  const assigned = assignInOrder(candidates);
  if (assigned === undefined || assigned.earliest.some((start, at) => start !== assigned.latest[at]))
    return undefined;
  return { kind: "already_applied" };
}

/** Matches of the new side that prove that the hunk was applied. */
function* findNewSide(
  base: BaseText,
  hunk: ShapedHunk,
  finder: MatchFinder,
  added: AddedLineCounts,
): Steps<ArrayLike<number>> {
  yield* base.prepare("trimmed");
  if (!newSideProvesApplied(base, hunk, added)) return [];
  const starts = (yield* finder.findVerbatim(hunk, "new"))?.starts ?? [];
  if (isToBeMade(base, hunk, starts) || keepsRemoved(base, hunk, starts)) return [];
  // Lines that are gone leave nothing behind that says from which of several places.
  if (starts.length > 1 && hunk.runs.every((run) => run.added.length === 0)) return [];
  if (hunk.new.some((line) => line.kind === "context")) return starts;
  // The place of a bare new line does not show the place of the line that it replaces.
  const { newStart = 0, oldStart = 0 } = hunk.hunk.header.numbers ?? {};
  return [...new Set([newStart - 1, oldStart - 1])].filter((at) => includesSorted(starts, at));
}

/** Whether all context stands at the number of the header, beside other lines than the new ones: these are a twin's. */
function isToBeMade(base: BaseText, { hunk, old }: ShapedHunk, starts: ArrayLike<number>): boolean {
  const { oldStart = 0, newStart = 0 } = hunk.header.numbers ?? {};
  const isThere = ({ kind, text }: HunkLine, n: number) =>
    kind === "removed" || base.isLine(oldStart - 1 + n, text);
  if (includesSorted(starts, oldStart - 1) || includesSorted(starts, newStart - 1)) return false;
  return oldStart > 0 && old.every(isThere) && old.some((line) => line.kind === "context" && hasWords(line));
}

/** Looks further for a hunk that matches nowhere as it is, and whether one that matches is made already. */
export function* findMended(
  base: BaseText,
  search: HunkSearch,
  finder: MatchFinder,
  added: AddedLineCounts,
  deadline: Deadline,
): Steps<HunkSearch> {
  const { hunk } = search;
  if (deadline.late()) return search;
  if (search.starts.length > 0) {
    // Its added lines are where its number says and nowhere else: its old lines elsewhere are a copy.
    const made = appliedAtStatedLine(base, hunk);
    if (made !== undefined && addsUniqueLine(base, hunk, added))
      return { ...search, tier: undefined, starts: none, appliedAt: [made] };
    return search;
  }
  const appliedAt = yield* findNewSide(base, hunk, finder, added);
  const matches = yield* finder.findMended(hunk);
  if (matches !== undefined) return { ...search, ...matches, appliedAt };
  if (appliedAt.length > 0) return { ...search, appliedAt };
  const numbered = findButForBlanks(base, hunk);
  if (numbered !== undefined) return { ...search, tier: "window", starts: [numbered] };
  // If the new lines match, the hunk may have been applied, so it is not proved to be damaged.
  const newSide = yield* finder.findVerbatim(hunk, "new");
  if (newSide !== undefined && !isToBeMade(base, hunk, newSide.starts)) {
    const proves = mayBeApplied(hunk) || addsUniqueLine(base, hunk, added);
    const isLeft = keepsRemoved(base, hunk, newSide.starts) || keepsDeleted(base, hunk, added);
    return proves ? { ...search, maybeAppliedAt: newSide.starts, isLeft } : search;
  }
  yield;
  yield* base.prepare("loose");
  return findDamaged(base, search, added, deadline);
}

/**
 * The last two tiers, for damaged context. Two cases are refused, since their witnesses disagree: the header names
 * another part of the file; or the hunk fits as well if it was made already.
 */
function findDamaged(
  base: BaseText,
  search: HunkSearch,
  added: AddedLineCounts,
  deadline: Deadline,
): HunkSearch {
  const { explained, ...found } = findInParts(base, search, deadline);
  const { hunk, starts, alignment } = found;
  const start = starts[0] ?? 0;
  // An insertion that was made is reported later.
  if (
    explained === undefined ||
    appliedInsertionAt(base, placementAt(base, found, start), added) !== undefined
  )
    return found;
  const runStarts = alignment?.runStarts ?? hunk.runs.map(({ from }) => start + from);
  const made = weighMade(base, hunk, { runStarts, explained }, deadline);
  if (made !== undefined) return { ...search, doubt: made };
  const { positions } = base.nonBlankLines;
  const top = alignment === undefined ? start : (positions[alignment.quoted[0] ?? -1] ?? start);
  const dropped = alignment?.dropped.filter(({ text }) => !isEllipsis(text)).length ?? 0;
  const faults =
    alignment === undefined
      ? hunk.old.filter(({ text }, n) => !base.isLine(start + n, text)).length
      : alignment.stretches.length + alignment.dropped.length;
  const [changeAt = 0] = runStarts;
  const numbered = findAtNumber(base, hunk, { top, changeAt, faults });
  if (numbered !== undefined) {
    const both = [numbered, changeAt].sort((one, other) => one - other);
    return { ...search, tier: "aligned", starts: both };
  }
  const doubt = findContradiction(base, hunk, [...runStarts, top], dropped);
  return doubt === undefined ? found : { ...search, doubt };
}

/**
 * The place of the number, if all context is there to the letter and removed lines differ only in the blanks within them
 * or at their ends: there, and nowhere else, such a line is believed.
 */
function findButForBlanks(base: BaseText, { hunk, old }: ShapedHunk): number | undefined {
  const start = (hunk.header.numbers?.oldStart ?? 0) - 1;
  if (start < 0 || start + old.length > base.count) return undefined;
  const index = base.index("trailing");
  const isSame = ({ kind, text }: HunkLine, at: number) => {
    const real = base.line(start + at);
    if (normalize(text, "trailing") === normalize(real, "trailing")) return true;
    const [one, other] = [text, real].map((line) => line.replace(/[ \t]+/g, ""));
    return kind === "removed" && indentOf(text) === indentOf(real) && one === other && index.idOf(text) < 0;
  };
  const isTold = old.some((line) => line.kind === "context" && hasWords(line));
  return isTold && old.every(isSame) ? start : undefined;
}

/** A search with the context lines that the file has at the one place of the hunk. */
type DamagedSearch = HunkSearch & { readonly explained?: ReadonlySet<string> };

/** Searches in a window of as many lines, and line by line. Both must find the same place. */
function findInParts(base: BaseText, search: HunkSearch, deadline: Deadline): DamagedSearch {
  const { hunk } = search;
  const window = findWindow(base, hunk, deadline);
  // If damaged context fits several times, the positions are those of the change, not of the hunk's first line.
  const first = hunk.runs[0]?.from ?? 0;
  if (window?.tier === "punctuation") return { ...search, ...window };
  if (window !== undefined && window.starts.length > 1)
    return { ...search, tier: "aligned", starts: window.starts.map((start) => start + first) };
  const outcome = alignHunk(base, hunk, deadline);
  if (window !== undefined) {
    const [start = 0] = window.starts;
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
    case "doubtful":
      return { ...search, doubt: outcome.doubt };
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

/**
 * Where the first change would be by the number, if a hunk that was laid elsewhere may be meant for that: its lines stand
 * there one by one, those to be removed all, with no more faults than at the other place; or it only adds lines at the
 * edge of its context, where one line alone says where.
 */
function findAtNumber(
  base: BaseText,
  hunk: ShapedHunk,
  { top, changeAt, faults }: { readonly top: number; readonly changeAt: number; readonly faults: number },
): number | undefined {
  const { coreFrom, coreTo, old } = hunk;
  const stated = hintOf(hunk) ?? Number.NaN;
  if (stated === top || stated + coreFrom === changeAt) return undefined;
  const lost = old.filter(({ text }, n) => !base.isLine(stated + n, text));
  const isLike = lost.length <= faults && lost.every(({ kind }) => kind === "context");
  const isAtEdge = coreFrom === coreTo && (coreFrom === 0 || coreFrom === old.length);
  const isNear = stated < base.count && Math.abs(stated - top) <= old.length;
  return isLike || (isAtEdge && isNear) ? stated + coreFrom : undefined;
}

const none: readonly number[] = [];
