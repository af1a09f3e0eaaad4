import type { ModelFailure } from "@holdfast/core/context";
import type { ConversationRefusal } from "@holdfast/core/conversation";
import type { TurnStop } from "./turn.js";

/** A turn ends because the conversation could not be changed or kept. */
export function broken({ message }: ConversationRefusal): TurnStop {
  return { reason: "conversation", message };
}

/** A turn ends because the model gave no answer. */
export function stopOf(failure: ModelFailure): TurnStop {
  const { reason, message } = failure;
  return reason === "cancelled" ? { reason: "cancelled", message } : { reason: "failed", message, failure };
}
