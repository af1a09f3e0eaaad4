import { type Changed, type Committed, DiskFault } from "../../files/index.js";
import type { Refusal } from "../../files/values/index.js";
import { faultFrom, refusalOrFault } from "../disk/faults.js";
import type { Spot } from "../disk/reading.js";
import { Cleanup } from "./stage.js";

/** The step was taken. By its type, what comes after it cannot be a refusal: nothing is called off any more. */
export interface Taken {
  readonly kind: "taken";
  finish(): Committed | Changed;
}

/**
 * Does the work of one write: up to the step, where a failed call is a refusal and everything is undone, and after it.
 *
 * @param refusalOf what a failed call before the step means.
 * @throws DiskFault for a call that failed before the step and is no refusal.
 */
export async function throughStep(
  spot: Spot,
  upToStep: (cleanup: Cleanup) => Promise<Taken | Changed | Refusal>,
  refusalOf: (error: unknown) => Refusal | undefined = () => undefined,
): Promise<Committed | Changed | Refusal> {
  const cleanup = new Cleanup();
  try {
    const step = await refusing(spot, () => upToStep(cleanup), refusalOf);
    return step.kind === "taken" ? step.finish() : step;
  } finally {
    cleanup.run();
  }
}

async function refusing<Answer>(
  spot: Spot,
  work: () => Promise<Answer>,
  refusalOf: (error: unknown) => Refusal | undefined,
): Promise<Answer | Refusal> {
  try {
    return await work();
  } catch (error) {
    return refusalOf(error) ?? refusalOrFault(error, spot.shown);
  }
}

/**
 * Does what comes after a step, part by part: what each found, `Changed` if it took the step back. A part that fails
 * ends none of the others: the write is done, its first failure is told with it (`Committed.fault`), and recovery does
 * the rest.
 */
export function afterStep<Ended extends Changed = never>(
  { shown }: Pick<Spot, "shown">,
  parts: readonly AfterStep<Ended>[],
): Committed | Ended {
  let done: Committed = { kind: "committed" };
  for (const part of parts) {
    try {
      const found = part() ?? {};
      if (found.kind === "changed") return found;
      done = { ...done, ...found, kind: "committed" };
    } catch (error) {
      const fault = faultFrom(error, shown, "visible");
      if (!(fault instanceof DiskFault)) throw fault;
      done = { ...done, fault: done.fault ?? fault };
    }
  }
  return done;
}

/** What is done behind a step: it may find out more of it, or that the step has to be taken back. */
export type AfterStep<Ended extends Changed = Changed> = () => Partial<Committed> | Ended | undefined;
