import { cellsOf, graphemesOf } from "./cells.js";
import { cellsOfLine, fitted, type Line, painted, type Span, span, type Theme } from "./spans.js";

/**
 * Lines as they are written for good in a window of so many columns: nothing in them acts on a terminal, and nothing is
 * cut. What is wider than the window is broken by the terminal, between words where it is no data.
 */
export function drawnLines(lines: readonly Line[], theme: Theme, columns?: number): readonly string[] {
  return lines.map((line) => painted(betweenWords(fitted(line), columns), theme));
}

/**
 * The line with blanks where a row of the window ends within a word, so that the terminal, which breaks it, does so between
 * words. The terminal knows such rows as one line: a paragraph is copied as one, with these blanks in it. Data gets none,
 * so that it is copied as it is: elastic spans, code, and words too long to be moved to the next row. Pure.
 *
 * Example: `one two` in a window of 5 columns is written as `one  two`.
 *
 * @param line safe to show. @param most cells of a word that is moved to the next row.
 */
export function betweenWords(
  line: Line,
  columns = Number.POSITIVE_INFINITY,
  most = Math.min(mostMoved, columns),
): Line {
  if (cellsOfLine(line) <= columns) return line;
  const filled: Span[] = [];
  let column = 0;
  for (const word of wordsOf(line)) {
    const text = word.map((one) => one.text).join("");
    const cells = cellsOf(text);
    // The blank behind a word is at the end of its row.
    const bare = text.endsWith(" ") ? cells - 1 : cells;
    const isMoved = column > 0 && column + cells > columns && bare > 0 && bare <= most;
    if (isMoved && !breaksAnywhere.test(text)) {
      if (column < columns) filled.push(span(" ".repeat(columns - column)));
      column = 0;
    }
    filled.push(...word);
    column = columnBehind(text, column, columns);
  }
  return joined(filled);
}

/** How many rows of a terminal lines take. */
export function rowsOf(lines: readonly Line[], columns: number): number {
  const width = Math.max(1, columns - 1);
  const rows = (line: Line) => Math.ceil(cellsOfLine(betweenWords(fitted(line), width)) / width);
  return lines.reduce((sum, line) => sum + Math.max(1, rows(line)), 0);
}

/** Cells of a word; longer ones are names and addresses, which are copied. */
const mostMoved = 24;

/** Scripts that are broken between any two letters. */
const breaksAnywhere = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** The words of a line, each with the blank behind it; one may have several colours. */
function wordsOf(line: Line): readonly (readonly Span[])[] {
  const words: Span[][] = [[]];
  for (const one of line) {
    const isData = one.isElastic === true || one.kind === "code";
    for (const text of isData ? [one.text] : one.text.split(/(?<= )/u)) {
      words.at(-1)?.push({ ...one, text });
      if (!isData && text.endsWith(" ")) words.push([]);
    }
  }
  return words;
}

/** Where a terminal's cursor is behind a text: in a full row it waits for the next letter. */
function columnBehind(text: string, from: number, columns: number): number {
  if (text === "") return from;
  if (/^[ -~]+$/u.test(text)) return ((from + text.length - 1) % columns) + 1;
  let column = from;
  for (const { segment } of graphemesOf(text)) {
    const cells = cellsOf(segment);
    column = column + cells > columns ? cells : column + cells;
  }
  return column;
}

/** Words of one colour are one stretch again: a colour costs bytes. */
function joined(spans: readonly Span[]): Line {
  const line: Span[] = [];
  for (const one of spans) {
    const last = line.at(-1);
    const isSame =
      last !== undefined &&
      last.kind === one.kind &&
      last.isElastic === one.isElastic &&
      last.ground === one.ground;
    if (isSame) line[line.length - 1] = { ...last, text: last.text + one.text };
    else line.push(one);
  }
  return line;
}
