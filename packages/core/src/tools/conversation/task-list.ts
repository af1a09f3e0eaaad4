import * as z from "zod";
import { type ListedTask, listTasks } from "../../conversation/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { readOnlyAnnotations } from "../tool.js";
import { answer, defineConversationTool } from "./conversation-tool.js";

export const taskList = defineConversationTool({
  name: "task_list",
  command: "task list",
  title: "List tasks",
  description: "Shows the tree of tasks: active, paused, complete and cancelled ones, with their ids.",
  parameters: z.object({}),
  annotations: readOnlyAnnotations,
  alone: false,
  run({ manager }) {
    const { tasks } = listTasks(manager.context);
    if (tasks.length === 0) return answer("No task was started.");
    const count = countOf(tasks);
    return answer(count === 1 ? "1 task:" : `${count} tasks:`, undefined, linesOf(tasks, 0).join("\n"));
  },
});

function countOf(tasks: readonly ListedTask[]): number {
  return tasks.reduce((count, task) => count + 1 + countOf(task.tasks), 0);
}

function linesOf(tasks: readonly ListedTask[], level: number): readonly string[] {
  return tasks.flatMap((task) => {
    const name = task.name === "" ? "(no name)" : escapeForDisplay(task.name);
    const here = task.current ? " <- here" : "";
    const again = task.restartOf === undefined ? "" : `, tries ${task.restartOf} again`;
    return [
      `${"  ".repeat(level)}${task.id} ${name} [${task.state}${again}]${here}`,
      ...linesOf(task.tasks, level + 1),
    ];
  });
}
