import { applyEvent, startedContext } from "../../src/conversation/index.js";
import type {
  ConversationContext,
  FileEffect,
  NewNode,
  TurnPayload,
} from "../../src/conversation/values/index.js";
import { isRefusal } from "../../src/files/values/index.js";

/** A conversation that has only begun; its root is "root". */
export function freshConversation(): ConversationContext {
  return startedContext({
    type: "session_started",
    sessionId: "root",
    root: { id: "root", parentId: null, timestamp: 0, payload: boundary("session") },
  });
}

/** Adds one node and moves the head to it. */
export function withNode(
  context: ConversationContext,
  id: string,
  parentId: string,
  payload: TurnPayload,
  rest: Partial<Pick<NewNode, "timestamp" | "metadata">> = {},
): ConversationContext {
  const node = { id, parentId, timestamp: 0, payload, ...rest };
  const next = applyEvent(context, { type: "nodes_added", nodes: [node], head: id });
  if (isRefusal(next)) throw new Error(next.message);
  return next;
}

/** Adds nodes one below the other, named `a1`, `a2`, … for the prefix `a`. */
export function withPath(
  context: ConversationContext,
  prefix: string,
  parentId: string,
  payloads: readonly TurnPayload[],
): ConversationContext {
  let next = context;
  for (const [at, payload] of payloads.entries())
    next = withNode(next, `${prefix}${at + 1}`, at === 0 ? parentId : `${prefix}${at}`, payload);
  return next;
}

export function boundary(name: string): TurnPayload {
  return { kind: "task_boundary", name, transformation: { kind: "clone" } };
}

/** A result of a tool that found out or did this. */
export function result(...files: readonly FileEffect[]): TurnPayload {
  return { kind: "tool_result", callId: "c", name: "t", output: "", files };
}

export function wrote(path: string, before: string | null, after: string | null): TurnPayload {
  return result({ path, before, after, by: "tool" });
}

export function saw(path: string, after: string | null): TurnPayload {
  return result({ path, after, by: "seen" });
}

export const said: TurnPayload = { kind: "user_message", text: "go on" };
