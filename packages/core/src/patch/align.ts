import { firstFrom, lastUpTo } from "./assign.js";
import { type BaseText, isBlankLine } from "./base-text.js";
import type { Deadline } from "./deadline.js";
import type { HunkLine, Run, ShapedHunk } from "./hunk.js";

/** Where a hunk with damaged context stands: each run of changes at a place of its own. */
export interface Alignment {
  /** 0-based file line at which each run begins. */
  readonly runStarts: readonly number[];
  /** The context lines that the file does not have. */
  readonly dropped: readonly HunkLine[];
  /** File lines that the hunk's context passed over. */
  readonly skipped: number;
}

export type AlignOutcome =
  | { readonly kind: "aligned"; readonly alignment: Alignment }
  /** 0-based lines at which a change could stand. */
  | { readonly kind: "several"; readonly places: readonly number[] }
  | { readonly kind: "none" };

/**
 * The last tier: the removed lines are right, the context was skipped or misremembered. It accepts only
 * what it can prove: every run of changes is pinned to one place, every context line that the file has
 * stands near by in order, one of them right beside each run, and no second place fits.
 */
export function alignHunk(base: BaseText, hunk: ShapedHunk, deadline: Deadline): AlignOutcome {
  const context = hunk.old.filter((line) => line.kind === "context" && !isBlankLine(line.text));
  if (context.length === 0 || hunk.runs.length === 0 || losesAddedLine(base, hunk)) return { kind: "none" };
  const pins = hunk.runs.map((run) => findPins(base, hunk, run));
  const open = pins.find((pin) => pin.kind === "open");
  if (open?.kind === "open")
    return open.places.length > 1 ? { kind: "several", places: open.places } : { kind: "none" };
  const chains = chainPins(
    hunk,
    pins.map((pin) => (pin.kind === "pinned" ? pin.starts : [])),
    deadline,
  );
  if (chains === undefined) return { kind: "none" };
  const fitting = chains.flatMap((starts) => alignAt(base, hunk, starts) ?? []);
  const [only] = fitting;
  if (only === undefined) return { kind: "none" };
  if (fitting.length > 1) return { kind: "several", places: fitting.map((one) => one.runStarts[0] ?? 0) };
  return { kind: "aligned", alignment: only };
}

/** A line without prefix beside an added one, unknown to the file, may itself have been meant as added. */
function losesAddedLine(base: BaseText, hunk: ShapedHunk): boolean {
  const { lines } = hunk.hunk;
  const index = base.index("trailing");
  return lines.some((line, at) => {
    if (!line.bare) return false;
    if (isBlankLine(line.text)) return lines[at - 1]?.kind === "added" && lines[at + 1]?.kind === "added";
    return index.idOf(line.text) < 0;
  });
}

type Pins =
  | { readonly kind: "pinned"; readonly starts: readonly number[] }
  /** An insertion whose neighbours stand apart: it could go to any of these lines. */
  | { readonly kind: "open"; readonly places: readonly number[] };

/** Where a run could begin: its removed lines in one piece, or the gap between its neighbours. */
function findPins(base: BaseText, hunk: ShapedHunk, run: Run): Pins {
  if (run.to > run.from) {
    const removed = hunk.old.slice(run.from, run.to).map((line) => base.index("exact").idOf(line.text));
    return {
      kind: "pinned",
      starts: findBlock(base.index("exact").ids, removed, base.index("exact").placesOf(removed[0] ?? -1)),
    };
  }
  const index = base.index("trailing");
  const before = hunk.old[run.from - 1];
  const after = hunk.old[run.to];
  const placesBefore =
    before === undefined ? [] : [...index.placesOf(index.idOf(before.text))].map((at) => at + 1);
  const placesAfter = after === undefined ? [] : [...index.placesOf(index.idOf(after.text))];
  if (before === undefined) return { kind: "pinned", starts: placesAfter };
  if (after === undefined) return { kind: "pinned", starts: placesBefore };
  const known = new Set(placesAfter);
  const starts = placesBefore.filter((at) => known.has(at));
  if (starts.length > 0) return { kind: "pinned", starts };
  return { kind: "open", places: between(placesBefore, placesAfter) };
}

