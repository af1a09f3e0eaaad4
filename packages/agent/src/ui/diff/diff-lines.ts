import { diffLines } from "@holdfast/core/patch";
import { brokenLine, cellsOfLine, type Ground, type Line, type Span, span } from "../lines/spans.js";
import type { ComparedTexts, Hunk } from "./hunks.js";

/** Colours code: a line each; undefined of a language that it does not know. */
export type Highlighter = (code: string, language: string) => readonly Line[] | undefined;

/** How a difference is drawn. */
export interface DiffOptions {
  /** Both sides beside each other in a window of so many cells; else one below the other, as long as lines are. */
  readonly besideIn?: number;
  /** Colours the code. @param language of the file, as its name ends. */
  readonly highlight?: Highlighter;
  readonly language?: string;
  /** The hunks are some of several files: the number of the first, and how many there are. */
  readonly numbers?: { readonly first: number; readonly count: number };
}

/** Draws a difference: numbered hunks, numbers of lines, and the words that differ in lines that were changed. Pure. */
export function linesOfDiff(texts: ComparedTexts, options: DiffOptions = {}): readonly Line[] {
  const drawing = new Drawing(texts, options);
  const { first, count } = options.numbers ?? { first: 1, count: texts.hunks.length };
  return texts.hunks.flatMap((hunk, at) => [headOf(hunk, first + at, count), ...drawing.hunk(hunk)]);
}

function headOf({ newFrom, newTo }: Hunk, number: number, count: number): Line {
  const lines = `lines ${newFrom + 1}-${Math.max(newFrom + 1, newTo)}`;
  return [span(count === 1 ? `@@ ${lines} @@` : `@@ ${number} of ${count}: ${lines} @@`, "accent")];
}

/** One line of a side, with its number. */
interface Side {
  readonly number: number;
  readonly line: Line;
  readonly ground?: Ground;
}

class Drawing {
  readonly #digits: number;
  /** Ends that all lines have are not shown. */
  readonly #end: RegExp;

  constructor(
    private readonly texts: ComparedTexts,
    private readonly options: DiffOptions,
  ) {
    this.#digits = String(Math.max(texts.old.length, texts.fresh.length)).length;
    const all = [...texts.old, ...texts.fresh];
    this.#end = all.every((line) => /\r\n$|[^\n]$/u.test(line)) ? /\r?\n$/u : /\n$/u;
  }

