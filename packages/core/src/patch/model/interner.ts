/**
 * Numbers texts in the order in which they are first seen. A text is a part of a string, named by its
 * bounds, and is looked up without being cut out.
 */
export class Interner {
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
