import * as z from "zod";
import { payloadKinds } from "../../conversation/values/index.js";
import { refuse } from "../../files/values/index.js";
import { defined } from "../../text/index.js";
import { readOnlyAnnotations } from "../tool/tool.js";
import { defineConversationTool, destructiveAnnotations, movingAnnotations } from "./conversation-tool.js";
import { atFiles, filesParameters, optionalText } from "./files-at-move.js";

/** What one answer can hold of an outline, in lines; the newest are shown. */
const mostLines = 400;

const turnId = optionalText(
  "A node's id, as the history shows it; before the last message of the user unless given",
);

/** What shows the path, goes back on it or sums it up. */
export const historyTools = [
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
