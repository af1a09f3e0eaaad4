import type { BaseText } from "../model/base-text.js";
import { growth, type HunkLine, type ShapedHunk } from "../model/hunk.js";
import { hasTypography, indentOf, isBlankLine, normalize } from "../model/line-key.js";
import { type Deadline, mapSteps, type Steps } from "../model/steps.js";
import { alignHunk } from "./align.js";
import {
  type AddedLineCounts,
  addsUniqueLine,
  appliedAtStatedLine,
  appliedInsertionAt,
  keepsDeleted,
  keepsRemoved,
  mayBeApplied,
  newSideProvesApplied,
} from "./already-applied.js";
import { findAnchorLines } from "./anchors.js";
import { assignInOrder, type Candidate, includesSorted } from "./assign.js";
import { hasWords, isEllipsis } from "./embed.js";
import { explainWindow, weighMade } from "./made.js";
import {
  type AlreadyApplied,
  type HunkSearch,
  hintOf,
  type MatchFinder,
  placementAt,
  type Tier,
} from "./matches.js";
import { findContradiction } from "./stretch.js";

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

/** The windows of the file that have all old lines of a hunk, some of them written otherwise. */
interface Windows {
  /** `punctuation` if nothing but typographic punctuation differs; then a hunk may have several windows. */
  readonly tier: "punctuation" | "window";
  /** 0-based first lines, ascending. */
  readonly starts: readonly number[];
}

/**
 * Context that was quoted carelessly: as many lines as in the file, in its order, but some of them with another
 * indentation, letter case, quotes or punctuation, or cut short. What is removed stands there as written, except for
 * typographic punctuation of which neither the file nor an added line has any. It is accepted if the file has one such
 * window only, and each change removes words, or at least half of the context lines are its own to the letter. Where the depth of one differs, lines
 * are added only beside such that are not different, since nothing else says how deep they go; and beside one without
 * indentation only others without.
 *
 *     file             diff              result
 *     1 def f(a):      @@                1 def f(a):
 *     2   B = a         def f(a):        2   B = a
 *     3   go(B)           b = a          3   stop(B)
 *     4   return B     -  go(B)          4   return B
 *                      +  stop(B)
 *                         return B
 *
 * `b = a` is line 2 but for the case of a letter; the other two lines of context are exact.
 */
function findWindow(base: BaseText, hunk: ShapedHunk, deadline: Deadline): Windows | undefined {
  if (deadline.late()) return undefined;
  const { old } = hunk;
  const starts = findWindows(base, hunk, deadline);
  const isExact = (line: HunkLine, at: number) =>
    normalize(base.line(at), "punctuation") === normalize(line.text, "punctuation");
  const punctuated = starts.filter((start) => old.every((line, at) => isExact(line, start + at)));
  if (punctuated.length > 0) return { tier: "punctuation", starts: punctuated };
  const context = [...old.entries()].filter(([, { kind, text }]) => kind === "context" && !isBlankLine(text));
  // What is removed says where the change is, whatever the context: it stands there to the letter.
  const isStrong = hunk.runs.every(({ from, to }) => old.slice(from, to).some(hasWords));
  const isHalfExact = (start: number) =>
    context.filter(([at, line]) => isExact(line, start + at)).length * 2 >= context.length;
  // A line at the edge that stands to the letter just outside: a line of the file was left out, and this one is only like it.
  const losesEdge = (start: number) =>
    old.some((line, at) => {
      const outside = [...(at === 0 ? [start - 1] : []), ...(at === old.length - 1 ? [start + at + 1] : [])];
      return !isExact(line, start + at) && outside.some((beside) => isExact(line, beside));
    });
  // A line that the file has to the letter elsewhere is only like the one in the window.
  const index = base.index("trimmed");
  const isElsewhere = (start: number) =>
    old.some((line, at) => {
      const id = index.idOf(line.text);
      return id >= 0 && id !== index.ids[start + at];
    });
  const isGood =
    starts.some((start) => isStrong || (isHalfExact(start) && !losesEdge(start) && !isElsewhere(start))) &&
    (starts.length > 1 || knowsDepths(base, hunk, starts[0] ?? 0, isExact));
  return isGood ? { tier: "window", starts } : undefined;
}

/** All windows, whether or not enough of their lines are exact: another one makes each of them doubtful. */
function findWindows(base: BaseText, hunk: ShapedHunk, deadline: Deadline): readonly number[] {
  const isStrict =
    base.hasTypography || hunk.runs.some(({ added }) => added.some(({ text }) => hasTypography(text)));
  const readings = hunk.old.map((line) => readingOf(base, line, isStrict ? "trailing" : "punctuation"));
  const [pivot] = [...readings.entries()]
    .flatMap(([at, { positions }]) => (positions === undefined ? [] : [{ at, positions }]))
    .sort((one, other) => one.positions.length - other.positions.length);
  const starts: number[] = [];
  for (const position of pivot?.positions ?? []) {
    if (deadline.passes() || starts.length > windowLimit) break;
    const start = position - (pivot?.at ?? 0);
    if (start < 0 || start + readings.length > base.count) continue;
    if (readings.every(({ fits }, at) => fits(start + at))) starts.push(start);
  }
  return starts;
}

/** Which lines of the file one old line may be. */
interface OldLineReading {
  readonly fits: (position: number) => boolean;
  /** All of them, if they are known beforehand. */
  readonly positions?: Int32Array;
}

function readingOf(
  base: BaseText,
  { kind, text }: HunkLine,
  removed: "trailing" | "punctuation",
): OldLineReading {
  const index = base.index(kind === "context" ? "loose" : removed);
  const id = index.idOf(text);
  const begun = normalize(text, "loose");
  // A line is read as cut short only where the file has none like it.
  if (kind === "context" && id < 0 && begun.length >= cutLength)
    return { fits: (position) => normalize(base.line(position), "loose").startsWith(begun) };
  return { fits: (position) => index.ids[position] === id, positions: index.positionsOf(id) };
}

/** Whether all added lines stand beside a line of the file's depth, if one of the context has another. */
function knowsDepths(
  base: BaseText,
  { old, runs }: ShapedHunk,
  start: number,
  isExact: (line: HunkLine, at: number) => boolean,
): boolean {
  const isMoved = (line: HunkLine | undefined, at: number) =>
    line !== undefined && !isBlankLine(line.text) && indentOf(line.text) !== indentOf(base.line(start + at));
  if (!old.some(isMoved)) return true;
  // Where no line to the letter is indented, the whole hunk may have been moved to the left.
  const isClipped = old.every(
    ({ text }, at) =>
      isBlankLine(text) || indentOf(text).length < Math.max(1, indentOf(base.line(start + at)).length),
  );
  return runs.every(({ from, to, added }) => {
    const words = added.filter(({ text }) => !isBlankLine(text));
    // A line without indentation says nothing of the depth of others.
    const isFlat = words.every(({ text }) => indentOf(text) === "");
    const isSure = (at: number) => {
      const line = old[at];
      if (line === undefined || isBlankLine(line.text) || !isExact(line, start + at)) return false;
      return isFlat || indentOf(line.text) !== "";
    };
    if (isClipped && (isMoved(old[from - 1], from - 1) || isMoved(old[to], to)))
      return words.length <= to - from;
    return words.length === 0 || from < to || isSure(from - 1) || isSure(to);
  });
}

/** Fewer letters than these of the beginning of a line could be that of any. */
const cutLength = 5;
/** More windows than this need not be listed. */
const windowLimit = 1_000;
