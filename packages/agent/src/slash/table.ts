import { upwards } from "@holdfast/core/conversation";
import {
  type ConversationContext,
  effectsOf,
  type JsonObject,
  type TurnNode,
} from "@holdfast/core/conversation/values";
import { describeChange } from "@holdfast/core/patch";
import { defined } from "@holdfast/core/text";
import { nearestName } from "@holdfast/core/tools";
import type { RunningCommand } from "../host/running-command.js";
import { backgroundWords } from "../host/shell-tool.js";
import type { WrittenPrompt } from "../input/written-prompts.js";
import { wayBack } from "../loop/file-check.js";
import { changesCommand } from "./changes.js";
import type { Command, CommandHost, CommandOutcome, CommandSpec } from "./command.js";
import { contextCommands } from "./context.js";
import { exportCommand } from "./export.js";
import { historyCommands, movingCommand } from "./history.js";
import { carried, type DueFact, dueFilesIn, ofReply, refused, told, unavailable } from "./results.js";
import { rightsCommands } from "./rights.js";
import { sessionCommands } from "./session.js";

const diff: CommandSpec = {
  name: "diff",
  usage: "[PATH] [--since NODE]",
  says: "Shows what is different in the files since the session began, or since a turn.",
  options: { since: "node" },
  operands: { least: 0, most: 1 },
  operand: "path",
  run: async (given, host) => {
    const { agent, manager } = host;
    const args = { turn_id: given.value("since") ?? manager.context.sessionId, preview: true };
    const plan = await agent.carry("restore_files", args);
    if (plan.isError) return ofReply(plan);
    const due = dueFilesIn(plan.data);
    const wanted = given.text === "" ? due : due.filter(({ path }) => path === given.text);
    const data: JsonObject = { files: wanted.map(({ path, from, to }) => ({ path, from: to, to: from })) };
    if (wanted.length === 0) return told("No file is different.", { data });
    const shown: string[] = [];
    for (const file of wanted) shown.push(await shownDiff(file, host));
    const count = wanted.length === 1 ? "1 file is" : `${wanted.length} files are`;
    return told(`${count} different:`, { data, text: shown.join("\n") });
  },
};

const undo: CommandSpec = {
  name: "undo",
  usage: "[--preview] [--consent PATH]",
  says: "Takes the last change of files back that was made here; again for the one before. The conversation stays.",
  options: { preview: "switch", consent: "values" },
  run: async (given, host) => {
    const { agent } = host;
    for (const turn of turnsBeforeChanges(host)) {
      const look = await agent.carry("restore_files", { turn_id: turn, preview: true });
      // A change that came to nothing, or that a person took back outside, makes no difference.
      if (!look.isError && dueFilesIn(look.data).length === 0) continue;
      if (look.isError || given.has("preview")) return ofReply(look);
      const consent = given.values("consent");
      const args = { turn_id: turn, ...(consent.length === 0 ? {} : { consent: [...consent] }) };
      return ofReply(await agent.carry("restore_files", args));
    }
    return refused("nothing_to_undo", "No change of files of this branch is left to be taken back.");
  },
};

const tools: CommandSpec = {
  name: "tools",
  usage: "[NAME]",
  says: "Lists the tools that the model is offered, with their descriptions.",
  operands: { least: 0, most: 1 },
  run: async ({ text }, { agent }) => {
    const offered = agent.tools.offered.filter(({ name }) => text === "" || name === text);
    if (offered.length === 0) return refused("invalid_arguments", `No tool "${text}" is offered.`);
    const data = { tools: offered.map(({ name, description = "" }) => ({ name, description })) };
    const lines = data.tools.map(({ name, description }) => `${name}: ${description}`);
    const schema = text === "" ? [] : [JSON.stringify(offered[0]?.inputSchema, null, 2)];
    return told(`${offered.length} of the tools:`, { data, text: [...lines, ...schema].join("\n\n") });
  },
};

/** The commands that look at files and tools, and take changes of files back. */
const lookCommands: readonly CommandSpec[] = [diff, undo, tools];

