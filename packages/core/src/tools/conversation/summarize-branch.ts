import * as z from "zod";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";

export const summarizeBranch = defineConversationTool({
  name: "summarize_branch",
  command: "history summarize_branch",
  title: "Sum up the branch",
  description:
    "Adds a summary of the current task's branch so far as a node of its own. Nothing is taken away: the steps stay in view. Call it alone.",
  parameters: z.object({
    focus: z.string().min(1).exactOptional().describe("What the summary should dwell on"),
    summary: z.string().min(1).exactOptional().describe("The summary, where you write it yourself"),
  }),
  annotations: movingAnnotations,
  alone: true,
  intent: (args) => ({ kind: "summarize_branch", ...args }),
});
