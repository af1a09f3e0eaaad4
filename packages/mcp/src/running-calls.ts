/**
 * The calls that have begun and not ended. Closing a connection waits for them, and a host that reads the messages
 * itself takes no further one while too many are under way.
 */
export class RunningCalls {
  private count = 0;
  private waiting: { readonly below: number; readonly resolve: () => void }[] = [];

  /** How many there are. */
  get underWay(): number {
    return this.count;
  }

  begin(): void {
    this.count += 1;
  }

  end(): void {
    this.count -= 1;
    const free = this.waiting.filter(({ below }) => this.count < below);
    if (free.length === 0) return;
    this.waiting = this.waiting.filter(({ below }) => this.count >= below);
    for (const { resolve } of free) resolve();
  }

  /** Resolves when none is left. */
  idle(): Promise<void> {
    return this.fewerThan(1);
  }

  /** Resolves when fewer than so many are under way. */
  fewerThan(below: number): Promise<void> {
    if (this.count < below) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ below, resolve }));
  }
}
