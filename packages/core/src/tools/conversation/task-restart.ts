import * as z from "zod";
import { defined } from "../../text/index.js";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";

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
  intent: ({ hint, task_id }) => ({ kind: "task_restart", ...defined({ hint, taskId: task_id }) }),
});
