import { cellsOf, graphemesOf } from "@holdfast/agent/shown";
import { escapeUnseen } from "@holdfast/core/text";

/** Long pastes of a text that is being typed, each by the one character that stands for it there. */
export type Folds = ReadonlyMap<string, string>;

/** What the cursor steps over at once: a grapheme, or a paste that is folded. */
export interface Unit {
  readonly text: string;
  /** As it is drawn; a line break as it is. */
  readonly shown: string;
  readonly cells: number;
}

/** A text with its long pastes folded, cut into what is drawn and stepped over. Pure. */
export function unitsOf(text: string, folds: Folds): readonly Unit[] {
  const units: Unit[] = [];
  for (const { segment } of graphemesOf(text))
    for (const part of partsOf(segment, folds)) units.push(unitOf(part, folds));
  return units;
}

/** The end of the unit that begins or stands at a position. */
export function unitEnd(text: string, at: number, folds: Folds): number {
  // Most lines are short, and no unit goes over a line's end.
  let end = lineStartAt(text, at);
  for (const unit of unitsOf(lineAt(text, at), folds)) {
    if (end > at) break;
    end += unit.text.length;
  }
  return end > at ? end : Math.min(text.length, at + 1);
}

/** The beginning of the unit before a position. */
export function unitBefore(text: string, at: number, folds: Folds): number {
  if (text[at - 1] === "\n") return at - 1;
  const last = unitsOf(text.slice(lineStartAt(text, at), at), folds).at(-1);
  return at - (last?.text.length ?? 0);
}

/** Where the line of a position begins. */
export function lineStartAt(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** Whether a text is folded where it is put in: it is long, or holds a character that could stand for a paste. */
export function isFolded(text: string): boolean {
  return (
    text.length > mostShownChars ||
    text.split("\n", mostShownLines + 1).length > mostShownLines ||
    hasSign.test(text)
  );
}

/** A character that stands for nothing yet. */
export function freeSign(folds: Folds): string {
  return String.fromCodePoint(firstSign + (folds.size % signs));
}

/** The text with its pastes in full. */
export function unfolded(text: string, folds: Folds): string {
  return folds.size === 0 ? text : text.replace(everySign, (sign) => folds.get(sign) ?? sign);
}

const mostShownChars = 2_000;
const mostShownLines = 20;
/** The last private plane of Unicode: nobody types it, and what is pasted with it is folded itself. */
const firstSign = 0x100000;
const signs = 0xfffe;
const hasSign = /[\u{100000}-\u{10fffd}]/u;
const everySign = /[\u{100000}-\u{10fffd}]/gu;

function lineAt(text: string, at: number): string {
  const end = text.indexOf("\n", at);
  return text.slice(lineStartAt(text, at), end < 0 ? text.length : end);
}

function partsOf(segment: string, folds: Folds): readonly string[] {
  if (!hasSign.test(segment)) return [segment];
  const chars = [...segment];
  return chars.some((char) => folds.has(char)) ? chars : [segment];
}

function unitOf(text: string, folds: Folds): Unit {
  const paste = folds.get(text);
  const shown = paste === undefined ? shownGrapheme(text) : foldWords(paste);
  return { text, shown, cells: cellsOf(shown) };
}

function shownGrapheme(text: string): string {
  if (text === "\t") return "  ";
  if (text === "\r\n") return "\n";
  return escapeUnseen(text);
}

function foldWords(text: string): string {
  const lines = text.split("\n").length;
  const size =
    lines > 1 ? `${lines.toLocaleString("en")} lines` : `${text.length.toLocaleString("en")} characters`;
  return `[paste, ${size}]`;
}
