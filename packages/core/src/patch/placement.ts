import type { Alignment } from "./align.js";
import type { Candidate } from "./assign.js";
import type { BaseText } from "./base-text.js";
import type { ShapedHunk } from "./hunk.js";
import { findShift, type Shift } from "./indent.js";
import type { Tier } from "./places.js";

/** A hunk at its one place. */
export interface Placement {
  readonly hunk: ShapedHunk;
  readonly tier: Tier;
  /** 0-based first line of the old side, and the line after its last. */
  readonly start: number;
  readonly end: number;
  readonly shift: Shift | undefined;
  readonly alignment: Alignment | undefined;
}

/** What was found out about one hunk; the material of a refusal. */
export interface Finding {
  readonly hunk: ShapedHunk;
  readonly tier: Tier | undefined;
  /** 0-based first lines of the old side. */
  readonly starts: ArrayLike<number>;
  readonly alignment: Alignment | undefined;
  /** 0-based first lines of the new side, where the old side stands nowhere. */
  readonly applied: ArrayLike<number>;
  /** The same where it proves nothing by itself. */
  readonly possible?: ArrayLike<number>;
  /** The same whatever it proves: for the words of a refusal only. */
  readonly fresh?: ArrayLike<number>;
  /** Whether `starts` are those of added lines whose neighbours stand apart. */
  readonly isOpen?: boolean;
}

export interface Located {
  readonly kind: "located";
  /** In the order of the diff. */
  readonly placements: readonly Placement[];
  readonly outOfOrder: boolean;
  /** Numbers of hunks that repeat another one and were counted once. */
  readonly repeated: readonly number[];
  /** Hunks that were applied before, and the 0-based lines at which their new lines stand. */
  readonly standing: readonly StandingHunk[];
}

export interface StandingHunk {
  readonly hunk: number;
  readonly start: number;
}

export interface AlreadyThere {
  readonly kind: "already";
  /** 0-based first lines of the new side of each hunk, in the order of the diff. */
  readonly starts: readonly number[];
}

export interface Misfit {
  readonly kind: "misfit";
  readonly problem: Problem;
  /** The hunk in question. */
  readonly finding: Finding;
  /** 0-based lines, for the ambiguous ones. */
  readonly places: ArrayLike<number>;
  readonly findings: readonly Finding[];
}

export type Problem =
  | "not_found"
  | "ambiguous"
  | "insertion_open"
  | "mended_ambiguous"
  | "no_anchor"
  | "overlap"
  | "disorder"
  | "already"
  | "numbers_contradict"
  | "indent_unknown"
  | "context_lost";

/** The 0-based line that the header names, if it names one. */
export function hintOf(hunk: ShapedHunk): number | undefined {
  const { numbers } = hunk.hunk.header;
  if (numbers === undefined) return undefined;
  return hunk.oldCount === 0 ? numbers.oldStart : numbers.oldStart - 1;
}

/** A hunk's places with what it changes there. */
export function candidateOf(hunk: ShapedHunk, starts: ArrayLike<number>, alignment?: Alignment): Candidate {
  if (alignment === undefined) return { starts, coreFrom: hunk.coreFrom, coreTo: hunk.coreTo };
  const last = hunk.runs.at(-1);
  const end = (alignment.runStarts.at(-1) ?? 0) + (last === undefined ? 0 : last.to - last.from);
  return { starts, coreFrom: 0, coreTo: end - (alignment.runStarts[0] ?? 0) };
}

/** A hunk at one of its places. */
export function placeAt(base: BaseText, finding: Finding, start: number): Placement {
  const { hunk, tier = "exact", alignment } = finding;
  if (alignment !== undefined) {
    const last = hunk.runs.at(-1);
    const end = (alignment.runStarts.at(-1) ?? 0) + (last === undefined ? 0 : last.to - last.from);
    return { hunk, tier, start, end, shift: undefined, alignment };
  }
  return placeVerbatim(base, hunk, tier, start);
}

/** A hunk whose old lines stand in one piece. */
export function placeVerbatim(base: BaseText, hunk: ShapedHunk, tier: Tier, start: number): Placement {
  const shift = tier === "shift" ? findShift(base, hunk.old, start) : undefined;
  return { hunk, tier, start, end: start + hunk.oldCount, shift, alignment: undefined };
}

/** The 0-based line at which a run of changes begins, the `at`-th of a placed hunk. */
export function runStartOf(
  { start, alignment }: Placement,
  run: { readonly from: number },
  at: number,
): number {
  return alignment === undefined ? start + run.from : (alignment.runStarts[at] ?? 0);
}

/** @param places 0-based lines. */
export function misfit(
  problem: Problem,
  finding: Finding,
  findings: readonly Finding[],
  places: ArrayLike<number>,
): Misfit {
  return { kind: "misfit", problem, finding, places, findings };
}
