import type { Steps } from "../../text/index.js";
import type { Deadline } from "./deadline.js";

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
export function* mapInSteps<Element, Result>(
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
