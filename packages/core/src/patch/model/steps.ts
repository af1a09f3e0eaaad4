import type { Steps } from "../../text/index.js";

export { finish, type Steps } from "../../text/index.js";

/**
 * Takes the steps in turns with the rest of the process: whenever they have worked for 5 ms, it waits until `pause`
 * resolves. The deadline leaves that time out.
 */
export async function finishInTurns<Result>(
  steps: Steps<Result>,
  deadline: Deadline,
  pause: () => Promise<unknown>,
): Promise<Result> {
  for (let since = Date.now(); ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const now = Date.now();
    if (now - since < turnMs) continue;
    await pause();
    since = Date.now();
    deadline.extend(since - now);
  }
}

/** A step may take longer by itself, and a collection of garbage, too: the loop is to be free within 50 ms. */
const turnMs = 5;

/** A list mapped in steps, so many elements each. */
export function* mapSteps<Element, Result>(
  list: readonly Element[],
  each: (element: Element, at: number) => Result,
  stepLength = 1_024,
): Steps<Result[]> {
  if (list.length < stepLength) return list.map(each);
  const results: Result[] = [];
  for (const [at, element] of list.entries()) {
    if (at % stepLength === stepLength - 1) yield;
    results.push(each(element, at));
  }
  return results;
}

/**
 * A time limit that loops ask now and then. Once passed it stays passed, so a stage may stop early with a
 * partial answer: whoever called it asks again and drops that answer.
 */
export class Deadline {
  private passed = false;
  private steps = 0;
  private end: number;

  constructor(limitMs: number) {
    this.end = Date.now() + limitMs;
  }

  /** Leaves out a time in which others ran. */
  extend(byMs: number): void {
    this.end += byMs;
  }

  /** For loops over many small steps: looks at the clock once in 256 of them. */
  passes(): boolean {
    this.steps += 1;
    return this.steps % 256 === 0 ? this.late() : this.passed;
  }

  late(): boolean {
    if (!this.passed && Date.now() > this.end) this.passed = true;
    return this.passed;
  }
}
