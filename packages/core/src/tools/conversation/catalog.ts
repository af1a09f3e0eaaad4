import type * as z from "zod";
import type { ConversationTool } from "./conversation-tool.js";
import { expandTaskSummary } from "./expand-task-summary.js";
import { historyView } from "./history-view.js";
import { listTrackedFiles } from "./list-tracked-files.js";
import { restoreFilesTool } from "./restore-files.js";
import { rewind } from "./rewind.js";
import { summarizeBranch } from "./summarize-branch.js";
import { taskCancel } from "./task-cancel.js";
import { taskComplete } from "./task-complete.js";
import { taskList } from "./task-list.js";
import { taskPop } from "./task-pop.js";
import { taskRestart } from "./task-restart.js";
import { taskResume } from "./task-resume.js";
import { taskStart } from "./task-start.js";
import { trackFile } from "./track-file.js";
import { untrackFile } from "./untrack-file.js";

const all = [
  taskStart,
  taskComplete,
  taskCancel,
  taskPop,
  taskResume,
  taskRestart,
  taskList,
  trackFile,
  untrackFile,
  listTrackedFiles,
  historyView,
  rewind,
  restoreFilesTool,
  summarizeBranch,
  expandTaskSummary,
] as const;

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
