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
