import type { ModelEvent } from "@holdfast/core/context";
import type { AnswerPart } from "@holdfast/core/conversation";

/** What of an answer that stands whole already is shown while it "comes": a delta for each part. */
export function* answerDeltas(parts: readonly AnswerPart[]): Generator<ModelEvent> {
  let at = 0;
  for (const part of parts) {
    if (part.kind === "thought") yield { kind: "thought-delta", text: part.text };
    if (part.kind === "text") yield { kind: "text-delta", text: part.text };
    if (part.kind !== "tool_call") continue;
    yield { kind: "call-delta", at, name: part.name, json: JSON.stringify(part.args) };
    at += 1;
  }
}
