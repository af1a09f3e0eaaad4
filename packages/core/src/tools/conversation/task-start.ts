import * as z from "zod";
import type { HistoryTransformation } from "../../conversation/index.js";
import { isRefusal } from "../../files/index.js";
import { answer, defineConversationTool, movingAnnotations, renderAnswer } from "./conversation-tool.js";
import { summaryOf } from "./summary-of.js";

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
  async run(host, { name, goal, context = "clone", summary }, asked) {
    const transformation = await transformationOf();
    if (isRefusal(transformation)) return transformation;
    const message = `Task${name === undefined ? "" : ` "${name}"`} started on a branch of its own.`;
    const told = (taskId: string) => answer(message, { task_id: taskId });
    const node = host.manager.startTask({
      ...(name === undefined ? {} : { name }),
      ...(goal === undefined ? {} : { goal }),
      transformation,
      ...(asked.byModel ? { answering: (taskId) => asked.answered(renderAnswer(told(taskId))) } : {}),
    });
    return isRefusal(node) ? node : told(node.id);

    async function transformationOf() {
      if (context !== "compress") return { kind: context } satisfies HistoryTransformation;
      const { sessionId, currentNodeId } = host.manager.context;
      const text = await summaryOf(host, summary, {
        purpose: "start",
        fromId: sessionId,
        toId: currentNodeId,
      });
      return isRefusal(text) ? text : ({ kind: "compress", summary: text.text } as const);
    }
  },
});
