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
  const missing: LineSpan[] = [];
  let from = wanted.from;
  for (const span of joinSpans(spans)) {
    if (span.to < from || span.from > wanted.to) continue;
    if (span.from > from) missing.push({ from, to: span.from - 1 });
    from = span.to + 1;
  }
  return from <= wanted.to ? [...missing, { from, to: wanted.to }] : missing;
}
