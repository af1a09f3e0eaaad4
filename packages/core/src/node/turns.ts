/** Waiting in line, key by key, inside one process: first come, first served. */
export class Turns {
  private readonly lines = new Map<string, Waiting[]>();

  /**
   * Waits for the turn.
   *
   * @returns what gives the turn on, to be called once; undefined where `limitMs` passed before.
   */
  async take(key: string, limitMs: number): Promise<(() => void) | undefined> {
    const line = this.lines.get(key);
    if (line === undefined) {
      this.lines.set(key, []);
    } else if (!(await waitIn(line, limitMs))) {
      return undefined;
    }
    return () => this.pass(key);
  }

  private pass(key: string): void {
    const next = this.lines.get(key)?.shift();
    if (next === undefined) this.lines.delete(key);
    else next.start();
  }
}

interface Waiting {
  start(): void;
}

function waitIn(line: Waiting[], limitMs: number): Promise<boolean> {
  return new Promise((settle) => {
    const waiting: Waiting = {
      start: () => {
        clearTimeout(timer);
        settle(true);
      },
    };
    const timer = setTimeout(() => {
      line.splice(line.indexOf(waiting), 1);
      settle(false);
    }, limitMs);
    line.push(waiting);
  });
}
