import * as z from "zod";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";

export const expandTaskSummary = defineConversationTool({
  name: "expand_task_summary",
  command: "history expand_task",
  title: "Show a completed task in full",
  description:
    "Shows all steps of a completed task in place of its summary, for this turn only. Useful where the summary leaves out what is needed now.",
  parameters: z.object({ task_id: z.string().min(1).describe("The id that the task's summary names") }),
  annotations: movingAnnotations,
  alone: false,
  intent: ({ task_id }) => ({ kind: "expand_task_summary", taskId: task_id }),
});
