import type { ConversationRefusal, SummaryRequest } from "../../conversation/index.js";
import { isRefusal, refuse } from "../../files/index.js";
import type { ConversationHost } from "./conversation-tool.js";

/**
 * The summary that was given, or one that the summariser writes.
 *
 * @param request from the boundary of the task in which the head stands.
 * @returns `no_summary` where there is neither; `no_task` where the head left that task in the meantime: what
 *   was summed up is then not what a summary would be added to.
 */
export async function summaryOf(
  host: ConversationHost,
  given: string | undefined,
  request: Omit<SummaryRequest, "context">,
): Promise<{ readonly kind: "summarised"; readonly text: string } | ConversationRefusal> {
  if (given !== undefined) return { kind: "summarised", text: given };
  if (host.summariser === undefined)
    return refuse("no_summary", "Give a summary: no model is set up here to write one.");
  const summary = await host.summariser({ ...request, context: host.manager.context });
  if (isRefusal(summary) || host.manager.getCurrentNode().taskId === request.fromId) return summary;
  return refuse(
    "no_task",
    "The task was left while its summary was being written; resume it, and ask again.",
  );
}
