import * as z from "zod";
import { debugOutline } from "../../context/index.js";
import { readOnlyAnnotations } from "../tool.js";
import { answer, defineConversationTool } from "./conversation-tool.js";

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
  run({ manager }, { limit = 100 }) {
    const lines = debugOutline(manager.context).trimEnd().split("\n");
    const left = lines.length - limit;
    const shown = left > 0 ? [`(${left} lines above are left out)`, ...lines.slice(-limit)] : lines;
    return answer("The history:", undefined, shown.join("\n"));
  },
});
