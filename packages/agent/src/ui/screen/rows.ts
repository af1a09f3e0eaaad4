import { cellsOf, graphemes, isPlain } from "../input/cells.js";
import { fitted, type Line, type Span } from "../lines/spans.js";
import { painted, type Theme } from "../lines/theme.js";
import type { Highlighter } from "../markdown/highlight.js";
import { linesOf } from "../markdown/lines.js";
import type { MarkdownBlock } from "../markdown/parse.js";

/** What is committed: a line of ours, or a part of what the model says. */
export type Finished =
  | { readonly kind: "line"; readonly line: Line }
  | { readonly kind: "block"; readonly block: MarkdownBlock };

/** Colours code; absent until it is loaded. */
export type Highlighted = Highlighter | undefined;

/**
 * What is finished as it is written for good: nothing in it acts on a terminal. Prose is broken by the terminal itself, code
 * and tables are cut.
 */
export function committedTexts(
  finished: readonly Finished[],
  columns: number,
  theme: Theme,
  highlight?: Highlighted,
): readonly string[] {
  return finished.flatMap((one) =>
    one.kind === "line"
      ? [painted(fitted(one.line, columns), theme)]
      : blockLines(one.block, columns - 1, highlight).map((line) => painted(line, theme)),
  );
}

/** A part of what the model says, in lines that are safe to show. */
export function blockLines(block: MarkdownBlock, columns: number, highlight?: Highlighted): readonly Line[] {
  return linesOf(block, Math.max(1, columns), highlight);
}

/** A line as a row of so many cells at most. */
export function rowOf(line: Line, cells: number, theme: Theme): string {
  return painted(firstRow(fitted(line, cells), cells), theme);
}

/** The line, which is safe to show, in rows of so many cells, broken as a terminal does. At least one row. */
export function brokenLine(line: Line, cells: number): readonly Line[] {
  const rows: Span[][] = [[]];
  let room = Math.max(1, cells);
  for (const span of line) {
    for (const part of partsWithin(span.text, () => room, cells)) {
      if (part.startsRow) {
        rows.push([]);
        room = Math.max(1, cells);
      }
      rows.at(-1)?.push({ ...span, text: part.text });
      room -= cellsOf(part.text);
    }
  }
  return rows;
}

function firstRow(line: Line, cells: number): Line {
  return cells < 1 ? [] : (brokenLine(line, cells)[0] ?? []);
}

interface Part {
  readonly text: string;
  readonly startsRow: boolean;
}

/** @param room that is left in the row that is begun. */
function* partsWithin(text: string, room: () => number, cells: number): Generator<Part> {
  let startsRow = false;
  let rest = text;
  while (rest !== "") {
    const taken = within(rest, startsRow ? cells : room());
    if (taken === "" && startsRow) return;
    if (taken !== "") yield { text: taken, startsRow };
    rest = rest.slice(taken.length);
    startsRow = true;
  }
}

/** As much of a text as fits. */
function within(text: string, cells: number): string {
  const head = text.slice(0, Math.max(0, cells));
  if (isPlain(head)) return head;
  let taken = "";
  let left = cells;
  for (const { segment } of graphemes.segment(text.slice(0, cells * 8))) {
    left -= cellsOf(segment);
    if (left < 0) break;
    taken += segment;
  }
  return taken;
}
