import type { ConversationContext, TaskRecord } from "../values/node.js";
import { isPruned } from "./fold.js";

/** The state of a task as `task_list` shows it. */
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
  const active = activeTasks(context);
  const listed = new Map<string, GrowingTask>();
  for (const task of context.tasks.values()) listed.set(task.id, listing(context, task, active));
  for (const { id, parentTaskId } of inOrder(context, [...context.tasks.values()])) {
    const task = listed.get(id);
    if (task !== undefined && parentTaskId !== null) listed.get(parentTaskId)?.tasks.push(task);
  }
  const root = listed.get(context.sessionId);
  if (root === undefined) throw new Error("the session is no task of its own");
  return root;
}

/** A task of a tree, and how many are around it. */
export interface LevelledTask {
  readonly task: ListedTask;
  readonly level: number;
}

/** All tasks below one, each before those inside it. Without recursion: they may be nested deeper than any stack. */
export function tasksBelow({ tasks }: ListedTask): readonly LevelledTask[] {
  const found: LevelledTask[] = [];
  const ahead = tasks.map((task) => ({ task, level: 0 })).reverse();
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    found.push(next);
    for (const task of next.task.tasks.toReversed()) ahead.push({ task, level: next.level + 1 });
  }
  return found;
}

/** Where a task stands; `active` are the one that holds the head and those around it. */
export function taskState(
  context: ConversationContext,
  task: TaskRecord,
  active: ReadonlySet<string> = activeTasks(context),
): TaskState {
  if (task.outcome !== "open") return task.outcome;
  if (isPruned(context, task.id)) return "cancelled";
  return active.has(task.id) ? "active" : "paused";
}

/** The task that holds the head and those around it, for whoever asks of many. */
export function activeTasks(context: ConversationContext): ReadonlySet<string> {
  const active = new Set<string>();
  for (let id = headTask(context); id !== null; id = context.tasks.get(id)?.parentTaskId ?? null)
    active.add(id);
  return active;
}

/** A task while its own tasks are being added to it. */
interface GrowingTask extends ListedTask {
  readonly tasks: ListedTask[];
}

function listing(context: ConversationContext, task: TaskRecord, active: ReadonlySet<string>): GrowingTask {
  const payload = context.nodes.get(task.id)?.payload;
  const boundary = payload?.kind === "task_boundary" ? payload : undefined;
  return {
    id: task.id,
    name: boundary?.name ?? "",
    goal: boundary?.goal,
    state: taskState(context, task, active),
    current: headTask(context) === task.id,
    restartOf: boundary?.restartOf,
    tipId: task.tipId,
    tasks: [],
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
