import * as z from "zod";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";

export const taskPop = defineConversationTool({
  name: "task_pop",
  command: "task pop",
  title: "Pause the task",
  description:
    "Pauses the current task and goes back to the branch it was started from; task_resume goes on with it. Call it alone.",
  parameters: z.object({}),
  annotations: movingAnnotations,
  alone: true,
  intent: () => ({ kind: "task_pop" }),
});
