import { isDeepStrictEqual } from "node:util";
import { cellsOf } from "@holdfast/agent";

/** Rows that are drawn below the output, and the cell of the cursor in them. */
export interface LiveRows {
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/**
 * Output that goes on above a few rows that are drawn again and again. What was put out is never touched: only the rows
 * are erased, and drawn below it. Without rows the output is what it would be without this.
 */
export class LiveArea {
  #rows: LiveRows | undefined;
  /** The last line of the output, which may go on. */
  #open = "";
  /** What is put out while somebody else has the screen. */
  #held: string[] | undefined;

  /** @param write to the terminal, at once. */
  constructor(
    private readonly write: (text: string) => void,
    private readonly columns: () => number,
  ) {}

  /** Puts out a text above the rows. */
  print(text: string): void {
    if (this.#held !== undefined) this.#held.push(text);
    if (this.#held !== undefined || text === "") return;
    const erased = this.#erased();
    const end = text.lastIndexOf("\n");
    this.#open = (end < 0 ? this.#open : "") + text.slice(end + 1);
    this.write(erased + text + this.#drawn());
  }

  /** Draws other rows; none for undefined. */
  draw(rows: LiveRows | undefined): void {
    if (isDeepStrictEqual(rows, this.#rows)) return;
    const erased = this.#erased();
    this.#rows = rows;
    this.write(erased + this.#drawn());
  }

  /** The rows are not where they were: the next ones are drawn where the cursor stands. @param clear what clears the screen. */
  forget(clear = `\r${below}`): void {
    this.#rows = undefined;
    this.#open = "";
    this.write(clear);
  }

  /** Runs work that has the screen for itself. */
  async outside<Result>(work: () => Promise<Result>): Promise<Result> {
    this.draw(undefined);
    this.#held = [];
    try {
      return await work();
    } finally {
      const held = this.#held.join("");
      this.#held = undefined;
      this.print(held);
    }
  }

  #drawn(): string {
    if (this.#rows === undefined) return "";
    const { lines, cursor } = this.#rows;
    const up = lines.length - 1 - cursor.row;
    const begin = this.#open === "" ? "" : "\n";
    return `${begin}${lines.join("\n")}${up > 0 ? `\u001b[${up}A` : ""}\r${forward(cursor.column)}`;
  }

  /** Erases the rows, and goes to where the output ends. */
  #erased(): string {
    if (this.#rows === undefined) return "";
    const { lines, cursor } = this.#rows;
    // A window that became narrower has broken them.
    const above = lines
      .slice(0, cursor.row)
      .reduce((rows, line) => rows + this.#rowsOf(cellsOf(line.replace(colours, ""))), 0);
    const within = Math.floor(cursor.column / this.#width());
    const top = `\r${upBy(above + within)}${below}`;
    const ends = cellsWithTabs(this.#open.replace(colours, "")) % this.#width();
    // A line that fills its last row goes on in the next one, where the rows were.
    return ends === 0 ? top : `${top}${upBy(1)}${forward(ends)}`;
  }

  #rowsOf(cells: number): number {
    return Math.max(1, Math.ceil(cells / this.#width()));
  }

  #width(): number {
    return Math.max(1, this.columns());
  }
}

const below = "\u001b[J";
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are sequences of controls
const colours = /\u001b\[[\d;]*m/g;

function cellsWithTabs(line: string): number {
  const [first = "", ...others] = line.split("\t");
  return others.reduce((cells, part) => (Math.floor(cells / 8) + 1) * 8 + cellsOf(part), cellsOf(first));
}

function upBy(rows: number): string {
  return rows > 0 ? `\u001b[${rows}A` : "";
}

function forward(columns: number): string {
  return columns > 0 ? `\u001b[${columns}C` : "";
}
