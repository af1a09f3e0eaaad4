import { awaitedBy, callNodes, noExchange, waitingFor } from "../values/exchange.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import type { TaskSummary, ToolCall } from "../values/payload.js";

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

/** A node and those above it, up to the root; climbed no further than is asked for. */
export class Ancestry {
  /** From the tip upwards. */
  readonly #climbed: TurnNode[];

  /** @param tip a node of the context, or one that is to be added below a node of it. */
  constructor(
    readonly context: ConversationContext,
    readonly tip: TurnNode,
  ) {
    this.#climbed = [tip];
  }

  /** Throws where there is no such node. */
  static to(context: ConversationContext, tipId: string): Ancestry {
    const tip = context.nodes.get(tipId);
    if (tip === undefined) throw new Error(`there is no node ${tipId} on any path`);
    return new Ancestry(context, tip);
  }

  /** The node of the path at this depth; depths are whole, from 0 to the tip's. */
  nodeAt(depth: number): TurnNode {
    const steps = this.tip.depth - depth;
    let last = this.#climbed[this.#climbed.length - 1] ?? this.tip;
    while (this.#climbed.length <= steps) {
      const parent = last.parentId === null ? undefined : this.context.nodes.get(last.parentId);
      if (parent === undefined) throw new Error(`the path of ${this.tip.id} is broken above ${last.id}`);
      this.#climbed.push(parent);
      last = parent;
    }
    return this.#climbed[steps] ?? last;
  }

  /** The node, if it is on the path. */
  find(nodeId: string): TurnNode | undefined {
    const node = nodeId === this.tip.id ? this.tip : this.context.nodes.get(nodeId);
    if (node === undefined || node.depth > this.tip.depth) return undefined;
    return this.nodeAt(node.depth).id === nodeId ? node : undefined;
  }
}

/** The node; throws where there is none, for ids that come from the conversation itself. */
export function nodeOf(context: ConversationContext, id: string): TurnNode {
  const node = context.nodes.get(id);
  if (node === undefined) throw new Error(`there is no node ${id} in this conversation`);
  return node;
}

/** The last node that the paths from the root to both have in common. */
export function commonAncestor(context: ConversationContext, oneId: string, otherId: string): TurnNode {
  let [one, other] = [nodeOf(context, oneId), nodeOf(context, otherId)];
  while (one.id !== other.id) {
    if (one.depth >= other.depth) one = parentOf(context, one);
    else other = parentOf(context, other);
  }
  return one;
}

/** The nodes from below `aboveId` down to `toId`, in the order of the path. `aboveId` has to be on it. */
export function nodesBelow(context: ConversationContext, aboveId: string, toId: string): readonly TurnNode[] {
  const nodes: TurnNode[] = [];
  for (let node = nodeOf(context, toId); node.id !== aboveId; node = parentOf(context, node))
    nodes.push(node);
  return nodes.reverse();
}

/** The nodes of a task that was merged, in the order of its path; none where the branch is not there. */
export function branchOf(
  context: ConversationContext,
  { taskId, tipId }: Pick<TaskSummary, "taskId" | "tipId">,
): readonly TurnNode[] {
  return isOnPath(context, taskId, tipId) ? nodesBelow(context, taskId, tipId) : [];
}

/** Whether `aboveId` stands on the path from the root to `id`; a node stands on its own. */
export function isOnPath(context: ConversationContext, aboveId: string, id: string): boolean {
  const above = context.nodes.get(aboveId);
  let node = context.nodes.get(id);
  while (above !== undefined && node !== undefined && node.depth > above.depth)
    node = node.parentId === null ? undefined : context.nodes.get(node.parentId);
  return above !== undefined && node?.id === above.id;
}

/** The call that a result answers; undefined for any other node. */
export function callOf(context: ConversationContext, { payload, parentId }: TurnNode): TurnNode | undefined {
  if (payload.kind !== "tool_result" || parentId === null) return undefined;
  const answered = awaitedBy(nodeOf(context, parentId).exchange, payload.callId);
  return answered === undefined ? undefined : context.nodes.get(answered);
}

function parentOf(context: ConversationContext, node: TurnNode): TurnNode {
  if (node.parentId === null) throw new Error(`the path of node ${node.id} ends above it`);
  return nodeOf(context, node.parentId);
}
