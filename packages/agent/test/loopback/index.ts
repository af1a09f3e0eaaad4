import { anthropicWire } from "./anthropic.js";
import { chatWire } from "./chat.js";
import { geminiWire } from "./gemini.js";
import { responsesWire } from "./responses.js";
import type { Wire } from "./wire.js";

export { FileApi } from "./file-api.js";
export { Ledger } from "./ledger.js";
export { PrefixCache } from "./prefix-cache.js";
export { ProviderServer, type ReceivedRequest } from "./server.js";
export type { Fault, PromptTokens, ServedAnswer, ServedCall, Wire } from "./wire.js";
export { anthropicWire, chatWire, geminiWire, responsesWire };

/** The four APIs. */
export const wires: readonly Wire[] = [anthropicWire, responsesWire, chatWire, geminiWire];
