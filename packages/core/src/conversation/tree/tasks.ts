import { defined } from "../../text/index.js";
import type { ConversationEvent, NewNode } from "../values/event.js";
import type { FileDelta } from "../values/file-facts.js";
import type { ConversationContext, TaskRecord, TurnNode } from "../values/node.js";
import type { HistoryTransformation, TaskBoundary, ToolResultPayload } from "../values/payload.js";
import { type ConversationRefusal, isRefusal, refuse } from "../values/refusal.js";
import { noSuchTask, unprunedNode } from "./checks.js";
import { openCalls } from "./path.js";

/** A call of the model that a move of the head answers: its result is added on the branch it leaves. */
export type AnsweredCall = Omit<ToolResultPayload, "kind">;

/** Makes a node that is not added yet. */
export type MakeNode = (
  payload: NewNode["payload"],
  parentId: string,
  metadata?: NewNode["metadata"],
) => NewNode;

/** Where a move between tasks is decided, and with what nodes. */
export interface TaskScope {
  readonly context: ConversationContext;
  readonly make: MakeNode;
}

/** What a task is begun with. */
export interface StartTask {
  readonly name?: string;
  readonly goal?: string;
  /** `clone` unless given. */
  readonly transformation?: HistoryTransformation;
  /** From the id of the task that is begun. */
  readonly answering?: (taskId: string) => AnsweredCall;
}

/** What a task ends with. */
export interface CompleteTask {
  /** What was done and found out, for those who go on on the parent branch. */
  readonly summary: string;
  readonly answering?: AnsweredCall;
}

/** Which task is begun again from its beginning. */
export interface RestartTask {
  /** The current one unless given. */
  readonly taskId?: string;
  readonly hint?: string;
  /** From the id of the task that is begun. */
  readonly answering?: (taskId: string) => AnsweredCall;
}

/** A move that ends a task or begins it again, and adds a node at its goal. */
export type TaskMove =
  | ({ readonly kind: "complete" } & CompleteTask)
  | ({ readonly kind: "restart" } & RestartTask);

/** A move between tasks: one event, or why it cannot be made. */
export type TaskDecision = ConversationEvent | ConversationRefusal;

/** A new branch under a task boundary. */
export function startTask(scope: TaskScope, request: StartTask): TaskDecision {
  const { name = "", goal, transformation = { kind: "clone" }, answering } = request;
  if (transformation.kind === "compress" && transformation.summary.trim() === "")
    return refuse("no_summary", "A task that starts from a summary needs the summary's text.");
  const payload: TaskBoundary = { kind: "task_boundary", name, ...defined({ goal }), transformation };
  const begun = scope.make(payload, scope.context.currentNodeId);
  const left = leave(scope, answering?.(begun.id));
  if (isRefusal(left)) return left;
  return { type: "nodes_added", nodes: [...left.nodes, { ...begun, parentId: left.tipId }], head: begun.id };
}

/**
 * Puts a summary of the current task on its parent branch, like a merge commit; the task's branch stays.
 *
 * @param filesOf what the way from one node to another changed and is still so below a third, written by code.
 */
export function completeTask(
  scope: TaskScope,
  request: CompleteTask,
  filesOf: (fromId: string, toId: string, ontoId: string) => readonly FileDelta[],
): TaskDecision {
  const { context } = scope;
  const current = currentTask(context);
  if (isRefusal(current)) return current;
  if (request.summary.trim() === "")
    return refuse("no_summary", "A task is completed with a summary of what was done and found out.");
  const left = leave(scope, request.answering);
  if (isRefusal(left)) return left;
  const parentTip = unprunedNode(context, current.parent.tipId);
  if (isRefusal(parentTip)) return parentTip;
  const { id: taskId } = current.task;
  const files = filesOf(taskId, context.currentNodeId, parentTip.id);
  const said = { name: current.boundary.name, summary: request.summary, files, tipId: left.tipId };
  const summary = scope.make({ kind: "task_summary", taskId, ...said }, parentTip.id);
  const task = { id: taskId, outcome: "complete" } as const;
  return { type: "nodes_added", nodes: [...left.nodes, summary], head: summary.id, task };
}

/** Prunes the current task's branch; the head goes back to where the parent branch ended. */
export function cancelTask(scope: TaskScope, answering: AnsweredCall | undefined): TaskDecision {
  const current = currentTask(scope.context);
  if (isRefusal(current)) return current;
  const { id } = current.task;
  const cancelled = { task: { id, outcome: "cancelled" }, pruned: id } as const;
  return moveHead(scope, { head: current.parent.tipId, reason: "task_cancel", answering }, cancelled);
}

/** Leaves the current task for its parent branch; it can be resumed. */
export function popTask(scope: TaskScope, answering: AnsweredCall | undefined): TaskDecision {
  const current = currentTask(scope.context);
  if (isRefusal(current)) return current;
  return moveHead(scope, { head: current.parent.tipId, reason: "task_pop", answering });
}

