import * as z from "zod";
import { readOnlyAnnotations } from "../tool.js";
import { defineConversationTool } from "./conversation-tool.js";

/** What one answer can hold of an outline, in lines; the newest are shown. */
const mostLines = 400;

export const historyView = defineConversationTool({
  name: "history_view",
  command: "history view",
  title: "View the history",
  description:
    "Shows the conversation's tree: each turn with its id, kind and beginning, labels, file versions, tasks, where you are, what is hidden or pruned.",
  parameters: z.object({
    limit: z.int().min(1).max(mostLines).exactOptional().describe("Lines at most; 100 unless given"),
  }),
  annotations: readOnlyAnnotations,
  alone: false,
  intent: ({ limit = 100 }) => ({ kind: "history_view", limitLines: limit }),
});
