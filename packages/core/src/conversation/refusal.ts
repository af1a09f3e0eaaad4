/**
 * The closed list of what a conversation or a session store refuses. An expected refusal is a value; the
 * tree and the store are then as they were.
 */
export const conversationCodes = [
  "unknown_node",
  "unknown_task",
  "unknown_session",
  "pruned_node",
  "cycle",
  "duplicate_id",
  "invalid_arguments",
  "invalid_payload",
  "invalid_metadata",
  "open_calls",
  "unmatched_result",
  "unsafe_cut",
  "no_task",
  "task_closed",
  "not_staged",
  "no_summary",
  "restore_pending",
  "files_in_conflict",
  "files_refused",
  "newer_version",
  "read_only",
  "broken_pairs",
  "not_a_session",
  "busy",
  "conflict",
  "disk_full",
  "permission_denied",
  "store_failed",
] as const;

export type ConversationCode = (typeof conversationCodes)[number];

/** A code of the list and one sentence that says what to do. */
export interface ConversationRefusal<Code extends ConversationCode = ConversationCode> {
  readonly kind: "refusal";
  readonly code: Code;
  readonly message: string;
}

export function refuseTurn<Code extends ConversationCode>(
  code: Code,
  message: string,
): ConversationRefusal<Code> {
  return { kind: "refusal", code, message };
}

/** Whether an answer of this room is a refusal. */
export function isTurnRefusal<Answer extends object>(
  answer: Answer | ConversationRefusal,
): answer is ConversationRefusal {
  return "kind" in answer && answer.kind === "refusal";
}
