import { cellsOf } from "@holdfast/agent/shown";
import { type EditorState, foundEntry } from "./editor.js";
import { type Unit, unitsOf } from "./units.js";

/** How a text that is typed is drawn. */
interface EditorView {
  readonly lines: readonly string[];
  /** Where the next letter comes; both from 0. */
  readonly cursor: { readonly row: number; readonly column: number };
}

/** What it is drawn in. */
interface EditorWindow {
  readonly columns: number;
  /** Rows at most: of a longer text those around the cursor are shown. */
  readonly rows: number;
  /** What stands before the text: a prompt, or a question. */
  readonly label: string;
}

/**
 * The rows of the text, none of which reaches the last column, and the cell behind the text before the cursor. Controls
 * are escaped, pastes folded, secrets hidden. Pure.
 */
export function view(state: EditorState, window: EditorWindow): EditorView {
  const rows = new Rows(Math.max(1, window.columns - 1));
  const found = foundEntry(state);
  const { text, cursor, folds, isSecret, search } = state;
  const label = search === undefined ? window.label : `(history: ${search.words}) `;
  const whole = search === undefined ? text : (found?.slice(0, mostDrawn) ?? "");
  const at = search === undefined ? cursor : Math.max(0, whole.indexOf(search.words));
  for (const word of label.split(/(?<= )/u)) rows.addWord(unitsOf(word, new Map()));
  const parts = isSecret ? [] : [whole.slice(0, at), whole.slice(at)];
  const [before = [], after = []] = parts.map((part) => unitsOf(part, folds));
  rows.add(before);
  const { place } = rows;
  rows.add(after);
  const count = Math.max(1, window.rows);
  const from = Math.max(0, Math.min(place.row - Math.floor(count / 2), rows.lines.length - count));
  return {
    lines: rows.lines.slice(from, from + count),
    cursor: { row: place.row - from, column: place.column },
  };
}

/** What stands in the scrollback once it is sent: unwrapped, later lines indented. */
export function sentWords(state: EditorState, label: string): string {
  if (state.isSecret) return label;
  // Enter in a search sends what is found.
  const shown = unitsOf(foundEntry(state) ?? state.text, state.folds).map((unit) => unit.shown);
  return label + shown.join("").replaceAll("\n", `\n${" ".repeat(indent)}`);
}

const indent = 2;
/** An entry of the history may be longer than what is ever typed. */
const mostDrawn = 20_000;

class Rows {
  readonly lines: string[] = [""];
  #column = 0;
  readonly #indent: number;

  constructor(private readonly room: number) {
    this.#indent = room >= 8 ? indent : 0;
  }

  get place(): EditorView["cursor"] {
    return { row: this.lines.length - 1, column: this.#column };
  }

  /** A word of a question with the blank behind it, in the next row where it does not fit into this one. */
  addWord(units: readonly Unit[]): void {
    const cells = units.reduce((sum, unit) => sum + unit.cells, 0);
    if (this.#column + cells > this.room && cells <= this.room - this.#indent) this.#break();
    this.add(units);
  }

  add(units: readonly Unit[]): void {
    for (const { shown, cells } of units) {
      if (shown === "\n") this.#break();
      else if (cells <= this.room - this.#indent) this.#put(shown, cells);
      // What is wider than a row, such as an escape: letter by letter, or a sign for what is not even one cell wide.
      else for (const char of shown) this.#put(...fitting(char, this.room));
    }
  }

  #put(shown: string, cells: number): void {
    if (this.#column + cells > this.room) this.#break();
    this.lines[this.lines.length - 1] += shown;
    this.#column += cells;
  }

  #break(): void {
    this.lines.push(" ".repeat(this.#indent));
    this.#column = this.#indent;
  }
}

function fitting(char: string, room: number): [string, number] {
  const cells = cellsOf(char);
  return cells > room ? ["…", 1] : [char, cells];
}
