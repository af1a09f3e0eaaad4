import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { answer, defineConversationTool, movingAnnotations } from "./conversation-tool.js";

export const taskPop = defineConversationTool({
  name: "task_pop",
  command: "task pop",
  title: "Pause the task",
  description:
    "Pauses the current task and goes back to the branch it was started from; task_resume goes on with it. Call it alone.",
  parameters: z.object({}),
  annotations: movingAnnotations,
  alone: true,
  run({ manager }, _, asked) {
    const { taskId } = manager.getCurrentNode();
    const told = answer("Task paused.", { task_id: taskId });
    const node = manager.popTask(asked.answering(told));
    return isRefusal(node) ? node : told;
  },
});
