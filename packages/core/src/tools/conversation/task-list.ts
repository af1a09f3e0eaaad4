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
    const lines = linesOf(tasks);
    return answer(lines.length === 1 ? "1 task:" : `${lines.length} tasks:`, undefined, lines.join("\n"));
  },
});

/** Without recursion: tasks may be nested deeper than any call stack. */
function linesOf(tasks: readonly ListedTask[]): readonly string[] {
  const lines: string[] = [];
  const ahead = tasks.map((task) => ({ task, level: 0 })).reverse();
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const { task, level } = next;
    lines.push(`${"  ".repeat(Math.min(level, deepest))}${lineOf(task)}`);
    for (const inner of task.tasks.toReversed()) ahead.push({ task: inner, level: level + 1 });
  }
  return lines;
}

/** Deeper levels are drawn at this one, so that lines stay readable. */
const deepest = 20;

function lineOf({ id, name, state, current, restartOf }: ListedTask): string {
  const shown = name === "" ? "(no name)" : escapeForDisplay(name);
  const again = restartOf === undefined ? "" : `, tries ${restartOf} again`;
  return `${id} ${shown} [${state}${again}]${current ? " <- here" : ""}`;
}
