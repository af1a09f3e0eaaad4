import { cellsOf, type WindowSize } from "@holdfast/agent/shown";

/** Rows that are drawn again and again below what is committed, and the cell of the cursor in them, both from 0. */
export interface Tail {
  /** None is wider than the window, and that of the cursor ends before the last column; colours are the only controls in them. */
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** What a terminal shows below the committed lines, and how wide it was then. */
export interface Standing extends Tail {
  readonly size: WindowSize;
}

/** What a terminal is to show next. */
interface NextFrame {
  /** Lines that are written once and never addressed again. A longer one is broken by the terminal itself. */
  readonly commit: readonly string[];
  readonly tail: Tail;
  readonly size: WindowSize;
}

/** Nothing is drawn: the cursor is at the beginning of an empty row. */
export function nothingStands(size: WindowSize): Standing {
  return { ...noTail, size };
}

/** A tail without rows. */
export const noTail: Tail = { rows: [], cursor: { row: 0, column: 0 } };

/**
 * The bytes that make the next frame of what stands, as one write. Pure.
 *
 * Example: with the tail `["Hel", "> "]`, the tail `["Hello", "> "]` costs `CSI A`, `CSI 4 G`, `lo` and the way back.
 * Nothing above the tail is addressed. After a resize the tail is erased, however the terminal has broken its rows, and
 * drawn anew.
 *
 * @returns no bytes where the frame shows the same.
 */
export function frame(standing: Standing, { commit, tail, size }: NextFrame) {
  const isSameSize = standing.size.columns === size.columns && standing.size.rows === size.rows;
  const pen = new Pen(isSameSize ? standing : nothingStands(size), size.columns);
  const before = isSameSize ? "" : erased(standing, size.columns);
  for (const line of commit) pen.commit(line);
  for (const row of tail.rows) pen.row(row);
  const bytes = before + pen.end(tail);
  const now: Standing = { ...tail, size };
  return { bytes: bytes === "" ? "" : `${syncBegins}${bytes}${syncEnds}`, standing: now };
}

/** Erases a tail that a window of another width may have broken into more rows: the cursor is at its beginning then. */
function erased({ rows, cursor }: Standing, columns: number): string {
  const width = Math.max(1, columns);
  const broken = (row: string) => Math.max(1, Math.ceil(rowCells(row) / width));
  const above = rows.slice(0, cursor.row).reduce((sum, row) => sum + broken(row), 0);
  // A cursor behind a row that just fits stays in it.
  const within = Math.min(Math.floor(cursor.column / width), broken(rows[cursor.row] ?? "") - 1);
  return `\r${upBy(above + within)}${below}`;
}

/** Not from the first cell on: a multiplexer takes that for a clearing, and keeps a copy of what goes in its scrollback. */
const below = "\u001b[K\u001b[C\u001b[J\r";
const syncBegins = "\u001b[?2026h";
const syncEnds = "\u001b[?2026l";
const wrapOff = "\u001b[?7l";
const wrapOn = "\u001b[?7h";

/** Writes rows over those that stand, from the top. */
class Pen {
  #bytes = "";
  /** Where the cursor is, from the beginning of the tail that stood. */
  #row: number;
  /** The row that is written next. */
  #next = 0;
  /** Rows that still stand as they were. */
  #old: readonly string[];
  #isWrapping = true;

  constructor(
    private readonly standing: Tail,
    private readonly columns: number,
  ) {
    this.#old = standing.rows;
    this.#row = standing.cursor.row;
  }