/** Goes on where a paused task was left. */
export function resumeTask(scope: TaskScope, taskId: string, answering?: AnsweredCall): TaskDecision {
  const task = scope.context.tasks.get(taskId);
  if (task === undefined) return noSuchTask(taskId);
  if (task.outcome !== "open") {
    return refuse("task_closed", `Task ${taskId} is ${task.outcome}; start it again to go on with it.`);
  }
  return moveHead(scope, { head: task.tipId, reason: "task_resume", answering });
}

/** Tries a task again from where it began, with its context and a hint; what was tried stays. */
export function restartTask(scope: TaskScope, request: RestartTask): TaskDecision {
  const { context } = scope;
  const taskId = request.taskId ?? context.nodes.get(context.currentNodeId)?.taskId ?? context.sessionId;
  const failed = context.nodes.get(taskId);
  if (failed === undefined || failed.payload.kind !== "task_boundary") return noSuchTask(taskId);
  if (failed.parentId === null) return noTask;
  const parent = unprunedNode(context, failed.parentId);
  if (isRefusal(parent)) return parent;
  const { hint: _, restartOf: __, ...payload } = failed.payload;
  const again = { ...payload, restartOf: taskId, ...defined({ hint: request.hint }) };
  const boundary = scope.make(again, parent.id);
  const left = leave(scope, request.answering?.(boundary.id));
  if (isRefusal(left)) return left;
  return { type: "nodes_added", nodes: [...left.nodes, boundary], head: boundary.id };
}

/** A move of the head, and the call that it answers. */
interface Move {
  readonly head: string;
  readonly reason: Extract<ConversationEvent, { type: "head_moved" }>["reason"];
  readonly answering: AnsweredCall | undefined;
}

/** Moves the head to a node that stands; a call that asked for it is answered on the branch it leaves. */
export function moveHead(
  scope: TaskScope,
  { head, reason, answering }: Move,
  besides: Pick<Extract<ConversationEvent, { type: "head_moved" }>, "task" | "pruned"> = {},
): TaskDecision {
  const target = unprunedNode(scope.context, head);
  if (isRefusal(target)) return target;
  const left = leave(scope, answering);
  if (isRefusal(left)) return left;
  const [open] = answering === undefined ? [] : openCalls(scope.context, head);
  // The model is asked right after it, and no person's message ends the calls that stand open there.
  if (open !== undefined) return unansweredAt(head, open.call.name);
  if (left.nodes.length > 0) return { type: "nodes_added", nodes: left.nodes, head, ...besides };
  return { type: "head_moved", head, reason, ...besides };
}

interface Left {
  /** The result of the call that asked for the move. */
  readonly nodes: readonly NewNode[];
  /** The last node of the branch that is left. */
  readonly tipId: string;
}

/** A branch is left only where no call of it waits for an answer, so that no batch is ever cut. */
export function leave(scope: TaskScope, answering: AnsweredCall | undefined): Left | ConversationRefusal {
  const { context } = scope;
  const waiting = refuseWaiting(context, answering);
  if (waiting !== undefined) return waiting;
  if (answering === undefined) return { nodes: [], tipId: context.currentNodeId };
  if (openCalls(context, context.currentNodeId).length === 0) {
    const message = `No open call ${answering.callId} of ${answering.name} waits for this.`;
    return refuse("unmatched_result", message);
  }
  const result = scope.make({ kind: "tool_result", ...answering }, context.currentNodeId);
  return { nodes: [result], tipId: result.id };
}

/** Why a branch cannot be left: a call of it waits for its result, beside the one that asks for the move. */
export function refuseWaiting(
  context: ConversationContext,
  asking: Pick<AnsweredCall, "callId" | "name"> | undefined,
): ConversationRefusal | undefined {
  const others = openCalls(context, context.currentNodeId).filter(
    ({ call }) => call.callId !== asking?.callId,
  );
  if (others.length === 0) return undefined;
  const names = others.map(({ call }) => call.name).join(", ");
  return refuse(
    "open_calls",
    asking === undefined
      ? `Calls are waiting for their results (${names}); answer or cancel them first.`
      : `${asking.name} has to be the only call of its step; ${names} was called beside it. Call it alone.`,
  );
}

/** The refusal of a node at which a call stands open. */
export function unansweredAt(nodeId: string, name: string): ConversationRefusal {
  return refuse(
    "open_calls",
    `At node ${nodeId} the call of ${name} was not answered yet; go to its result or to before the call.`,
  );
}

/** The task at the head, with its parent and the node that began it. */
interface CurrentTask {
  readonly task: TaskRecord;
  readonly parent: TaskRecord;
  readonly boundary: TaskBoundary;
}

/** The task that the head stands in and the one around it; `no_task` on the main branch. */
export function currentTask(context: ConversationContext): CurrentTask | ConversationRefusal {
  const node = context.nodes.get(context.currentNodeId);
  const task = node === undefined ? undefined : context.tasks.get(node.taskId);
  const boundary: TurnNode | undefined = task === undefined ? undefined : context.nodes.get(task.id);
  if (task === undefined || boundary?.payload.kind !== "task_boundary")
    throw new Error("the head stands in no task");
  const parent = task.parentTaskId === null ? undefined : context.tasks.get(task.parentTaskId);
  if (parent === undefined) return noTask;
  return { task, parent, boundary: boundary.payload };
}

const noTask = refuse("no_task", "No task is open here: this is the session's main branch.");
