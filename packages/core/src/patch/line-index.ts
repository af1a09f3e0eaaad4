import { type LineKey, levelled } from "./line-key.js";

/** Lines interned to integers under one key, with the places of each; only of lines that were asked for. */
export class LineIndex {
  /** The number of each line of the file; negative where it is none of those asked for. */
  readonly ids: Int32Array;
  private readonly known = new Map<string, number>();
  private offsets = none;
  private positions = none;

  constructor(
    private readonly contents: readonly string[],
    private readonly key: LineKey,
    wanted: Iterable<string>,
  ) {
    this.ids = new Int32Array(contents.length);
    this.learn(wanted);
  }

  /** Numbers more texts; what was numbered keeps its number. */
  learn(texts: Iterable<string>): void {
    const before = this.known.size;
    for (const text of texts) {
      const key = levelled(text, this.key);
      if (!this.known.has(key)) this.known.set(key, this.known.size);
    }
    if (this.known.size > before || before === 0) this.findPlaces();
  }

  /** The number of a line of the diff; -1 where the file has none like it. */
  idOf(text: string): number {
    const key = levelled(text, this.key);
    if (!this.known.has(key)) this.learn([text]);
    const id = this.known.get(key) ?? -1;
    return this.offsets[id] === this.offsets[id + 1] ? -1 : id;
  }

  /** 0-based places of a line in the file, ascending. */
  placesOf(id: number): Int32Array {
    return id < 0 ? none : this.positions.subarray(this.offsets[id], this.offsets[id + 1]);
  }

  private findPlaces(): void {
    const { contents, known, ids, key } = this;
    const lengths = new Set<number>();
    for (const text of known.keys()) lengths.add(text.length);
    const offsets = new Int32Array(known.size + 1);
    for (let at = 0; at < contents.length; at++) {
      const text = levelled(contents[at] ?? "", key);
      // Looking a text up costs reading all of it; most lines differ in length from the few asked for.
      const id = lengths.has(text.length) ? (known.get(text) ?? unasked) : unasked;
      ids[at] = id;
      if (id >= 0) offsets[id + 1] = (offsets[id + 1] ?? 0) + 1;
    }
    for (let id = 0; id < known.size; id++) offsets[id + 1] = (offsets[id + 1] ?? 0) + (offsets[id] ?? 0);
    const positions = new Int32Array(offsets[known.size] ?? 0);
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

/** The number of a line of the file that nobody asked for; differs from that of a line the file has not. */
const unasked = -2;

const none = new Int32Array(0);
