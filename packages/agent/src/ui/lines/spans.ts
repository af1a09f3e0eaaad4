import { escapeForPeople, escapeInParts } from "@holdfast/core/text";
import { cellsOf, graphemes } from "../input/cells.js";

/** What a stretch of a line is. A theme gives each kind its colour. */
export type SpanKind =
  | "plain"
  | "faint"
  | "good"
  | "bad"
  | "note"
  | "accent"
  | "heading"
  | "strong"
  | "emphasis"
  | "struck"
  | "code"
  | "link"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "name";

/** What stands behind a stretch of a line: a side of a diff, a word that differs, a row that is chosen, a hit of a search. */
export type Ground = "added" | "removed" | "addedWord" | "removedWord" | "chosen" | "hit";

/** A stretch of a line. An `elastic` one is cut where the line is too long. */
export interface Span {
  readonly kind: SpanKind;
  readonly text: string;
  readonly isElastic?: true;
  readonly ground?: Ground;
}

/** One line for a person, without its end. */
export type Line = readonly Span[];

/** A stretch of a line. */
export function span(text: string, kind: SpanKind = "plain"): Span {
  return { kind, text };
}

/** A stretch that loses its middle where the line is too long. */
export function elastic(text: string, kind: SpanKind = "plain"): Span {
  return { kind, text, isElastic: true };
}

/** So often the sign of life is another one. */
export const signMs = 200;

/** The sign of life of what goes on. */
export function signAt(nowMs: number): string {
  return "-\\|/".charAt(Math.floor(nowMs / signMs) % 4);
}

/** A line of a difference by its sign. */
export function signedLine(line: string): Line {
  const kinds: Readonly<Record<string, SpanKind>> = { "+": "good", "-": "bad", "@": "accent" };
  return [elastic(line, kinds[line[0] ?? ""])];
}

/** How many rows of a terminal lines take. */
export function rowsOf(lines: readonly Line[], columns: number): number {
  const cells = (line: Line) => fitted(line).reduce((sum, { text }) => sum + cellsOf(text), 0);
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(cells(line) / Math.max(1, columns - 1))), 0);
}

/**
 * The line as it can be written: nothing in it acts on a terminal, and what is elastic is cut until the line fits.
 *
 * @param columns of the terminal; any number of them unless given.
 */
export function fitted(line: Line, columns = Number.POSITIVE_INFINITY): Line {
  const safe = escapeInParts(escapeForPeople);
  const shown = line.map((one) => ({ ...one, text: safe(one.text) }));
  let excess = shown.reduce((cells, { text }) => cells + cellsOf(text), 0) - columns;
  return shown.map((one) => {
    if (one.isElastic === undefined || excess <= 0) return one;
    const cells = cellsOf(one.text);
    const text = cutTo(one.text, Math.max(leastCells, cells - excess));
    excess -= cells - cellsOf(text);
    return { ...one, text };
  });
}

/** The line as far as it fits, with a sign where something is left out; it is never wider. What it says must be safe to show. */
export function cutLine(line: Line, columns: number): Line {
  const whole = line.reduce((cells, { text }) => cells + cellsOf(text), 0);
  if (whole <= columns) return line;
  const left: Span[] = [];
  let room = columns - 1;
  for (const one of line) {
    const cells = cellsOf(one.text);
    if (cells > room) {
      const text = firstCells(one.text, room);
      return columns < 1 ? [] : [...left, { ...one, text: `${text}…` }];
    }
    left.push(one);
    room -= cells;
  }
  return left;
}

/** The first graphemes of a text that fit into so many cells. */
function firstCells(text: string, room: number): string {
  let [end, taken] = [0, 0];
  for (const { segment, index } of graphemes.segment(text)) {
    taken += cellsOf(segment);
    if (taken > room) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** Shorter than this a name says nothing. */
const leastCells = 12;

function cutTo(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text;
  const chars = Array.from(text);
  const half = (cells - 1) / 2;
  const head = chars.slice(0, countWithin(chars, Math.ceil(half)));
  const tail = chars.slice(-countWithin(chars.toReversed(), Math.floor(half)));
  return `${head.join("")}…${tail.join("")}`;
}

/** How many of the first characters fit into so many cells; one at least. */
function countWithin(chars: readonly string[], cells: number): number {
  let [count, taken] = [0, 0];
  for (const char of chars) {
    taken += cellsOf(char);
    if (taken > cells) break;
    count += 1;
  }
  return Math.max(1, count);
}
