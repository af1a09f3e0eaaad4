import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { defined } from "../../text/index.js";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";
import { filesAtMove, filesParameters } from "./files-at-move.js";

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
    ...filesParameters,
  }),
  annotations: { ...movingAnnotations, destructive: true },
  alone: true,
  intent({ summary, ...args }) {
    const files = filesAtMove(args);
    return isRefusal(files) ? files : { kind: "task_complete", files, ...defined({ summary }) };
  },
});
