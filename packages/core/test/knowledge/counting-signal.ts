/** A signal that counts as aborted from the n-th time on that it is asked. */
export class CountingSignal extends EventTarget {
  constructor(private left: number) {
    super();
  }

  get aborted(): boolean {
    this.left -= 1;
    return this.left < 0;
  }
}

export function abortAfter(checks: number): AbortSignal {
  // A cast: only `aborted` and the listeners are used, and a real signal cannot count.
  return new CountingSignal(checks) as unknown as AbortSignal;
}