function between(before: readonly number[], after: readonly number[]): readonly number[] {
  const [from] = before;
  const [to] = after;
  if (before.length !== 1 || after.length !== 1 || from === undefined || to === undefined || to <= from)
    return [];
  return Array.from({ length: Math.min(to - from + 1, 1000) }, (_, at) => from + at);
}

function findBlock(ids: Int32Array, block: readonly number[], candidates: Int32Array): readonly number[] {
  if (block.includes(-1)) return [];
  const starts: number[] = [];
  for (const start of candidates) {
    if (starts.length > chainLimit) break;
    if (block.every((id, at) => ids[start + at] === id)) starts.push(start);
  }
  return starts;
}

/** All ways to put the runs in order; undefined where there are too many to be sure of one. */
function chainPins(
  hunk: ShapedHunk,
  pins: readonly (readonly number[])[],
  deadline: Deadline,
): readonly (readonly number[])[] | undefined {
  let chains: readonly (readonly number[])[] = [[]];
  for (const [at, starts] of pins.entries()) {
    if (starts.length > chainLimit || deadline.late()) return undefined;
    const before = hunk.runs[at - 1];
    const length = before === undefined ? 0 : before.to - before.from;
    chains = chains.flatMap((chain) => {
      const from = at === 0 ? 0 : (chain.at(-1) ?? 0) + length;
      return starts
        .filter((start) => start >= from && (at === 0 || start > (chain.at(-1) ?? 0)))
        .map((start) => [...chain, start]);
    });
    if (chains.length > chainLimit) return undefined;
  }
  return chains;
}

/** Puts the context around the pinned runs, or finds that it does not belong there. */
function alignAt(base: BaseText, hunk: ShapedHunk, starts: readonly number[]): Alignment | undefined {
  const taken = new Map<number, number>();
  for (const [at, run] of hunk.runs.entries()) {
    for (let line = run.from; line < run.to; line++) taken.set(line, (starts[at] ?? 0) + line - run.from);
  }
  const dropped: HunkLine[] = [];
  let present = 0;
  let doubtful = 0;
  for (let segment = 0; segment <= hunk.runs.length; segment++) {
    const outcome = alignSegment(base, hunk, starts, segment, taken);
    if (outcome === undefined) return undefined;
    present += outcome.present;
    doubtful += outcome.doubtful;
    dropped.push(...outcome.dropped);
  }
  const missing = dropped.filter((line) => !isBlankLine(line.text) && !isEllipsis(line.text)).length;
  if (present < missing || present === 0 || doubtful > present + 2) return undefined;
  if (!hunk.runs.every((run, at) => isFlanked(base, hunk, run, starts[at] ?? 0))) return undefined;
  const places = [...taken.values()].sort((a, b) => a - b);
  const [first = 0] = places;
  const span = (places.at(-1) ?? first - 1) - first + 1;
  if (fitsElsewhere(base, hunk, first, Math.max(span, hunk.old.length) + spanSlack)) return undefined;
  if (hunk.runs.some((run, at) => slides(base, hunk, run, starts[at] ?? 0, taken))) return undefined;
  return { runStarts: starts, dropped, skipped: span - places.length };
}

/** Whether an insertion could as well stand beside another copy of its neighbour, within the same context. */
function slides(
  base: BaseText,
  hunk: ShapedHunk,
  run: Run,
  start: number,
  taken: ReadonlyMap<number, number>,
): boolean {
  if (run.to > run.from) return false;
  const { ids } = base.index("trailing");
  const low = Math.max(-1, ...[...taken].filter(([at]) => at < run.from - 1).map(([, place]) => place));
  const high = Math.min(base.count, ...[...taken].filter(([at]) => at > run.to).map(([, place]) => place));
  const repeats = (from: number, to: number, id: number | undefined) =>
    ids.subarray(Math.max(from, 0), to).includes(id ?? -2);
  const hasBefore =
    run.from > 0 && repeats(Math.max(low + 1, start - 1 - slideLines), start - 1, ids[start - 1]);
  const hasAfter =
    run.to < hunk.old.length && repeats(start + 1, Math.min(high, start + 1 + slideLines), ids[start]);
  return hasBefore || hasAfter;
}

