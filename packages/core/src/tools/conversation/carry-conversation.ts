import { isRefusal } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { expandTask, putFilesBack, rewind, summarizeBranch, viewHistory } from "./carry-history.js";
import { completeTask, leaveTask, restartTask, resumeTask, showTasks, startTask } from "./carry-task.js";
import type { ConversationRequest } from "./conversation-request.js";
import { type Answered, answer, type Caller, type ConversationHost } from "./conversation-tool.js";

/** Carries out what is asked of a conversation, whoever asked: the one place where the tools' requests act. */
export async function carryConversation(
  host: ConversationHost,
  request: ConversationRequest,
  asked: Caller,
): Promise<Answered> {
  switch (request.kind) {
    case "task_start":
      return startTask(host, request, asked);
    case "task_complete":
      return completeTask(host, request, asked);
    case "task_cancel":
    case "task_pop":
      return leaveTask(host, request, asked);
    case "task_resume":
      return resumeTask(host, request, asked);
    case "task_restart":
      return restartTask(host, request, asked);
    case "task_list":
      return showTasks(host);
    case "track_file":
      return track(host, request.path);
    case "untrack_file":
      return untrack(host, request.path);
    case "list_tracked_files":
      return listTracked(host);
    case "history_view":
      return viewHistory(host, request);
    case "rewind":
      return rewind(host, request, asked);
    case "restore_files":
      return putFilesBack(host, request, asked);
    case "summarize_branch":
      return summarizeBranch(host, request, asked);
    case "expand_task_summary":
      return expandTask(host, request.taskId);
    default:
      return request satisfies never;
  }
}

function untrack({ manager }: ConversationHost, path: string): Answered {
  const node = manager.untrackFile(path);
  return isRefusal(node) ? node : answer("The file is no longer tracked.", { file_path: path });
}

function listTracked({ manager }: ConversationHost): Answered {
  const paths = manager.trackedFiles();
  if (paths.length === 0) return answer("No file is tracked here.");
  return answer(`${paths.length} tracked:`, undefined, paths.map(escapeForDisplay).join("\n"));
}

/** Only a file that can be read is tracked, by its tidied name. */
async function track({ manager, files }: ConversationHost, asked: string): Promise<Answered> {
  const found = await files?.look(asked);
  if (found !== undefined && isRefusal(found)) return found;
  const path = found?.path ?? asked;
  const node = manager.trackFile(path);
  return isRefusal(node) ? node : answer("The file is tracked; its state follows.", { file_path: path });
}
