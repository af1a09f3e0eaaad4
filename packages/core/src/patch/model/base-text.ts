import type { LineEnding } from "../../text/index.js";
import { hasTypography, isBlank, type LineKey, normalize } from "./line-key.js";
import { LineTable } from "./line-table.js";
import { finish, type Steps } from "./steps.js";

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

/** Texts that are read only where they are needed; `length` of them. */
interface Texts extends Iterable<string> {
  readonly length: number;
}

/**
 * Lines interned to integers under one key, with the positions of each. Only lines that were asked for get a
 * number, so that a small diff costs little in a large file; where much is asked for, or again and again,
 * every line of the file gets one, and what is asked for is only looked up.
 */
export class LineIndex {
  private readonly interner = new Interner();
  private readonly numbers: Int32Array;
  private isStale = true;
  private offsets = none;
  private positions = none;
  private passes = 0;
  private isComplete = false;
  private pending: Texts[] = [];

  constructor(
    private readonly lines: LineTable,
    private readonly key: LineKey,
  ) {
    this.numbers = new Int32Array(lines.count);
  }

  /**
   * The number of each line of the file; negative where it is none of those asked for. It is one array, in
   * which numbers given later appear.
   */
  get ids(): Int32Array {
    if (this.isStale) this.indexPositions();
    return this.numbers;
  }

  /** Announces texts that will be asked for. */
  expect(texts: Texts): void {
    if (this.isComplete || texts.length === 0) return;
    this.pending.push(texts);
    this.isStale = true;
  }

  /** The number of a line of the diff; -1 where the file has none like it. */
  idOf(text: string): number {
    const key = normalize(text, this.key);
    if (this.isStale) this.indexPositions();
    let id = this.interner.find(key, 0, key.length);
    if (id < 0 && !this.isComplete) {
      this.expect([text]);
      this.indexPositions();
      id = this.interner.find(key, 0, key.length);
    }
    return this.countOf(id) === 0 ? -1 : id;
  }

  /** How many lines of the file have this number. */
  countOf(id: number): number {
    if (id < 0) return 0;
    if (this.isStale) this.indexPositions();
    return (this.offsets[id + 1] ?? 0) - (this.offsets[id] ?? 0);
  }

  /** The 0-based positions of a line in the file, ascending. */
  positionsOf(id: number): Int32Array {
    if (id < 0) return none;
    if (this.isStale) this.indexPositions();
    return this.positions.subarray(this.offsets[id], this.offsets[id + 1]);
  }

  /** Numbers the lines for the texts announced so far, in steps; else that is done when it is first needed. */
  *prepare(): Steps<void> {
    if (!this.isStale) return;
    const { numbers } = this;
    this.passes += 1;
    const asked = this.pending.reduce((sum, texts) => sum + texts.length, 0);
    this.isComplete = this.passes > partialPasses || asked * 2 > numbers.length;
    if (!this.isComplete) for (const texts of this.pending) yield* this.learn(texts);
    else this.interner.reserve(Math.min(numbers.length, mostReserved));
    this.pending = [];
    const length = this.key === "loose" ? spelledLines : stepLines;
    for (let from = 0; from < numbers.length; from += length) {
      if (from > 0) yield;
      this.numberLines(from, Math.min(from + length, numbers.length));
    }
    this.sortPositions(numbers);
    this.isStale = false;
  }

  private indexPositions(): void {
    finish(this.prepare());
  }

  private *learn(texts: Texts): Steps<void> {
    let count = 0;
    for (const text of texts) {
      if (++count % learnedTexts === 0) yield;
      const key = normalize(text, this.key);
      this.interner.add(key, 0, key.length);
    }
  }

  private numberLines(from: number, to: number): void {
    if (this.key === "loose") this.numberSpelled(from, to);
    else for (let at = from; at < to; at++) this.numbers[at] = this.numberOf(at);
  }

  /** Each line is spelled anew: joined to one string, they are no burden for the collector of garbage. */
  private numberSpelled(from: number, to: number): void {
    const keys: string[] = [];
    for (let at = from; at < to; at++) keys.push(normalize(this.lines.line(at), this.key));
    const joined = keys.join("");
    let start = 0;
    for (const [n, { length }] of keys.entries()) {
      this.numbers[from + n] = this.number(joined, start, start + length);
      start += length;
    }
  }

  private numberOf(at: number): number {
    const { text } = this.lines;
    let from = this.lines.startOf(at);
    let to = this.lines.endOf(at);
    if (this.key !== "exact") while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
    if (this.key === "trimmed") while (from < to && isBlank(text.charCodeAt(from))) from += 1;
    if (this.key === "punctuation" && !isPlain(text, from, to)) {
      const key = normalize(text.slice(from, to), this.key);
      return this.number(key, 0, key.length);
    }
    return this.number(text, from, to);
  }

  private number(text: string, from: number, to: number): number {
    if (this.isComplete) return this.interner.add(text, from, to);
    const id = this.interner.find(text, from, to);
    return id < 0 ? unasked : id;
  }

