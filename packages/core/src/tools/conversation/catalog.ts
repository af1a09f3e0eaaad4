import * as z from "zod";
import { payloadKinds } from "../../conversation/values/index.js";
import { isRefusal, refuse } from "../../files/values/index.js";
import { defined } from "../../text/index.js";
import { type ArgumentRefusal, intentOf, readOnlyAnnotations, unlisted } from "../tool/tool.js";
import type { FilesAtMove } from "./conversation-request.js";
import {
  type ConversationTool,
  defineConversationTool,
  destructiveAnnotations,
  movingAnnotations,
} from "./conversation-tool.js";

/** The name of the one tool that is offered in the place of those that work on the conversation. */
export const conversationName = "conversation";

/**
 * One tool in the place of these, so that a prompt is small: `action` is the command of one of them, the other arguments
 * are that tool's. `meantCall` reads its calls.
 */
export function conversationTool(tools: readonly ConversationTool[] = conversationTools): ConversationTool {
  const commands = tools.map(({ command }) => command);
  const shape: Readonly<Record<string, z.ZodType>> = Object.assign(
    {},
    ...tools.map(({ parameters }) => parameters.shape),
  );
  const own = Object.entries(shape).map(([name, schema]) => {
    const said = listed.includes(name) ? { description: undefined } : unlisted;
    return [name, z.exactOptional(schema).meta(said)] as const;
  });
  return defineConversationTool({
    name: conversationName,
    command: conversationName,
    title: "Work on the conversation",
    description: descriptionFor(tools),
    parameters: z.object({ action: z.string().meta({ enum: commands }), ...Object.fromEntries(own) }),
    annotations: movingAnnotations,
    intent({ action, ...args }) {
      const tool = toolOfAction(action);
      if (tool !== undefined && tools.includes(tool)) return intentOf(tool, args);
      return refuse("invalid_arguments", `The argument action is one of ${commands.join(", ")}.`);
    },
  });
}

/** The tool whose command, or whose own name, an action is. */
export function toolOfAction(action: unknown): ConversationTool | undefined {
  const plain = String(action)
    .toLowerCase()
    .replaceAll(/[^a-z]+/gu, "_");
  return conversationTools.find(({ name, command }) => name === plain || command.replace(" ", "_") === plain);
}

function descriptionFor(tools: readonly ConversationTool[]): string {
  const said = words.filter(([name]) => tools.some((tool) => tool.name === name));
  return ["Works on this conversation. Call it alone.", ...said.map(([, says]) => says)].join(" ");
}

const words: readonly (readonly [ConversationToolName, string])[] = [
  ["task_start", "task start: a branch of its own, that sees all of before (clone), nothing or a summary."],
  ["task_complete", "task complete ends it: only your summary stays in view."],
  ["track_file", "file track: the newest state is shown to you by itself."],
  ["rewind", "history rewind: back to a turn, whose id history view shows."],
];

/** The arguments that are listed; a refusal names another one where a call needs it. */
const listed = ["name", "goal", "context", "summary", "files", "task_id", "hint", "file_path", "turn_id"];

/** A text that may be left out. */
function optionalText(describes: string) {
  return z.string().min(1).exactOptional().describe(describes);
}

/** Parameters of the tools that move the head: what becomes of the files. */
const filesParameters = {
  files: z
    .enum(["keep", "restore", "preview"])
    .exactOptional()
    .describe(
      "keep, unless given: the files stay as they are; preview: nothing moves, it says what restore would do",
    ),
  consent: z
    .array(z.string().min(1))
    .exactOptional()
    .describe("Paths to be put back although somebody else changed them; only where the user agreed"),
  conflicts: z
    .enum(["refuse", "leave"])
    .exactOptional()
    .describe("leave: other files in conflict stay as they are; refuse, unless given: then nothing is moved"),
};

/** @returns `invalid_arguments` for what goes with `files: restore` only. */
function filesAtMove(args: {
  readonly files?: "keep" | "restore" | "preview";
  readonly consent?: readonly string[];
  readonly conflicts?: "refuse" | "leave";
}): FilesAtMove | ArgumentRefusal {
  const { files = "keep", consent = [], conflicts = "refuse" } = args;
  if (files === "restore") return { kind: "restore", consent, conflicts };
  const stray = (["consent", "conflicts"] as const).find((name) => args[name] !== undefined);
  return stray === undefined
    ? { kind: files }
    : refuse("invalid_arguments", `${stray} goes with files: restore.`);
}

/** The request of a tool that moves the head, from what becomes of the files. */
function atFiles<Request>(
  args: Parameters<typeof filesAtMove>[0],
  request: (files: FilesAtMove) => Request,
): Request | ArgumentRefusal {
  const files = filesAtMove(args);
  return isRefusal(files) ? files : request(files);
}

