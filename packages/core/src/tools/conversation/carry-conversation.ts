import { isRefusal } from "../../files/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { carryHistory } from "./carry-history.js";
import { carryTask } from "./carry-task.js";
import type { ConversationRequest, TrackRequest } from "./conversation-request.js";
import { type Answered, answer, type Caller, type ConversationHost } from "./conversation-tool.js";

/** Carries out what is asked of a conversation, whoever asked: the one place where the tools' requests act. */
export async function carryConversation(
  host: ConversationHost,
  request: ConversationRequest,
  asked: Caller,
): Promise<Answered> {
  switch (request.kind) {
    case "task_start":
    case "task_complete":
    case "task_cancel":
    case "task_pop":
    case "task_resume":
    case "task_restart":
    case "task_list":
      return carryTask(host, request, asked);
    case "track_file":
    case "untrack_file":
    case "list_tracked_files":
      return carryTracking(host, request);
    case "history_view":
    case "rewind":
    case "restore_files":
    case "summarize_branch":
    case "expand_task_summary":
      return carryHistory(host, request, asked);
    default:
      return request satisfies never;
  }
}

async function carryTracking(host: ConversationHost, request: TrackRequest): Promise<Answered> {
  const { manager } = host;
  switch (request.kind) {
    case "track_file":
      return track(host, request.path);
    case "untrack_file": {
      const node = manager.untrackFile(request.path);
      return isRefusal(node) ? node : answer("The file is no longer tracked.", { file_path: request.path });
    }
    case "list_tracked_files": {
      const paths = manager.trackedFiles();
      if (paths.length === 0) return answer("No file is tracked here.");
      return answer(`${paths.length} tracked:`, undefined, paths.map(escapeForDisplay).join("\n"));
    }
    default:
      return request satisfies never;
  }
}

/** Only a file that can be read is tracked, by its tidied name. */
async function track({ manager, files }: ConversationHost, asked: string): Promise<Answered> {
  const found = await files?.look(asked);
  if (found !== undefined && isRefusal(found)) return found;
  const path = found?.path ?? asked;
  const node = manager.trackFile(path);
  return isRefusal(node) ? node : answer("The file is tracked; its state follows.", { file_path: path });
}
