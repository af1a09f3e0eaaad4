import type { ConversationCode, Refusal } from "../../files/index.js";

export { isRefusal, refuse } from "../../files/index.js";

/** What a conversation or a session store refuses; the tree and the store are then as they were. */
export type ConversationRefusal<Code extends ConversationCode = ConversationCode> = Refusal<Code>;
