import type { ConversationRefusal, SummaryRequest } from "../../conversation/values/index.js";
import { isRefusal, refuse } from "../../files/values/index.js";
import type { Caller, ConversationHost } from "./conversation-tool.js";

/**
 * The summary that was given, or one that the summariser writes; it is asked for only where the branch can be left.
 *
 * @returns `open_calls`, `read_only`; `no_summary` where there is neither; `no_task` where the head left the task in the
 *   meantime: what was summed up is then not what a summary would be added to.
 */
export async function summaryOf(
  { manager, summariser }: ConversationHost,
  given: string | undefined,
  request: Omit<SummaryRequest, "context">,
  asked: Caller,
): Promise<{ readonly kind: "summarised"; readonly text: string } | ConversationRefusal> {
  if (given !== undefined) return { kind: "summarised", text: given };
  const refused = manager.leaving(asked.byModel ? asked.answered("") : undefined);
  if (refused !== undefined) return refused;
  if (summariser === undefined)
    return refuse("no_summary", "Give a summary: no model is set up here to write one.");
  const { taskId } = manager.getCurrentNode();
  const summary = await summariser({ ...request, context: manager.context });
  if (isRefusal(summary) || manager.getCurrentNode().taskId === taskId) return summary;
  return refuse(
    "no_task",
    "The task was left while its summary was being written; resume it, and ask again.",
  );
}
