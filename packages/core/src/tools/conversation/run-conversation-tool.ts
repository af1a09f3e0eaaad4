import { debugOutline, historyFilter } from "../../context/index.js";
import { type AnsweredCall, type ContextManager, openCall, unprunedNode } from "../../conversation/index.js";
import type { JsonObject } from "../../conversation/values/index.js";
import { type ConversationCode, isRefusal } from "../../files/values/index.js";
import { causeOf, defined, escapeForDisplay } from "../../text/index.js";
import { catching } from "../run/run-tool.js";
import { ignoredIn, intentOf, withIgnored } from "../tool/tool.js";
import { completeTask, leaveTask, restartTask, resumeTask, showTasks, startTask } from "./carry-task.js";
import type { ConversationRequest, HistoryRequest } from "./conversation-request.js";
import {
  type Answered,
  answer,
  type Caller,
  type ConversationAnswer,
  type ConversationHost,
  movedBy,
  renderAnswer,
} from "./conversation-tool.js";
import { atMove } from "./follow.js";
import { summaryOf } from "./summary-of.js";
import { meantCall, toolOfName } from "./tool-of-name.js";

/** What a call or a command gets back. `code` is "ok" or says why nothing was done. */
export interface ConversationReply {
  /** What the caller reads. */
  readonly text: string;
  readonly isError: boolean;
  readonly code: ConversationCode | "ok" | "internal_error";
  readonly data?: JsonObject;
}

/** The host of one run, and who asks. */
export interface ConversationToolContext extends ConversationHost {
  /** The call of the model that asks; absent where a person does, by a command. */
  readonly callId?: string;
  /** The name that the call has in the tree; that of the tool unless given. */
  readonly calledAs?: string;
  /** Told what was thrown, for the host's log. Must not throw. */
  readonly onError?: (error: unknown, toolName: string) => void;
}

/**
 * Runs a conversation tool by name. Where a call of the model asked, its result is a node of the tree when
 * this resolves: on the branch that the call stands on, also where the head has left it.
 *
 * @param name of a tool; see `conversationTools` and `conversationTool`.
 * @param args as the caller gave them; checked here.
 */
export async function runConversationTool(
  name: string,
  args: unknown,
  context: ConversationToolContext,
): Promise<ConversationReply> {
  const { manager, callId, calledAs = name } = context;
  const reply = await obtainReply(name, args, context);
  if (callId !== undefined) recordResult(manager, { name: calledAs, callId }, reply);
  return reply;
}

async function obtainReply(
  name: string,
  args: unknown,
  context: ConversationToolContext,
): Promise<ConversationReply> {
  const meant = meantCall({ name, args });
  const tool = toolOfName(meant.name);
  if (tool?.kind !== "conversation")
    return refused("invalid_arguments", "There is no conversation tool of this name.");
  const work = async () => {
    const request = intentOf(tool, meant.args);
    if (isRefusal(request)) return refused("invalid_arguments", request.message);
    const { callId, calledAs = name } = context;
    const answered = (output: string): AnsweredCall => ({ callId: callId ?? "", name: calledAs, output });
    const result = await carryConversation(context, request, {
      byModel: callId !== undefined,
      answered,
      answering: (told) => (callId === undefined ? undefined : answered(renderAnswer(told))),
    });
    const ignored = ignoredIn(tool, meant.args);
    if (isRefusal(result)) return refused(result.code, withIgnored(result.message, ignored));
    return told(result, ignored);
  };
  return catching(name, work, context, (error) =>
    refused(
      "internal_error",
      `${name} failed unexpectedly (${causeOf(error)}); look at the state before you go on.`,
    ),
  );
}

function told(answer: ConversationAnswer, ignored: string): ConversationReply {
  const text = [...(ignored === "" ? [] : [ignored]), renderAnswer(answer)].join("\n");
  return { text, isError: false, code: "ok", ...defined({ data: answer.data }) };
}

function refused(code: ConversationReply["code"], message: string): ConversationReply {
  return { text: `${code}: ${message}`, isError: true, code };
}

/** A call that moved the head was answered with the move; every other is answered now. */
function recordResult(
  manager: ContextManager,
  { name, callId }: { readonly name: string; readonly callId: string },
  { text, isError }: ConversationReply,
): void {
  const { context } = manager;
  const waits = openCall(context, context.currentNodeId, { callId }) !== undefined;
  if (!waits) return;
  const failed = isError ? { isError } : {};
  const added = manager.addNode({ kind: "tool_result", callId, name, output: text, ...failed });
  if (isRefusal(added)) throw new Error(`a result could not be recorded: ${added.message}`);
}

/** Carries out what is asked of a conversation, whoever asked: the one place where the tools' requests act. */
async function carryConversation(
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

type View = Extract<HistoryRequest, { readonly kind: "history_view" }>;
type Rewind = Extract<HistoryRequest, { readonly kind: "rewind" }>;
type Summarize = Extract<HistoryRequest, { readonly kind: "summarize_branch" }>;

/** The newest lines of the outline, of what the filter lets through. */
function viewHistory({ manager }: ConversationHost, { limitLines, filter }: View): Answered {
  const options = historyFilter(manager.context, filter);
  if (isRefusal(options)) return options;
  const lines = debugOutline(manager.context, options).trimEnd().split("\n");
  const left = lines.length - limitLines;
  const shown = left > 0 ? [`(${left} lines above are left out)`, ...lines.slice(-limitLines)] : lines;
  return answer("The history:", undefined, shown.join("\n"));
}

/** Goes back on the path. */
async function rewind(host: ConversationHost, { turnId, files }: Rewind, asked: Caller): Promise<Answered> {
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
async function putFilesBack(
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
async function summarizeBranch(
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
function expandTask({ manager }: ConversationHost, taskId: string): Answered {
  const done = manager.expandTask(taskId);
  return isRefusal(done) ? done : answer("The task is shown in full for one turn.", { task_id: taskId });
}
