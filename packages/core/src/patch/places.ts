import type { BaseText } from "./base-text.js";
import type { Deadline } from "./deadline.js";
import type { HunkLine, ShapedHunk } from "./hunk.js";
import { findShift, type Shift, sameShift } from "./indent.js";
import type { LineIndex } from "./line-index.js";
import { isBlankLine, type LineKey, levelled } from "./line-key.js";
import { standsAt } from "./standing.js";

/** How far from the file's bytes the old lines of a hunk were when they were found. */
export type Tier = "exact" | "trailing" | "prefix" | "shift" | "punctuation" | "aligned";

/** Where the old lines of a hunk stand in one piece: 0-based first lines, ascending. */
export interface Places {
  readonly tier: Tier;
  readonly starts: ArrayLike<number>;
}

/** Finds all places of a hunk's old lines, tier by tier, within a memory and a time limit. */
export class PlaceFinder {
  private readonly cache = new Map<string, Int32Array>();
  private spare = 4_000_000;

  constructor(
    private readonly base: BaseText,
    private readonly deadline: Deadline,
  ) {}

  /** Whether more places were found than can be kept; what was returned since is incomplete. */
  get overflowed(): boolean {
    return this.spare <= 0;
  }

  /** Tiers that read nothing into the hunk: its lines as they are, or without trailing blanks. */
  findVerbatim(lines: readonly HunkLine[]): Places | undefined {
    return this.findInTiers((index) => idsOf(lines, index));
  }

  /** The same for the old side of a hunk. */
  findOldSide(hunk: ShapedHunk): Places | undefined {
    const only = this.findBySingleLine(hunk);
    if (only >= 0) return { tier: "exact", starts: [only] };
    return this.findInTiers((index) => idsOfOld(hunk, index));
  }

  /** The one place that a hunk can have if one of its old lines stands once in the file; -1 where it has none. */
  private findBySingleLine(shaped: ShapedHunk): number {
    const index = this.base.index("exact");
    const { hunk } = shaped;
    let offset = 0;
    for (let at = 0; at < hunk.count; at++) {
      if (hunk.kindOf(at) === "added") continue;
      const id = index.idOf(hunk.textOf(at));
      if (id < 0) return -1;
      if (index.countOf(id) === 1) {
        const start = index.firstPlaceOf(id) - offset;
        if (this.overflowed || !standsAt(this.base, shaped, start)) return -1;
        this.spare -= 1;
        return start;
      }
      offset += 1;
    }
    return -1;
  }

  private findInTiers(idsIn: (index: LineIndex) => readonly number[] | undefined): Places | undefined {
    for (const tier of ["exact", "trailing"] as const) {
      const starts = this.findEqual(idsIn(this.base.index(tier)), tier);
      if (starts.length > 0) return { tier, starts };
    }
    return undefined;
  }

  /** The looser tiers, for a hunk that stands nowhere verbatim. */
  findMended(hunk: ShapedHunk): Places | undefined {
    for (const [tier, find] of this.mending) {
      if (this.deadline.late()) return undefined;
      const starts = find(hunk);
      if (starts.length > 0) return { tier, starts };
    }
    return undefined;
  }

  private readonly mending = [
    ["prefix", (hunk: ShapedHunk) => this.findWithoutPrefix(hunk.old)],
    ["shift", (hunk: ShapedHunk) => this.findShifted(hunk.old)],
    ["punctuation", (hunk: ShapedHunk) => this.findLevelled(hunk.old)],
  ] as const;

