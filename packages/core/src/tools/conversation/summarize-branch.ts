import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { answer, defineConversationTool, movingAnnotations } from "./conversation-tool.js";
import { summaryOf } from "./summary-of.js";

export const summarizeBranch = defineConversationTool({
  name: "summarize_branch",
  command: "history summarize_branch",
  title: "Sum up the branch",
  description:
    "Adds a summary of the current task's branch so far as a node of its own. Nothing is taken away: the steps stay in view. Call it alone.",
  parameters: z.object({
    focus: z.string().min(1).exactOptional().describe("What the summary should dwell on"),
    summary: z.string().min(1).exactOptional().describe("The summary, where you write it yourself"),
  }),
  annotations: movingAnnotations,
  alone: true,
  async run(host, { focus, summary }, asked) {
    const { id: toId, taskId: fromId } = host.manager.getCurrentNode();
    const request = { purpose: "branch", fromId, toId, ...(focus === undefined ? {} : { focus }) } as const;
    const text = await summaryOf(host, summary, request);
    if (isRefusal(text)) return text;
    const told = answer("The summary was added to the branch.");
    const covers = { fromId, toId };
    const node = host.manager.addSummary(
      { kind: "summary", of: "branch", text: text.text, covers },
      asked.answering(told),
    );
    return isRefusal(node) ? node : answer(told.message, { summary_id: node.id });
  },
});
