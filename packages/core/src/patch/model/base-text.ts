import type { LineEnding } from "../../text/index.js";
import { LineIndex, type Texts } from "./line-index.js";
import { hasTypography, isBlank, type LineKey, normalize } from "./line-key.js";
import { LineTable } from "./line-table.js";
import type { Steps } from "./steps.js";

/** The file's lines, and for each way of comparing them an index that is built when first asked for. */
export class BaseText {
  readonly count: number;
  private readonly lines: LineTable;
  private usual: LineEnding | undefined;
  private nonBlank: NonBlankLines | undefined;
  private typography: boolean | undefined;
  private searches = 0;
  private searched = false;
  private readonly wanted: Texts[] = [];
  private readonly indexes = new Map<LineKey, LineIndex>();

  constructor(readonly text: string) {
    this.lines = new LineTable(text);
    this.count = this.lines.count;
  }

  line(at: number): string {
    return this.lines.line(at);
  }

  /** The terminator of a line; undefined beyond the text. */
  ending(at: number): LineEnding | undefined {
    return this.lines.ending(at);
  }

  /** Whether `\n` ends all lines that are ended. */
  get endsWithNewlines(): boolean {
    return this.lines.endsWithNewlines;
  }

  /** Whether line `at` is this text, byte for byte. */
  isLine(at: number, text: string): boolean {
    const from = this.lines.startOf(at);
    return this.lines.endOf(at) - from === text.length && this.text.startsWith(text, from);
  }

  /** The lines `from` to `to` (after the last), with their endings, as in the text. */
  slice(from: number, to: number): string {
    return this.lines.slice(from, to);
  }

  /** The ending that most lines have; undefined where none is ended. */
  get usualEnding(): LineEnding | undefined {
    this.usual ??= this.lines.usualEnding ?? "";
    return this.usual === "" ? undefined : this.usual;
  }

  /** Whether the text has typographic punctuation anywhere. */
  get hasTypography(): boolean {
    this.typography ??= hasTypography(this.text);
    return this.typography;
  }

  /** The lines that are not blank. */
  get nonBlankLines(): NonBlankLines {
    this.nonBlank ??= findNonBlankLines(this.lines);
    return this.nonBlank;
  }

  /** Whether the file has a line of this text, blanks at its end aside. */
  hasLine(text: string): boolean {
    const wanted = normalize(text, "trailing");
    this.searches += 1;
    this.searched = true;
    const inText = this.searches <= textSearchLimit && wanted !== "" && !wanted.endsWith("\r");
    return inText ? this.searchLine(wanted) : this.index("trailing").idOf(wanted) >= 0;
  }

  private searchLine(wanted: string): boolean {
    const { text, lines } = this;
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      if (at > 0 && text[at - 1] !== lines.mark) continue;
      let end = at + wanted.length;
      while (end < text.length && isBlank(text.charCodeAt(end))) end += 1;
      if (end === text.length || text[end] === lines.mark) return true;
      if (lines.mark === "\n" && text.startsWith("\r\n", end)) return true;
    }
    return false;
  }

  /** Announces texts that the indexes will be asked for: what nobody asks for needs no number. */
  expect(texts: Texts): void {
    this.wanted.push(texts);
    for (const index of this.indexes.values()) index.expect(texts);
  }

  /** Makes the indexes that will be asked for, in steps; each is made at once where it is asked for before. */
  *prepare(...keys: readonly LineKey[]): Steps<void> {
    for (const key of keys) yield* this.index(key).prepare();
  }

  /** Whether lines were searched for since this was asked last: each search costs as much as the text is long. */
  takeSearches(): boolean {
    const { searched } = this;
    this.searched = false;
    return searched;
  }

  /** Makes the index that searches for lines go over to, before it is needed. */
  *prepareSearches(): Steps<void> {
    if (this.searches >= textSearchLimit) yield* this.prepare("trailing");
  }

  index(key: LineKey): LineIndex {
    const known = this.indexes.get(key);
    if (known !== undefined) return known;
    const index = new LineIndex(this.lines, key);
    for (const texts of this.wanted) index.expect(texts);
    this.indexes.set(key, index);
    return index;
  }
}

/** So many lines are searched for in the text before an index of its lines is made. */
const textSearchLimit = 32;

/** The lines of a text that are not blank, counted by rank. */
interface NonBlankLines {
  /** For each line, and for the end, the number of such lines before it. */
  readonly rank: Int32Array;
  /** The 0-based line of each rank. */
  readonly positions: Int32Array;
}

function findNonBlankLines(lines: LineTable): NonBlankLines {
  const rank = new Int32Array(lines.count + 1);
  const positions = new Int32Array(lines.count);
  let count = 0;
  for (let at = 0; at < lines.count; at++) {
    rank[at] = count;
    const to = lines.endOf(at);
    let from = lines.startOf(at);
    while (from < to && isBlank(lines.text.charCodeAt(from))) from += 1;
    if (from < to) positions[count++] = at;
  }
  rank[lines.count] = count;
  return { rank, positions: positions.subarray(0, count) };
}
