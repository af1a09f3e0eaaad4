import type { Candidate } from "./assign.js";
import type { BaseText } from "./base-text.js";
import { announcesMore, contextFrom, type HunkLine, type Run, type ShapedHunk, trimCommon } from "./hunk.js";
import { likeness } from "./likeness.js";
import { isBlankLine, levelled } from "./line-key.js";

/** Whether the file has these lines, byte for byte but for endings, from the 0-based line `start` on. */
export function linesStandAt(base: BaseText, lines: readonly HunkLine[], start: number): boolean {
  if (start < 0 || start + lines.length > base.count) return false;
  return lines.every((line, at) => base.isLine(start + at, line.text));
}

/** Whether the old lines of a hunk stand so. */
export function standsAt(base: BaseText, { hunk, oldCount }: ShapedHunk, start: number): boolean {
  if (start < 0 || start + oldCount > base.count) return false;
  let place = start;
  for (let at = 0; at < hunk.count; at++) {
    if (hunk.kindOf(at) === "added") continue;
    if (!base.isLine(place, hunk.textOf(at))) return false;
    place += 1;
  }
  return true;
}

export const standsAlready = {
  /**
   * The place where a pure insertion at the edge of its context already stands, seen from the place of
   * that context; undefined where it does not.
   */
  at(base: BaseText, hunk: ShapedHunk, start: number): number | undefined {
    const { coreFrom, coreTo, oldCount } = hunk;
    if (coreFrom !== coreTo || (coreFrom !== 0 && coreFrom !== oldCount)) return undefined;
    const [run, second] = hunk.runs;
    if (run === undefined || second !== undefined || run.from !== run.to) return undefined;
    const atTop = run.from === 0;
    if (!atTop && run.from !== hunk.old.length) return undefined;
    const from = atTop && hunk.old.length > 0 ? start - run.added.length : start;
    return linesStandAt(base, hunk.new, from) ? from : undefined;
  },

  /** Whether the new side, found in the file, proves that the hunk was applied. */
  isTelling(base: BaseText, hunk: ShapedHunk, added: AddedLines): boolean {
    if (hunk.oldCount === 0) return false;
    const words = hunk.new.filter((line) => !isBlankLine(line.text));
    if (words.length < 2 && !words.some((line) => /[\p{L}\p{N}]/u.test(line.text))) return false;
    const runs = hunk.runs.map((run) => weighRun(base, hunk, run, added));
    return runs.includes("telling") && !runs.includes("silent");
  },
} as const;

/** Whether the new side, found in the file, may come from the hunk, though by itself it does not prove it. */
export function mayComeFrom(base: BaseText, hunk: ShapedHunk): boolean {
  return hunk.runs.every((run) => showsGap(base, hunk, run));
}

/** How often a diff adds each line, by its text without blanks around; counted when first asked. */
export class AddedLines {
  private counts: Map<string, number> | undefined;

  constructor(private readonly hunks: readonly ShapedHunk[]) {}

  count(text: string): number {
    this.counts ??= countAdded(this.hunks);
    return this.counts.get(levelled(text, "trimmed")) ?? 0;
  }
}

