import type { ConversationContext, TurnNode } from "./node.js";
import type { ToolCall } from "./payload.js";

/** A node and all above it, the node first. */
export function* upwards(context: ConversationContext, fromId: string): Generator<TurnNode> {
  let node = context.nodes.get(fromId);
  while (node !== undefined) {
    yield node;
    node = node.parentId === null ? undefined : context.nodes.get(node.parentId);
  }
}

/** The nodes from the root down to a node, both included. */
export function pathTo(context: ConversationContext, nodeId: string): readonly TurnNode[] {
  return [...upwards(context, nodeId)].reverse();
}

/** A call that stands on a path and has no result there yet. */
export interface OpenCall {
  readonly nodeId: string;
  readonly call: ToolCall;
}

/**
 * The calls of the last batch above a node (or in it) that can still be answered, in their order. What was
 * left unanswered when the next message came counts as interrupted and is not among them.
 */
export function openCalls(context: ConversationContext, nodeId: string): readonly OpenCall[] {
  const answered = new Set<string>();
  const open: OpenCall[] = [];
  let past: "results" | "calls" = "results";
  for (const { id, payload } of upwards(context, nodeId)) {
    switch (payload.kind) {
      case "tool_result":
        if (past === "calls") return open.reverse();
        answered.add(payload.callId);
        break;
      case "tool_call":
        past = "calls";
        if (!answered.has(payload.callId)) open.push({ nodeId: id, call: payload });
        break;
      case "model_message":
        past = "calls";
        break;
      case "user_message":
      case "task_boundary":
      case "task_summary":
        return open.reverse();
      case "file_content":
      case "context_management":
      case "summary":
      case "restore":
      case "note":
      case "unknown":
        break;
      default:
        return payload satisfies never;
    }
  }
  return open.reverse();
}
