import { type ConversationRefusal, refuseTurn, type SummaryRequest } from "../../conversation/index.js";
import type { ConversationHost } from "./conversation-tool.js";

/** The summary that was given, or one that the summariser writes; `no_summary` where there is neither. */
export async function summaryOf(
  host: ConversationHost,
  given: string | undefined,
  request: Omit<SummaryRequest, "context">,
): Promise<{ readonly kind: "summarised"; readonly text: string } | ConversationRefusal> {
  if (given !== undefined) return { kind: "summarised", text: given };
  if (host.summariser === undefined)
    return refuseTurn("no_summary", "Give a summary: no model is set up here to write one.");
  return host.summariser({ ...request, context: host.manager.context });
}
