import {
  type ConversationRefusal,
  type HistoryTransformation,
  type ListedTask,
  listTasks,
} from "../../conversation/index.js";
import { isRefusal } from "../../files/index.js";
import { defined, escapeForDisplay } from "../../text/index.js";
import type { TaskRequest } from "./conversation-request.js";
import {
  type Answered,
  answer,
  type Caller,
  type ConversationHost,
  renderAnswer,
} from "./conversation-tool.js";
import { follow } from "./follow.js";
import { summaryOf } from "./summary-of.js";

/** Begins, ends, leaves and lists tasks. */
export async function carryTask(
  host: ConversationHost,
  request: TaskRequest,
  asked: Caller,
): Promise<Answered> {
  switch (request.kind) {
    case "task_start":
      return start(host, request, asked);
    case "task_complete":
      return complete(host, request.summary, asked);
    case "task_cancel":
      return cancel(host, request.files, asked);
    case "task_pop":
      return pop(host, asked);
    case "task_resume":
      return resume(host, request.taskId, asked);
    case "task_restart":
      return restart(host, request, asked);
    case "task_list":
      return list(host);
    default:
      return request satisfies never;
  }
}

type StartRequest = Extract<TaskRequest, { readonly kind: "task_start" }>;
type Cancel = Extract<TaskRequest, { readonly kind: "task_cancel" }>;
type Restart = Extract<TaskRequest, { readonly kind: "task_restart" }>;

async function start(host: ConversationHost, request: StartRequest, asked: Caller): Promise<Answered> {
  const transformation = await transformationOf(host, request);
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
): Promise<HistoryTransformation | ConversationRefusal> {
  if (context !== "compress") return { kind: context };
  const { sessionId, currentNodeId } = host.manager.context;
  const asked = { purpose: "start", fromId: sessionId, toId: currentNodeId } as const;
  const text = await summaryOf(host, summary, asked);
  return isRefusal(text) ? text : { kind: "compress", summary: text.text };
}

/** The call is answered on the branch that is left, with the id of the task that is about to begin. */
function answeringTask(asked: Caller, told: (taskId: string) => ReturnType<typeof answer>) {
  if (!asked.byModel) return {};
  return { answering: (taskId: string) => asked.answered(renderAnswer(told(taskId))) };
}

async function complete(host: ConversationHost, given: string | undefined, asked: Caller): Promise<Answered> {
  const { taskId } = host.manager.getCurrentNode();
  const toId = host.manager.context.currentNodeId;
  const summary = await summaryOf(host, given, { purpose: "task", fromId: taskId, toId });
  if (isRefusal(summary)) return summary;
  const told = answer("Task completed; its summary stands on the branch it was started from.");
  const answering = asked.answering(told);
  const node = host.manager.completeTask({ summary: summary.text, ...defined({ answering }) });
  if (isRefusal(node)) return node;
  const files = node.payload.kind === "task_summary" ? node.payload.files : [];
  return answer(told.message, {
    task_id: taskId,
    summary_id: node.id,
    files: files.map(({ path, from, to }) => ({ path, from, to })),
  });
}

async function cancel(host: ConversationHost, files: Cancel["files"], asked: Caller): Promise<Answered> {
  const { manager } = host;
  const target = manager.cancelTarget();
  if (isRefusal(target)) return target;
  if (files.kind === "restore") {
    const { consent, conflicts } = files;
    return follow(host, { toId: target.id, consent, conflicts, move: "task_cancel" }, asked);
  }
  const told = answer("Task cancelled; its branch is kept out of view.", {
    task_id: manager.getCurrentNode().taskId,
  });
  const node = manager.cancelTask(asked.answering(told));
  return isRefusal(node) ? node : told;
}

function pop({ manager }: ConversationHost, asked: Caller): Answered {
  const { taskId } = manager.getCurrentNode();
  const told = answer("Task paused.", { task_id: taskId });
  const node = manager.popTask(asked.answering(told));
  return isRefusal(node) ? node : told;
}

function resume({ manager }: ConversationHost, taskId: string, asked: Caller): Answered {
  const told = answer("Task resumed.", { task_id: taskId });
  const node = manager.resumeTask(taskId, asked.answering(told));
  return isRefusal(node) ? node : told;
}

function restart({ manager }: ConversationHost, { taskId, hint }: Restart, asked: Caller): Answered {
  const told = (id: string) => answer("Task begun again on a new branch.", { task_id: id });
  const node = manager.restartTask({ ...defined({ taskId, hint }), ...answeringTask(asked, told) });
  return isRefusal(node) ? node : told(node.id);
}

function list({ manager }: ConversationHost): Answered {
  const { tasks } = listTasks(manager.context);
  if (tasks.length === 0) return answer("No task was started.");
  const lines = linesOf(tasks);
  return answer(lines.length === 1 ? "1 task:" : `${lines.length} tasks:`, undefined, lines.join("\n"));
}

/** Without recursion: tasks may be nested deeper than any call stack. */
function linesOf(tasks: readonly ListedTask[]): readonly string[] {
  const lines: string[] = [];
  const ahead = tasks.map((task) => ({ task, level: 0 })).reverse();
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const { task, level } = next;
    lines.push(`${"  ".repeat(Math.min(level, deepest))}${lineOf(task)}`);
    for (const inner of task.tasks.toReversed()) ahead.push({ task: inner, level: level + 1 });
  }
  return lines;
}

/** Deeper levels are drawn at this one, so that lines stay readable. */
const deepest = 20;

function lineOf({ id, name, state, current, restartOf }: ListedTask): string {
  const shown = name === "" ? "(no name)" : escapeForDisplay(name);
  const again = restartOf === undefined ? "" : `, tries ${restartOf} again`;
  return `${id} ${shown} [${state}${again}]${current ? " <- here" : ""}`;
}
