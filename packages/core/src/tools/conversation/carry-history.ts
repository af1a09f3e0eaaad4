import { debugOutline, historyFilter } from "../../context/index.js";
import { unprunedNode } from "../../conversation/index.js";
import { isRefusal } from "../../files/values/index.js";
import { defined } from "../../text/index.js";
import type { HistoryRequest } from "./conversation-request.js";
import { type Answered, answer, type Caller, type ConversationHost, movedBy } from "./conversation-tool.js";
import { atMove } from "./follow.js";
import { summaryOf } from "./summary-of.js";

type View = Extract<HistoryRequest, { readonly kind: "history_view" }>;
type Rewind = Extract<HistoryRequest, { readonly kind: "rewind" }>;
type Summarize = Extract<HistoryRequest, { readonly kind: "summarize_branch" }>;

/** The newest lines of the outline, of what the filter lets through. */
export function viewHistory({ manager }: ConversationHost, { limitLines, filter }: View): Answered {
  const options = historyFilter(manager.context, filter);
  if (isRefusal(options)) return options;
  const lines = debugOutline(manager.context, options).trimEnd().split("\n");
  const left = lines.length - limitLines;
  const shown = left > 0 ? [`(${left} lines above are left out)`, ...lines.slice(-limitLines)] : lines;
  return answer("The history:", undefined, shown.join("\n"));
}

/** Goes back on the path. */
export async function rewind(
  host: ConversationHost,
  { turnId, files }: Rewind,
  asked: Caller,
): Promise<Answered> {
  const { manager } = host;
  const target = manager.rewindTarget(turnId);
  if (isRefusal(target)) return target;
  const move = { kind: "go", toId: target.id, words: "Went back" } as const;
  return atMove(host, { move, files }, asked, (left) => {
    const told = answer(`Went back; the path left is kept.${left}`, { turn_id: target.id });
    return movedBy(asked, told, (answering) => manager.rewind(target.id, answering));
  });
}

type PutBack = Extract<HistoryRequest, { readonly kind: "restore_files" }>;

/** The head stays, and the files become what they were at a node; or a restore is taken back. */
export async function putFilesBack(
  host: ConversationHost,
  { turnId, restoreId, files }: PutBack,
  asked: Caller,
): Promise<Answered> {
  if (restoreId !== undefined) return atMove(host, { move: { kind: "undo", restoreId }, files }, asked);
  const target =
    turnId === undefined ? host.manager.rewindTarget() : unprunedNode(host.manager.context, turnId);
  if (isRefusal(target)) return target;
  return atMove(host, { move: { kind: "stay", stateOf: target.id }, files }, asked);
}

/** Adds a summary of the branch. */
export async function summarizeBranch(
  host: ConversationHost,
  { focus, summary }: Summarize,
  asked: Caller,
): Promise<Answered> {
  const { id: toId, taskId: fromId } = host.manager.getCurrentNode();
  const request = { purpose: "branch", fromId, toId, ...defined({ focus }) } as const;
  const text = await summaryOf(host, summary, request, asked);
  if (isRefusal(text)) return text;
  const told = answer("The summary was added to the branch.");
  const covers = { fromId, toId };
  const node = host.manager.addSummary(
    { kind: "summary", of: "branch", text: text.text, covers },
    asked.answering(told),
  );
  return isRefusal(node) ? node : answer(told.message, { summary_id: node.id });
}

/** Shows a task in full, for one turn. */
export function expandTask({ manager }: ConversationHost, taskId: string): Answered {
  const done = manager.expandTask(taskId);
  return isRefusal(done) ? done : answer("The task is shown in full for one turn.", { task_id: taskId });
}