const mostLines = 400;

/** From then to now: the way back is previewed, and read the other way round. */
async function shownDiff({ path, from, to }: DueFact, { workspace, signal }: CommandHost): Promise<string> {
  const file = await wayBack(workspace, path, from, to, signal);
  if (file !== undefined && "kind" in file) return `--- ${path}\n(${file.message})`;
  if (file === undefined || (file.before === null && file.after === null)) return `--- ${path}\n(not a text)`;
  return `--- ${path}\n${describeChange(file.after ?? "", file.before ?? "", { maxLines: mostLines })}`;
}

/**
 * The turns right above those that changed files, the last first. Where files were put back to a turn, it goes on
 * there: what came after it is taken back already.
 */
function turnsBeforeChanges({ manager }: CommandHost): readonly string[] {
  const { context } = manager;
  const turns: string[] = [];
  let at: string | null = context.currentNodeId;
  while (at !== null) {
    const node = context.nodes.get(at);
    if (node === undefined) break;
    const earlier = node.payload.kind === "restore" ? putBackTo(node.payload, node, context) : undefined;
    if (earlier === undefined && node.parentId !== null && changesFiles(node)) turns.push(node.parentId);
    at = earlier ?? node.parentId;
  }
  return turns;
}

function changesFiles({ payload }: TurnNode): boolean {
  return payload.kind !== "restore" && effectsOf(payload).some(({ by }) => by === "tool");
}

/** The node whose files a restore gave; of one that took a restore back, the node above that restore. */
function putBackTo(
  { stateOf, undoes }: Extract<TurnNode["payload"], { kind: "restore" }>,
  { parentId }: TurnNode,
  context: ConversationContext,
): string | undefined {
  if (stateOf !== undefined) return context.nodes.has(stateOf) ? stateOf : undefined;
  if (undoes === undefined) return undefined;
  for (const { id, payload, parentId: above } of upwards(context, parentId ?? ""))
    if (payload.kind === "restore" && [id, payload.restoreId].includes(undoes)) return above ?? undefined;
  return undefined;
}

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

const listTasks: CommandSpec = {
  name: "task list",
  says: "Lists the tasks as a tree: active, left, complete, cancelled.",
  run: (_, host) => carried("task_list", {}, host),
};

/** The commands of tasks. */
const taskCommands: readonly CommandSpec[] = [start, complete, cancel, pop, resume, restart, listTasks];

const track: CommandSpec = {
  name: "file track",
  usage: "PATH",
  says: "Keeps a file before the model: before each request its newest state is there, without a read.",
  operands: { least: 1, most: 1 },
  operand: "path",
  run: async ({ text }, host) => {
    const outcome = await carried("track_file", { file_path: text }, host);
    const uploading = outcome.kind === "told" ? await host.agent.uploads?.file(text) : undefined;
    if (outcome.kind !== "told" || uploading === undefined) return outcome;
    return { ...outcome, message: `${outcome.message} ${uploading}` };
  },
};

const untrack: CommandSpec = {
  name: "file untrack",
  usage: "PATH",
  says: "Keeps it no longer.",
  operands: { least: 1, most: 1 },
  operand: "path",
  run: ({ text }, host) => carried("untrack_file", { file_path: text }, host),
};

const listFiles: CommandSpec = {
  name: "file list",
  says: "Lists the files that are kept before the model.",
  run: (_, host) => carried("list_tracked_files", {}, host),
};

/** The commands of tracked files. */
const fileCommands: readonly CommandSpec[] = [track, untrack, listFiles];

