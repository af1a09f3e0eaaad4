import { commonEnding, type LineEnding, splitLines, type TextLines } from "../text/index.js";
import { LineIndex } from "./line-index.js";
import { isBlank, isBlankLine, type LineKey, levelled } from "./line-key.js";

/** The file's lines, and for each way of comparing them an index that is built when first asked for. */
export class BaseText {
  readonly lines: TextLines;
  readonly count: number;
  private usual: LineEnding | undefined;
  private full: FullLines | undefined;
  private starts: Int32Array | undefined;
  private all: ReadonlySet<string> | undefined;
  private questions = 0;
  private readonly wanted: string[] = [];
  private readonly indexes = new Map<LineKey, LineIndex>();

  constructor(readonly text: string) {
    this.lines = splitLines(text);
    this.count = this.lines.contents.length;
  }

  line(at: number): string {
    return this.lines.contents[at] ?? "";
  }

  /** The lines `from` to `to` (after the last), with their endings, as they stand in the text. */
  slice(from: number, to: number): string {
    this.starts ??= findStarts(this.lines);
    return this.text.slice(this.starts[from], this.starts[to]);
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

  /** Whether the file has a line of this text, blanks at its end aside. */
  holdsLine(text: string): boolean {
    const wanted = levelled(text, "trailing");
    this.questions += 1;
    if (this.questions <= questionsByHand && wanted !== "") return this.searchLine(wanted);
    this.all ??= new Set(this.lines.contents.map((line) => levelled(line, "trailing")));
    return this.all.has(wanted);
  }

  private searchLine(wanted: string): boolean {
    const { text } = this;
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      const before = at === 0 ? newline : text.charCodeAt(at - 1);
      if (before !== newline && before !== carriage) continue;
      let end = at + wanted.length;
      while (end < text.length && text.charCodeAt(end) !== newline && isBlank(text.charCodeAt(end))) end += 1;
      if (end === text.length || text.charCodeAt(end) === newline) return true;
      if (text.charCodeAt(end - 1) === carriage) return true;
    }
    return false;
  }

  /** Announces texts that the indexes will be asked for: what nobody asks for needs no number. */
  expect(texts: readonly string[]): void {
    for (const text of texts) this.wanted.push(text);
    for (const index of this.indexes.values()) index.learn(texts);
  }

  index(key: LineKey): LineIndex {
    const known = this.indexes.get(key);
    if (known !== undefined) return known;
    const index = new LineIndex(this.lines.contents, key, this.wanted);
    this.indexes.set(key, index);
    return index;
  }
}

/** So many lines are searched for in the text before a set of all its lines is made. */
const questionsByHand = 32;
const newline = 10;
const carriage = 13;

/** Where in the text each line begins, and where the last one ends. */
function findStarts({ contents, endings }: TextLines): Int32Array {
  const starts = new Int32Array(contents.length + 1);
  let at = 0;
  for (let line = 0; line < contents.length; line++) {
    at += (contents[line] ?? "").length + (endings[line] ?? "").length;
    starts[line + 1] = at;
  }
  return starts;
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
