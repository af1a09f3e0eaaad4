import * as z from "zod";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";

export const taskStart = defineConversationTool({
  name: "task_start",
  command: "task start",
  title: "Start a task",
  description:
    "Starts a task on a branch of its own, so that its steps need not stay in view once it is done. End it with task_complete, whose summary is then all that is shown of it. Call it alone.",
  parameters: z.object({
    name: z.string().min(1).exactOptional().describe("A few words by which the task is listed"),
    goal: z.string().min(1).exactOptional().describe("What is to be reached, and how it will be known"),
    context: z
      .enum(["clone", "clear", "compress"])
      .exactOptional()
      .describe("What the branch sees of what came before: all (clone, the default), nothing, or a summary"),
    summary: z.string().min(1).exactOptional().describe("For compress: what the branch has to know"),
  }),
  annotations: movingAnnotations,
  alone: true,
  intent: ({ context = "clone", ...args }) => ({ kind: "task_start", context, ...args }),
});
