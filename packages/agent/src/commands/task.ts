import { defined } from "@holdfast/core/text";
import type { CommandSpec, GivenWords } from "./command.js";
import { moveHead, movingOptions, movingUsage } from "./moving.js";
import { ofReply, refused } from "./results.js";
import { writtenWord } from "./words.js";

const transformations = ["clone", "clear", "compress"] as const;

const start: CommandSpec = {
  name: "task start",
  usage: "NAME [--goal TEXT] [--clone|--clear|--compress] [--summary TEXT]",
  says: "Begins a task on a branch of its own, which sees all of what came before, nothing, or a summary.",
  options: { clone: "switch", clear: "switch", compress: "switch", goal: "value", summary: "value" },
  operands: { least: 0, most: "text" },
  run: async (given, { agent }) => {
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
    return ofReply(await agent.carry("task_start", args));
  },
};

const complete: CommandSpec = {
  name: "task complete",
  usage: `[SUMMARY] ${movingUsage}`,
  says: "Ends the task: its summary, with the files it changed, goes to the branch that it was started from.",
  options: movingOptions,
  operands: { least: 0, most: "text" },
  run: async (given, host) => {
    const args = given.text === "" ? {} : { summary: given.text };
    return moveHead({ tool: "task_complete", args, line: lineOf("/task complete", given) }, given, host);
  },
};

/** Leaves the task without a word more. */
const leaving = (tool: "task_cancel" | "task_pop", name: string, says: string): CommandSpec => ({
  name,
  usage: movingUsage,
  says,
  options: movingOptions,
  run: async (given, host) => moveHead({ tool, args: {}, line: `/${name}` }, given, host),
});
const cancel = leaving(
  "task_cancel",
  "task cancel",
  "Ends the task without a result; its branch is kept, marked as pruned.",
);
const pop = leaving(
  "task_pop",
  "task pop",
  "Leaves the task for now, and goes back to where it was started.",
);

const resume: CommandSpec = {
  name: "task resume",
  usage: `TASK ${movingUsage}`,
  says: "Goes on with a task that was left.",
  options: movingOptions,
  operands: { least: 1, most: 1 },
  operand: "task",
  run: async (given, host) => {
    const args = { task_id: given.text };
    return moveHead({ tool: "task_resume", args, line: lineOf("/task resume", given) }, given, host);
  },
};

const restart: CommandSpec = {
  name: "task restart",
  usage: `[HINT] [--task TASK] ${movingUsage}`,
  says: "Begins the task again on a new branch, with a hint; the former branch is kept.",
  options: { ...movingOptions, task: "value" },
  operands: { least: 0, most: "text" },
  run: async (given, host) => {
    const task = given.value("task");
    const args = defined({ hint: given.text === "" ? undefined : given.text, task_id: task });
    const line = `${lineOf("/task restart", given)}${task === undefined ? "" : ` --task ${writtenWord(task)}`}`;
    return moveHead({ tool: "task_restart", args, line }, given, host);
  },
};

const list: CommandSpec = {
  name: "task list",
  says: "Lists the tasks as a tree: active, left, complete, cancelled.",
  run: async (_, { agent }) => ofReply(await agent.carry("task_list", {})),
};

/** The commands of tasks. */
export const taskCommands: readonly CommandSpec[] = [start, complete, cancel, pop, resume, restart, list];

function lineOf(name: string, { text }: GivenWords): string {
  return text === "" ? name : `${name} ${writtenWord(text)}`;
}
