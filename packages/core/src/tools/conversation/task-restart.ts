import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { answer, defineConversationTool, movingAnnotations, renderAnswer } from "./conversation-tool.js";

export const taskRestart = defineConversationTool({
  name: "task_restart",
  command: "task restart",
  title: "Try a task again",
  description:
    "Tries a task again on a new branch, from the context in which it was first started and with a hint on what to do differently. The failed attempt is kept, out of view; files stay as they are. Call it alone.",
  parameters: z.object({
    hint: z.string().min(1).exactOptional().describe("What the next attempt should know"),
    task_id: z.string().min(1).exactOptional().describe("The current task unless given"),
  }),
  annotations: movingAnnotations,
  alone: true,
  run({ manager }, { hint, task_id }, asked) {
    const told = (taskId: string) => answer("Task begun again on a new branch.", { task_id: taskId });
    const node = manager.restartTask({
      ...(task_id === undefined ? {} : { taskId: task_id }),
      ...(hint === undefined ? {} : { hint }),
      ...(asked.byModel ? { answering: (taskId) => asked.answered(renderAnswer(told(taskId))) } : {}),
    });
    return isRefusal(node) ? node : told(node.id);
  },
});
