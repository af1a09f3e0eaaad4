import { carrySpans, type LineEdit } from "./line-facts.js";
import { joinSpans, type LineSpan } from "./line-spans.js";

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
  const covering = joinSpans(fresh).map((span) => (source === undefined ? span : { ...span, source }));
  return covering.length === 0 ? spans : addSpans(covering, spans);
}

/** The spans, and of the others what they do not cover. */
export function addSpans(
  spans: readonly SourcedSpan[],
  others: readonly SourcedSpan[],
): readonly SourcedSpan[] {
  if (others.length === 0) return spans;
  const uncovered = subtract(others, spans);
  if (uncovered.length === 0) return spans;
  return joinSourced([...spans, ...uncovered].sort((one, other) => one.from - other.from));
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
  for (const span of spans) {
    // Edits before this span only move it; spans and edits are both sorted, so none is looked at twice.
    for (
      let edit = edits[next];
      edit !== undefined && edit.at + edit.removed <= span.from;
      edit = edits[next]
    ) {
      shift += edit.added - edit.removed;
      next += 1;
    }
    let end = next;
    while ((edits[end]?.at ?? Number.POSITIVE_INFINITY) <= span.to) end += 1;
    const moved = { from: span.from + shift, to: span.to + shift };
    const touching = edits.slice(next, end).map((edit) => ({ ...edit, at: edit.at + shift }));
    for (const part of carrySpans([moved], touching)) carried.push({ ...span, ...part });
  }
  return carried;
}

/** What of the spans is not in the others; both sorted, the result, too. */
function subtract(spans: readonly SourcedSpan[], others: readonly LineSpan[]): readonly SourcedSpan[] {
  const left: SourcedSpan[] = [];
  let first = 0;
  for (const span of spans) {
    while ((others[first]?.to ?? Number.POSITIVE_INFINITY) < span.from) first += 1;
    let { from } = span;
    for (let at = first; from <= span.to; at++) {
      const other = others[at];
      if (other === undefined || other.from > span.to) break;
      if (other.from > from) left.push({ ...span, from, to: other.from - 1 });
      from = Math.max(from, other.to + 1);
    }
    if (from <= span.to) left.push({ ...span, from });
  }
  return left;
}

function joinSourced(sorted: readonly SourcedSpan[]): readonly SourcedSpan[] {
  const joined: SourcedSpan[] = [];
  for (const span of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && span.from <= last.to + 1 && span.source === last.source)
      joined[joined.length - 1] = { ...last, to: Math.max(last.to, span.to) };
    else joined.push(span);
  }
  return joined;
}
