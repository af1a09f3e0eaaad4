import { cellsOf, cutLine, fitted, type Line, span, type WindowSize } from "@holdfast/agent/shown";
import type { Key } from "../input/keys.js";

/**
 * Something that has the whole window for a while, such as the tree or a long text. A value: each key makes another one
 * of it. It never does anything by itself: what a key asks for is a wish.
 */
export interface Modal {
  /** It asks for a decision: a key counts only a while after it was shown, and after the last one. */
  readonly isQuestion?: boolean;
  /** As many lines as the window has rows, at most; none reaches its last column, in which nothing is drawn. Pure. */
  view(size: WindowSize): readonly Line[];
  /** What a key makes of it. Pure. */
  update(key: Key, size: WindowSize): ModalStep;
}

/** What a key came to: another modal, or its end. */
export type ModalStep =
  | { readonly kind: "shown"; readonly modal: Modal; readonly wish?: ModalWish }
  /** `line`: a slash command that is run in its place; `text`: words that are put into the input. */
  | { readonly kind: "closed"; readonly line?: string; readonly text?: string };

/** Looks something up that takes time, such as the plan of a rewind. It changes nothing; what it gives is shown then. */
type ModalWish = () => Promise<Modal>;

/** A modal after which another one is shown again. */
export function thenBack(modal: Modal, back: Modal): Modal {
  return {
    view: (size) => modal.view(size),
    update: (key, size) => {
      const step = modal.update(key, size);
      return step.kind === "closed"
        ? { kind: "shown", modal: back }
        : { ...step, modal: thenBack(step.modal, back) };
    },
  };
}

/** Keys with what they do, two blanks apart, on as many lines as they need, up to a quarter of the window. */
export function keyLines(keys: string, { columns, rows }: WindowSize): readonly Line[] {
  const lines: string[] = [];
  for (const key of keys.split("  ")) {
    const longer = `${lines.at(-1)}  ${key}`;
    if (lines.length > 0 && cellsOf(longer) < columns) lines[lines.length - 1] = longer;
    else lines.push(key);
  }
  return lines.slice(0, Math.max(1, Math.floor(rows / 4))).map((line) => [span(line, "faint")]);
}

/** A window with a title above, a foot below, and between them what there is room for. @param body of so many rows. */
export function framed(
  title: Line,
  body: (rows: number) => readonly Line[],
  foot: readonly Line[],
  { columns, rows }: WindowSize,
): readonly Line[] {
  const room = Math.max(1, rows - 1 - foot.length);
  const lines = body(room);
  const filler = Array.from({ length: Math.max(0, room - lines.length) }, (): Line => []);
  const all = [title, ...lines, ...filler, ...foot];
  return all.slice(0, rows).map((line) => cutLine(fitted(line, columns - 1), columns - 1));
}

/** The rows of a list around the chosen one, in so many rows of a window. */
export function rowsAround<Row>(
  rows: readonly Row[],
  at: number,
  height: number,
  draw: (row: Row) => { readonly line: Line; readonly isMarked: boolean },
): readonly Line[] {
  const top = Math.max(0, Math.min(at - Math.floor(height / 2), rows.length - height));
  return rows.slice(top, top + height).map((row, index) => {
    const isChosen = top + index === at;
    const { line, isMarked } = draw(row);
    const marked = [span(isMarked ? "◆ " : isChosen ? "▸ " : "  ", "accent"), ...line];
    return isChosen ? marked.map((one) => ({ ...one, ground: "chosen" as const })) : marked;
  });
}

/** A key by its chord or its letter; empty for a paste, which is no key. */
export function nameOf(key: Key): string {
  return key.kind === "chord" ? key.chord : key.kind === "text" ? key.text : "";
}

/** Keys that close a window in which nothing is typed. */
export function closes(key: string): boolean {
  return key === "escape" || key === "q" || key === "ctrl-c";
}

/** What a key makes of words that are typed in the foot of a window; undefined for a key that ends that. */
export function typedInFoot(words: string, key: Key): string | undefined {
  if (key.kind !== "chord") return words + key.text.replace(/\r\n|\s/gu, " ");
  return key.chord === "backspace" ? Array.from(words).slice(0, -1).join("") : undefined;
}

/** By how many rows a key moves in a list of a window this high; undefined for any other key. */
export function rowsMoved(key: string, height: number): number | undefined {
  const page = Math.max(1, height - 3);
  return new Map(Object.entries({ up: -1, k: -1, down: 1, j: 1, pageup: -page, pagedown: page })).get(key);
}
