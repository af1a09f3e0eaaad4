/**
 * Mutual exclusion by key inside one process: first come, first served. A caller can ask for several keys at
 * once; it joins all their queues in one step, so that two callers never wait for each other. Those who
 * only look may share a key.
 */
export class KeyedMutex {
  private readonly queues = new Map<string, Waiter[]>();

  /**
   * Waits until no earlier caller holds or awaits one of the keys. The place in the queues is taken
   * before this returns.
   *
   * @returns what gives the keys back, to be called once; undefined where the signal was aborted before they
   *   were had: the caller then has left all queues.
   */
  acquire(
    keys: readonly string[],
    { shared = false, signal }: AcquireOptions = {},
  ): Promise<(() => void) | undefined> {
    if (signal?.aborted === true) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const leave = () => {
        this.remove(waiter);
        resolve(undefined);
      };
      const waiter: Waiter = {
        keys: [...new Set(keys)],
        shared,
        isGranted: false,
        grant: () => {
          signal?.removeEventListener("abort", leave);
          resolve(() => this.remove(waiter));
        },
      };
      signal?.addEventListener("abort", leave);
      for (const key of waiter.keys) this.queues.set(key, [...(this.queues.get(key) ?? []), waiter]);
      this.grantIfFirst(waiter);
    });
  }

  /**
   * The same for one who would not wait: no signal, no timer.
   *
   * @returns what gives the keys back; undefined where somebody holds or awaits one of them.
   */
  acquireIfFree(keys: readonly string[]): (() => void) | undefined {
    if (keys.some((key) => this.queues.has(key))) return undefined;
    const waiter: Waiter = { keys: [...new Set(keys)], shared: false, isGranted: true, grant: () => {} };
    for (const key of waiter.keys) this.queues.set(key, [waiter]);
    return () => this.remove(waiter);
  }

  /** Does the work while the keys are held; undefined where the signal was aborted before. */
  async run<Result>(
    keys: readonly string[],
    work: () => Promise<Result>,
    options?: AcquireOptions,
  ): Promise<Result | undefined> {
    const release = await this.acquire(keys, options);
    if (release === undefined) return undefined;
    try {
      return await work();
    } finally {
      release();
    }
  }

  private grantIfFirst(waiter: Waiter): void {
    if (waiter.isGranted || waiter.keys.some((key) => this.isBlocked(key, waiter))) return;
    waiter.isGranted = true;
    waiter.grant();
  }

  private isBlocked(key: string, waiter: Waiter): boolean {
    for (const earlier of this.queues.get(key) ?? []) {
      if (earlier === waiter) return false;
      if (!(earlier.shared && waiter.shared)) return true;
    }
    return false;
  }

  private remove(waiter: Waiter): void {
    const next: Waiter[] = [];
    for (const key of waiter.keys) {
      const left = (this.queues.get(key) ?? []).filter((other) => other !== waiter);
      if (left.length === 0) this.queues.delete(key);
      else this.queues.set(key, left);
      next.push(...left);
    }
    for (const other of next) this.grantIfFirst(other);
  }
}

/** How a caller of `KeyedMutex` waits: alone or together with other readers, and until when. */
interface AcquireOptions {
  /** Others who share may hold the keys at the same time; false unless given. */
  readonly shared?: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface Waiter {
  readonly keys: readonly string[];
  readonly shared: boolean;
  isGranted: boolean;
  readonly grant: () => void;
}

/**
 * Keeps requests in the order of their arrival, although finding their targets takes each a different time: a
 * ticket is taken at once, and a request with its target waits until all earlier ones have theirs.
 */
export class Arrivals {
  private last: Promise<void> = Promise.resolve();

  /** To be taken synchronously with the request's arrival. */
  take(): Ticket {
    let done: () => void = () => {};
    const before = this.last;
    const mine = new Promise<void>((resolve) => {
      done = resolve;
    });
    this.last = Promise.all([before, mine]).then(() => {});
    return { turn: () => before, done };
  }
}

/** The place of one request in the order of arrival. */
export interface Ticket {
  /** Resolves when all earlier tickets are done. */
  turn(): Promise<void>;
  /** The request has joined all its queues, or never will. To be called in any case; twice does no harm. */
  done(): void;
}