  commit(line: string): void {
    // A terminal may take letters for wider than they are here: it has to be able to break them.
    const mayBreak = rowCells(line) >= this.columns || !isSteady.test(bare(line));
    if (this.#next < this.#old.length && mayBreak) this.#clear();
    this.#write(line, true);
  }

  row(row: string): void {
    this.#write(row, false);
  }

  /** Erases the rows that are left over, and brings the cursor home. */
  end({ rows, cursor }: Tail): string {
    const first = this.#next - rows.length;
    if (this.#next < this.#old.length) this.#clear();
    this.#wrap(true);
    const isThere =
      this.#bytes === "" &&
      first === 0 &&
      cursor.row === this.standing.cursor.row &&
      cursor.column === this.standing.cursor.column;
    if (isThere) return "";
    // A tail without rows ends where its first one would begin.
    this.#go(first + cursor.row);
    this.#bytes += cursor.column === 0 ? "\r" : `\u001b[${cursor.column + 1}G`;
    return this.#bytes;
  }

  /** Everything from the next row on goes. */
  #clear(): void {
    this.#go(this.#next);
    this.#bytes += `\r${below}`;
    this.#old = [];
  }

  #write(text: string, mayWrap: boolean): void {
    const old = this.#old[this.#next];
    if (old === undefined) {
      this.#wrap(mayWrap);
      // A step down goes to the beginning of the row.
      const begin = this.#next > this.#row ? "" : "\r";
      this.#go(this.#next);
      this.#bytes += begin + text;
    } else if (text !== old) {
      // What stays is written whole, unless it only goes on.
      this.#change(text, mayWrap && !text.startsWith(old) ? "" : old);
    }
    this.#next += 1;
  }

  #change(text: string, old: string): void {
    this.#wrap(false);
    this.#go(this.#next);
    const [kept, style] = commonStart(old, text);
    const at = rowCells(kept);
    this.#bytes += at === 0 ? "\r" : `\u001b[${at + 1}G`;
    const stays = commonEnd(old.slice(kept.length), text.slice(kept.length));
    if (stays > 0) {
      this.#bytes += style + text.slice(kept.length, -stays) + (style === "" ? "" : "\u001b[0m");
      return;
    }
    const under = this.#old[this.#next] ?? "";
    const cells = rowCells(text);
    const erase = cells < rowCells(under) || !isSteady.test(bare(under)) ? "\u001b[K" : "";
    // Behind a full row the cursor is in its last cell, which would be erased.
    const isFull = cells >= this.columns;
    this.#bytes += (isFull ? erase : "") + style + text.slice(kept.length) + (isFull ? "" : erase);
  }

  /** Moves to a row; one that does not exist yet comes by scrolling. */
  #go(row: number): void {
    if (row < this.#row) this.#bytes += upBy(this.#row - row);
    else this.#bytes += "\r\n".repeat(row - this.#row);
    this.#row = row;
  }

  #wrap(isOn: boolean): void {
    if (isOn !== this.#isWrapping) this.#bytes += isOn ? wrapOn : wrapOff;
    this.#isWrapping = isOn;
  }
}

/** How much of two rows is the same, where every terminal agrees about its cells, and the colour that holds behind it. */
function commonStart(old: string, text: string): readonly [kept: string, style: string] {
  let length = 0;
  while (length < old.length && old[length] === text[length]) length += 1;
  // Not within a colour, and only before a letter that begins a cell by itself.
  const colour = text.lastIndexOf("\u001b", length);
  if (colour >= 0 && !/m/u.test(text.slice(colour, length))) length = colour;
  const kept = text.slice(0, length);
  const isSafe =
    isSteady.test(bare(kept)) && startsCell.test(text.slice(length)) && startsCell.test(old.slice(length));
  if (!isSafe) return ["", ""];
  const style = kept.match(colours)?.at(-1) ?? "";
  return [kept, style === "\u001b[0m" ? "" : style];
}

/** The length of what stays behind a change of as many plain letters, such as a sign of life. */
function commonEnd(old: string, text: string): number {
  let length = 0;
  while (length < old.length && old.at(-1 - length) === text.at(-1 - length)) length += 1;
  const changed = old.slice(0, old.length - length) + text.slice(0, text.length - length);
  const isSafe = old.length === text.length && /^[ -~]+$/u.test(changed);
  return isSafe && startsCell.test(bare(text.slice(text.length - length))) ? length : 0;
}

/** Letters of which no terminal doubts how wide they are, and which change no letter before them. */
const steady =
  " -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3";
const isSteady = new RegExp(`^[${steady}…✓✗]*$`, "u");
const startsCell = new RegExp(`^(?:$|[\\u001b${steady}])`, "u");
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are sequences of controls
const colours = /\u001b\[[\d;]*m/gu;

function bare(row: string): string {
  return row.includes("\u001b") ? row.replace(colours, "") : row;
}

function rowCells(row: string): number {
  return cellsOf(bare(row));
}

function upBy(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : "";
}
