import { type ConversationEvent, journalVersion } from "./event.js";
import { payloadsOf } from "./event-shape.js";
import type { TurnPayload } from "./payload.js";

/**
 * The version under which an event is journaled: the lowest whose readers understand it. What release 0.1
 * (version 1) would take for damage or would lose bears a greater one, so that it says so and does not write.
 */
export function versionOf(event: ConversationEvent): number {
  return payloadsOf(event).some(isBeyondFirst) ? journalVersion : 1;
}

function isBeyondFirst(payload: TurnPayload): boolean {
  if (payload.kind === "user_message" || payload.kind === "tool_result")
    return payload.media?.some((media) => !("data" in media)) === true;
  if (payload.kind === "model_message") return payload.media !== undefined;
  return payload.kind === "context_management" && payload.action === "reform";
}