/** Shows the memory file, pins it, lets it go. */
const memoryCommand: CommandSpec = {
  name: "memory",
  usage: "[on|off]",
  says: "Shows the notes that outlast a conversation; makes and pins them, or takes them out of what the model sees.",
  operands: { least: 0, most: 1 },
  run: async ({ text: wanted }, { agent: { memory }, manager }) => {
    if (memory === undefined) return refused("unavailable", "The settings allow no memory file here.");
    if (wanted !== "" && wanted !== "on" && wanted !== "off")
      return refused("invalid_arguments", `It is "on" or "off", not "${wanted}".`);
    if (wanted === "off") memory.unpin();
    const flaw = wanted === "on" ? await memory.pin() : undefined;
    if (flaw !== undefined) return refused("unavailable", `The memory file cannot be made: ${flaw}`);
    const flushed = await manager.flush();
    if ("code" in flushed) return { kind: "refused", code: flushed.code, message: flushed.message };
    const { path, isPinned } = memory;
    const found = await memory.text();
    const data = { path, exists: found !== undefined, pinned: isPinned };
    if (found === undefined) return told(`There is no ${path} yet; /memory on makes it.`, { data });
    return told(`${path} is ${isPinned ? "before the model" : "not before the model"}:`, {
      data,
      text: found,
    });
  },
};

/** `/background`: the commands of the model that go on beside the conversation. */
const backgroundCommand: CommandSpec = {
  name: "background",
  usage: "[ID] [--kill]",
  says: "Lists the commands in the background, shows what one printed, or ends it with all that it started.",
  options: { kill: "switch" },
  operands: { least: 0, most: 1 },
  run: async (given, { background }) => {
    if (background === undefined) return unavailable("A look at commands in the background");
    const all = background();
    if (given.text === "" && given.has("kill"))
      return refused("invalid_arguments", "/background ID --kill: the id is missing.");
    if (given.text === "") return listed(all);
    const command = all.find(({ id }) => id === given.text);
    if (command === undefined)
      return refused("not_found", `There is no command ${given.text}. /background lists them.`);
    if (given.has("kill")) await command.stop("killed");
    return told(`${backgroundWords(command)}.`, given.has("kill") ? {} : { text: command.log.text() });
  },
};

function listed(all: readonly RunningCommand[]): CommandOutcome {
  const data = { commands: all.map(({ id, command }) => ({ id, command })) };
  if (all.length === 0) return told("No command runs in the background.", { data });
  return told("Commands in the background:", { data, text: all.map(backgroundWords).join("\n") });
}

const help: CommandSpec = {
  name: "help",
  usage: "[COMMAND]",
  says: "Lists the commands, or shows one.",
  operands: { least: 0, most: "text" },
  operand: "command",
  run: async ({ text }, { prompts = [] }) => {
    const wanted = text.replace(/^\//, "");
    const shown = [...commands, ...prompts].filter(
      ({ name }) => wanted === "" || name === wanted || name.startsWith(`${wanted} `),
    );
    if (shown.length === 0) return refused("unknown_command", unknownWords(wanted, prompts));
    const data = { commands: shown.map(({ name, usage, says }) => ({ name, usage, says })) };
    const lines = shown.map(({ name, usage, says }) => `${`/${name} ${usage}`.trimEnd()}\n    ${says}`);
    const shell = wanted === "" ? ["!COMMAND\n    Runs a command of yours; the model is told."] : [];
    return told("Commands:", { data, text: [...lines, ...shell].join("\n") });
  },
};

const specs: readonly CommandSpec[] = [
  help,
  ...taskCommands,
  ...fileCommands,
  ...historyCommands,
  changesCommand,
  ...lookCommands,
  backgroundCommand,
  ...contextCommands,
  memoryCommand,
  exportCommand,
  ...sessionCommands,
  ...rightsCommands,
];

/** Every slash command, in the order in which help lists them. */
export const commands: readonly Command[] = specs.map((spec) => ({
  usage: "",
  options: {},
  operands: { least: 0, most: 0 },
  ...spec,
}));

/** The sentence on a command that there is not, with the nearest one. */
export function unknownWords(wanted: string, prompts: readonly WrittenPrompt[] = []): string {
  const near = nearestName(
    wanted,
    [...commands, ...prompts].map(({ name }) => name),
  );
  return `There is no command /${wanted}${near === undefined ? "." : `; did you mean /${near}?`}`;
}