function countAdded(hunks: readonly ShapedHunk[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { runs } of hunks) {
    for (const { added } of runs) {
      for (const { text } of added) {
        const key = levelled(text, "trimmed");
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
  }
  return counts;
}

/**
 * What a run proves whose new side stands in the file: lines that were added prove it. That lines are gone
 * shows only between two that have come together, and proves something by itself only if one of the lines
 * stands nowhere any more, but where the diff adds it.
 */
function weighRun(
  base: BaseText,
  hunk: ShapedHunk,
  run: Run,
  added: AddedLines,
): "telling" | "possible" | "silent" {
  const gone = goneLines(hunk, run);
  if (gone.length === 0) return "telling";
  if (!showsGap(base, hunk, run)) return "silent";
  const index = base.index("trimmed");
  const words = gone.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  const isGone = ({ text }: HunkLine) => index.placesOf(index.idOf(text)).length <= added.count(text);
  if (!words.every(isGone)) return "silent";
  return words.length > 0 ? "telling" : "possible";
}

/** The lines that a run takes out without putting any in; none where it adds some. */
function goneLines({ old }: ShapedHunk, run: Run): readonly HunkLine[] {
  const removed = old.slice(run.from, run.to);
  const { head, tail } = trimCommon(removed, run.added, (one, other) => one.text === other.text);
  return run.added.length > head + tail ? [] : removed.slice(head, removed.length - tail);
}

/** Whether one could see, between its two neighbours, that what the run takes out is gone. */
function showsGap(base: BaseText, hunk: ShapedHunk, run: Run): boolean {
  const { old } = hunk;
  const gone = goneLines(hunk, run);
  const [first] = gone;
  if (first === undefined) return true;
  const from = run.from + old.slice(run.from, run.to).indexOf(first);
  const to = from + gone.length;
  if (from === 0 || to === old.length) return false;
  const index = base.index("trimmed");
  const known = gone.filter((line) => index.idOf(line.text) >= 0);
  // A line that the file has not may be misquoted, or made up beside others that are not.
  const readings = known.length === 0 ? [gone] : [gone, known];
  const [above, below] = [contextFrom(old, from - 1, -1), contextFrom(old, to, 1)];
  return readings.every((lines) => !hidesGap(lines, below) && !hidesGap(lines.toReversed(), above));
}

/**
 * Whether the context that should close the gap would stand there even if nothing were gone, since it repeats
 * the lines that should be, or lines that these may be meant for.
 */
function hidesGap(gone: readonly HunkLine[], context: readonly HunkLine[]): boolean {
  return context.every((line, at) => {
    const there = gone[at] ?? context[at - gone.length];
    return there === undefined || there.text === line.text || likeness(there.text, line.text) >= 0.5;
  });
}

function newStandsAt(base: BaseText, { hunk, newCount }: ShapedHunk, start: number): boolean {
  if (start < 0 || start + newCount > base.count) return false;
  let place = start;
  for (let at = 0; at < hunk.count; at++) {
    if (hunk.kindOf(at) === "removed") continue;
    if (!base.isLine(place, hunk.textOf(at))) return false;
    place += 1;
  }
  return true;
}

/** Whether the numbers say so: the new side stands where it should, the old does not. The 0-based place. */
export function claimsApplied(base: BaseText, hunk: ShapedHunk): number | undefined {
  const { numbers } = hunk.hunk.header;
  if (numbers === undefined || hunk.oldCount === 0 || announcesMore(hunk)) return undefined;
  const start = numbers.newStart - 1;
  if (!newStandsAt(base, hunk, start) || standsAt(base, hunk, numbers.oldStart - 1)) return undefined;
  return hunk.new.some((line) => !isBlankLine(line.text)) ? start : undefined;
}

/**
 * Whether a hunk whose new side stands in the file must have been applied, as far as one error of its writer
 * goes: it adds a line of its own, or what it takes out is gone. Were lines to be removed misquoted, the context would still stand at the distances that it has in the
 * hunk, whatever lies between. Were some of them forgotten or made up, the line after the gap would be the first
 * of them, or the one before it the last (`hasClearEdges`). Without context nothing is known, and blank lines that are gone say
 * nothing.
 */
export function mustComeFrom(base: BaseText, hunk: ShapedHunk, added: AddedLines): boolean {
  if (addsItsOwn(base, hunk, added)) return true;
  const changes = hunk.hunk.lines.some((line) => line.kind !== "context" && !isBlankLine(line.text));
  return changes && hunk.runs.every((run) => hasClearEdges(base, hunk, run)) && framesNothing(base, hunk);
}

/** Whether it adds a line that the file has only where the diff adds one: nobody else can have put it there. */
function addsItsOwn(base: BaseText, { old, runs }: ShapedHunk, added: AddedLines): boolean {
  const index = base.index("trimmed");
  const had = new Set(old.map(({ text }) => levelled(text, "trimmed")));
  return runs.some((run) =>
    run.added.some(({ text }) => {
      if (!/[\p{L}\p{N}]/u.test(text) || had.has(levelled(text, "trimmed"))) return false;
      return index.placesOf(index.idOf(text)).length <= added.count(text);
    }),
  );
}

/** Whether the context stands nowhere at the distances that it has in the hunk. */
function framesNothing(base: BaseText, { old }: ShapedHunk): boolean {
  const index = base.index("trimmed");
  const frame = old.flatMap((line, at) =>
    line.kind === "context" && !isBlankLine(line.text) ? [{ at, id: index.idOf(line.text) }] : [],
  );
  const [rarest] = frame.toSorted(
    (one, other) => index.placesOf(one.id).length - index.placesOf(other.id).length,
  );
  if (rarest === undefined) return false;
  const places = index.placesOf(rarest.id);
  if (places.length * frame.length > frameLimit) return false;
  return places.every((place) => frame.some(({ at, id }) => index.ids[place - rarest.at + at] !== id));
}

/**
 * Whether the lines that a run takes out cannot still be there: the context that closes the gap is pinned by a
 * line that the file has once, or at least unlike the line of them that it would have to be.
 */
function hasClearEdges(base: BaseText, hunk: ShapedHunk, run: Run): boolean {
  const { old } = hunk;
  const gone = goneLines(hunk, run);
  const [first] = gone;
  if (first === undefined) return true;
  const from = run.from + old.slice(run.from, run.to).indexOf(first);
  const above = contextFrom(old, from - 1, -1);
  const below = contextFrom(old, from + gone.length, 1);
  const index = base.index("trimmed");
  const isPinned = (context: readonly HunkLine[]) =>
    context.some(({ text }) => index.placesOf(index.idOf(text)).length === 1);
  const known = gone.filter((line) => index.idOf(line.text) >= 0);
  const differs = (one: HunkLine | undefined, other: HunkLine | undefined) =>
    one?.text.trim() !== other?.text.trim();
  return (
    (isPinned(below) || [gone, known].every((lines) => differs(lines[0], below[0]))) &&
    (isPinned(above) || [gone, known].every((lines) => differs(lines.at(-1), above[0])))
  );
}

/** Whether a new side found in the file could show anything: what only takes lines out stands between context. */
export function showsItself(hunk: ShapedHunk): boolean {
  return hunk.runs.every((run) => {
    const isClosed = run.from > 0 && run.to < hunk.old.length;
    return isClosed || goneLines(hunk, run).length === 0;
  });
}

/** Whether all that would prove the hunk applied is that lines are gone: a weaker proof, since they may be misquoted. */
export function onlyRemoves({ old, runs }: ShapedHunk): boolean {
  return runs.every((run) => {
    const { head, tail } = trimCommon(
      old.slice(run.from, run.to),
      run.added,
      (one, other) => one.text === other.text,
    );
    return run.added.length === head + tail;
  });
}

/** What a hunk changes, counted in the lines of its new side. */
export function newCore(hunk: ShapedHunk): Omit<Candidate, "starts"> {
  const from = hunk.runs[0]?.from ?? 0;
  const after = hunk.old.length - (hunk.runs.at(-1)?.to ?? 0);
  return { coreFrom: from, coreTo: hunk.newCount - after };
}

/** More comparisons than this prove nothing. */
const frameLimit = 200_000;
