import { firstFrom } from "./assign.js";
import type { BaseText } from "./base-text.js";
import type { Deadline } from "./deadline.js";
import { embedContext, type Segment } from "./embed.js";
import { contextFrom, type HunkLine, type Run, type ShapedHunk } from "./hunk.js";
import { isBlankLine } from "./line-key.js";

/** Where a hunk with damaged context stands: each run of changes at a place of its own. */
export interface Alignment {
  /** 0-based file line at which each run begins. */
  readonly runStarts: readonly number[];
  /** The context lines that the file does not have. */
  readonly dropped: readonly HunkLine[];
  /** File lines that the hunk's context passed over; blank ones are not counted. */
  readonly skipped: number;
}

export type AlignOutcome =
  | { readonly kind: "aligned"; readonly alignment: Alignment }
  /** 0-based lines at which the change, or added lines whose neighbours stand apart, could stand. */
  | { readonly kind: "several" | "open"; readonly places: readonly number[] }
  | { readonly kind: "none" };

/**
 * The last tier: the removed lines are right, the context was skipped or misremembered. A layout puts every
 * run of changes at one place and the context around it in order; it is accepted only if every run is held
 * by a line beside it, no context line of the hunk belongs to another part of the file, half of them stand
 * here, and every other acceptable layout explains strictly less of the hunk.
 */
export function alignHunk(base: BaseText, hunk: ShapedHunk, deadline: Deadline): AlignOutcome {
  const context = hunk.old.filter((line) => line.kind === "context" && !isBlankLine(line.text));
  if (context.length === 0 || hunk.runs.length === 0 || deadline.late() || losesAddedLine(base, hunk))
    return { kind: "none" };
  const pins = hunk.runs.map((run) => findPins(base, hunk, run));
  const open = pins.find((pin) => pin.kind === "open");
  if (open?.kind === "open")
    return open.places.length > 1 ? { kind: "open", places: open.places } : { kind: "none" };
  const chains = chainPins(
    hunk,
    pins.map((pin) => (pin.kind === "pinned" ? pin.starts : [])),
    deadline,
  );
  const fitting = (chains ?? []).flatMap((starts) =>
    deadline.late() ? [] : (layOut(base, hunk, starts) ?? []),
  );
  const [first] = fitting;
  if (first === undefined) return { kind: "none" };
  const best = fitting.find((one) => fitting.every((other) => other === one || explainsMore(one, other)));
  if (best === undefined) return { kind: "several", places: differingPlaces(fitting) };
  const isHeld = hunk.runs.every((run, at) => {
    const start = best.alignment.runStarts[at] ?? 0;
    return run.from === run.to || (flankTest(base, hunk, run)(start) && isTight(base, hunk, run, start));
  });
  return isHeld ? { kind: "aligned", alignment: best.alignment } : { kind: "none" };
}

