import { type ListedTask, listTasks, refuseConflicts, tasksBelow } from "../../conversation/index.js";
import type {
  ConversationRefusal,
  FileDelta,
  HistoryTransformation,
} from "../../conversation/values/index.js";
import { isRefusal } from "../../files/values/index.js";
import { counted, defined, escapeForDisplay, shortHash } from "../../text/index.js";
import type { FilesAtMove, TaskRequest } from "./conversation-request.js";
import {
  type Answered,
  answer,
  type Caller,
  type ConversationHost,
  type FileMove,
  movedBy,
  renderAnswer,
} from "./conversation-tool.js";
import { atMove } from "./follow.js";
import { summaryOf } from "./summary-of.js";

type StartRequest = Extract<TaskRequest, { readonly kind: "task_start" }>;
type Complete = Extract<TaskRequest, { readonly kind: "task_complete" }>;
type Leave = Extract<TaskRequest, { readonly kind: "task_cancel" | "task_pop" }>;
type Resume = Extract<TaskRequest, { readonly kind: "task_resume" }>;
type Restart = Extract<TaskRequest, { readonly kind: "task_restart" }>;

/** Begins a task on a branch of its own. */
export async function startTask(
  host: ConversationHost,
  request: StartRequest,
  asked: Caller,
): Promise<Answered> {
  const transformation = await transformationOf(host, request, asked);
  if (isRefusal(transformation)) return transformation;
  const { name, goal } = request;
  const message = `Task${name === undefined ? "" : ` "${name}"`} started on a branch of its own.`;
  const told = (taskId: string) => answer(message, { task_id: taskId });
  const node = host.manager.startTask({
    ...defined({ name, goal }),
    transformation,
    ...answeringTask(asked, told),
  });
  return isRefusal(node) ? node : told(node.id);
}

async function transformationOf(
  host: ConversationHost,
  { context, summary }: StartRequest,
  asked: Caller,
): Promise<HistoryTransformation | ConversationRefusal> {
  if (context !== "compress") return { kind: context };
  const { sessionId, currentNodeId } = host.manager.context;
  const covers = { purpose: "start", fromId: sessionId, toId: currentNodeId } as const;
  const text = await summaryOf(host, summary, covers, asked);
  return isRefusal(text) ? text : { kind: "compress", summary: text.text };
}

/** The call is answered on the branch that is left, with the id of the task that is about to begin. */
function answeringTask(asked: Caller, told: (taskId: string) => ReturnType<typeof answer>) {
  if (!asked.byModel) return {};
  return { answering: (taskId: string) => asked.answered(renderAnswer(told(taskId))) };
}

/** Ends the current task with its summary. */
export async function completeTask(
  host: ConversationHost,
  request: Complete,
  asked: Caller,
): Promise<Answered> {
  const { manager } = host;
  const target = manager.cancelTarget();
  if (isRefusal(target)) return target;
  const { taskId } = manager.getCurrentNode();
  const told = (files: string) =>
    answer(`Task completed; its summary stands on the branch it was started from.${files}`);
  const endingWith = (summary: string) => (files: string) => ({
    summary,
    ...defined({ answering: asked.answering(told(files)) }),
  });
  const moveWith = (ending: ReturnType<typeof endingWith>) =>
    ({
      kind: "task",
      tool: "task_complete",
      move: (files: string) => ({ kind: "complete", ...ending(files) }) as const,
    }) as const;
  const { files } = request;
  // What may be refused for the files is found out with any words: nothing is paid for before.
  const tried = moveWith(endingWith(request.summary ?? "-"));
  if (files.kind === "preview") return atMove(host, { move: tried, files }, asked);
  const refused = await refusedFiles(host, tried, files);
  if (refused !== undefined) return refused;
  const { currentNodeId: toId } = manager.context;
  const summary = await summaryOf(host, request.summary, { purpose: "task", fromId: taskId, toId }, asked);
  if (isRefusal(summary)) return summary;
  const ending = endingWith(summary.text);
  return atMove(host, { move: moveWith(ending), files }, asked, (left) => {
    const node = manager.completeTask(ending(left));
    if (isRefusal(node)) return node;
    const changed = node.payload.kind === "task_summary" ? node.payload.files : [];
    const data = {
      task_id: taskId,
      summary_id: node.id,
      files: changed.map(({ path, from, to }) => ({ path, from, to })),
    };
    const lines = changed.map(changedLine).join("\n");
    return answer(told(left).message, data, lines === "" ? undefined : lines);
  });
}

