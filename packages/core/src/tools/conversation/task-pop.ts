import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";
import { filesAtMove, filesParameters } from "./files-at-move.js";

export const taskPop = defineConversationTool({
  name: "task_pop",
  command: "task pop",
  title: "Pause the task",
  description:
    "Pauses the current task and goes back to the branch it was started from; task_resume goes on with it. Call it alone.",
  parameters: z.object({ ...filesParameters }),
  annotations: { ...movingAnnotations, destructive: true },
  alone: true,
  intent(args) {
    const files = filesAtMove(args);
    return isRefusal(files) ? files : { kind: "task_pop", files };
  },
});
