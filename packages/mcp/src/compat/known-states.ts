/** What this run of the server has shown a client of a file: its newest state, and whether all of it. */
export interface KnownState {
  readonly sha256: string;
  readonly whole: boolean;
}

const most = 10_000;

/**
 * The states that stand in for the hash which the official tools have no argument for. Oldest out: what is
 * forgotten counts as never read.
 */
export class KnownStates {
  private readonly states = new Map<string, KnownState>();
  private readonly queues = new Map<string, Promise<unknown>>();

  constructor(private readonly roots: readonly string[]) {}

  get(path: string): KnownState | undefined {
    return this.states.get(this.key(path));
  }

  /** @param whole whether all of it was shown, or follows from what the client sent. */
  learn(path: string, sha256: string | null, whole: boolean): void {
    const key = this.key(path);
    const before = this.states.get(key);
    this.states.delete(key);
    if (sha256 === null) return;
    const known = whole || (before?.sha256 === sha256 && before.whole);
    this.states.set(key, { sha256, whole: known });
    const [oldest] = this.states.keys();
    if (this.states.size > most && oldest !== undefined) this.states.delete(oldest);
  }

  /** One after the other for each path: the calls of one turn come at once, and each must know the last. */
  async inTurn<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    const key = this.key(path);
    const before = this.queues.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.queues.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.queues.get(key) === turn) this.queues.delete(key);
    }
  }

  /** Names are compared, links are not followed: another name of a file counts as another file. */
  private key(path: string): string {
    const [root = ""] = this.roots;
    const names: string[] = [];
    for (const name of (path.startsWith("/") ? path : `${root}/${path}`).split("/")) {
      if (name === "" || name === ".") continue;
      if (name === "..") names.pop();
      else names.push(name);
    }
    return names.join("/");
  }
}