  private findEqual(pattern: readonly number[] | undefined, key: LineKey): ArrayLike<number> {
    if (pattern === undefined) return nowhere;
    const index = this.base.index(key);
    const pivot = rarest(pattern, index);
    const candidates = index.placesOf(pattern[pivot] ?? -1);
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
  ): readonly number[] {
    return this.collect(candidates, pivot, pattern.length, (start) => {
      for (let at = 0; at < pattern.length; at++) if (ids[start + at] !== pattern[at]) return false;
      return true;
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
      // So many places at so much cost each: whatever else is found, the hunk is ambiguous.
      if (starts.length * length > workLimit) this.spare = 0;
      if (n % 256 === 255 && this.deadline.late()) break;
      const start = (candidates[n] ?? 0) - pivot;
      if (start < 0 || start + length > this.base.count || !fits(start)) continue;
      starts.push(start);
      this.spare -= 1;
    }
    return starts;
  }

  /** Context lines that lost the space before them, though they begin with one of their own. */
  private findWithoutPrefix(lines: readonly HunkLine[]): readonly number[] {
    if (!lines.some(mayLackPrefix)) return [];
    const index = this.base.index("trailing");
    const readings: (readonly number[])[] = [];
    for (const line of lines) {
      const ids = [index.idOf(line.text)];
      if (mayLackPrefix(line)) ids.push(index.idOf(` ${line.text}`));
      if (ids.every((id) => id < 0)) return nowhere;
      readings.push(ids);
    }
    const places = (ids: readonly number[]) => ids.map((id) => index.placesOf(id));
    const amount = (ids: readonly number[]) => places(ids).reduce((sum, list) => sum + list.length, 0);
    const pivot = smallest(readings, amount);
    const candidates = places(readings[pivot] ?? [])
      .flatMap((list) => [...list])
      .sort((a, b) => a - b);
    const { ids } = index;
    return this.collect(candidates, pivot, lines.length, (start) =>
      readings.every((known, at) => known.includes(ids[start + at] ?? -2)),
    );
  }

  /** One rule takes the indent of every line that is not blank to the file's. */
  private findShifted(lines: readonly HunkLine[]): readonly number[] {
    // Braces alone prove nothing at another depth.
    if (!holdsWords(lines, 3)) return nowhere;
    return this.findTrimmed(lines, (start) => findShift(this.base, lines, start) !== undefined);
  }

  /** Where lines stand that were found at their own depth, too, if they are moved by a rule. */
  findMoved(lines: readonly HunkLine[], shift: Shift): readonly number[] {
    return this.findTrimmed(lines, (start) => {
      const found = findShift(this.base, lines, start);
      return found !== undefined && sameShift(found, shift);
    });
  }

  private findTrimmed(lines: readonly HunkLine[], fits: (start: number) => boolean): readonly number[] {
    const index = this.base.index("trimmed");
    const pattern = idsOf(lines, index);
    if (pattern === undefined) return nowhere;
    const pivot = rarest(pattern, index);
    const { ids } = index;
    return this.collect(index.placesOf(pattern[pivot] ?? -1), pivot, lines.length, (start) => {
      for (let at = 0; at < pattern.length; at++) if (ids[start + at] !== pattern[at]) return false;
      return fits(start);
    });
  }

  /** Typographic punctuation may differ in context lines; what is removed must stand there as written. */
  private findLevelled(lines: readonly HunkLine[]): readonly number[] {
    const index = this.base.index("punctuation");
    const pattern = idsOf(lines, index);
    if (pattern === undefined) return nowhere;
    const pivot = rarest(pattern, index);
    const { ids } = index;
    return this.collect(index.placesOf(pattern[pivot] ?? -1), pivot, lines.length, (start) => {
      for (const [at, line] of lines.entries()) {
        if (ids[start + at] !== pattern[at]) return false;
        if (line.kind === "removed" && !sameTrailing(line.text, this.base.line(start + at))) return false;
      }
      return true;
    });
  }
}

/** Lines as they are if they lost the space before them. */
export function spellWithPrefix(lines: readonly HunkLine[]): readonly string[] {
  return lines.filter(mayLackPrefix).map((line) => ` ${line.text}`);
}

function mayLackPrefix(line: HunkLine): boolean {
  return line.kind === "context" && !line.bare && !isBlankLine(line.text);
}

/** Whether the lines have so many letters and digits together. */
function holdsWords(lines: readonly HunkLine[], wanted: number): boolean {
  let count = 0;
  for (const { text } of lines) {
    for (const _ of text.matchAll(/[\p{L}\p{N}_]/gu)) {
      count += 1;
      if (count >= wanted) return true;
    }
  }
  return false;
}

function sameTrailing(one: string, other: string): boolean {
  return levelled(one, "trailing") === levelled(other, "trailing");
}

/** The number of every line; undefined where the file has not all of them. */
function idsOf(lines: readonly HunkLine[], index: LineIndex): readonly number[] | undefined {
  const ids = new Array<number>(lines.length);
  for (let at = 0; at < lines.length; at++) {
    const id = index.idOf(lines[at]?.text ?? "");
    if (id < 0) return undefined;
    ids[at] = id;
  }
  return ids;
}

function idsOfOld({ hunk, oldCount }: ShapedHunk, index: LineIndex): readonly number[] | undefined {
  const ids = new Array<number>(oldCount);
  let count = 0;
  for (let at = 0; at < hunk.count; at++) {
    if (hunk.kindOf(at) === "added") continue;
    const id = index.idOf(hunk.textOf(at));
    if (id < 0) return undefined;
    ids[count++] = id;
  }
  return ids;
}

function rarest(pattern: readonly number[], index: LineIndex): number {
  return smallest(pattern, (id) => index.countOf(id));
}

function smallest<Value>(values: ArrayLike<Value>, weigh: (value: Value) => number): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < values.length && least > 1; at++) {
    const value = values[at];
    const weight = value === undefined ? least : weigh(value);
    if (weight < least) [best, least] = [at, weight];
  }
  return best;
}

/** All places of a pattern in linear time, however repetitive both are (Knuth, Morris, Pratt). */
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
const nowhere: readonly number[] = [];
