import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";
import { filesAtMove, filesParameters } from "./files-at-move.js";

export const taskCancel = defineConversationTool({
  name: "task_cancel",
  command: "task cancel",
  title: "Cancel the task",
  description:
    "Gives the current task up: its branch goes out of view (it is kept, and task_resume takes it up again), and the work goes on where it was started. With files: restore, the files that only this task changed are put back. Call it alone.",
  parameters: z.object({
    ...filesParameters,
  }),
  annotations: { ...movingAnnotations, destructive: true },
  alone: true,
  intent(args) {
    const files = filesAtMove(args);
    return isRefusal(files) ? files : { kind: "task_cancel", files };
  },
});
