import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";
import { filesAtMove, filesParameters } from "./files-at-move.js";

export const taskResume = defineConversationTool({
  name: "task_resume",
  command: "task resume",
  title: "Resume a task",
  description:
    "Goes on with a paused or cancelled task where it was left; task_list names them. Call it alone.",
  parameters: z.object({
    task_id: z.string().min(1).describe("The task's id"),
    ...filesParameters,
  }),
  annotations: { ...movingAnnotations, destructive: true },
  alone: true,
  intent({ task_id, ...args }) {
    const files = filesAtMove(args);
    return isRefusal(files) ? files : { kind: "task_resume", taskId: task_id, files };
  },
});