  private sortPositions(ids: Int32Array): void {
    const { size } = this.interner;
    const offsets = new Int32Array(size + 1);
    for (const id of ids) if (id >= 0) offsets[id + 1] = (offsets[id + 1] ?? 0) + 1;
    for (let id = 0; id < size; id++) offsets[id + 1] = (offsets[id + 1] ?? 0) + (offsets[id] ?? 0);
    const positions = new Int32Array(offsets[size] ?? 0);
    for (const [at, id] of ids.entries()) {
      if (id < 0) continue;
      const slot = offsets[id] ?? 0;
      positions[slot] = at;
      offsets[id] = slot + 1;
    }
    // Each offset was moved to the end of its number, which is where the next one begins.
    offsets.copyWithin(1, 0, size);
    offsets[0] = 0;
    this.offsets = offsets;
    this.positions = positions;
  }
}

function isPlain(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

/** So often the file is looked through for the lines asked for; after that all of its lines are numbered. */
const partialPasses = 3;
/** So many lines are one step. */
const stepLines = 8_192;
/** Spelling them anew costs more. */
const spelledLines = stepLines / 4;
/** So many texts that are learned are one. */
const learnedTexts = 4_096;
/** A file of more lines has room for so many different ones at once. */
const mostReserved = 1 << 20;
/** The number of a line of the file that nobody asked for; differs from that of a line the file has not. */
const unasked = -2;

const none = new Int32Array(0);

/**
 * Numbers texts in the order in which they are first seen. A text is a part of a string, named by its
 * bounds, and is looked up without being cut out.
 */
class Interner {
  private slots = new Int32Array(64);
  private hashes = new Int32Array(32);
  private bounds = new Int32Array(64);
  /** The strings that texts are parts of, and for each text which of them: mostly one string for very many texts. */
  private readonly sources: string[] = [];
  private sourceOf = new Int32Array(32);
  private count = 0;
  /** Marks what the texts look like from outside, so that most others need not be read. */
  private readonly sketches = new Uint8Array(sketchCount);

  get size(): number {
    return this.count;
  }

  /** Makes room for so many texts at once, which costs less than to grow into it. */
  reserve(count: number): void {
    let capacity = this.hashes.length;
    while (capacity < count) capacity *= 2;
    if (capacity > this.hashes.length) this.grow(capacity);
  }

  /** The number of a text; -1 where it has none. */
  find(source: string, from: number, to: number): number {
    if (this.sketches[sketch(source, from, to)] === 0) return -1;
    const slot = this.slotOf(source, from, to, hashOf(source, from, to));
    return (this.slots[slot] ?? 0) - 1;
  }

  /** The number of a text, a new one where it has none yet. */
  add(source: string, from: number, to: number): number {
    const hash = hashOf(source, from, to);
    const slot = this.slotOf(source, from, to, hash);
    const known = this.slots[slot] ?? 0;
    if (known > 0) return known - 1;
    const id = this.count;
    this.slots[slot] = id + 1;
    if (this.sources.at(-1) !== source) this.sources.push(source);
    this.sourceOf[id] = this.sources.length - 1;
    this.count += 1;
    this.hashes[id] = hash;
    this.bounds[2 * id] = from;
    this.bounds[2 * id + 1] = to;
    this.sketches[sketch(source, from, to)] = 1;
    if (this.count === this.hashes.length) this.grow(2 * this.count);
    return id;
  }

  /** The slot that holds a text, or the empty one that it would go to. */
  private slotOf(source: string, from: number, to: number, hash: number): number {
    const { slots, hashes } = this;
    const mask = slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const id = (slots[slot] ?? 0) - 1;
      if (id < 0 || (hashes[id] === hash && this.equals(id, source, from, to))) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private equals(id: number, source: string, from: number, to: number): boolean {
    const known = this.sources[this.sourceOf[id] ?? 0] ?? "";
    const first = this.bounds[2 * id] ?? 0;
    const length = to - from;
    if ((this.bounds[2 * id + 1] ?? 0) - first !== length) return false;
    for (let at = 0; at < length; at++)
      if (known.charCodeAt(first + at) !== source.charCodeAt(from + at)) return false;
    return true;
  }

  private grow(capacity: number): void {
    const { count } = this;
    this.hashes = enlarge(this.hashes, capacity);
    this.sourceOf = enlarge(this.sourceOf, capacity);
    this.bounds = enlarge(this.bounds, 2 * capacity);
    this.slots = new Int32Array(2 * capacity);
    const mask = this.slots.length - 1;
    for (let id = 0; id < count; id++) {
      const hash = this.hashes[id] ?? 0;
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = id + 1;
    }
  }
}

// FNV-1a over UTF-16 units.
function hashOf(source: string, from: number, to: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ source.charCodeAt(at), 0x01000193);
  return hash;
}

function sketch(source: string, from: number, to: number): number {
  if (from === to) return 0;
  const first = source.charCodeAt(from);
  const last = source.charCodeAt(to - 1);
  const beside = source.charCodeAt(Math.max(from, to - 2));
  return ((to - from) ^ (first << 5) ^ (last << 9) ^ (beside << 12)) & (sketchCount - 1);
}

function enlarge(numbers: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(numbers);
  return larger;
}

const sketchCount = 1 << 16;
