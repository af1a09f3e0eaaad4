import type { EditStep, TextSplice } from "../../patch/index.js";
import { carrySpans, type LineEdit, type LineSpan } from "./line-spans.js";
import { composeEdits, placeSplices } from "./placed-lines.js";

/**
 * The lines of a text in which the old texts of exact edits stand; those that an earlier edit of the same call
 * wrote are not of it.
 *
 * @param steps each on the result of the one before.
 * @returns undefined for a text whose lines a lone carriage return ends.
 */
export function namedLines(steps: readonly EditStep[]): readonly LineSpan[] | undefined {
  const named: LineSpan[] = [];
  let done: readonly LineEdit[] = [];
  for (const step of steps) {
    named.push(...carrySpans(spansOf(step), inverse(done)));
    const placed = placeSplices(step.before, step.splices);
    if (placed === undefined) return undefined;
    done = composeEdits(done, placed.changes);
  }
  return named;
}

/** The lines that splices touch, each counted as a whole. */
function spansOf({ before, splices }: EditStep): readonly LineSpan[] {
  let [line, at] = [1, 0];
  const lineOf = (offset: number) => {
    for (let next = before.indexOf("\n", at); next >= 0 && next < offset; next = before.indexOf("\n", at)) {
      line += 1;
      at = next + 1;
    }
    return line;
  };
  return splices.map((splice) => {
    const first = lineOf(splice.from);
    return {
      from: first,
      to: lineOf(joinsNext(before, splice) ? splice.to : Math.max(splice.from, splice.to - 1)),
    };
  });
}

/** Whether the line behind a splice becomes the end of its last line. */
function joinsNext(before: string, { from, text }: TextSplice): boolean {
  const last = text === "" ? before[from - 1] : text.at(-1);
  return last !== undefined && last !== "\n";
}

/** The edits that take others back. */
function inverse(edits: readonly LineEdit[]): readonly LineEdit[] {
  let shift = 0;
  return edits.map(({ at, removed, added }) => {
    const back = { at: at + shift, removed: added, added: removed };
    shift += added - removed;
    return back;
  });
}
