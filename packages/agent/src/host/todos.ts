import { upwards } from "@holdfast/core/conversation";
import type { ConversationContext } from "@holdfast/core/conversation/values";
import { escapeForDisplay } from "@holdfast/core/text";
import { type HostTool, meantCall, parseArguments } from "@holdfast/core/tools";
import * as z from "zod";
import { hostTool } from "./shell-tool.js";

/** The name of the tool by which a model keeps its list. */
export const todosName = "update_todos";

const states = ["todo", "doing", "done"] as const;

/** One thing that is to be done. */
export interface Todo {
  readonly text: string;
  readonly state: (typeof states)[number];
}

const parameters = z.object({
  todos: z.array(z.object({ text: z.string(), state: z.enum(states) })),
});

/** What a list may hold: it is shown, and said again with a summary. Steps, and characters of one. */
const most = { steps: 50, characters: 200 };

/**
 * `update_todos`: the list of what is to be done, whole each time. It is kept by the call itself, so that it goes back with
 * the conversation and is there after a restart.
 */
export const todosTool: HostTool<typeof parameters.shape> = hostTool({
  name: todosName,
  title: "List what is to be done",
  description: "Your list of steps, which the user sees. Send all of it.",
  parameters,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  summary: () => "Update the list",
  run: async ({ todos }) => {
    if (todos.length > most.steps || todos.some(({ text }) => text.length > most.characters))
      return {
        code: "invalid_arguments",
        text: `A list has at most ${most.steps} steps of ${most.characters} characters. Send a shorter one.`,
      };
    const left = todos.filter(({ state }) => state !== "done").length;
    return { code: "ok", text: `${left} left.` };
  },
});

/** The list that a call sends, read as the tool reads it; undefined where it is none. */
export function todosIn(args: unknown): readonly Todo[] | undefined {
  const read = parseArguments(todosTool, args);
  return read.kind === "parsed" ? parameters.safeParse(read.values).data?.todos : undefined;
}

/** The list of the task at the head; empty where it sent none: a sub-agent's work is not that of its parent. Pure. */
export function todosOf(context: ConversationContext): readonly Todo[] {
  const taken = new Set<string>();
  for (const { payload } of upwards(context, context.currentNodeId)) {
    if (payload.kind === "task_boundary") return [];
    if (payload.kind === "tool_result" && payload.isError !== true) taken.add(payload.callId);
    if (payload.kind !== "tool_call" || !taken.has(payload.callId)) continue;
    const { name, args } = meantCall(payload);
    const todos = name === todosName ? todosIn(args) : undefined;
    if (todos !== undefined) return todos;
  }
  return [];
}

/** The list as text, a line each, as the person and a model read it. */
export function todoLines(todos: readonly Todo[]): readonly string[] {
  return todos.map(({ text, state }) => `${marks[state]} ${escapeForDisplay(text)}`);
}

const marks: Readonly<Record<Todo["state"], string>> = { todo: "·", doing: "▸", done: "✓" };
