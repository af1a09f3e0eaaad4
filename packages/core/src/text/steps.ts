/**
 * Work in steps of a few milliseconds at most, whatever the size of its input. Between two steps whoever drives
 * it may let others run, or do all of it at once; the result is the same.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** Takes all steps at once. */
export function finish<Result>(steps: Generator<unknown, Result, void>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** How far some work is, in units of its own: lines, records, states. */
export interface Progress {
  readonly done: number;
  readonly of: number;
}

/** Work that a person started and waits for, in steps as `Steps`, each of which says how far it is. */
export type Advancing<Result> = Generator<Progress, Result, void>;

/** Is told between two steps how far the work is, and may let others run. @returns false to end it. */
export type Pace = (progress: Progress) => Promise<boolean>;

/** Takes the steps at somebody's pace. @returns `interrupted` where it was ended; what was done so far is dropped. */
export async function takeAtPace<Result>(
  work: Advancing<Result>,
  pace: Pace,
): Promise<Result | "interrupted"> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (!(await pace(step.value))) return "interrupted";
  }
}
