import type { ModelEvent, ModelFailure, ReceivedAnswer } from "@holdfast/core/context";

/** What comes of a request whose outcome is known before it is made: an answer is shown part by part, and whole. */
export function* played(outcome: ReceivedAnswer | ModelFailure): Generator<ModelEvent> {
  if ("reason" in outcome) return yield { kind: "failed", failure: outcome };
  let at = 0;
  for (const part of outcome.parts) {
    if (part.kind === "thought") yield { kind: "thought-delta", text: part.text };
    if (part.kind === "text") yield { kind: "text-delta", text: part.text };
    if (part.kind !== "tool_call") continue;
    yield { kind: "call-delta", at, name: part.name, json: JSON.stringify(part.args) };
    at += 1;
  }
  yield { kind: "finish", answer: outcome };
}
