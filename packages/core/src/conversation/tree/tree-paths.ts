import { awaitedBy } from "../values/exchange.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import type { TaskSummary } from "../values/payload.js";

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
