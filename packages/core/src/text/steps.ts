/**
 * Work in steps of a few milliseconds at most, whatever the size of its input. Between two steps whoever drives
 * it may let others run, or do all of it at once; the result is the same.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** Takes all steps at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
