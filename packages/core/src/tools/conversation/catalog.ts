import type { ConversationTool } from "./conversation-tool.js";
import { expandTaskSummary } from "./expand-task-summary.js";
import { historyView } from "./history-view.js";
import { listTrackedFiles } from "./list-tracked-files.js";
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

/** The tools with which the model, and by commands the user, works on the conversation itself. */
export const conversationTools: readonly ConversationTool[] = [
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
  summarizeBranch,
  expandTaskSummary,
];

/** The conversation tool of this name; undefined where there is none. */
export function findConversationTool(name: string): ConversationTool | undefined {
  return conversationTools.find((tool) => tool.name === name);
}
