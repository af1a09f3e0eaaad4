import {
  type Flaw,
  type ImportProblem,
  parsed,
  readLines,
  type SourceLine,
  type SourceLines,
} from "@holdfast/core/conversation/import";
import type { JsonObject } from "@holdfast/core/conversation/values";
import type { Advancing } from "@holdfast/core/text";
import { holdsRecords, listNames, readIndented } from "./indented.js";
import { endOfBlanks, endOfString } from "./json-scan.js";

/**
 * Whether a file is one JSON document instead of lines. It is none where its first line is a whole value and another
 * follows, nor where its second line is one, unless that stands in a list which the first line began.
 */
export function isDocument(text: string): boolean {
  const start = text.search(/[^\s\ufeff]/u);
  if (start < 0 || !/[{[]/u.test(text.charAt(start))) return false;
  const [first, next] = firstLines(text, start);
  if (next === undefined || (isWhole(first) && first.startsWith("["))) return true;
  if (isWhole(first) || (isWhole(next) && !first.endsWith("["))) return false;
  return !next.startsWith("{") || first.endsWith("[");
}

/** Trimmed; of the second the next that is not empty. */
function firstLines(text: string, start: number): readonly [string, string?] {
  const end = /[\r\n]/gu;
  end.lastIndex = start;
  const newline = end.exec(text)?.index ?? text.length;
  const next = endOfBlanks(text, newline);
  const first = text.slice(start, newline).trim();
  if (next === text.length) return [first];
  end.lastIndex = next;
  return [first, text.slice(next, end.exec(text)?.index).trim()];
}

function isWhole(line: string): boolean {
  const isClosed = /^[{[]/u.test(line) && (line.endsWith("}") || line.endsWith("]"));
  return isClosed && parsed(`{"value":${line}}`) !== undefined;
}

/**
 * Reads a JSON document as if it were lines: an object without its lists of messages first, then their items; of a
 * list its items. Each item is parsed alone, so that a long document holds nobody up, and a damaged item
 * costs itself. What no longer can be told apart is told and left out. What follows the document is read line by line; so
 * is all of a text that turns out to be none.
 */
export function* readDocument(text: string): Advancing<SourceLines> {
  const reader = new DocumentReader(text);
  for (const at of reader.read()) yield { done: at, of: text.length };
  const { lines, problems, rest, isWhole } = reader;
  // A bracket too few or too many ends it early.
  const goesOn = rest !== undefined && !/^[{[]/u.test(rest.text);
  const isUnnamed = !reader.hasItems && lines.some(({ value }) => Object.values(value).some(holdsRecords));
  const isDamaged =
    !isWhole || goesOn || isUnnamed || problems.some(({ what }) => what === "unreadable_line");
  const mended = isDamaged && isIndented(text) ? yield* readRows(text, problems) : undefined;
  if (mended !== undefined) return mended;
  if (!isWhole && !reader.hasItems) {
    const others = yield* readLines(text);
    if (others.lines.length > 0) return others;
  }
  if (rest === undefined) return { lines, problems };
  const behind = yield* readLines(rest.text, { before: rest.line - 1 });
  return { lines: [...lines, ...behind.lines], problems: [...problems, ...behind.problems] };
}

/**
 * Reads a document by its rows, each as far as it is whole.
 *
 * @param told what is wrong with it, where no row tells.
 * @returns undefined where nothing is.
 */
export function* readRows(
  text: string,
  told: readonly ImportProblem[] = [],
): Advancing<SourceLines | undefined> {
  const { header, items, problems } = yield* readIndented(text);
  const first = Object.keys(header).length === 0 ? [] : [{ line: 1, value: header }];
  if (first.length + items.length === 0) return undefined;
  const ends = told.filter(({ what }) => what === "truncated");
  return { lines: [...first, ...items], problems: problems.length > 0 ? [...ends, ...problems] : told };
}

/** Whether its members stand on rows of their own. */
export function isIndented(text: string): boolean {
  for (let newline = text.indexOf("\n"); newline >= 0; ) {
    let at = newline + 1;
    while (text[at] === " " || text[at] === "\t") at += 1;
    if (at > newline + 1 && (text[at] === '"' || text[at] === "{")) return true;
    newline = text.indexOf("\n", at);
  }
  return false;
}

/** In UTF-16 units: parsed in some milliseconds. */
const stepUnits = 64 * 1024;

class DocumentReader {
  readonly lines: SourceLine[] = [];
  readonly problems: ImportProblem[] = [];
  hasItems = false;
  isWhole = false;
  private at: number;
  private line = 1;
  /** The next line end that is not counted yet; the length of the text where none is. */
  private newline: number;

  constructor(private readonly text: string) {
    this.at = text.startsWith("\ufeff") ? 1 : 0;
    this.newline = this.newlineFrom(0);
  }

  /** What is written behind the end of a whole document, with the line in which it begins. */
  get rest(): { readonly text: string; readonly line: number } | undefined {
    const from = endOfBlanks(this.text, this.at);
    if (!this.isWhole || from === this.text.length) return undefined;
    return { text: this.text.slice(from), line: this.lineAt(from) };
  }

  /** Tells from time to time how far it is. */
  *read(): Generator<number> {
    this.skipBlanks();
    const items: SourceLine[] = [];
    const header: [string, JsonObject][] = [];
    this.isWhole =
      this.text[this.at] === "["
        ? yield* this.items(items)
        : yield* this.members((key, value) => header.push([key, value]), items);
    const value = Object.fromEntries(header.map(([key, { value: member }]) => [key, member ?? null]));
    if (header.length > 0) this.lines.push({ line: 1, value });
    for (const item of items) this.lines.push(item);
    this.hasItems = items.length > 0;
    if (this.isWhole) return;
    const line = this.lineAt(Math.min(this.at, this.text.length));
    this.problems.push({
      line,
      what: "truncated",
      message: `The document ends at line ${line} before its end.`,
    });
  }

  private *members(
    take: (key: string, value: JsonObject) => void,
    items: SourceLine[],
  ): Generator<number, boolean> {
    this.at += 1;
    for (;;) {
      this.skipBlanks();
      if (this.text[this.at] === "}") {
        this.at += 1;
        return true;
      }
      const key = this.key();
      if (key === undefined) return false;
      if (listNames.has(key) && this.text[this.at] === "[") {
        if (!(yield* this.items(items))) return false;
      } else {
        const piece = this.piece();
        // Put into an object, it is tamed as a line is.
        const read = piece === undefined ? undefined : parsed(`{"value":${piece.raw}}`);
        if (piece === undefined) return false;
        this.tell(piece.line, read === undefined ? noObject(piece.raw) : read.flaw);
        if (read !== undefined) take(key, read.value);
      }
      if (!this.skipComma("}")) return false;
    }
  }

  private *items(items: SourceLine[]): Generator<number, boolean> {
    this.at += 1;
    let told = this.at;
    for (;;) {
      this.skipBlanks();
      if (this.text[this.at] === "]") {
        this.at += 1;
        return true;
      }
      const piece = this.piece();
      if (piece === undefined) return false;
      const read = parsed(piece.raw);
      if (read !== undefined) items.push({ line: piece.line, value: read.value });
      this.tell(piece.line, read === undefined ? noObject(piece.raw) : read.flaw);
      if (!this.skipComma("]")) return false;
      if (this.at - told < stepUnits) continue;
      told = this.at;
      yield told;
    }
  }

  private key(): string | undefined {
    if (this.text[this.at] !== '"') return undefined;
    const end = this.endOfString(this.at);
    const raw = this.text.slice(this.at, end);
    this.at = end;
    this.skipBlanks();
    if (this.text[this.at] !== ":") return undefined;
    this.at += 1;
    this.skipBlanks();
    const read = parsed(`{"value":${raw}}`);
    const value = read?.value.value;
    return typeof value === "string" ? value : undefined;
  }

  /** One value as it is written; undefined where the document ends before it does. */
  private piece(): { readonly raw: string; readonly line: number } | undefined {
    const from = this.at;
    const end = this.endOfValue(from);
    if (end === undefined || end === from) return undefined;
    this.at = end;
    return { raw: this.text.slice(from, end), line: this.lineAt(from) };
  }

  private endOfValue(from: number): number | undefined {
    const first = this.text[from];
    if (first === '"') return this.endOfString(from);
    if (first !== "{" && first !== "[") {
      const end = /[,\]}\s]/gu;
      end.lastIndex = from;
      return end.exec(this.text)?.index;
    }
    const marks = /["{}[\]]/gu;
    marks.lastIndex = from;
    let depth = 0;
    for (let mark = marks.exec(this.text); mark !== null; mark = marks.exec(this.text)) {
      const [sign] = mark;
      if (sign === '"') marks.lastIndex = this.endOfString(mark.index);
      else depth += sign === "{" || sign === "[" ? 1 : -1;
      if (depth === 0) return mark.index + 1;
    }
    return undefined;
  }

  /** Behind the closing quote, or the end of the text. */
  private endOfString(from: number): number {
    return endOfString(this.text, from) ?? this.text.length;
  }

  private skipBlanks(): void {
    this.at = endOfBlanks(this.text, this.at);
  }

  /** @returns false where neither a comma nor the end follows. */
  private skipComma(end: string): boolean {
    this.skipBlanks();
    if (this.text[this.at] === ",") {
      this.at += 1;
      return true;
    }
    return this.text[this.at] === end;
  }

  private tell(line: number, flaw: Flaw | undefined): void {
    if (flaw !== undefined)
      this.problems.push({ line, what: flaw.what, message: `Line ${line} ${flaw.said}` });
  }

  private lineAt(at: number): number {
    while (this.newline < at) {
      this.line += 1;
      this.newline = this.newlineFrom(this.newline + 1);
    }
    return this.line;
  }

  private newlineFrom(from: number): number {
    const found = this.text.indexOf("\n", from);
    return found < 0 ? this.text.length : found;
  }
}

function noObject(raw: string): Flaw {
  return { what: "unreadable_line", said: `is no JSON object (${raw.length} characters); it was left out.` };
}