function changedLine({ path, from, to }: FileDelta): string {
  const stateOf = (sha256: string | null) => (sha256 === null ? "no file" : shortHash(sha256));
  return `${escapeForDisplay(path)}: ${stateOf(from)} → ${stateOf(to)}`;
}

/** Why the files would refuse a move with which they are to be put back. */
async function refusedFiles(
  { files: following }: ConversationHost,
  move: FileMove,
  files: FilesAtMove,
): Promise<ConversationRefusal | undefined> {
  if (files.kind !== "restore" || following === undefined) return undefined;
  const plan = await following.plan(move);
  return isRefusal(plan) ? plan : refuseConflicts(plan, { restoreId: "", ...files });
}

/** Leaves the current task for the branch that it was started from: for good, or until it is resumed. */
export async function leaveTask(
  host: ConversationHost,
  { kind, files }: Leave,
  asked: Caller,
): Promise<Answered> {
  const { manager } = host;
  const target = manager.cancelTarget();
  if (isRefusal(target)) return target;
  const { taskId } = manager.getCurrentNode();
  const cancels = kind === "task_cancel";
  const words = cancels ? "Task cancelled" : "Task paused";
  const move = {
    kind: "go",
    toId: target.id,
    words,
    tool: kind,
    ...(cancels ? { cancels: taskId } : {}),
  } as const;
  return atMove(host, { move, files }, asked, (left) => {
    const kept = cancels ? "; its branch is kept out of view" : "";
    const told = answer(`${words}${kept}.${left}`, { task_id: taskId });
    return movedBy(asked, told, (answering) =>
      cancels ? manager.cancelTask(answering) : manager.popTask(answering),
    );
  });
}

/** Goes on with a task that was left. */
export async function resumeTask(
  host: ConversationHost,
  { taskId, files }: Resume,
  asked: Caller,
): Promise<Answered> {
  const { manager } = host;
  const alone = (left: string): Answered => {
    const told = answer(`Task resumed.${left}`, { task_id: taskId });
    return movedBy(asked, told, (answering) => manager.resumeTask(taskId, answering));
  };
  const task = manager.context.tasks.get(taskId);
  // Why it cannot be resumed is for the move to say.
  if (task === undefined || task.outcome === "complete") return alone("");
  const isCancelled = task.outcome === "cancelled" && manager.context.pruned.has(taskId);
  const move = {
    kind: "go",
    toId: task.tipId,
    words: "Task resumed",
    tool: "task_resume",
    ...(isCancelled ? { resumes: taskId } : {}),
  } as const;
  return atMove(host, { move, files }, asked, alone);
}

/** Tries a task again on a new branch. */
export async function restartTask(
  host: ConversationHost,
  request: Restart,
  asked: Caller,
): Promise<Answered> {
  const { manager } = host;
  const { taskId, hint } = request;
  const told = (id: string, files: string) =>
    answer(`Task begun again on a new branch.${files}`, { task_id: id });
  const again = (files: string) => ({
    ...defined({ taskId, hint }),
    ...answeringTask(asked, (id) => told(id, files)),
  });
  const move = {
    kind: "task",
    tool: "task_restart",
    move: (files: string) => ({ kind: "restart", ...again(files) }) as const,
  } as const;
  return atMove(host, { move, files: request.files }, asked, (left) => {
    const node = manager.restartTask(again(left));
    return isRefusal(node) ? node : told(node.id, left);
  });
}

/** The tree of tasks. */
export function showTasks({ manager }: ConversationHost): Answered {
  const lines = tasksBelow(listTasks(manager.context)).map(
    ({ task, level }) => `${"  ".repeat(Math.min(level, deepest))}${lineOf(task)}`,
  );
  if (lines.length === 0) return answer("No task was started.");
  return answer(`${counted(lines.length, "task")}:`, undefined, lines.join("\n"));
}

/** Deeper levels are drawn at this one, so that lines stay readable. */
const deepest = 20;

function lineOf({ id, name, state, current, restartOf }: ListedTask): string {
  const shown = name === "" ? "(no name)" : escapeForDisplay(name);
  const again = restartOf === undefined ? "" : `, tries ${restartOf} again`;
  return `${id} ${shown} [${state}${again}]${current ? " <- here" : ""}`;
}