  hunk({ changes, oldFrom, newFrom, oldTo }: Hunk): readonly Line[] {
    const lines: Line[] = [];
    let [old, fresh] = [oldFrom, newFrom];
    const same = (to: number) => {
      for (; old < to; old += 1, fresh += 1) {
        const line = this.#code(this.texts.fresh[fresh] ?? "");
        lines.push(...this.#rows({ number: old + 1, line }, { number: fresh + 1, line }));
      }
    };
    for (const change of changes) {
      same(change.oldFrom);
      const removed = this.texts.old.slice(change.oldFrom, change.oldTo);
      const added = this.texts.fresh.slice(change.newFrom, change.newTo);
      const [left, right] = this.#pair(removed, added, change);
      if (this.options.besideIn === undefined)
        lines.push(
          ...left.flatMap((side) => this.#rows(side)),
          ...right.flatMap((side) => this.#rows(undefined, side)),
        );
      else
        for (let at = 0; at < Math.max(left.length, right.length); at += 1)
          lines.push(...this.#rows(left[at], right[at]));
      [old, fresh] = [change.oldTo, change.newTo];
    }
    same(oldTo);
    return lines;
  }

  /** Lines that take the place of one another have the words marked that differ. */
  #pair(
    removed: readonly string[],
    added: readonly string[],
    { oldFrom, newFrom }: { oldFrom: number; newFrom: number },
  ) {
    const pairs = removed.map((text, at) => {
      const other = removed.length === added.length ? added[at] : undefined;
      return other === undefined
        ? undefined
        : wordsThatDiffer(text.replace(this.#end, ""), other.replace(this.#end, ""));
    });
    const side = (text: string, at: number, ground: "added" | "removed", from: number): Side => {
      const words = ground === "removed" ? pairs[at]?.[0] : pairs[at]?.[1];
      const marked =
        words === undefined ? this.#code(text) : grounded(this.#code(text), words, `${ground}Word`);
      const line = marked.map((one) => ({ ...one, ground: one.ground ?? ground }));
      return { number: from + at + 1, line, ground };
    };
    return [
      removed.map((text, at) => side(text, at, "removed", oldFrom)),
      added.map((text, at) => side(text, at, "added", newFrom)),
    ] as const;
  }

  #rows(left?: Side, right?: Side): readonly Line[] {
    const { besideIn } = this.options;
    if (besideIn !== undefined) return this.#beside(left, right, Math.floor((besideIn - 3) / 2));
    const side = right ?? left;
    const ground = left === undefined ? "added" : right === undefined ? "removed" : undefined;
    const sign = ground === undefined ? " " : ground === "added" ? "+" : "-";
    const numbers = `${this.#number(left)} ${this.#number(right)} `;
    return [[span(numbers, "faint"), signed(sign, ground), ...(side?.line ?? [])]];
  }

  #beside(left: Side | undefined, right: Side | undefined, cells: number): readonly Line[] {
    const half = (side: Side | undefined) => {
      const room = Math.max(4, cells - this.#digits - 2);
      const rows = side === undefined ? [[]] : brokenLine(side.line, room);
      return rows.map((row, at): Line => {
        const sign = at > 0 || side?.ground === undefined ? " " : side.ground === "added" ? "+" : "-";
        return [
          span(`${at === 0 ? this.#number(side) : " ".repeat(this.#digits)} `, "faint"),
          signed(sign, side?.ground),
          ...row,
          span(" ".repeat(Math.max(0, room - cellsOfLine(row)))),
        ];
      });
    };
    const [one, other] = [half(left), half(right)];
    const blank: Line = [span(" ".repeat(Math.max(0, cells)))];
    return Array.from({ length: Math.max(one.length, other.length) }, (_, at) => [
      ...(one[at] ?? blank),
      span(" │ ", "faint"),
      ...(other[at] ?? []),
    ]);
  }

  #number(side: Side | undefined): string {
    return String(side?.number ?? "").padStart(this.#digits);
  }

  #code(text: string): Line {
    const shown = text.replace(this.#end, "").replaceAll("\t", "    ");
    const end = text.endsWith("\n") ? [] : [span("  (no newline at the end)", "faint")];
    const [line] = this.options.highlight?.(shown, this.options.language ?? "") ?? [];
    return [...(line ?? [span(shown)]), ...end];
  }
}

function signed(sign: string, ground: Ground | undefined): Span {
  return ground === undefined ? span(sign) : { ...span(sign, ground === "added" ? "good" : "bad"), ground };
}

/** Places in a text, UTF-16. */
type Places = readonly { readonly from: number; readonly to: number }[];

/** What differs between two lines, on each side; undefined where they have too little in common to be compared. */
function wordsThatDiffer(old: string, fresh: string): readonly [Places, Places] | undefined {
  const [left, right] = [wordsOf(old), wordsOf(fresh)];
  if (left.length + right.length > mostWords) return undefined;
  const changes = diffLines(left, right, 50);
  const changed = (side: "old" | "new") =>
    changes.reduce(
      (sum, one) => sum + (side === "old" ? one.oldTo - one.oldFrom : one.newTo - one.newFrom),
      0,
    );
  if (changed("old") > left.length * mostShare && changed("new") > right.length * mostShare) return undefined;
  const places = (words: readonly string[], from: "oldFrom" | "newFrom", to: "oldTo" | "newTo"): Places => {
    const starts = [0];
    for (const word of words) starts.push((starts.at(-1) ?? 0) + word.length);
    return changes.map((one) => ({ from: starts[one[from]] ?? 0, to: starts[one[to]] ?? 0 }));
  };
  return [places(left, "oldFrom", "oldTo"), places(right, "newFrom", "newTo")];
}

const mostWords = 400;
const mostShare = 0.7;

function wordsOf(line: string): readonly string[] {
  return (
    line
      .replace(/\r?\n$/u, "")
      .replaceAll("\t", "    ")
      .match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []
  );
}

/** The line with a ground behind some of its places. */
function grounded(line: Line, places: Places, ground: Ground): Line {
  let at = 0;
  return line.flatMap((one) => {
    const from = at;
    at += one.text.length;
    const cuts = new Set([0, one.text.length]);
    for (const place of places)
      for (const cut of [place.from - from, place.to - from])
        if (cut > 0 && cut < one.text.length) cuts.add(cut);
    const sorted = [...cuts].sort((a, b) => a - b);
    return sorted.slice(1).map((end, index) => {
      const start = sorted[index] ?? 0;
      const isMarked = places.some((place) => place.from <= from + start && from + end <= place.to);
      return { kind: one.kind, text: one.text.slice(start, end), ...(isMarked && { ground }) };
    });
  });
}
