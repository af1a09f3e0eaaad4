import type { BaseText } from "../model/base-text.js";
import type { HunkLine, Run, ShapedHunk } from "../model/hunk.js";
import { isBlankLine } from "../model/line-key.js";
import type { Deadline } from "../model/steps.js";
import { isInside, SectionFinder } from "./anchors.js";
import {
  type Alignment,
  type Budget,
  type Embedded,
  embedContext,
  hasWords,
  isEllipsis,
  type NamedLine,
  type Segment,
} from "./embed.js";
import { addsAbove, combinationLimit, findBlocks, findPins, neighborTest, removesWords } from "./pins.js";
import { type Doubt, findOverstretch } from "./stretch.js";

/** The one alignment of a hunk; or the positions among which nothing decides; or nothing. */
type AlignOutcome =
  | { readonly kind: "aligned"; readonly alignment: Alignment; readonly explained: ReadonlySet<string> }
  /** 0-based lines at which the change, or added lines whose neighbours are apart, could go. */
  | { readonly kind: "several" | "open"; readonly positions: readonly number[] }
  /** The one position would stretch the hunk over lines that it cannot have meant. */
  | { readonly kind: "doubtful"; readonly doubt: Doubt }
  | { readonly kind: "none" };

/**
 * The last tier: the removed lines are right, the context was skipped or misremembered. A candidate gives every
 * run of changes one position and matches the context around the runs in order. It is accepted only if every run
 * is pinned by a line beside it, no unmatched context line occurs elsewhere in the file, at least half of the
 * context matches, and every other candidate, however far away, explains strictly less of the hunk. One that
 * would stretch the hunk over the end of a section is no position (`findOverstretch`), but makes another doubtful.
 *
 *     file   diff   result
 *     1 a    @@     1 a
 *     2 b     a     2 b
 *     3 c     b     3 c
 *     4 d    -d     4 D
 *     5 e    +D     5 e
 *             e
 *
 * `c` was skipped, so the old lines `a b d e` match nowhere in one piece. The run `-d` has one position, line 4,
 * pinned by `e` below it. `a b` match above it in order, one line of the file is skipped: three of three context
 * lines match.
 *
 *     file   diff   result
 *     1 a    @@     1 a
 *     2 b     a     2 b
 *     3 c     x     3 C
 *     4 d    -c     4 d
 *     5 e    +C     5 e
 *             d
 *
 * `x` is nowhere in the file, so it was invented and is dropped; `a` and `d` match, two of three.
 *
 *     file   diff   result
 *     1 a    @@     ambiguous 2, 3, 4
 *     2 b     a
 *     3 c    +X
 *     4 d     d
 *
 * An insertion is pinned by its two neighbours side by side. `a` and `d` are apart: X could go before `b`, `c` or
 * `d`.
 *
 *     file   diff   result
 *     1 a    @@     invalid_diff
 *     2 b     e
 *     3 c    -b
 *     4 d    +B
 *     5 e     c
 *
 * `e` does not match above `b`, but it occurs in the file: the hunk may be meant for other lines.
 */
export function alignHunk(base: BaseText, hunk: ShapedHunk, deadline: Deadline): AlignOutcome {
  const layouts = findLayouts(base, hunk, deadline);
  if (layouts.kind === "too_many") {
    const [most = []] = layouts.starts.toSorted((one, other) => other.length - one.length);
    return { kind: "several", positions: Array.from(most) };
  }
  if (layouts.kind !== "layouts") return layouts;
  const { possible } = layouts;
  const fitting = possible.filter(({ isProved }) => isProved);
  if (fitting.length === 0)
    return possible.length > 1 ? { kind: "several", positions: differingStarts(possible) } : { kind: "none" };
  const best =
    fitting.find((one) =>
      fitting.every((other) => other === one || explainsMore(one.explained, other.explained)),
    ) ?? findNamed(base, hunk, fitting);
  if (best === undefined) return { kind: "several", positions: differingStarts(fitting) };
  if (!best.isHeld)
    return fitting.length > 1 ? { kind: "several", positions: differingStarts(fitting) } : { kind: "none" };
  const over = findOverstretch(base, hunk, best.alignment);
  const [changeAt = 0] = best.alignment.runStarts;
  if (over !== undefined)
    return { kind: "doubtful", doubt: { kind: "stretched", positions: over, changeAt } };
  return { kind: "aligned", alignment: best.alignment, explained: best.explained };
}

/**
 * Of several layouts the one that number and section name, each of them this one alone: two witnesses that agree. A
 * number alone may be that of a copy.
 */
