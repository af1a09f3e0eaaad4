import { diffSteps, type TextSplice } from "../../patch/index.js";
import { countLines, type Steps } from "../../text/index.js";
import { type LineEdit, type LineSpan, lineEdits } from "../lines/line-spans.js";
import { type PlacedLines, placeEdits } from "../lines/placed-lines.js";
import type { ChangeReport } from "./outcomes.js";

/** What a change did whose planner knows the lines that it placed: an edit, a patch, an insertion. */
export function placedReport(before: string | null, after: string, placed: PlacedLines): ChangeReport {
  const { changes, authored } = placed;
  const ranges = rangesOf(changes);
  return {
    ...unreported,
    changes,
    authored,
    derived: true,
    total: countLines(after),
    ranges,
    beforeText: before,
  };
}

/** The same of splices; without places of their own they are found by comparing. */
export function* splicedReport(
  before: string | null,
  after: string,
  splices: readonly TextSplice[],
): Steps<ChangeReport> {
  const placed = yield* placeEdits([{ before: before ?? "", splices }]);
  if (placed !== undefined) return placedReport(before, after, placed);
  return { ...(yield* comparingReport(before, after)), derived: true };
}

/** What a change did of which only the texts before and after are known. */
export function* comparingReport(before: string | null, after: string): Steps<ChangeReport> {
  const changes = lineEdits(yield* diffSteps(before ?? "", after, compareMs));
  yield;
  return {
    ...unreported,
    changes,
    total: countLines(after),
    ranges: rangesOf(changes),
    beforeText: before,
  };
}

/** In milliseconds: after so long the changed middle counts as one change. */
export const compareMs = 40;

/** Of a change between what is no text. */
export const unreported: ChangeReport = {
  landed: [],
  repairs: [],
  changes: [],
  authored: [],
  sentWhole: false,
  derived: false,
  ranges: [],
  beforeText: null,
};

/** The whole of a text as one span of lines; no span for an empty text. */
export function allLines(text: string): readonly LineSpan[] {
  const total = countLines(text);
  return total === 0 ? [] : [{ from: 1, to: total }];
}

/** The lines of the new text that edits put there; those of touching edits as one. */
export function rangesOf(edits: readonly LineEdit[]): readonly LineSpan[] {
  const ranges: { from: number; to: number }[] = [];
  let shift = 0;
  let end = 0;
  for (const { at, removed, added } of edits) {
    const from = at + shift;
    const touching = ranges.at(-1);
    if (touching !== undefined && at === end) touching.to = from + added - 1;
    else ranges.push({ from, to: from + added - 1 });
    end = at + removed;
    shift += added - removed;
  }
  return ranges;
}
