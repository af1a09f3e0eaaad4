import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { defined } from "../../text/index.js";
import { defineConversationTool, movingAnnotations } from "./conversation-tool.js";
import { filesAtMove, filesParameters } from "./files-at-move.js";

export const taskRestart = defineConversationTool({
  name: "task_restart",
  command: "task restart",
  title: "Try a task again",
  description:
    "Tries a task again on a new branch, from the context in which it was first started and with a hint on what to do differently. The failed attempt is kept, out of view. With files: restore, what it did to files is put back. Call it alone.",
  parameters: z.object({
    hint: z.string().min(1).exactOptional().describe("What the next attempt should know"),
    task_id: z.string().min(1).exactOptional().describe("The current task unless given"),
    ...filesParameters,
  }),
  annotations: { ...movingAnnotations, destructive: true },
  alone: true,
  intent({ hint, task_id, ...args }) {
    const files = filesAtMove(args);
    if (isRefusal(files)) return files;
    return { kind: "task_restart", files, ...defined({ hint, taskId: task_id }) };
  },
});
