import * as z from "zod";
import { refuse } from "../../files/values/index.js";
import { defined } from "../../text/index.js";
import { readOnlyAnnotations } from "../tool/tool.js";
import { defineConversationTool, destructiveAnnotations, movingAnnotations } from "./conversation-tool.js";
import { atFiles, filesParameters, optionalText } from "./files-at-move.js";

/** What begins, ends and lists tasks. */
export const taskTools = [
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