function findNamed(base: BaseText, { hunk, runs }: ShapedHunk, all: readonly HunkLayout[]) {
  const { anchors, numbers } = hunk.header;
  const sections = new SectionFinder(base).find(anchors);
  const named = all.filter(({ alignment }) => isInside(sections, alignment.runStarts[0] ?? 0));
  const [one, other] = named;
  const start = (numbers?.oldStart ?? Number.NaN) - 1;
  const isNumbered = one?.alignment.runStarts.every((at, n) => at === start + (runs[n]?.from ?? 0)) === true;
  return other === undefined && isNumbered ? one : undefined;
}

/**
 * All ways to lay a hunk beside the file that nothing speaks against; or why there are none.
 *
 * @param isDoubt whether they are only to make another place doubtful.
 */
export function findLayouts(
  base: BaseText,
  hunk: ShapedHunk,
  deadline: Deadline,
  isDoubt = false,
): LayoutSearch {
  if (deadline.late() || losesAddedLine(base, hunk)) return { kind: "none" };
  const starts: ArrayLike<number>[] = [];
  for (const run of hunk.runs) {
    const pin = findPins(base, hunk, run, isDoubt);
    if (pin.kind === "open") return pin;
    starts.push(pin.starts);
  }
  const combinations = combineInOrder(hunk, starts, deadline);
  if (combinations === undefined)
    return starts.some((list) => list.length === 0) ? { kind: "none" } : { kind: "too_many", starts };
  const budget: Budget = { cells: cellLimit };
  const old = nameOldLines(hunk);
  const possible = combinations.flatMap((combination) =>
    deadline.late() ? [] : (alignContext(base, hunk, old, combination, budget) ?? []),
  );
  // What could not be compared may be another place: then nothing is proved.
  if (budget.cells < 0) return { kind: "none" };
  return { kind: "layouts", possible };
}

/** The old lines of a hunk; their names are the same whichever of them are removed. */
export function nameOldLines({ hunk }: ShapedHunk): readonly NamedLine[] {
  return hunk.lines.map((line, name) => ({ line, name })).filter(({ line }) => line.kind !== "added");
}

/** What was found beside the file: ways, or where each run may begin if those are more ways than can be compared. */
type LayoutSearch =
  | { readonly kind: "layouts"; readonly possible: readonly HunkLayout[] }
  | { readonly kind: "too_many"; readonly starts: readonly ArrayLike<number>[] }
  | { readonly kind: "open"; readonly positions: readonly number[] }
  | { readonly kind: "none" };

/** The positions of the first run that has not the same one in all candidates. */
function differingStarts(layouts: readonly HunkLayout[]): readonly number[] {
  const starts = layouts.map(({ alignment }) => alignment.runStarts);
  const run = (starts[0] ?? []).findIndex((start, at) => starts.some((other) => other[at] !== start));
  return [...new Set(starts.map((layout) => layout[run] ?? 0))].sort((a, b) => a - b);
}

/** A line without prefix beside an added one, unknown to the file, may itself have been meant as added. */
function losesAddedLine(base: BaseText, hunk: ShapedHunk): boolean {
  const { lines } = hunk.hunk;
  const index = base.index("trailing");
  return lines.some((line, at) => {
    if (!line.bare || isEllipsis(line.text)) return false;
    if (isBlankLine(line.text)) return lines[at - 1]?.kind === "added" && lines[at + 1]?.kind === "added";
    return index.idOf(line.text) < 0;
  });
}

/** All combinations of starts that keep the order of the runs; undefined where there are too many. */
function combineInOrder(
  hunk: ShapedHunk,
  pins: readonly ArrayLike<number>[],
  deadline: Deadline,
): readonly (readonly number[])[] | undefined {
  let combinations: readonly (readonly number[])[] = [[]];
  for (const [at, starts] of pins.entries()) {
    if (starts.length > combinationLimit || deadline.late()) return undefined;
    const { from = 0, to = 0 } = hunk.runs[at - 1] ?? {};
    const length = Math.max(1, to - from);
    combinations = combinations.flatMap((combination) =>
      Array.from(starts)
        .filter((start) => start >= (combination.at(-1) ?? -1) + length)
        .map((start) => [...combination, start]),
    );
    if (combinations.length > combinationLimit) return undefined;
  }
  return combinations;
}