/** What begins, ends and lists tasks. */
const taskTools = [
  defineConversationTool({
    name: "task_start",
    command: "task start",
    title: "Start a task",
    description:
      "Starts a task on a branch of its own, so that its steps need not stay in view once it is done. Once you complete it, its summary is all that is shown of it. Call it alone.",
    parameters: z.object({
      name: optionalText("A few words by which the task is listed"),
      goal: optionalText("What is to be reached, and how it will be known"),
      context: z
        .enum(["clone", "clear", "compress"])
        .exactOptional()
        .describe(
          "What the branch sees of what came before: all (clone, the default), nothing, or a summary",
        ),
      summary: optionalText("For compress: what the branch has to know"),
    }),
    annotations: movingAnnotations,
    intent: ({ context = "clone", ...args }) =>
      (args.name ?? args.goal) === undefined
        ? refuse("invalid_arguments", "A task needs a name or a goal, by which it is known.")
        : { kind: "task_start", context, ...args },
  }),
  defineConversationTool({
    name: "task_complete",
    command: "task complete",
    title: "Complete the task",
    description:
      "Completes the current task: its summary goes to the branch it was started from, with the list of files that changed, and the work goes on there. The task's own steps are then no longer in view, so put into the summary whatever is needed later; they can be shown again by the task's id. Call it alone.",
    parameters: z.object({
      summary: optionalText(
        "What was done, what was found out, what is left; the files changed are added by themselves",
      ),
      ...filesParameters,
    }),
    annotations: destructiveAnnotations,
    intent: ({ summary, ...args }) =>
      atFiles(args, (files) => ({ kind: "task_complete", files, ...defined({ summary }) })),
  }),
  defineConversationTool({
    name: "task_cancel",
    command: "task cancel",
    title: "Cancel the task",
    description:
      "Gives the current task up: its branch goes out of view (it is kept, and can be resumed), and the work goes on where it was started. With files: restore, the files that only this task changed are put back. Call it alone.",
    parameters: z.object(filesParameters),
    annotations: destructiveAnnotations,
    intent: (args) => atFiles(args, (files) => ({ kind: "task_cancel", files })),
  }),
  defineConversationTool({
    name: "task_pop",
    command: "task pop",
    title: "Pause the task",
    description:
      "Pauses the current task and goes back to the branch it was started from; it can be resumed there. Call it alone.",
    parameters: z.object(filesParameters),
    annotations: destructiveAnnotations,
    intent: (args) => atFiles(args, (files) => ({ kind: "task_pop", files })),
  }),
  defineConversationTool({
    name: "task_resume",
    command: "task resume",
    title: "Resume a task",
    description:
      "Goes on with a paused or cancelled task where it was left; the list of tasks names them. Call it alone.",
    parameters: z.object({
      task_id: z.string().min(1).describe("The task's id"),
      ...filesParameters,
    }),
    annotations: destructiveAnnotations,
    intent: ({ task_id, ...args }) =>
      atFiles(args, (files) => ({ kind: "task_resume", taskId: task_id, files })),
  }),
  defineConversationTool({
    name: "task_restart",
    command: "task restart",
    title: "Try a task again",
    description:
      "Tries a task again on a new branch, from the context in which it was first started and with a hint on what to do differently. The failed attempt is kept, out of view. With files: restore, what it did to files is put back. Call it alone.",
    parameters: z.object({
      hint: optionalText("What the next attempt should know"),
      task_id: optionalText("The current task unless given"),
      ...filesParameters,
    }),
    annotations: destructiveAnnotations,
    intent: ({ hint, task_id, ...args }) =>
      atFiles(args, (files) => ({ kind: "task_restart", files, ...defined({ hint, taskId: task_id }) })),
  }),
  defineConversationTool({
    name: "task_list",
    command: "task list",
    title: "List tasks",
    description: "Shows the tree of tasks: active, paused, complete and cancelled ones, with their ids.",
    parameters: z.object({}),
    annotations: readOnlyAnnotations,
    intent: () => ({ kind: "task_list" }),
  }),
] as const;

/** What is kept in the context by itself. */
const trackingTools = [
  defineConversationTool({
    name: "track_file",
    command: "file track",
    title: "Track a file",
    description:
      "From now on the newest state of the file is put into the context by itself whenever it has changed, with its version and hash: it need not be read again. For the few files that the work turns on.",
    parameters: z.object({ file_path: z.string().min(1).describe("Relative to the workspace's root") }),
    annotations: movingAnnotations,
    intent: ({ file_path }) => ({ kind: "track_file", path: file_path }),
  }),
  defineConversationTool({
    name: "untrack_file",
    command: "file untrack",
    title: "Stop tracking a file",
    description: "New states of the file are no longer put into the context by themselves.",
    parameters: z.object({ file_path: z.string().min(1).describe("As it was tracked") }),
    annotations: movingAnnotations,
    intent: ({ file_path }) => ({ kind: "untrack_file", path: file_path }),
  }),
  defineConversationTool({
    name: "list_tracked_files",
    command: "file list",
    title: "List tracked files",
    description: "Names the files whose newest state is put into the context by itself.",
    parameters: z.object({}),
    annotations: readOnlyAnnotations,
    intent: () => ({ kind: "list_tracked_files" }),
  }),
] as const;

