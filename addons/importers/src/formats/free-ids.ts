/** Names for what bears an id that is taken; each id's count is remembered, so that thousands of one id cost no more. */
export class FreeIds {
  private readonly counts = new Map<string, number>();

  constructor(private readonly isTaken: (id: string) => boolean) {}

  /** The id with its line behind it, and with a number where the line has several. */
  at(line: number, id: string): string {
    const base = `${id}#${line}`;
    for (let count = (this.counts.get(base) ?? 0) + 1; ; count += 1) {
      const free = count === 1 ? base : `${base}#${count}`;
      if (this.isTaken(free)) continue;
      this.counts.set(base, count);
      return free;
    }
  }
}
