import type { BaseText } from "../model/base-text.js";
import type { ShapedHunk } from "../model/hunk.js";
import type { Candidate } from "./assign.js";
import { type DepthChange, findMoves } from "./depth.js";
import type { Alignment } from "./embed.js";
import { findShift, type Shift } from "./indent.js";
import type { Tier } from "./matches.js";
import type { Doubt } from "./stretch.js";

/** A hunk with its one position in the file. */
export interface Placement {
  readonly hunk: ShapedHunk;
  readonly tier: Tier;
  /** 0-based first line of the old side, and the line after its last. */
  readonly start: number;
  readonly end: number;
  readonly shift: Shift | undefined;
  /** For each run of changes, whether its added lines move by the shift, if there is one. */
  readonly moves: readonly DepthChange[];
  readonly alignment: Alignment | undefined;
}

/** The result of the search for one hunk. Refusals use it, too. */
export interface HunkSearch {
  readonly hunk: ShapedHunk;
  readonly tier: Tier | undefined;
  /** 0-based first lines of the old side. */
  readonly starts: ArrayLike<number>;
  readonly alignment: Alignment | undefined;
  /** 0-based first lines of the new side, if the old side matches nowhere. They prove that the hunk was applied. */
  readonly appliedAt: ArrayLike<number>;
  /** The same, if they prove nothing by themselves. */
  readonly maybeAppliedAt?: ArrayLike<number>;
  /** Whether a line that it removes stands in the file all the same, so that it is not left out as made. */
  readonly isLeft?: boolean;
  /** Whether `starts` are positions of added lines whose neighbours are not next to each other. */
  readonly isOpen?: boolean;
  /** Why its one place is not accepted. */
  readonly doubt?: Doubt;
}

/** Every hunk has its one position. */
export interface Located {
  readonly kind: "located";
  /** In the order of the diff. */
  readonly placements: readonly Placement[];
  readonly outOfOrder: boolean;
  /** Numbers of hunks that repeat another one and were counted once. */
  readonly repeated: readonly number[];
  /** Hunks that were applied before, and the 0-based positions of their new lines. */
  readonly appliedBefore: readonly AppliedHunk[];
}

/** A hunk that was applied before, by its number, and the 0-based position of its new lines. */
export interface AppliedHunk {
  readonly hunk: number;
  readonly start: number;
}

/** Every hunk was applied before. */
export type AlreadyApplied = { readonly kind: "already_applied" };

/** A hunk has no position, or more than one. With the search results of all hunks. */
export interface Unlocated {
  readonly kind: "unlocated";
  readonly problem: Problem;
  /** The hunk in question. */
  readonly search: HunkSearch;
  /** 0-based lines, for the ambiguous ones. */
  readonly positions: ArrayLike<number>;
  readonly searches: readonly HunkSearch[];
}

/** Why a hunk does not have exactly one position. */
export type Problem =
  | "not_found"
  | "ambiguous"
  | "insertion_open"
  | "mended_ambiguous"
  | "no_anchor"
  | "overlap"
  | "disorder"
  | "already_applied"
  | "numbers_contradict"
  | "indent_unknown"
  /** It changes nothing, and the lines that it quotes are not in the file. */
  | "idle_missing";

/** The 0-based line that the header names, if it names one. */
export function hintOf(hunk: ShapedHunk): number | undefined {
  const { numbers } = hunk.hunk.header;
  if (numbers === undefined) return undefined;
  return hunk.oldCount === 0 ? numbers.oldStart : numbers.oldStart - 1;
}

/** A hunk's candidate positions with what it changes there. */
export function candidateOf(hunk: ShapedHunk, starts: ArrayLike<number>, alignment?: Alignment): Candidate {
  if (alignment === undefined) return { starts, coreFrom: hunk.coreFrom, coreTo: hunk.coreTo };
  return { starts, coreFrom: 0, coreTo: endOf(hunk, alignment) - (alignment.runStarts[0] ?? 0) };
}

/** The 0-based line after the last change of an aligned hunk. */
function endOf({ runs }: ShapedHunk, { runStarts }: Alignment): number {
  const { from = 0, to = 0 } = runs.at(-1) ?? {};
  return (runStarts.at(-1) ?? 0) + to - from;
}

/** The placement of a hunk at one of its candidate positions. */
export function placementAt(base: BaseText, search: HunkSearch, start: number): Placement {
  const { hunk, tier = "exact", alignment } = search;
  if (alignment !== undefined)
    return { hunk, tier, start, end: endOf(hunk, alignment), shift: undefined, moves: [], alignment };
  return verbatimPlacement(base, hunk, tier, start);
}

/** The placement of a hunk whose old lines match in one piece. */
export function verbatimPlacement(base: BaseText, hunk: ShapedHunk, tier: Tier, start: number): Placement {
  const shift = tier === "shift" ? findShift(base, hunk.old, start) : undefined;
  const moves = shift === undefined ? [] : findMoves(base, hunk, start, shift);
  return { hunk, tier, start, end: start + hunk.oldCount, shift, moves, alignment: undefined };
}

/** The 0-based line at which a run of changes begins, the `at`-th of a hunk. */
export function runStartOf(
  { start, alignment }: Placement,
  run: { readonly from: number },
  at: number,
): number {
  return alignment === undefined ? start + run.from : (alignment.runStarts[at] ?? 0);
}

/** @param positions 0-based lines. */
export function unlocated(
  problem: Problem,
  search: HunkSearch,
  searches: readonly HunkSearch[],
  positions: ArrayLike<number>,
): Unlocated {
  return { kind: "unlocated", problem, search, positions, searches };
}
