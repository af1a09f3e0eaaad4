import type { ConversationEvent, NewNode } from "./event.js";
import { flawOfEvent, flawOfMetadata, flawOfPayload } from "./event-shape.js";
import { advance, isOfModel, speaks } from "./exchange.js";
import { isPruned } from "./fold.js";
import type { ConversationContext, TurnNode } from "./node.js";
import { openCalls, upwards } from "./path.js";
import type { TurnPayload } from "./payload.js";
import { type ConversationRefusal, refuseTurn } from "./refusal.js";
import { isOnPath } from "./tree-paths.js";

/**
 * What the fold would take but what makes no sense in a conversation: a result without its call, an overlay
 * on a node of another branch, metadata that no journal can hold.
 *
 * @returns why the node cannot be added below its parent; `undefined` where it can.
 */
export function checkNode(context: ConversationContext, node: NewNode): ConversationRefusal | undefined {
  const { payload, metadata, parentId } = node;
  const flaw = flawOfPayload(payload);
  if (flaw !== undefined) return invalidPayload(flaw);
  const flawed = metadata === undefined ? undefined : flawOfMetadata(metadata);
  if (flawed !== undefined) return invalidMetadata(flawed);
  const parent = parentId === null ? undefined : context.nodes.get(parentId);
  if (parent === undefined) return noSuchNode(parentId ?? "without an id");
  return checkPayload(context, payload, parent);
}

/** Whether a node is there and on no pruned branch. */
export function standingNode(context: ConversationContext, nodeId: string): TurnNode | ConversationRefusal {
  const node = context.nodes.get(nodeId);
  if (node === undefined) {
    if (!context.orphans.has(nodeId)) return noSuchNode(nodeId);
    return refuseTurn(
      "unknown_node",
      `What stood above node ${nodeId} is lost, so nothing can go on from it.`,
    );
  }
  if (!isPruned(context, nodeId)) return node;
  return refuseTurn(
    "pruned_node",
    `Node ${nodeId} stands in a branch that was pruned; take that back first (unprune, or task_resume).`,
  );
}

/** A payload that could not be read again; `flaw` says where. */
export function invalidPayload(flaw: string): ConversationRefusal {
  return refuseTurn("invalid_payload", `The payload would not survive: ${flaw.trim()}.`);
}

function invalidMetadata(flaw: string): ConversationRefusal {
  return refuseTurn("invalid_metadata", `The metadata would not survive: ${flaw.trim()}.`);
}

/** Whether an event could be read again; what a caller forced past the types is found here at the latest. */
export function checkEvent(event: ConversationEvent): ConversationRefusal | undefined {
  const flaw = flawOfEvent(event);
  if (flaw === undefined) return undefined;
  switch (event.type) {
    case "metadata_set":
      return invalidMetadata(flaw);
    case "session_started":
    case "nodes_added":
    case "staged":
      return invalidPayload(flaw);
    default:
      return refuseTurn("invalid_arguments", `This would not survive: ${flaw.trim()}.`);
  }
}

export function noSuchNode(id: string): ConversationRefusal {
  return refuseTurn("unknown_node", `There is no node ${id} in this conversation.`);
}

/** The same of a payload alone, whose shape was looked at. */
export function checkPayload(
  context: ConversationContext,
  payload: TurnPayload,
  parent: TurnNode,
): ConversationRefusal | undefined {
  switch (payload.kind) {
    case "tool_call": {
      const twin = openCalls(context, parent.id).some(({ call }) => call.callId === payload.callId);
      return twin ? refuseTurn("duplicate_id", `A call ${payload.callId} is open already.`) : undefined;
    }
    case "tool_result": {
      const open = openCalls(context, parent.id).some(
        ({ call }) => call.callId === payload.callId && call.name === payload.name,
      );
      return open ? undefined : unmatched(payload.callId, payload.name);
    }
    case "context_management":
      return payload.action === "overlay" ? mustStandAbove(context, payload.targetId, parent.id) : undefined;
    case "task_summary": {
      if (!context.tasks.has(payload.taskId)) return noSuchTask(payload.taskId);
      return context.nodes.has(payload.tipId) ? undefined : noSuchNode(payload.tipId);
    }
    case "summary":
      return payload.of === "compaction" && payload.keepFromId !== null
        ? checkCut(context, payload.keepFromId, parent.id)
        : undefined;
    case "user_message":
    case "model_message":
    case "file_content":
    case "task_boundary":
    case "restore":
    case "note":
      return undefined;
    case "unknown":
      return refuseTurn("invalid_payload", `Payloads of the kind "${payload.type}" are kept, not made.`);
    default:
      return payload satisfies never;
  }
}

export function noSuchTask(taskId: string): ConversationRefusal {
  return refuseTurn("unknown_task", `There is no task ${taskId}; task_list names them.`);
}

function unmatched(callId: string, name: string): ConversationRefusal {
  return refuseTurn("unmatched_result", `No open call ${callId} of ${name} waits for this result.`);
}

function mustStandAbove(
  context: ConversationContext,
  targetId: string,
  parentId: string,
): ConversationRefusal | undefined {
  if (!context.nodes.has(targetId)) return noSuchNode(targetId);
  if (isOnPath(context, targetId, parentId)) return undefined;
  return refuseTurn("unknown_node", `Node ${targetId} stands on another branch.`);
}

/** Whether nothing is torn apart if everything above a node goes: neither a pair nor an answer of the model. */
export function isSafeCut(context: ConversationContext, keepFromId: string): boolean {
  const node = context.nodes.get(keepFromId);
  if (node === undefined) return false;
  const parent = node.parentId === null ? undefined : context.nodes.get(node.parentId);
  if (parent === undefined) return true;
  if (parent.exchange.calls.length > 0 && !advance(parent.exchange, node).ends) return false;
  if (!isOfModel(node)) return true;
  for (const above of upwards(context, parent.id)) {
    if (speaks(above)) return !(isOfModel(above) && above.payload.step === node.payload.step);
  }
  return true;
}

function checkCut(
  context: ConversationContext,
  keepFromId: string,
  parentId: string,
): ConversationRefusal | undefined {
  const missing = mustStandAbove(context, keepFromId, parentId);
  if (missing !== undefined) return missing;
  if (isSafeCut(context, keepFromId)) return undefined;
  return refuseTurn("unsafe_cut", `A cut before node ${keepFromId} would part calls from their results.`);
}
