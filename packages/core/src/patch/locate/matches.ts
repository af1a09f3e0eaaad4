import type { LineEnding } from "../../text/index.js";
import type { BaseText, LineIndex } from "../model/base-text.js";
import type { HunkLine, ShapedHunk } from "../model/hunk.js";
import { isBlankLine, type LineKey } from "../model/line-key.js";
import type { Deadline, Steps } from "../model/steps.js";
import type { Candidate } from "./assign.js";
import { type DepthChange, findMoves } from "./depth.js";
import type { Alignment } from "./embed.js";
import { findShift, type Shift } from "./indent.js";
import type { Doubt } from "./stretch.js";

/** How far from the file's bytes the old lines of a hunk were when they were found. */
export type Tier = "exact" | "trailing" | "prefix" | "shift" | "punctuation" | "window" | "aligned";

/** Where the old lines of a hunk match in one piece: 0-based first lines, ascending. */
interface Matches {
  readonly tier: Tier;
  readonly starts: ArrayLike<number>;
}

/** Finds all matches of a hunk's old lines, tier by tier, within a memory and a time limit. */
export class MatchFinder {
  private readonly cache = new Map<string, Int32Array>();
  private spare = 4_000_000;
  private habit: boolean | undefined;

  /** @param hunks all of the diff: what one of them shows of its writer's habits holds for the others. */
  constructor(
    private readonly base: BaseText,
    private readonly deadline: Deadline,
    private readonly hunks: readonly ShapedHunk[],
  ) {}

  /** Whether more matches were found than can be kept; what was returned since is incomplete. */
  get overflowed(): boolean {
    return this.spare <= 0;
  }

  /** Matches of one side of a hunk in the tiers that read nothing into it: as it is, or without trailing blanks. */
  *findVerbatim(hunk: ShapedHunk, side: Side): Steps<Matches | undefined> {
    for (const tier of ["exact", "trailing"] as const) {
      yield* this.base.prepare(tier);
      const starts = this.findEqual(idsOf(hunk, side, this.base.index(tier)), tier);
      if (starts.length > 0) return { tier, starts };
    }
    return undefined;
  }

  /** The looser tiers, for a hunk without a verbatim match. */
  *findMended(hunk: ShapedHunk): Steps<Matches | undefined> {
    yield* this.base.prepare("trailing");
    yield;
    if (this.deadline.late()) return undefined;
    const unprefixed = this.findWithoutPrefix(hunk.old);
    if (unprefixed.length > 0) {
      const isMoved = unprefixed.some((start) => this.movesAddedLines(hunk, start));
      return { tier: isMoved ? "shift" : "prefix", starts: unprefixed };
    }
    yield* this.base.prepare("trimmed");
    yield;
    const starts = this.deadline.late() ? noMatch : this.findAtAnyDepth(hunk, "old");
    return starts.length > 0 ? { tier: "shift", starts } : undefined;
  }

  /** Whether one blank before every line explains as much as lost prefixes, and the added lines need it, too. */
  private movesAddedLines(hunk: ShapedHunk, start: number): boolean {
    const shift = findShift(this.base, hunk.old, start);
    if (shift === undefined || findMoves(this.base, hunk, start, shift).every((move) => move === "stays"))
      return false;
    this.habit ??= this.hunks.slice(0, habitLimit).some((other) => this.losesPrefix(other));
    return !this.habit;
  }

  /** Whether a hunk shows that its writer loses the space before context: no shift explains such a line. */
  private losesPrefix({ old }: ShapedHunk): boolean {
    if (old.some(({ bare, text }) => bare && !isBlankLine(text))) return true;
    const isLost = (line: HunkLine, at: number) =>
      mayLackPrefix(line) && this.base.line(at) === ` ${line.text}`;
    return this.findWithoutPrefix(old).some(
      (start) =>
        old.some((line, at) => isLost(line, start + at)) && findShift(this.base, old, start) === undefined,
    );
  }

