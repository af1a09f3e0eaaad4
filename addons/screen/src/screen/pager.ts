import {
  betweenWords,
  brokenLine,
  elastic,
  fitted,
  type Line,
  type Span,
  span,
  type WindowSize,
} from "@holdfast/agent/shown";
import type { Key } from "../input/keys.js";
import { closes, type Modal, type ModalStep, nameOf, rowsMoved, thenBack, typedInFoot } from "./modal.js";
import type { WholeText } from "./update.js";

/** Shows long texts whole, the last one first. @param texts at least one. */
export function pager(texts: readonly WholeText[]): Modal {
  return new Pager(texts, { at: texts.length - 1, top: 0, words: "", typed: undefined });
}

/** A long text in the whole window; what closes it gives `back` again. */
export function page(title: string, lines: readonly Line[], back: Modal): Modal {
  return thenBack(pager([{ title: [span(title)], lines }]), back);
}

interface Position {
  /** The text that is shown. */
  readonly at: number;
  /** Its first row in the window. */
  readonly top: number;
  /** What is searched for. */
  readonly words: string;
  /** What is being typed of a search. */
  readonly typed: string | undefined;
}

class Pager implements Modal {
  constructor(
    private readonly texts: readonly WholeText[],
    private readonly position: Position,
  ) {}

  view(size: WindowSize): readonly Line[] {
    const { at, words, typed } = this.position;
    const rows = this.#rows(size);
    const top = this.#within(this.position.top, size);
    const shown = rows.slice(top, top + bodyRows(size)).map((row) => marked(row, words));
    const gap = Array.from({ length: bodyRows(size) - shown.length }, () => []);
    const place = `${Math.min(rows.length, top + bodyRows(size))}/${rows.length}`;
    const others = this.texts.length > 1 ? `  [ ] ${at + 1} of ${this.texts.length}` : "";
    const keys = `${place}${others}  / searches, n next, q closes`;
    const foot: Line = typed === undefined ? [elastic(keys, "faint")] : [elastic(`/${typed}`)];
    return [this.#text.title.map((one): Span => ({ ...one, kind: "heading" })), ...shown, ...gap, foot].slice(
      -size.rows,
    );
  }

  update(key: Key, size: WindowSize): ModalStep {
    const { typed } = this.position;
    if (typed !== undefined) return this.#typing(key, typed, size);
    const name = nameOf(key);
    const { at, top, words } = this.position;
    if (closes(name) || name === "ctrl-o") return { kind: "closed" };
    const by = rowsMoved(moves.get(name) ?? name, size.rows);
    if (by !== undefined) return this.#moved(top + by, size);
    switch (name) {
      case "g":
      case "home":
        return this.#moved(0, size);
      case "G":
      case "end":
        return this.#moved(this.#rows(size).length, size);
      case "[":
        return this.#with({ at: Math.max(0, at - 1), top: 0 });
      case "]":
        return this.#with({ at: Math.min(this.texts.length - 1, at + 1), top: 0 });
      case "/":
        return this.#with({ typed: "" });
      case "n":
        return this.#found(words, top + 1, size);
      case "N":
        return this.#found(words, top - 1, size, -1);
      default:
        return this.#with({});
    }
  }

  get #text(): WholeText {
    return this.texts[this.position.at] ?? { title: [], lines: [] };
  }

  #typing(key: Key, typed: string, size: WindowSize): ModalStep {
    if (key.kind === "chord" && key.chord === "enter") return this.#found(typed, this.position.top, size);
    return this.#with({ typed: typedInFoot(typed, key) });
  }

  /** The next row that holds the words, from a row on; around the end where there is none before it. */
  #found(words: string, from: number, size: WindowSize, by: 1 | -1 = 1): ModalStep {
    const rows = this.#rows(size);
    const isHit = (row: Line) => words !== "" && textOf(row).includes(words.toLowerCase());
    for (let step = 0; step < rows.length; step += 1) {
      const at = (from + by * step + 2 * rows.length) % rows.length;
      if (isHit(rows[at] ?? [])) return this.#with({ words, typed: undefined, top: this.#within(at, size) });
    }
    return this.#with({ words, typed: undefined });
  }

  #moved(top: number, size: WindowSize): ModalStep {
    return this.#with({ top: this.#within(top, size) });
  }

  #within(top: number, size: WindowSize): number {
    return Math.max(0, Math.min(top, this.#rows(size).length - bodyRows(size)));
  }

  #rows({ columns }: WindowSize): readonly Line[] {
    const text = this.#text;
    const known = broken.get(text);
    if (known?.columns === columns) return known.rows;
    const room = Math.max(1, columns);
    const rows = text.lines.flatMap((line) => {
      const shown = fitted(line);
      return brokenLine(text.isProse === true ? betweenWords(shown, room) : shown, room);
    });
    broken.set(text, { columns, rows });
    return rows;
  }

  #with(changes: Partial<Position>): ModalStep {
    return { kind: "shown", modal: new Pager(this.texts, { ...this.position, ...changes }) };
  }
}

/** Keys that move in a text as others move in a list. */
const moves = new Map([
  ["enter", "down"],
  [" ", "pagedown"],
  ["b", "pageup"],
]);

/** The rows of a text as they were broken last: each key would break it anew. */
const broken = new WeakMap<WholeText, { readonly columns: number; readonly rows: readonly Line[] }>();

/** Between the title and the foot. */
function bodyRows({ rows }: WindowSize): number {
  return Math.max(1, rows - 2);
}

function textOf(row: Line): string {
  return row
    .map(({ text }) => text)
    .join("")
    .toLowerCase();
}

/** The row with the words that are searched for marked, where they are in one stretch. */
function marked(row: Line, words: string): Line {
  if (words === "") return row;
  return row.flatMap((one): readonly Span[] => {
    const at = one.text.toLowerCase().indexOf(words.toLowerCase());
    if (at < 0) return [one];
    const end = at + words.length;
    const parts: readonly Span[] = [
      { ...one, text: one.text.slice(0, at) },
      { ...one, text: one.text.slice(at, end), ground: "hit" },
      ...marked([{ ...one, text: one.text.slice(end) }], words),
    ];
    return parts.filter(({ text }) => text !== "");
  });
}
