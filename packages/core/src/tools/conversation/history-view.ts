import * as z from "zod";
import { payloadKinds } from "../../conversation/index.js";
import { defined } from "../../text/index.js";
import { readOnlyAnnotations } from "../tool/tool.js";
import { defineConversationTool } from "./conversation-tool.js";

/** What one answer can hold of an outline, in lines; the newest are shown. */
const mostLines = 400;

export const historyView = defineConversationTool({
  name: "history_view",
  command: "history view",
  title: "View the history",
  description:
    "Shows the conversation's tree: each turn with its id, kind and beginning, labels, file versions, tasks, where you are, what is hidden or pruned. Chatter of other agents' sessions is one line.",
  parameters: z.object({
    kinds: z.array(z.enum(payloadKinds)).min(1).exactOptional().describe("Only turns of these kinds"),
    text: z.string().min(1).exactOptional().describe("Only turns that hold this text, label or id"),
    branch: z
      .string()
      .min(1)
      .exactOptional()
      .describe("Only what leads to this turn, by its id, and what is below it"),
    depth: z.int().min(0).max(1_000).exactOptional().describe("Only so many levels of branches"),
    fold_tasks: z.boolean().exactOptional().describe("Tasks that you are not in are one line each"),
    limit: z.int().min(1).max(mostLines).exactOptional().describe("Lines at most; 100 unless given"),
  }),
  annotations: readOnlyAnnotations,
  alone: false,
  intent: ({ limit = 100, fold_tasks: foldTasks, ...filter }) => ({
    kind: "history_view",
    limitLines: limit,
    filter: { ...filter, ...defined({ foldTasks }) },
  }),
});
