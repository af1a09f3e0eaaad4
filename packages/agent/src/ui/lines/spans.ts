import { escapeForPeople, escapeInParts } from "@holdfast/core/text";
import type { AgentSettings } from "../../config/schema.js";
import { cellsOf, graphemesOf, isPlain } from "./cells.js";

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

/** A stretch of a line. An `elastic` one is data: it is cut where the line has to fit into a row, and copied as it is. */
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

/** A line of data, such as code. */
export function dataLine(line: Line): Line {
  return line.map((one) => ({ ...one, isElastic: true }));
}

/** So often the sign of life is another one. */
export const signMs = 200;

/** The sign of life of what goes on. */
export function signAt(nowMs: number): string {
  return "-\\|/".charAt(Math.floor(nowMs / signMs) % 4);
}

/** A text as lines, with blanks for tabs. */
export function textLines(text: string, kind?: SpanKind): readonly Line[] {
  return text.split(/\r?\n/u).map((line) => [span(line.replaceAll("\t", "    "), kind)]);
}

/** How many cells of a terminal a line takes. */
export function cellsOfLine(line: Line): number {
  return line.reduce((cells, { text }) => cells + cellsOf(text), 0);
}

/** A line of a difference by its sign. */
export function signedLine(line: string): Line {
  const kinds: Readonly<Record<string, SpanKind>> = { "+": "good", "-": "bad", "@": "accent" };
  return [elastic(line, kinds[line[0] ?? ""])];
}

/**
 * The line as it can be written: nothing in it acts on a terminal, and what is elastic is cut until the line fits.
 *
 * @param columns of the terminal; any number of them unless given.
 */
export function fitted(line: Line, columns = Number.POSITIVE_INFINITY): Line {
  const safe = escapeInParts(escapeForPeople);
  const shown = line.map((one) => ({ ...one, text: safe(one.text) }));
  let excess = cellsOfLine(shown) - columns;
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
  if (cellsOfLine(line) <= columns) return line;
  const left: Span[] = [];
  let room = columns - 1;
  for (const one of line) {
    const cells = cellsOf(one.text);
    if (cells > room) {
      const text = within(one.text, room);
      return columns < 1 ? [] : [...left, { ...one, text: `${text}…` }];
    }
    left.push(one);
    room -= cells;
  }
  return left;
}

/** The line, which is safe to show, in rows of so many cells, broken as a terminal does. At least one row. */
export function brokenLine(line: Line, cells: number): readonly Line[] {
  const rows: Span[][] = [[]];
  let room = Math.max(1, cells);
  for (const one of line) {
    let [rest, startsRow] = [one.text, false];
    while (rest !== "") {
      // A letter for which not even a whole row has room is wider than its row.
      const text = within(rest, startsRow ? cells : room) || (startsRow ? firstOf(rest) : "");
      if (startsRow) room = Math.max(1, cells);
      if (startsRow) rows.push([]);
      if (text !== "") rows.at(-1)?.push({ ...one, text });
      room -= cellsOf(text);
      rest = rest.slice(text.length);
      startsRow = true;
    }
  }
  return rows;
}

function firstOf(text: string): string {
  for (const { segment } of graphemesOf(text)) return segment;
  return text;
}

/** As much of a text as fits. */
function within(text: string, cells: number): string {
  const head = text.slice(0, Math.max(0, cells));
  if (isPlain(head)) return head;
  let taken = "";
  let left = cells;
  for (const { segment } of graphemesOf(text.slice(0, cells * 8))) {
    left -= cellsOf(segment);
    if (left < 0) break;
    taken += segment;
  }
  return taken;
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

/** The colours of a terminal's text: parameters of SGR, such as `1;38;5;75`; an empty one leaves the text as it is. */
export interface Theme {
  readonly kinds: Readonly<Partial<Record<SpanKind, string>>>;
  readonly grounds: Readonly<Partial<Record<Ground, string>>>;
}

/** The name of a theme, as the settings have it. */
type ThemeName = NonNullable<NonNullable<AgentSettings["ui"]>["theme"]>;

/** The line with its colours. What it says must be safe to write: see `fitted`. Pure. */
export function painted(line: Line, theme: Theme): string {
  let text = "";
  for (const span of line) {
    const codes = [theme.kinds[span.kind], span.ground && theme.grounds[span.ground]].filter(Boolean);
    text +=
      codes.length === 0 || span.text === "" ? span.text : `\u001b[${codes.join(";")}m${span.text}\u001b[0m`;
  }
  return text;
}

const styles = { heading: "1", strong: "1", emphasis: "3", struck: "9" } as const;
const reversed = { chosen: "7", hit: "4" } as const;

/** Codes in the order of these names. */
const named = (names: string, codes: string) => {
  const kinds = names.split(" ");
  return Object.fromEntries(codes.split(" ").map((code, at) => [kinds[at] ?? "", code]));
};
const groundsOf = (codes: string) => named("added removed addedWord removedWord chosen hit", codes);
const kindsOf = (codes: string) => ({
  ...styles,
  ...named("faint good bad note accent heading code link keyword string number comment name", codes),
});

/** `ansi` has the 16 colours that each terminal lets its person choose; `mono` none, and `plain` no style either. */
export const themes: Readonly<Record<ThemeName, Theme>> = {
  ansi: {
    kinds: kindsOf("2 32 31 33 36 1;36 36 4;34 35 32 33 2 34"),
    grounds: { ...reversed, added: "32", removed: "31", addedWord: "32;7", removedWord: "31;7" },
  },
  dark: {
    kinds: kindsOf(
      "38;5;245 38;5;114 38;5;210 38;5;222 38;5;117 1;38;5;117 38;5;180 4;38;5;111 38;5;176 38;5;150 38;5;215 38;5;244 38;5;117",
    ),
    grounds: groundsOf("48;5;22 48;5;52 48;5;28 48;5;88 48;5;238 48;5;58"),
  },
  light: {
    kinds: kindsOf(
      "38;5;243 38;5;28 38;5;124 38;5;94 38;5;25 1;38;5;25 38;5;94 4;38;5;25 38;5;90 38;5;22 38;5;130 38;5;244 38;5;25",
    ),
    grounds: groundsOf("48;5;194 48;5;224 48;5;157 48;5;217 48;5;253 48;5;229"),
  },
  contrast: {
    kinds: {
      ...styles,
      good: "1;92",
      bad: "1;91",
      note: "1;93",
      accent: "1;96",
      heading: "1;4",
      code: "96",
      link: "4;96",
      keyword: "1",
      string: "92",
      number: "93",
      name: "96",
    },
    grounds: { ...reversed, added: "30;102", removed: "30;101", addedWord: "1;4", removedWord: "1;4" },
  },
  mono: {
    kinds: { ...styles, faint: "2", bad: "1", note: "1", accent: "1", link: "4", keyword: "1", comment: "2" },
    grounds: { ...reversed, addedWord: "7", removedWord: "7" },
  },
  plain: { kinds: {}, grounds: {} },
};