  private findEqual(pattern: readonly number[], key: LineKey): ArrayLike<number> {
    const index = this.base.index(key);
    const pivot = smallest(pattern, (id) => index.countOf(id));
    const candidates = index.positionsOf(pattern[pivot] ?? -1);
    if (candidates.length <= 64) return this.verify(pattern, index.ids, pivot, candidates);
    const name = `${key}:${pattern.join()}`;
    const known = this.cache.get(name);
    if (known !== undefined) return known;
    const found = Int32Array.from(searchAll(pattern, index.ids, this.deadline, this.spare));
    this.spare -= found.length;
    this.cache.set(name, found);
    return found;
  }

  private verify(
    pattern: readonly number[],
    ids: Int32Array,
    pivot: number,
    candidates: Int32Array,
    fits: (start: number) => boolean = () => true,
  ): readonly number[] {
    return this.collect(candidates, pivot, pattern.length, (start) => {
      for (let at = 0; at < pattern.length; at++) if (ids[start + at] !== pattern[at]) return false;
      return fits(start);
    });
  }

  private collect(
    candidates: ArrayLike<number>,
    pivot: number,
    length: number,
    fits: (start: number) => boolean,
  ): number[] {
    const starts: number[] = [];
    for (let n = 0; n < candidates.length && this.spare > 0; n++) {
      // So many matches at so much cost each: whatever else is found, the hunk is ambiguous.
      if (starts.length * length > workLimit) this.spare = 0;
      if (n % 256 === 255 && this.deadline.late()) break;
      const start = (candidates[n] ?? 0) - pivot;
      if (!fits(start)) continue;
      starts.push(start);
      this.spare -= 1;
    }
    return starts;
  }

  /** Context lines that lost the space before them, though they begin with one of their own. */
  private findWithoutPrefix(lines: readonly HunkLine[]): readonly number[] {
    const index = this.base.index("trailing");
    const readings: (readonly number[])[] = [];
    for (const line of lines) {
      const ids = [index.idOf(line.text)];
      if (mayLackPrefix(line)) ids.push(index.idOf(` ${line.text}`));
      readings.push(ids);
    }
    const positions = (ids: readonly number[]) => ids.map((id) => index.positionsOf(id));
    const amount = (ids: readonly number[]) => positions(ids).reduce((sum, list) => sum + list.length, 0);
    const pivot = smallest(readings, amount);
    const candidates = positions(readings[pivot] ?? [])
      .flatMap((list) => [...list])
      .sort((a, b) => a - b);
    const { ids } = index;
    return this.collect(candidates, pivot, lines.length, (start) =>
      readings.every((known, at) => known.includes(ids[start + at] ?? -2)),
    );
  }

  /** Matches of one side at any depth: one rule takes the indent of every line that is not blank to the file's. */
  findAtAnyDepth(hunk: ShapedHunk, side: Side): readonly number[] {
    const index = this.base.index("trimmed");
    const pattern = idsOf(hunk, side, index);
    // Braces alone prove nothing at another depth.
    if (!hasWordCharacters(hunk[side])) return noMatch;
    const pivot = smallest(pattern, (id) => index.countOf(id));
    const candidates = index.positionsOf(pattern[pivot] ?? -1);
    const isShifted = (start: number) => findShift(this.base, hunk[side], start) !== undefined;
    return this.verify(pattern, index.ids, pivot, candidates, isShifted);
  }
}

/** Lines as they are if they lost the space before them. */
export function spellWithPrefix(lines: readonly HunkLine[]): readonly string[] {
  return lines.filter(mayLackPrefix).map((line) => ` ${line.text}`);
}

function mayLackPrefix(line: HunkLine): boolean {
  return line.kind === "context" && !line.bare && !isBlankLine(line.text);
}

/** Whether the lines have three letters or digits together. */
function hasWordCharacters(lines: readonly HunkLine[]): boolean {
  const text = lines.map((line) => line.text).join("\n");
  return /^(?:[^\p{L}\p{N}_]*[\p{L}\p{N}_]){3}/u.test(text);
}