/** One way to lay a hunk beside the file. */
export interface HunkLayout {
  readonly alignment: Alignment;
  /** Whether enough of the context is here for sure; else only nothing of it is against this position. */
  readonly isProved: boolean;
  /** Whether each run stands beside context of the hunk. */
  readonly isHeld: boolean;
  /** What it explains of the hunk: its old lines that match here, and its pairs of them that match side by side. */
  readonly explained: ReadonlySet<string>;
}

/** Matches the context around the pinned runs; undefined if it does not belong there, or the budget is spent. */
function alignContext(
  base: BaseText,
  hunk: ShapedHunk,
  old: readonly NamedLine[],
  starts: readonly number[],
  budget: Budget,
): HunkLayout | undefined {
  const parts: Embedded[] = [];
  for (let at = 0; at <= hunk.runs.length; at++) {
    const embedded = embedContext(base, segmentOf(base, hunk, old, starts, at), budget);
    if (embedded === undefined) return undefined;
    parts.push(embedded);
  }
  const explained = new Set(parts.flatMap((part) => part.explained));
  const dropped = parts.flatMap((part) => part.dropped);
  const stretches = parts.flatMap((part) => part.stretches);
  const quoted = parts.flatMap((part) => part.ranks);
  const present = parts.reduce((sum, part) => sum + part.present, 0);
  const skipped = parts.reduce((sum, part) => sum + part.skipped, 0);
  // One bracket or quote that was made up stands elsewhere in most files; any other such line is meant for there.
  const missing = dropped.filter((line) => !isEllipsis(line.text));
  const elsewhere = missing.filter((line) => occursInFile(base, line));
  const saysMore = hunk.old.some((line) => line.kind === "context" && hasWords(line));
  if (elsewhere.length > (saysMore ? 1 : 0) || elsewhere.some(hasWords)) return undefined;
  // Brackets alone prove nothing where one of them is not the file's, and nothing of an insertion between blank lines.
  const inserts = hunk.runs.every(({ from, to }) => from === to);
  if ((inserts || missing.length > 0) && !hunk.old.some(hasWords)) return undefined;
  if (quoted.length < missing.length) return undefined;
  // Where no word is removed, a line that the file has once says that the place is right.
  const index = base.index("trailing");
  const isUnique = ({ line: { text }, name }: NamedLine) =>
    explained.has(`${name}`) && index.positionsOf(index.idOf(text)).length === 1;
  const isCertain = hunk.runs.some((run) => removesWords(hunk, run)) || old.some(isUnique);
  const isProved = present >= missing.length && present > 0 && isCertain;
  const isHeld = hunk.runs.every((run, at) => isRunHeld(base, hunk, run, starts[at] ?? 0));
  const alignment = { runStarts: starts, dropped, skipped, stretches, quoted };
  return { isProved, isHeld, alignment, explained };
}

/** Whether a run that removes words stands beside context of the hunk, or nowhere else; of others that is what pins them. */
function isRunHeld(base: BaseText, hunk: ShapedHunk, run: Run, start: number): boolean {
  if (!removesWords(hunk, run)) return true;
  const isOnly = () => !addsAbove(hunk) && findBlocks(base, hunk, run).length === 1;
  return neighborTest(base, hunk, run)(start) || isOnly();
}

/** The context before run `at` (after the last one, if that is no run), and the lines where it may match. */
function segmentOf(
  base: BaseText,
  hunk: ShapedHunk,
  old: readonly NamedLine[],
  starts: readonly number[],
  at: number,
): Segment {
  const before = hunk.runs[at - 1];
  const after = hunk.runs[at];
  const { rank, positions } = base.nonBlankLines;
  const top = before === undefined ? undefined : (starts[at - 1] ?? 0) + before.to - before.from;
  const bottom = after === undefined ? undefined : (starts[at] ?? 0);
  return {
    lines: old.slice(before?.to ?? 0, after?.from ?? old.length),
    top: top === undefined ? undefined : (rank[top] ?? positions.length),
    bottom: bottom === undefined ? undefined : (rank[bottom] ?? positions.length),
  };
}

/** Whether an unmatched line occurs in the file, at this depth or another: it was not invented. */
function occursInFile(base: BaseText, line: HunkLine): boolean {
  const index = base.index(/\w/.test(line.text) ? "trimmed" : "trailing");
  return index.idOf(line.text) >= 0;
}

/** Whether one layout explains all that the other does, and more. */
export function explainsMore(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size > other.size && [...other].every((feature) => one.has(feature));
}

/** So many pairs of a context line and a line of the file are compared for one hunk. */
const cellLimit = 16_000_000;
