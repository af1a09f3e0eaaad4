/**
 * Waits for work no longer than a signal lets it. What does not heed the signal by itself goes on unseen.
 *
 * @returns a promise that rejects with the signal's reason when it is aborted first.
 */
export function withinTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = () => reject(signal.reason);
    if (signal.aborted) over();
    signal.addEventListener("abort", over, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", over));
  });
}

/** A signal that comes after so many milliseconds, or with another one. */
export function endingWithin(ms: number, signal?: AbortSignal): AbortSignal {
  const limit = AbortSignal.timeout(Math.ceil(ms));
  return signal === undefined ? limit : AbortSignal.any([signal, limit]);
}
