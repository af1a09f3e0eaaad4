/** Numbers that are the same for the same seed (xorshift32). */
export class Random {
  private state: number;

  constructor(seed: number, name: string) {
    let state = seed | 0;
    for (const char of name) state = Math.imul(state ^ char.charCodeAt(0), 0x01000193);
    this.state = state === 0 ? 1 : state;
  }

  /** From 0 to below `end`. */
  below(end: number): number {
    let { state } = this;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.state = state;
    return end <= 0 ? 0 : (state >>> 0) % end;
  }

  /** One of them; undefined where there are none. */
  of<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)];
  }
}