/** Where the first change may stand that does not stand at the same place in all layouts. */
function differingPlaces(layouts: readonly Layout[]): readonly number[] {
  const starts = layouts.map(({ alignment }) => alignment.runStarts);
  const run = (starts[0] ?? []).findIndex((start, at) => starts.some((other) => other[at] !== start));
  return [...new Set(starts.map((places) => places[run] ?? 0))].sort((a, b) => a - b);
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

type Pins =
  | { readonly kind: "pinned"; readonly starts: ArrayLike<number> }
  /** An insertion whose neighbours stand apart: it could go to any of these lines. */
  | { readonly kind: "open"; readonly places: readonly number[] };

/** Where a run could begin: its removed lines in one piece, held from one side, or the gap between its neighbours. */
function findPins(base: BaseText, hunk: ShapedHunk, run: Run): Pins {
  if (run.to > run.from) return { kind: "pinned", starts: findBlocks(base, hunk, run) };
  const index = base.index("trailing");
  const before = hunk.old[run.from - 1];
  const after = hunk.old[run.to];
  const placesBefore =
    before === undefined ? none : index.placesOf(index.idOf(before.text)).map((at) => at + 1);
  const placesAfter = after === undefined ? none : index.placesOf(index.idOf(after.text));
  if (before === undefined) return { kind: "pinned", starts: placesAfter };
  if (after === undefined) return { kind: "pinned", starts: placesBefore };
  const starts = placesBefore.filter((at) => firstFrom(placesAfter, at) === at);
  if (starts.length > 0) return { kind: "pinned", starts };
  return { kind: "open", places: between(placesBefore, placesAfter) };
}

/** All places of the removed lines; where there are too many, only those that context holds. */
function findBlocks(base: BaseText, hunk: ShapedHunk, run: Run): readonly number[] {
  const index = base.index("exact");
  const block = hunk.old.slice(run.from, run.to).map((line) => index.idOf(line.text));
  if (block.includes(-1)) return [];
  const places = index.placesOf(block[0] ?? -1);
  const isHeld = flankTest(base, hunk, run);
  const starts: number[] = [];
  for (const start of places) {
    if (starts.length > chainLimit) break;
    if (places.length > looseLimit && !isHeld(start)) continue;
    if (block.every((id, at) => index.ids[start + at] === id)) starts.push(start);
  }
  return starts;
}

function between(before: Int32Array, after: Int32Array): readonly number[] {
  const [from] = before;
  const [to] = after;
  if (before.length !== 1 || after.length !== 1 || from === undefined || to === undefined || to <= from)
    return [];
  return Array.from({ length: Math.min(to - from + 1, 1000) }, (_, at) => from + at);
}

/** Tells whether context of the hunk stands beside a run, on one side at least; without context none needs to. */
function flankTest(base: BaseText, hunk: ShapedHunk, run: Run): (start: number) => boolean {
  const { rank, places } = base.fullLines;
  const hasContext = hunk.old[run.from - 1] !== undefined || hunk.old[run.to] !== undefined;
  const above = sideTest(base, hunk, run.from - 1, -1);
  const below = sideTest(base, hunk, run.to, 1);
  return (start) =>
    !hasContext || above((rank[start] ?? 0) - 1) || below(rank[start + run.to - run.from] ?? places.length);
}

/**
 * Goes away from a run to the first context line that the file has: it must stand there, where each line that
 * the file has not may stand for one, or have changed places with the next. Beyond an ellipsis it may stand
 * anywhere in order, which is looked at later.
 */
function sideTest(base: BaseText, hunk: ShapedHunk, from: number, step: 1 | -1): (rank: number) => boolean {
  const { places } = base.fullLines;
  const { ids } = base.index("trailing");
  const full = contextFrom(hunk.old, from, step).filter((line) => !isBlankLine(line.text));
  const passed = full.findIndex((line) => !isUnknown(base, line));
  if (passed < 0) return () => false;
  if (full.slice(0, passed).some((line) => isEllipsis(line.text))) return () => true;
  const [id, next] = [full[passed], full[passed + 1]].map((line) =>
    line === undefined ? -1 : base.index("trailing").idOf(line.text),
  );
  return (rank) => {
    const idAt = (away: number) => ids[places[rank + away * step] ?? -1] ?? -2;
    for (let away = 0; away <= passed; away++) if (idAt(away) === id) return true;
    return idAt(passed + 1) === id && idAt(passed) === next;
  };
}

function isUnknown(base: BaseText, line: HunkLine): boolean {
  return base.index("trimmed").idOf(line.text) < 0;
}

/**
 * Lines that a run adds beyond those it removes are an insertion. Where only blank lines, more of them than in
 * the hunk, lie between it and the next line on that side, it could stand before them or after them.
 */
function isTight(base: BaseText, hunk: ShapedHunk, run: Run, start: number): boolean {
  if (run.added.length <= run.to - run.from) return true;
  const { rank, places } = base.fullLines;
  if (run.opensAdded) {
    const written = countBlanks(hunk, run.from - 1, -1);
    const line = hunk.old[run.from - 1 - written];
    const above = places[(rank[start] ?? 0) - 1] ?? -1;
    return line?.kind !== "context" || !stands(base, line, above) || start - 1 - above <= written;
  }
  const end = start + run.to - run.from;
  const written = countBlanks(hunk, run.to, 1);
  const line = hunk.old[run.to + written];
  const below = places[rank[end] ?? places.length] ?? base.count;
  return line?.kind !== "context" || !stands(base, line, below) || below - end <= written;
}

function stands(base: BaseText, line: HunkLine, place: number): boolean {
  const index = base.index("trailing");
  return (index.ids[place] ?? -2) === index.idOf(line.text);
}

function countBlanks(hunk: ShapedHunk, from: number, step: 1 | -1): number {
  let count = 0;
  while (
    hunk.old[from + count * step]?.kind === "context" &&
    isBlankLine(hunk.old[from + count * step]?.text ?? "")
  )
    count += 1;
  return count;
}

/** All ways to put the runs in order; undefined where there are too many to be sure of one. */
function chainPins(
  hunk: ShapedHunk,
  pins: readonly ArrayLike<number>[],
  deadline: Deadline,
): readonly (readonly number[])[] | undefined {
  let chains: readonly (readonly number[])[] = [[]];
  for (const [at, starts] of pins.entries()) {
    if (starts.length > chainLimit || deadline.late()) return undefined;
    const before = hunk.runs[at - 1];
    const length = before === undefined ? 0 : before.to - before.from;
    chains = chains.flatMap((chain) => {
      const from = at === 0 ? 0 : (chain.at(-1) ?? 0) + length;
      return Array.from(starts)
        .filter((start) => start >= from && (at === 0 || start > (chain.at(-1) ?? 0)))
        .map((start) => [...chain, start]);
    });
    if (chains.length > chainLimit) return undefined;
  }
  return chains;
}

interface Layout {
  readonly alignment: Alignment;
  /** What it explains of the hunk: its old lines that stand here, and its pairs of them that stand together. */
  readonly explained: ReadonlySet<string>;
}

/** Puts the context around the pinned runs, or finds that it does not belong there. */
function layOut(base: BaseText, hunk: ShapedHunk, starts: readonly number[]): Layout | undefined {
  const explained = new Set<string>();
  const dropped: HunkLine[] = [];
  let present = 0;
  let skipped = 0;
  for (let at = 0; at <= hunk.runs.length; at++) {
    const segment = segmentOf(base, hunk, starts, at);
    const embedded = embedContext(base, segment);
    if (embedded === undefined || embedded.dropped.some((line) => belongsElsewhere(base, line)))
      return undefined;
    for (const feature of embedded.explained) explained.add(feature);
    for (const line of embedded.dropped) dropped.push(line);
    present += embedded.present;
    skipped += embedded.skipped;
  }
  const missing = dropped.filter((line) => !isEllipsis(line.text)).length;
  if (present < missing || present === 0) return undefined;
  return { alignment: { runStarts: starts, dropped, skipped }, explained };
}

/** The context before run `at` (after the last one, if that is no run), and the lines where it may stand. */
function segmentOf(base: BaseText, hunk: ShapedHunk, starts: readonly number[], at: number): Segment {
  const before = hunk.runs[at - 1];
  const after = hunk.runs[at];
  const { rank, places } = base.fullLines;
  const top = before === undefined ? undefined : (starts[at - 1] ?? 0) + before.to - before.from;
  const bottom = after === undefined ? undefined : (starts[at] ?? 0);
  return {
    first: before?.to ?? 0,
    lines: hunk.old.slice(before?.to ?? 0, after?.from ?? hunk.old.length),
    top: top === undefined ? undefined : (rank[top] ?? places.length),
    bottom: bottom === undefined ? undefined : (rank[bottom] ?? places.length),
  };
}

/** Whether a line that found no counterpart stands in the file, at this depth or another: it was not invented. */
function belongsElsewhere(base: BaseText, line: HunkLine): boolean {
  if (isEllipsis(line.text)) return false;
  const index = base.index(/\w/.test(line.text) ? "trimmed" : "trailing");
  return index.idOf(line.text) >= 0;
}

/** Whether one layout explains all that the other does, and more. */
function explainsMore(one: Layout, other: Layout): boolean {
  if (one.explained.size <= other.explained.size) return false;
  for (const feature of other.explained) if (!one.explained.has(feature)) return false;
  return true;
}

function isEllipsis(text: string): boolean {
  return text.length <= 120 && /^\W*(\.{3}|…)\W*$/.test(text);
}

/** Up to so many places of removed lines are all looked at. */
const looseLimit = 64;
/** More ways than this to lay out one hunk are no proof of any. */
const chainLimit = 256;
const none = new Int32Array(0);
