import * as z from "zod";
import { isRefusal } from "../../files/index.js";
import { answer, defineConversationTool, movingAnnotations } from "./conversation-tool.js";
import { conflictParameters, follow, strayParameter } from "./follow.js";

export const taskCancel = defineConversationTool({
  name: "task_cancel",
  command: "task cancel",
  title: "Cancel the task",
  description:
    "Gives the current task up: its branch goes out of view (it is kept, and task_resume takes it up again), and the work goes on where it was started. With files: restore, the files that only this task changed are put back. Call it alone.",
  parameters: z.object({
    files: z
      .enum(["keep", "restore"])
      .exactOptional()
      .describe("keep, unless given: the files stay as they are"),
    ...conflictParameters,
  }),
  annotations: { ...movingAnnotations, destructive: true },
  alone: true,
  async run(host, { files = "keep", ...terms }, asked) {
    const { manager } = host;
    const target = manager.cancelTarget();
    if (isRefusal(target)) return target;
    if (files === "restore")
      return follow(host, { consent: [], ...terms, toId: target.id, move: "task_cancel" }, asked);
    const stray = strayParameter(terms);
    if (stray !== undefined) return stray;
    const told = answer("Task cancelled; its branch is kept out of view.", {
      task_id: manager.getCurrentNode().taskId,
    });
    const node = manager.cancelTask(asked.answering(told));
    return isRefusal(node) ? node : told;
  },
});
