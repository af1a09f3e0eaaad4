import { escapeForPeople } from "@holdfast/core/text";
import { cellsOf, graphemes } from "../input/cells.js";
import { fitted, type Line, type Span } from "../spans.js";
import { painted, type Theme } from "../theme.js";

/** A line that is committed. One that `isCut` loses what does not fit into the window; any other is broken by the terminal. */
export interface CommitLine {
  readonly line: Line;
  readonly isCut: boolean;
}

/** The line as it is written for good: what is elastic fits, and nothing in it acts on a terminal. */
export function committedText({ line, isCut }: CommitLine, columns: number, theme: Theme): string {
  const shown = fitted(line, columns);
  return painted(isCut ? (firstRow(shown, columns - 1) ?? []) : shown, theme);
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

/** A text in the terms of a person: nothing in it acts on a terminal, and tabs are blanks. */
export function shownText(text: string): string {
  return escapeForPeople(text.replaceAll("\t", "    "));
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
  if (/^[ -~]*$/.test(head)) return head;
  let taken = "";
  let left = cells;
  for (const { segment } of graphemes.segment(text.slice(0, cells * 8))) {
    left -= cellsOf(segment);
    if (left < 0) break;
    taken += segment;
  }
  return taken;
}