/** The number of every line of a side; -1 where the file has none like it. */
function idsOf(shaped: ShapedHunk, side: Side, index: LineIndex): readonly number[] {
  const { hunk } = shaped;
  const ids: number[] = [];
  for (let at = 0; at < hunk.count; at++) {
    if (hunk.kindOf(at) === otherKind[side]) continue;
    ids.push(index.idOf(hunk.textOf(at)));
  }
  return ids;
}

function smallest<Value>(values: readonly Value[], weigh: (value: Value) => number): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [at, value] of values.entries()) {
    const weight = weigh(value);
    if (weight < least) [best, least] = [at, weight];
  }
  return best;
}

/** All matches of a pattern in linear time, however repetitive both are (Knuth, Morris, Pratt). */
function searchAll(pattern: readonly number[], ids: Int32Array, deadline: Deadline, limit: number): number[] {
  const fallback = borders(pattern);
  const found: number[] = [];
  let matched = 0;
  for (let at = 0; at < ids.length; at++) {
    if (at % 65_536 === 65_535 && deadline.late()) break;
    while (matched > 0 && ids[at] !== pattern[matched]) matched = fallback[matched - 1] ?? 0;
    if (ids[at] === pattern[matched]) matched += 1;
    if (matched < pattern.length) continue;
    found.push(at - pattern.length + 1);
    if (found.length >= limit) break;
    matched = fallback[matched - 1] ?? 0;
  }
  return found;
}

function borders(pattern: readonly number[]): Int32Array {
  const fallback = new Int32Array(pattern.length);
  let matched = 0;
  for (let at = 1; at < pattern.length; at++) {
    while (matched > 0 && pattern[at] !== pattern[matched]) matched = fallback[matched - 1] ?? 0;
    if (pattern[at] === pattern[matched]) matched += 1;
    fallback[at] = matched;
  }
  return fallback;
}

const workLimit = 2_000_000;
/** So many hunks are asked for their writer's habits. */
const habitLimit = 256;
const noMatch: readonly number[] = [];

/** The old or the new lines of a hunk. */
type Side = "old" | "new";

/** The lines that a side does not have. */
const otherKind = { old: "added", new: "removed" } as const;

/** Whether one side of a hunk is in the file at the 0-based line `start`, byte for byte but for endings. */
export function matchesAt(base: BaseText, shaped: ShapedHunk, side: Side, start: number): boolean {
  const { hunk, oldCount, newCount } = shaped;
  if (start < 0 || start + (side === "old" ? oldCount : newCount) > base.count) return false;
  let position = start;
  for (let at = 0; at < hunk.count; at++) {
    if (hunk.kindOf(at) === otherKind[side]) continue;
    if (!base.isLine(position, hunk.textOf(at))) return false;
    position += 1;
  }
  return true;
}

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

/**
 * Whether the endings of the hunk's old lines are those of the file.
 *
 * @returns "unknown" if none of them is ended on both sides.
 */
export function compareEndings(base: BaseText, placement: Placement): "same" | "different" | "unknown" {
  let compared: "same" | "unknown" = "unknown";
  const differs = someOldLine(placement, (ending, position) => {
    const real = base.ending(position) ?? "";
    if (ending === "" || real === "") return false;
    compared = "same";
    return ending !== real;
  });
  return differs ? "different" : compared;
}

/** Asks about the endings of the old lines and their positions in the file; with mended context only about the
 * removed ones. */
function someOldLine(placement: Placement, ask: (ending: LineEnding, position: number) => boolean): boolean {
  const { hunk: shaped, start, alignment } = placement;
  if (alignment !== undefined)
    return shaped.runs.some((run, at) =>
      shaped.old
        .slice(run.from, run.to)
        .some(({ ending }, n) => ask(ending, runStartOf(placement, run, at) + n)),
    );
  const { hunk } = shaped;
  let position = start;
  for (let at = 0; at < hunk.count; at++) {
    if (hunk.kindOf(at) === "added") continue;
    if (ask(hunk.endingOf(at), position)) return true;
    position += 1;
  }
  return false;
}
