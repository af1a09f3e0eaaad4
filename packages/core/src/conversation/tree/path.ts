import { callNodes, noExchange, waitingFor } from "../values/exchange.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import type { ToolCall } from "../values/payload.js";

/** A node and all above it, the node first. */
export function* upwards(context: ConversationContext, fromId: string): Generator<TurnNode> {
  let node = context.nodes.get(fromId);
  while (node !== undefined) {
    yield node;
    node = node.parentId === null ? undefined : context.nodes.get(node.parentId);
  }
}

/** A node and all below it, each before those below it; without recursion, since conversations are deep. */
export function* downwards(context: ConversationContext, fromId: string): Generator<TurnNode> {
  const open = [fromId];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const node = context.nodes.get(id);
    if (node === undefined) continue;
    yield node;
    for (const childId of node.childIds.toReversed()) open.push(childId);
  }
}

/** The nodes from the root down to a node, both included. */
export function pathTo(context: ConversationContext, nodeId: string): readonly TurnNode[] {
  return [...upwards(context, nodeId)].reverse();
}

/** A call that has no result yet and can still be answered. */
interface OpenCall {
  readonly nodeId: string;
  readonly call: ToolCall;
}

/**
 * The calls that can still be answered below a node, in their order. What was left unanswered when the next
 * message came counts as interrupted and is not among them.
 */
export function openCalls(context: ConversationContext, nodeId: string): readonly OpenCall[] {
  const exchange = context.nodes.get(nodeId)?.exchange ?? noExchange;
  const calls = callNodes(exchange).flatMap((id) => {
    const call = context.nodes.get(id)?.payload;
    return call?.kind === "tool_call" ? [{ nodeId: id, call }] : [];
  });
  const callIds = new Set(calls.map(({ call }) => call.callId));
  const waiting = new Set([...callIds].flatMap((callId) => waitingFor(exchange, callId)));
  return calls.filter((one) => waiting.has(one.nodeId));
}

/** The first call with this id, and this name where one is given, that can still be answered below a node. */
export function openCall(
  context: ConversationContext,
  nodeId: string,
  { callId, name }: { readonly callId: string; readonly name?: string },
): OpenCall | undefined {
  const exchange = context.nodes.get(nodeId)?.exchange ?? noExchange;
  for (const id of waitingFor(exchange, callId)) {
    const call = context.nodes.get(id)?.payload;
    if (call?.kind === "tool_call" && (name === undefined || call.name === name)) return { nodeId: id, call };
  }
  return undefined;
}

/**
 * The calls that stand open at a node and were answered only further down, on any branch: a head there would
 * come between a call and its result. What was interrupted there is not among them.
 */
export function answeredBelow(context: ConversationContext, nodeId: string): readonly OpenCall[] {
  const open = openCalls(context, nodeId);
  const exchange = context.nodes.get(nodeId)?.exchange ?? noExchange;
  const found = new Set<string>();
  const ahead = open.length === 0 ? [] : [nodeId];
  for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
    for (const childId of context.nodes.get(id)?.childIds ?? []) {
      const child = context.nodes.get(childId);
      if (child?.payload.kind === "tool_result") found.add(child.payload.callId);
      if (child?.exchange.firstId === exchange.firstId) ahead.push(childId);
    }
  }
  return open.filter(({ call }) => found.has(call.callId));
}
