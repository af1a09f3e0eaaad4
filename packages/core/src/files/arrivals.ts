/**
 * Keeps requests in the order of their arrival although finding out what they touch takes each a different
 * time: a ticket is taken at once, and whoever has found out waits until all earlier ones have, too.
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
  /** Resolves when all who arrived earlier are done. */
  turn(): Promise<void>;
  /** The request stands in all its queues, or will not. To be called whatever happens; twice does no harm. */
  done(): void;
}
