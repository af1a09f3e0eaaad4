import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { answer, defineConversationTool, movingAnnotations } from "./conversation-tool.js";

export const taskResume = defineConversationTool({
  name: "task_resume",
  command: "task resume",
  title: "Resume a task",
  description:
    "Goes on with a paused or cancelled task where it was left; task_list names them. Call it alone.",
  parameters: z.object({ task_id: z.string().min(1).describe("The task's id") }),
  annotations: movingAnnotations,
  alone: true,
  run({ manager }, args, asked) {
    const told = answer("Task resumed.", { task_id: args.task_id });
    const node = manager.resumeTask(args.task_id, asked.answering(told));
    return isRefusal(node) ? node : told;
  },
});
