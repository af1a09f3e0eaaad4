import { isPruned } from "./fold.js";
import type { ConversationContext, TaskRecord } from "./node.js";

export type TaskState = "active" | "paused" | "complete" | "cancelled";

/** A task as people and models are shown it. */
export interface ListedTask {
  readonly id: string;
  readonly name: string;
  readonly goal: string | undefined;
  readonly state: TaskState;
  /** Whether the head stands in it, and in no task inside it. */
  readonly current: boolean;
  /** The failed task that it tries again. */
  readonly restartOf: string | undefined;
  readonly tipId: string;
  readonly tasks: readonly ListedTask[];
}

/** The tree of tasks, the session itself at its root, in the order in which they were begun. */
export function listTasks(context: ConversationContext): ListedTask {
  const within = new Map<string, TaskRecord[]>();
  for (const task of context.tasks.values()) {
    const siblings = within.get(task.parentTaskId ?? "") ?? [];
    siblings.push(task);
    within.set(task.parentTaskId ?? "", siblings);
  }
  const root = context.tasks.get(context.sessionId);
  if (root === undefined) throw new Error("the session is no task of its own");
  return listed(context, root, within);
}

/** Where a task stands; `active` are the one that holds the head and those around it. */
export function taskState(context: ConversationContext, task: TaskRecord): TaskState {
  if (task.outcome !== "open") return task.outcome;
  if (isPruned(context, task.id)) return "cancelled";
  for (let id = headTask(context); id !== null; id = context.tasks.get(id)?.parentTaskId ?? null) {
    if (id === task.id) return "active";
  }
  return "paused";
}

function listed(
  context: ConversationContext,
  task: TaskRecord,
  within: ReadonlyMap<string, readonly TaskRecord[]>,
): ListedTask {
  const payload = context.nodes.get(task.id)?.payload;
  const boundary = payload?.kind === "task_boundary" ? payload : undefined;
  const children = within.get(task.id) ?? [];
  return {
    id: task.id,
    name: boundary?.name ?? "",
    goal: boundary?.goal,
    state: taskState(context, task),
    current: headTask(context) === task.id,
    restartOf: boundary?.restartOf,
    tipId: task.tipId,
    tasks: inOrder(context, children).map((child) => listed(context, child, within)),
  };
}

/** By the time of the boundary; ids decide where the clock stood still. */
function inOrder(context: ConversationContext, tasks: readonly TaskRecord[]): readonly TaskRecord[] {
  const began = (task: TaskRecord) => context.nodes.get(task.id)?.timestamp ?? 0;
  return tasks.toSorted((one, other) => began(one) - began(other) || (one.id < other.id ? -1 : 1));
}

function headTask(context: ConversationContext): string | null {
  return context.nodes.get(context.currentNodeId)?.taskId ?? null;
}