/** Whether the lines that the file has follow each other elsewhere, too, in a piece of at most `span` lines. */
function fitsElsewhere(base: BaseText, hunk: ShapedHunk, start: number, span: number): boolean {
  const index = base.index("trailing");
  const ids = hunk.old
    .filter((line) => !isBlankLine(line.text))
    .map((line) => index.idOf(line.text))
    .filter((id) => id >= 0);
  const firsts = index.placesOf(ids[0] ?? -1);
  if (firsts.length > 2_000) return true;
  return firsts.some((first) => {
    if (first === start) return false;
    let at = first;
    for (const id of ids) {
      const place = firstFrom(index.placesOf(id), at);
      if (place === undefined || place - first >= span) return false;
      at = place + 1;
    }
    return true;
  });
}

interface SegmentOutcome {
  readonly present: number;
  /** Lines passed over before a context line that the file has several times. */
  readonly doubtful: number;
  readonly dropped: readonly HunkLine[];
}

/**
 * Embeds the context before run `segment` (after the last one, if that is no run) into the file, in order.
 * The context before the first run is embedded upwards from it, all other downwards from the run before.
 */
function alignSegment(
  base: BaseText,
  hunk: ShapedHunk,
  starts: readonly number[],
  segment: number,
  taken: Map<number, number>,
): SegmentOutcome | undefined {
  const before = hunk.runs[segment - 1];
  const after = hunk.runs[segment];
  const from = before?.to ?? 0;
  const to = after?.from ?? hunk.old.length;
  const top = before === undefined ? 0 : (starts[segment - 1] ?? 0) + before.to - before.from;
  const bottom = after === undefined ? base.count : (starts[segment] ?? 0);
  const upwards = before === undefined;
  const index = base.index("trailing");
  const dropped: HunkLine[] = [];
  let present = 0;
  let doubtful = 0;
  let limit = upwards ? bottom - 1 : top;
  for (let step = 0; step < to - from; step++) {
    const at = upwards ? to - 1 - step : from + step;
    const line = hunk.old[at];
    if (line === undefined) continue;
    const places = index.placesOf(index.idOf(line.text));
    const place = upwards ? lastUpTo(places, limit) : firstFrom(places, limit);
    const near =
      place !== undefined && place >= top && place < bottom && Math.abs(place - limit) <= reachLines;
    if (!near && isBlankLine(line.text)) continue;
    if (!near && places.length > 0) return undefined;
    if (!near && standsIndented(base, line)) return undefined;
    if (!near) {
      dropped.push(line);
      // An ellipsis stands for at least one line.
      if (isEllipsis(line.text)) limit += upwards ? -1 : 1;
    }
    // A blank line far off is none of this hunk's; only lines that say something count as found.
    else if (!isBlankLine(line.text)) {
      present += 1;
      if (places.length > 1) doubtful += Math.abs(place - limit);
      taken.set(at, place);
      limit = upwards ? place - 1 : place + 1;
    } else if (place === limit) limit += upwards ? -1 : 1;
  }
  return { present, doubtful, dropped };
}

/** Whether the file has the line, only at another depth: then it was not invented. */
function standsIndented(base: BaseText, line: HunkLine): boolean {
  return base.index("trimmed").idOf(line.text) >= 0 && /\w/.test(line.text);
}

/** Whether a context line of the hunk stands right beside the run; a run without context needs none. */
function isFlanked(base: BaseText, hunk: ShapedHunk, run: Run, start: number): boolean {
  const before = hunk.old[run.from - 1];
  const after = hunk.old[run.to];
  if (before === undefined && after === undefined) return true;
  const index = base.index("trailing");
  const end = start + run.to - run.from;
  return (
    (before !== undefined && start > 0 && index.ids[start - 1] === index.idOf(before.text)) ||
    (after !== undefined && end < base.count && index.ids[end] === index.idOf(after.text))
  );
}

function isEllipsis(text: string): boolean {
  return /^\W*(\.{3}|…)\W*$/.test(text);
}

/** More ways than this to lay out one hunk are no proof of any. */
const chainLimit = 64;
/** How much longer another piece may be and still make the place doubtful. */
const spanSlack = 2;
/** How far around an insertion a second copy of its neighbour is looked for. */
const slideLines = 30;
/** Context further away than this does not speak for a place. */
const reachLines = 400;
