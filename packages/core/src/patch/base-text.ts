import { commonEnding, type LineEnding, splitLines, type TextLines } from "../text/index.js";

/**
 * How two lines are compared: byte for byte, without trailing blanks, without any blanks around, or with
 * typographic punctuation (and trailing blanks) levelled. Endings never count.
 */
export type LineKey = "exact" | "trailing" | "trimmed" | "punctuation";

/** The file's lines, and for each way of comparing them an index that is built when first asked for. */
export class BaseText {
  readonly lines: TextLines;
  readonly count: number;
  private usual: LineEnding | undefined;
  private full: FullLines | undefined;
  private readonly indexes = new Map<LineKey, LineIndex>();

  constructor(readonly text: string) {
    this.lines = splitLines(text);
    this.count = this.lines.contents.length;
  }

  line(at: number): string {
    return this.lines.contents[at] ?? "";
  }

  /** The ending that most lines have; undefined where none is ended. */
  get usualEnding(): LineEnding | undefined {
    this.usual ??= this.lines.endings.some((ending) => ending !== "") ? commonEnding(this.lines) : "";
    return this.usual === "" ? undefined : this.usual;
  }

  /** The lines that are not blank. */
  get fullLines(): FullLines {
    this.full ??= findFullLines(this.lines.contents);
    return this.full;
  }

  index(key: LineKey): LineIndex {
    const known = this.indexes.get(key);
    if (known !== undefined) return known;
    const index = new LineIndex(this.lines.contents, key);
    this.indexes.set(key, index);
    return index;
  }
}

/** The lines of a text that are not blank, counted by rank. */
export interface FullLines {
  /** For each line, and for the end, how many such lines stand before it. */
  readonly rank: Int32Array;
  /** The 0-based line of each rank. */
  readonly places: Int32Array;
}

function findFullLines(contents: readonly string[]): FullLines {
  const rank = new Int32Array(contents.length + 1);
  const places = new Int32Array(contents.length);
  let count = 0;
  for (let at = 0; at < contents.length; at++) {
    rank[at] = count;
    if (!isBlankLine(contents[at] ?? "")) places[count++] = at;
  }
  rank[contents.length] = count;
  return { rank, places: places.subarray(0, count) };
}

/** Lines interned to integers under one key, with the places of each. */
export class LineIndex {
  /** The number of each line of the file. */
  readonly ids: Int32Array;
  private readonly known = new Map<string, number>();
  private readonly offsets: Int32Array;
  private readonly positions: Int32Array;

  constructor(
    contents: readonly string[],
    private readonly key: LineKey,
  ) {
    this.ids = new Int32Array(contents.length);
    for (const [at, text] of contents.entries()) this.ids[at] = this.intern(levelled(text, key));
    this.offsets = new Int32Array(this.known.size + 1);
    for (const id of this.ids) this.offsets[id + 1] = (this.offsets[id + 1] ?? 0) + 1;
    for (let id = 0; id < this.known.size; id++) {
      this.offsets[id + 1] = (this.offsets[id + 1] ?? 0) + (this.offsets[id] ?? 0);
    }
    const next = this.offsets.slice();
    this.positions = new Int32Array(contents.length);
    for (const [at, id] of this.ids.entries()) {
      const slot = next[id] ?? 0;
      this.positions[slot] = at;
      next[id] = slot + 1;
    }
  }

  /** The number of a line of the diff; -1 where the file has none like it. */
  idOf(text: string): number {
    return this.known.get(levelled(text, this.key)) ?? -1;
  }

  /** 0-based places of a line in the file, ascending. */
  placesOf(id: number): Int32Array {
    return id < 0 ? none : this.positions.subarray(this.offsets[id], this.offsets[id + 1]);
  }

  private intern(text: string): number {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    this.known.set(text, this.known.size);
    return this.known.size - 1;
  }
}

/** The text of a line as `key` compares it. */
export function levelled(text: string, key: LineKey): string {
  switch (key) {
    case "exact":
      return text;
    case "trailing":
      return withoutTrailingBlanks(text);
    case "trimmed":
      return withoutTrailingBlanks(text).slice(indentOf(text).length);
    case "punctuation":
      return levelPunctuation(withoutTrailingBlanks(text));
    default:
      return key satisfies never;
  }
}

/** The blanks that a line begins with; a line of blanks only is all indent. */
export function indentOf(text: string): string {
  let end = 0;
  while (end < text.length && isBlank(text.charCodeAt(end))) end += 1;
  return text.slice(0, end);
}

export function isBlankLine(text: string): boolean {
  return indentOf(text).length === text.length;
}

// A loop, since the regular expression for it is quadratic on long runs of blanks.
function withoutTrailingBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return end === text.length ? text : text.slice(0, end);
}

/** Space, tab, vertical tab, form feed, carriage return. */
function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 11 || code === 12 || code === 13;
}

function levelPunctuation(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a quick test for "all ASCII"
  if (/^[\u0000-\u007f]*$/.test(text)) return text;
  return text
    .replace(/[\u2018-\u201b\u2032]/g, "'")
    .replace(/[\u201c-\u201f\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ")
    .replace(/\u2026/g, "...");
}

const none = new Int32Array(0);
