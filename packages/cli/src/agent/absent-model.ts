import type { ModelRefusal } from "@holdfast/agent";
import type { ModelEvent } from "@holdfast/core/context";
import type { Flags } from "../shell/invocation.js";
import type { RunModel } from "./model.js";

/**
 * What stands in for a model that could not be opened, for a slash command: most contact none, and only one that asks it
 * after all is told why there is none.
 */
export function absentModel(refusal: ModelRefusal): RunModel {
  let isAsked = false;
  const { reason, message } = refusal;
  const failure = {
    kind: "model_failure",
    reason: reason === "unpriced" || reason === "effort" ? "invalid_request" : reason,
    message,
  } as const;
  async function* ask(): AsyncIterable<ModelEvent> {
    isAsked = true;
    yield { kind: "failed", failure };
  }
  return {
    kind: "model",
    name: "none",
    port: { target: { provider: "none", model: "none" }, ask },
    absent: { refusal, isAsked: () => isAsked },
  };
}

/** Files of these flags take the place of a model, or write down what it is asked: one that fails is told at once. */
export function namesFileOfModel({ script, replay, record, debug }: Flags): boolean {
  return [script, replay, record, debug].some((file) => file !== undefined);
}
