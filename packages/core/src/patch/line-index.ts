import { Interner } from "./interner.js";
import { isBlank, type LineKey, levelled } from "./line-key.js";
import type { LineTable } from "./line-table.js";

/**
 * Lines interned to integers under one key, with the places of each. At first only lines that were asked for
 * get a number, so that a small diff costs little in a large file; when that has been asked for too often,
 * every line gets one.
 */
export class LineIndex {
  private readonly interner = new Interner();
  private numbers: Int32Array | undefined;
  private offsets = none;
  private positions = none;
  private passes = 0;

  constructor(
    private readonly lines: LineTable,
    private readonly key: LineKey,
  ) {}

  /** The number of each line of the file; negative where it is none of those asked for. */
  get ids(): Int32Array {
    return this.numbers ?? this.findPlaces();
  }

  /** Numbers more texts; what was numbered keeps its number. */
  learn(texts: Iterable<string>): void {
    if (this.isComplete) return;
    const before = this.interner.size;
    for (const text of texts) {
      const key = levelled(text, this.key);
      this.interner.add(key, 0, key.length);
    }
    if (this.interner.size > before) this.numbers = undefined;
  }

  /** The number of a line of the diff; -1 where the file has none like it. */
  idOf(text: string): number {
    const key = levelled(text, this.key);
    let id = this.interner.find(key, 0, key.length);
    if (id < 0) {
      this.learn([text]);
      if (this.numbers === undefined) this.findPlaces();
      id = this.interner.find(key, 0, key.length);
    }
    return this.countOf(id) === 0 ? -1 : id;
  }

  /** How many lines of the file have this number. */
  countOf(id: number): number {
    if (id < 0) return 0;
    if (this.numbers === undefined) this.findPlaces();
    return (this.offsets[id + 1] ?? 0) - (this.offsets[id] ?? 0);
  }

  /** 0-based places of a line in the file, ascending. */
  placesOf(id: number): Int32Array {
    if (id < 0) return none;
    if (this.numbers === undefined) this.findPlaces();
    return this.positions.subarray(this.offsets[id], this.offsets[id + 1]);
  }

  private get isComplete(): boolean {
    return this.passes > partialPasses && this.numbers !== undefined;
  }

  private findPlaces(): Int32Array {
    this.passes += 1;
    const all = this.passes > partialPasses;
    const { count } = this.lines;
    const ids = new Int32Array(count);
    for (let at = 0; at < count; at++) ids[at] = this.numberOf(at, all);
    this.numbers = ids;
    this.sortPlaces(ids);
    return ids;
  }

  private numberOf(at: number, all: boolean): number {
    const { text } = this.lines;
    let from = this.lines.startOf(at);
    let to = this.lines.endOf(at);
    if (this.key !== "exact") while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
    if (this.key === "trimmed") while (from < to && isBlank(text.charCodeAt(from))) from += 1;
    if (this.key === "punctuation" && !isPlain(text, from, to)) {
      const key = levelled(text.slice(from, to), this.key);
      return all ? this.interner.add(key, 0, key.length) : orUnasked(this.interner.find(key, 0, key.length));
    }
    return all ? this.interner.add(text, from, to) : orUnasked(this.interner.find(text, from, to));
  }

  private sortPlaces(ids: Int32Array): void {
    const { size } = this.interner;
    const offsets = new Int32Array(size + 1);
    for (const id of ids) if (id >= 0) offsets[id + 1] = (offsets[id + 1] ?? 0) + 1;
    for (let id = 0; id < size; id++) offsets[id + 1] = (offsets[id + 1] ?? 0) + (offsets[id] ?? 0);
    const positions = new Int32Array(offsets[size] ?? 0);
    const next = offsets.slice();
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] ?? unasked;
      if (id < 0) continue;
      const slot = next[id] ?? 0;
      positions[slot] = at;
      next[id] = slot + 1;
    }
    this.offsets = offsets;
    this.positions = positions;
  }
}

function orUnasked(id: number): number {
  return id < 0 ? unasked : id;
}

function isPlain(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

/** So often the file is looked through for the lines asked for; after that all of its lines are numbered. */
const partialPasses = 3;
/** The number of a line of the file that nobody asked for; differs from that of a line the file has not. */
const unasked = -2;

const none = new Int32Array(0);
