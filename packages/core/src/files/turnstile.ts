/**
 * Lets the calls about one path pass one after the other, in the order of their arrival. Reads pass it,
 * too: a read that overtakes a write would hand out an older state under a newer version.
 */
export class Turnstile {
  private readonly tails = new Map<string, Promise<unknown>>();

  async pass<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.tails.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.then(ignore, ignore);
    this.tails.set(key, settled);
    try {
      return await mine;
    } finally {
      if (this.tails.get(key) === settled) this.tails.delete(key);
    }
  }
}

function ignore(): void {}
