import { checkNode, checkPayload, invalidPayload } from "./checks.js";
import type { NewNode } from "./event.js";
import { flawOfPayload } from "./event-shape.js";
import { applyEvent } from "./fold.js";
import type { ConversationContext } from "./node.js";
import type { TurnPayload } from "./payload.js";
import { type ConversationRefusal, isTurnRefusal, refuseTurn } from "./refusal.js";

/** What can wait for the next turn: what stands above a user's message without a step of the model. */
export function checkStaged(
  context: ConversationContext,
  payload: TurnPayload,
): ConversationRefusal | undefined {
  const flaw = flawOfPayload(payload);
  if (flaw !== undefined) return invalidPayload(flaw);
  const parent = context.nodes.get(context.currentNodeId);
  if (stageable.has(payload.kind) && parent !== undefined) return checkPayload(context, payload, parent);
  const kinds = [...stageable].join(", ");
  return refuseTurn("invalid_payload", `A ${payload.kind} cannot be staged; what can is ${kinds}.`);
}

const stageable: ReadonlySet<TurnPayload["kind"]> = new Set([
  "user_message",
  "file_content",
  "context_management",
  "note",
]);

/** What is staged as nodes below the head, each checked where it will stand. */
export function stagedNodes(context: ConversationContext): readonly NewNode[] | ConversationRefusal {
  const nodes: NewNode[] = [];
  let standing = context;
  for (const { id, timestamp, payload } of context.stagingArea) {
    const node = { id, parentId: standing.currentNodeId, timestamp, payload };
    const next =
      checkNode(standing, node) ?? applyEvent(standing, { type: "nodes_added", nodes: [node], head: id });
    if (isTurnRefusal(next)) return refuseTurn(next.code, `Staged item ${id}: ${next.message}`);
    nodes.push(node);
    standing = next;
  }
  return nodes;
}
