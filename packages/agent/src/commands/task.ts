import { defined } from "@holdfast/core/text";
import type { CommandSpec } from "./command.js";
import { movingCommand } from "./moving.js";
import { carried, refused } from "./results.js";

const transformations = ["clone", "clear", "compress"] as const;

const start: CommandSpec = {
  name: "task start",
  usage: "NAME [--goal TEXT] [--clone|--clear|--compress] [--summary TEXT]",
  says: "Begins a task on a branch of its own, which sees all of what came before, nothing, or a summary.",
  options: { clone: "switch", clear: "switch", compress: "switch", goal: "value", summary: "value" },
  operands: { least: 0, most: "text" },
  run: async (given, host) => {
    const chosen = transformations.filter((name) => given.has(name));
    if (chosen.length > 1)
      return refused("invalid_arguments", "--clone, --clear or --compress: one of them.");
    const [context] = chosen;
    const args = defined({
      context,
      name: given.text === "" ? undefined : given.text,
      goal: given.value("goal"),
      summary: given.value("summary"),
    });
    return carried("task_start", args, host);
  },
};

const complete = movingCommand("task_complete", {
  name: "task complete",
  usage: "[SUMMARY]",
  says: "Ends the task: its summary, with the files it changed, goes to the branch that it was started from.",
  operands: { least: 0, most: "text" },
  named: "summary",
});

const cancel = movingCommand("task_cancel", {
  name: "task cancel",
  says: "Ends the task without a result; its branch is kept, marked as pruned.",
});

const pop = movingCommand("task_pop", {
  name: "task pop",
  says: "Leaves the task for now, and goes back to where it was started.",
});

const resume = movingCommand("task_resume", {
  name: "task resume",
  usage: "TASK",
  says: "Goes on with a task that was left.",
  operands: { least: 1, most: 1 },
  operand: "task",
  named: "task_id",
});

const restart = movingCommand("task_restart", {
  name: "task restart",
  usage: "[HINT] [--task TASK]",
  says: "Begins the task again on a new branch, with a hint; the former branch is kept.",
  operands: { least: 0, most: "text" },
  named: "hint",
  hasTask: true,
});

const list: CommandSpec = {
  name: "task list",
  says: "Lists the tasks as a tree: active, left, complete, cancelled.",
  run: (_, host) => carried("task_list", {}, host),
};

/** The commands of tasks. */
export const taskCommands: readonly CommandSpec[] = [start, complete, cancel, pop, resume, restart, list];
