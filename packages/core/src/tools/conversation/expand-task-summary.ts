import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { answer, defineConversationTool, movingAnnotations } from "./conversation-tool.js";

export const expandTaskSummary = defineConversationTool({
  name: "expand_task_summary",
  command: "history expand_task",
  title: "Show a completed task in full",
  description:
    "Shows all steps of a completed task in place of its summary, for this turn only. Useful where the summary leaves out what is needed now.",
  parameters: z.object({ task_id: z.string().min(1).describe("The id that the task's summary names") }),
  annotations: movingAnnotations,
  alone: false,
  run({ manager }, { task_id }) {
    const done = manager.expandTask(task_id);
    return isRefusal(done) ? done : answer("The task is shown in full for one turn.", { task_id });
  },
});
