import type { ConversationEvent, NewNode } from "../values/event.js";
import { flawOfEvent, flawOfFrame, flawOfMetadata, flawOfPayload } from "../values/event-shape.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import type { TurnPayload } from "../values/payload.js";
import { type ConversationRefusal, isRefusal, refuse } from "../values/refusal.js";
import type { Ignored, PathChoices } from "./choices.js";
import { applyEvent, isPruned, nodeBelow } from "./fold.js";
import { openCall } from "./path.js";

/** Whether a reader of the journal would accept the node: finds what a caller forced past the types. */
export function checkShape({
  payload,
  metadata,
}: Pick<NewNode, "payload" | "metadata">): ConversationRefusal | undefined {
  const flaw = flawOfPayload(payload);
  if (flaw !== undefined) return invalidPayload(flaw);
  const flawed = metadata === undefined ? undefined : flawOfMetadata(metadata);
  return flawed === undefined ? undefined : invalidMetadata(flawed);
}

/** Whether nodes of checked shape can follow one another; each is checked where it will be. */
export function checkChain(
  context: ConversationContext,
  nodes: readonly NewNode[],
  choices: PathChoices,
): { readonly nodeId: string; readonly refusal: ConversationRefusal } | undefined {
  let extended = context;
  for (const [at, node] of nodes.entries()) {
    const refusal = checkRules(extended, node, choices);
    if (refusal !== undefined) return { nodeId: node.id, refusal };
    if (at === nodes.length - 1) break;
    const next = applyEvent(extended, { type: "nodes_added", nodes: [node], head: extended.currentNodeId });
    if (isRefusal(next)) return { nodeId: node.id, refusal: next };
    extended = next;
  }
  return undefined;
}

/** A node that is there and on no pruned branch; `unknown_node`, `pruned_node`. */
export function unprunedNode(context: ConversationContext, nodeId: string): TurnNode | ConversationRefusal {
  const node = context.nodes.get(nodeId);
  if (node === undefined) return noSuchNode(nodeId);
  if (!isPruned(context, nodeId)) return node;
  return refuse("pruned_node", `Node ${nodeId} stands in a branch that was pruned; take that back first.`);
}

function invalidPayload(flaw: string): ConversationRefusal {
  return refuse("invalid_payload", `The payload would not survive: ${flaw.trim()}.`);
}

function invalidMetadata(flaw: string): ConversationRefusal {
  return refuse("invalid_metadata", `The metadata would not survive: ${flaw.trim()}.`);
}

/** Whether an event could be read again. */
export function checkEvent(event: ConversationEvent): ConversationRefusal | undefined {
  return refuseFlaw(event, flawOfEvent(event));
}

/** The same of an event whose payloads and metadata were looked at before. */
export function checkFrame(event: ConversationEvent): ConversationRefusal | undefined {
  return refuseFlaw(event, flawOfFrame(event));
}

function refuseFlaw(event: ConversationEvent, flaw: string | undefined): ConversationRefusal | undefined {
  if (flaw === undefined) return undefined;
  switch (event.type) {
    case "metadata_set":
      return invalidMetadata(flaw);
    case "session_started":
    case "nodes_added":
    case "staged":
      return invalidPayload(flaw);
    default:
      return refuse("invalid_arguments", `This would not survive: ${flaw.trim()}.`);
  }
}

/** Refuses with `unknown_node`. */
export function noSuchNode(id: string): ConversationRefusal {
  return refuse("unknown_node", `There is no node ${id} in this conversation.`);
}

/**
 * Refuses what the fold would accept but makes no sense in a conversation: a result without its call, a decision
 * that the renderer would ignore.
 *
 * @param node its shape was looked at. @param choices of this conversation, to pay only for what is new.
 * @returns why the node cannot be added below its parent; `undefined` where it can.
 */
export function checkRules(
  context: ConversationContext,
  node: NewNode,
  choices: PathChoices,
): ConversationRefusal | undefined {
  const { payload, parentId } = node;
  const parent = parentId === null ? undefined : context.nodes.get(parentId);
  if (parent === undefined) return noSuchNode(parentId ?? "without an id");
  switch (payload.kind) {
    case "tool_call": {
      const twin = openCall(context, parent.id, { callId: payload.callId });
      return twin !== undefined
        ? refuse("duplicate_id", `A call ${payload.callId} is open already.`)
        : undefined;
    }
    case "tool_result": {
      const open = openCall(context, parent.id, payload);
      return open !== undefined ? undefined : unmatched(payload.callId, payload.name);
    }
    case "context_management":
    case "summary":
      return decides(payload)
        ? checkDecision(context, nodeBelow(node, parent, context.nodes.size), choices)
        : undefined;
    case "task_summary": {
      if (!context.tasks.has(payload.taskId)) return noSuchTask(payload.taskId);
      return context.nodes.has(payload.tipId) ? undefined : noSuchNode(payload.tipId);
    }
    case "user_message":
    case "model_message":
    case "file_content":
    case "task_boundary":
    case "restore":
    case "note":
      return undefined;
    case "lost":
      return refuse("invalid_payload", "A placeholder stands for what is lost; it is not made by hand.");
    case "unknown":
      return refuse("invalid_payload", `Payloads of the kind "${payload.type}" are kept, not made.`);
    default:
      return payload satisfies never;
  }
}

/** Refuses with `unknown_task`. */
export function noSuchTask(taskId: string): ConversationRefusal {
  return refuse("unknown_task", `There is no task ${taskId}; the list of tasks names them.`);
}

function unmatched(callId: string, name: string): ConversationRefusal {
  return refuse("unmatched_result", `No open call ${callId} of ${name} waits for this result.`);
}

/** Whether a node changes how earlier ones are rendered. */
export function decides(payload: TurnPayload): boolean {
  if (payload.kind === "summary") return payload.of === "compaction";
  if (payload.kind !== "context_management") return false;
  return payload.action === "overlay" || payload.action === "reform";
}

/** What the renderer would ignore is refused when it is said, by the rules by which it renders. */
function checkDecision(
  context: ConversationContext,
  node: TurnNode,
  choices: PathChoices,
): ConversationRefusal | undefined {
  const { payload } = node;
  if (payload.kind === "context_management" && payload.action === "reform" && payload.changes.length === 0)
    return refuse("invalid_arguments", "Name at least one node whose form changes.");
  const [ignored] = choices.ask(context, node).ignored;
  if (ignored === undefined) return undefined;
  const kept = payload.kind === "summary" && payload.of === "compaction" ? payload.keepFromId : null;
  return refuseIgnored(context, ignored.reason, ignored.targetId ?? kept ?? node.id);
}

function refuseIgnored(
  context: ConversationContext,
  reason: Ignored["reason"],
  id: string,
): ConversationRefusal {
  switch (reason) {
    case "unknown_target":
    case "unknown_branch":
      if (!context.nodes.has(id)) return noSuchNode(id);
      return refuse("unknown_node", `Node ${id} stands on another branch.`);
    case "unsafe_cut":
      return refuse(
        "unsafe_cut",
        `A cut before node ${id} would part calls from their results, or an answer of the model.`,
      );
    case "pending":
      return refuse("open_calls", `The call at node ${id} waits for its result; change its form after that.`);
    case "hidden":
      return refuse("no_effect", `Node ${id} is hidden from the model, so this would change nothing.`);
    case "not_rendered":
      return refuse("no_effect", `Node ${id} is not in the prompt here, so this would change nothing.`);
    case "form_does_not_fit":
      return refuse("no_effect", `Node ${id} holds no file, so it has no form of one.`);
    default:
      return reason satisfies never;
  }
}
