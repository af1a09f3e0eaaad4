import type * as z from "zod";
import type { ConversationTool } from "./conversation-tool.js";
import {
  expandTaskSummary,
  historyView,
  restoreFilesTool,
  rewind,
  summarizeBranch,
} from "./history-tools.js";
import {
  taskCancel,
  taskComplete,
  taskList,
  taskPop,
  taskRestart,
  taskResume,
  taskStart,
} from "./task-tools.js";
import { listTrackedFiles, trackFile, untrackFile } from "./tracking-tools.js";

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
