import type { LineChange } from "../../patch/index.js";

/**
 * One change of lines, from which together with its like every unchanged line of the new text can be
 * found in the old one. Edits of one change are sorted and do not touch each other's lines.
 *
 * Of `a b c` to `a X Y c`: `{ at: 2, removed: 1, added: 2 }`. An insertion before the first line is
 * `{ at: 1, removed: 0, added: n }`, behind the last of three lines `{ at: 4, removed: 0, added: n }`.
 */
export interface LineEdit {
  /** 1-based line of the old text: the first one removed, or the one before which lines were inserted. */
  readonly at: number;
  readonly removed: number;
  readonly added: number;
}

/** Lines of a text, 1-based, both included. */
export interface LineSpan {
  readonly from: number;
  readonly to: number;
}

/** The same lines in order, those that touch or overlap joined. */
export function joinSpans(spans: readonly LineSpan[]): readonly LineSpan[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of [...spans].sort((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else if (from <= to) joined.push({ from, to });
  }
  return joined;
}

/** What of `wanted` is not in `spans`. */
export function outsideSpans(wanted: LineSpan, spans: readonly LineSpan[]): readonly LineSpan[] {
  return subtract([wanted], joinSpans(spans)).map(({ from, to }) => ({ from, to }));
}

/** Lines, and where they were shown last. Lists of them are sorted and do not overlap. */
export interface SourcedSpan extends LineSpan {
  readonly source?: string | undefined;
}

/** Of what was made from several: it stands where all of them do. Too many are as good as none. */
export function joinSources(sources: readonly string[]): string {
  const all = new Set(sources.flatMap(sourcesIn));
  return all.size > mostSources ? lostSource : [...all].join(separator);
}

/** The single sources of what was made from several. */
export function sourcesIn(source: string): readonly string[] {
  return source.split(separator);
}

const separator = "\0";
const mostSources = 8;
/** Names nothing. */
const lostSource = "?";

/** The spans with fresh ones in place of what they cover; neighbours of one source joined. */
export function putSpans(
  spans: readonly SourcedSpan[],
  fresh: readonly LineSpan[],
  source: string | undefined,
): readonly SourcedSpan[] {
  if (fresh.length === 0) return spans;
  const covering = joinSpans(fresh).map(({ from, to }) => spanOf(from, to, source));
  return covering.length === 0 ? spans : addSpans(covering, spans);
}

/** The spans, and of the others what they do not cover. */
export function addSpans(
  spans: readonly SourcedSpan[],
  others: readonly SourcedSpan[],
): readonly SourcedSpan[] {
  if (others.length === 0) return spans;
  const uncovered = subtract(others, spans);
  return uncovered.length === 0 ? spans : merge(spans, uncovered);
}

/** Where unchanged lines stand in the new text; each keeps its source. */
export function carrySourced(
  spans: readonly SourcedSpan[],
  edits: readonly LineEdit[],
): readonly SourcedSpan[] {
  if (edits.length === 0) return spans;
  const carried: SourcedSpan[] = [];
  let next = 0;
  let shift = 0;
  for (const { from: start, to, source } of spans) {
    // Edits before this span only move it; spans and edits are both sorted, so none is looked at twice.
    for (let edit = edits[next]; edit !== undefined && edit.at + edit.removed <= start; edit = edits[next]) {
      shift += edit.added - edit.removed;
      next += 1;
    }
    let from = start;
    let moved = shift;
    for (let at = next; ; at += 1) {
      const edit = edits[at];
      if (edit === undefined || edit.at > to) break;
      if (edit.at > from) pushSpan(carried, from + moved, edit.at - 1 + moved, source);
      moved += edit.added - edit.removed;
      from = Math.max(from, edit.at + edit.removed);
    }
    if (from <= to) pushSpan(carried, from + moved, to + moved, source);
  }
  return carried;
}

/** Where unchanged lines of the old text stand in the new one; removed lines are left out. @param edits sorted. */
export function carrySpans(spans: readonly LineSpan[], edits: readonly LineEdit[]): readonly LineSpan[] {
  return carrySourced(joinSpans(spans), edits).map(({ from, to }) => ({ from, to }));
}

/** All of one shape, and so compiled once: this runs with every call of a tool. */
function spanOf(from: number, to: number, source: string | undefined): SourcedSpan {
  return { from, to, source };
}

/** Behind the last one, or joined with it where they touch and are of one source. */
function pushSpan(spans: SourcedSpan[], from: number, to: number, source: string | undefined): void {
  const last = spans[spans.length - 1];
  if (last !== undefined && from <= last.to + 1 && source === last.source)
    spans[spans.length - 1] = spanOf(last.from, Math.max(last.to, to), source);
  else spans.push(spanOf(from, to, source));
}

/** What of the spans is not in the others; both sorted, the result, too. */
function subtract(spans: readonly SourcedSpan[], others: readonly LineSpan[]): readonly SourcedSpan[] {
  const left: SourcedSpan[] = [];
  let first = 0;
  for (const { from: start, to, source } of spans) {
    while (first < others.length && (others[first]?.to ?? 0) < start) first += 1;
    let from = start;
    for (let at = first; from <= to; at += 1) {
      const other = others[at];
      if (other === undefined || other.from > to) break;
      if (other.from > from) left.push(spanOf(from, other.from - 1, source));
      from = Math.max(from, other.to + 1);
    }
    if (from <= to) left.push(spanOf(from, to, source));
  }
  return left;
}

/** Two lists as one. */
function merge(spans: readonly SourcedSpan[], others: readonly SourcedSpan[]): readonly SourcedSpan[] {
  const merged: SourcedSpan[] = [];
  let at = 0;
  let next = 0;
  for (;;) {
    const one = spans[at];
    const other = others[next];
    const first = one === undefined || (other !== undefined && other.from < one.from) ? other : one;
    if (first === undefined) return merged;
    if (first === one) at += 1;
    else next += 1;
    pushSpan(merged, first.from, first.to, first.source);
  }
}

/** A part of one line, in Unicode code points of its text without terminator. */
export interface LinePart {
  /** 1-based. */
  readonly line: number;
  /** 0-based, the end excluded. */
  readonly from: number;
  readonly to: number;
  /** How many code points the whole line has. */
  readonly of: number;
}

/** The changes of a line diff as edits. */
export function lineEdits(changes: readonly LineChange[]): readonly LineEdit[] {
  return changes.map(({ oldFrom, oldTo, newFrom, newTo }) => ({
    at: oldFrom + 1,
    removed: oldTo - oldFrom,
    added: newTo - newFrom,
  }));
}

/** Where parts of unchanged lines stand in the new text. */
export function carryParts(parts: readonly LinePart[], edits: readonly LineEdit[]): readonly LinePart[] {
  if (parts.length === 0) return parts;
  const lines = [...new Set(parts.map(({ line }) => line))].sort((one, other) => one - other);
  const whole = lines.map((line) => ({ from: line, to: line, source: String(line) }));
  const carried = new Map(carrySourced(whole, edits).map(({ source, from }) => [Number(source), from]));
  return parts.flatMap((part) => {
    const line = carried.get(part.line);
    return line === undefined ? [] : [{ ...part, line }];
  });
}

/** The lines that parts make up together, and the parts of those that they do not. */
export function wholeLines(parts: readonly LinePart[]): {
  readonly complete: readonly LineSpan[];
  readonly rest: readonly LinePart[];
} {
  const byLine = new Map<number, LinePart[]>();
  for (const part of parts) {
    const own = byLine.get(part.line);
    if (own === undefined) byLine.set(part.line, [part]);
    else own.push(part);
  }
  const complete: LineSpan[] = [];
  const rest: LinePart[] = [];
  for (const [line, own] of byLine) {
    const joined = joinParts(own);
    const [only] = joined;
    if (joined.length === 1 && only !== undefined && only.from === 0 && only.to >= only.of)
      complete.push({ from: line, to: line });
    else rest.push(...joined);
  }
  return { complete, rest };
}

/** The parts of one line in order, those that touch or overlap joined. */
function joinParts(parts: readonly LinePart[]): readonly LinePart[] {
  const joined: LinePart[] = [];
  for (const part of [...parts].sort((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last !== undefined && part.from <= last.to)
      joined[joined.length - 1] = { ...last, to: Math.max(last.to, part.to) };
    else joined.push(part);
  }
  return joined;
}
