import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { answer, defineConversationTool, movingAnnotations } from "./conversation-tool.js";
import { summaryOf } from "./summary-of.js";

export const taskComplete = defineConversationTool({
  name: "task_complete",
  command: "task complete",
  title: "Complete the task",
  description:
    "Completes the current task: its summary goes to the branch it was started from, with the list of files that changed, and the work goes on there. The task's own steps are then no longer in view, so put into the summary whatever is needed later; expand_task_summary shows them again. Call it alone.",
  parameters: z.object({
    summary: z
      .string()
      .min(1)
      .exactOptional()
      .describe("What was done, what was found out, what is left; the files changed are added by themselves"),
  }),
  annotations: movingAnnotations,
  alone: true,
  async run(host, args, asked) {
    const { taskId } = host.manager.getCurrentNode();
    const toId = host.manager.context.currentNodeId;
    const summary = await summaryOf(host, args.summary, { purpose: "task", fromId: taskId, toId });
    if (isRefusal(summary)) return summary;
    const told = answer("Task completed; its summary stands on the branch it was started from.");
    const answering = asked.answering(told);
    const node = host.manager.completeTask({
      summary: summary.text,
      ...(answering === undefined ? {} : { answering }),
    });
    if (isRefusal(node)) return node;
    const files = node.payload.kind === "task_summary" ? node.payload.files : [];
    return answer(told.message, {
      task_id: taskId,
      summary_id: node.id,
      files: files.map(({ path, from, to }) => ({ path, from, to })),
    });
  },
});