/** What one answer can hold of an outline, in lines; the newest are shown. */
const mostLines = 400;

const turnId = optionalText(
  "A node's id, as the history shows it; before the last message of the user unless given",
);

/** What shows the path, goes back on it or sums it up. */
const historyTools = [
  defineConversationTool({
    name: "history_view",
    command: "history view",
    title: "View the history",
    description:
      "Shows the conversation's tree: each turn with its id, kind and beginning, labels, file versions, tasks, where you are, what is hidden or pruned. Chatter of other agents' sessions is one line.",
    parameters: z.object({
      kinds: z.array(z.enum(payloadKinds)).min(1).exactOptional().describe("Only turns of these kinds"),
      text: optionalText("Only turns that hold this text, label or id"),
      branch: optionalText("Only what leads to this turn, by its id, and what is below it"),
      depth: z.int().min(0).max(1_000).exactOptional().describe("Only so many levels of branches"),
      fold_tasks: z.boolean().exactOptional().describe("Tasks that you are not in are one line each"),
      limit: z.int().min(1).max(mostLines).exactOptional().describe("Lines at most; 100 unless given"),
    }),
    annotations: readOnlyAnnotations,
    intent: ({ limit = 100, fold_tasks: foldTasks, ...filter }) => ({
      kind: "history_view",
      limitLines: limit,
      filter: { ...filter, ...defined({ foldTasks }) },
    }),
  }),
  defineConversationTool({
    name: "rewind",
    command: "history rewind",
    title: "Go back in the conversation",
    description:
      "Moves back to an earlier turn, from which another path can be tried; the path left is kept. With files: restore, the files go back to what they were there, all or none. Call it alone.",
    parameters: z.object({
      turn_id: turnId,
      ...filesParameters,
    }),
    annotations: destructiveAnnotations,
    intent: ({ turn_id, ...args }) =>
      atFiles(args, (files) => ({ kind: "rewind", files, ...defined({ turnId: turn_id }) })),
  }),
  defineConversationTool({
    name: "restore_files",
    command: "history restore_files",
    title: "Put files back",
    description:
      "Puts the files back to what they were at an earlier turn, all or none, and stays in the conversation where it is. With restore_id, takes an earlier restore back instead, together with its move. Call it alone.",
    parameters: z.object({
      turn_id: turnId,
      restore_id: optionalText("The restore that is to be taken back"),
      preview: z.boolean().exactOptional().describe("Only says what would happen"),
      consent: filesParameters.consent,
      conflicts: filesParameters.conflicts,
    }),
    annotations: destructiveAnnotations,
    intent({ turn_id, restore_id, preview = false, ...args }) {
      if (turn_id !== undefined && restore_id !== undefined)
        return refuse("invalid_arguments", "Give turn_id or restore_id, not both.");
      return atFiles({ files: preview ? "preview" : "restore", ...args }, (files) => ({
        kind: "restore_files",
        files,
        ...defined({ turnId: turn_id, restoreId: restore_id }),
      }));
    },
  }),
  defineConversationTool({
    name: "summarize_branch",
    command: "history summarize_branch",
    title: "Sum up the branch",
    description:
      "Adds a summary of the current task's branch so far as a node of its own. Nothing is taken away: the steps stay in view. Call it alone.",
    parameters: z.object({
      focus: optionalText("What the summary should dwell on"),
      summary: optionalText("The summary, where you write it yourself"),
    }),
    annotations: movingAnnotations,
    intent: (args) => ({ kind: "summarize_branch", ...args }),
  }),
  defineConversationTool({
    name: "expand_task_summary",
    command: "history expand_task",
    title: "Show a completed task in full",
    description:
      "Shows all steps of a completed task in place of its summary, for this turn only. Useful where the summary leaves out what is needed now.",
    parameters: z.object({ task_id: z.string().min(1).describe("The id that the task's summary names") }),
    annotations: movingAnnotations,
    intent: ({ task_id }) => ({ kind: "expand_task_summary", taskId: task_id }),
  }),
] as const;

const all = [...taskTools, ...trackingTools, ...historyTools] as const;

/** The name of a tool that works on the conversation. */
export type ConversationToolName = (typeof all)[number]["name"];

/** A tool of ours. */
type OwnConversationTool = ConversationTool<z.ZodRawShape, ConversationToolName>;

/** The tools with which the model, and by commands the user, works on the conversation itself. */
export const conversationTools: readonly OwnConversationTool[] = all;

/** Their names, in the same order. */
export const conversationToolNames: readonly ConversationToolName[] = conversationTools.map(
  ({ name }) => name,
);

/** The conversation tool of this name; undefined where there is none. */
export function findConversationTool(name: string): OwnConversationTool | undefined {
  return conversationTools.find((tool) => tool.name === name);
}
