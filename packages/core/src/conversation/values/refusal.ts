import type { ConversationCode, Refusal } from "../../files/values/index.js";

export { isRefusal, refuse } from "../../files/values/index.js";

/** What a conversation or a session store refuses; the tree and the store are then as they were. */
export type ConversationRefusal<Code extends ConversationCode = ConversationCode> = Refusal<Code>;
