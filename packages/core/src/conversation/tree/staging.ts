import type { NewNode } from "../values/event.js";
import type { ConversationContext, StagedItem } from "../values/node.js";
import type { TurnPayload } from "../values/payload.js";
import { type ConversationRefusal, refuse } from "../values/refusal.js";
import { checkChain, checkRules, decides } from "./checks.js";
import type { PathChoices } from "./choices.js";

/**
 * What can wait for the next turn: what stands above a user's message without a step of the model. Its shape
 * was looked at.
 */
export function checkStaged(
  context: ConversationContext,
  item: StagedItem,
  choices: PathChoices,
): ConversationRefusal | undefined {
  if (stageable.has(item.payload.kind))
    return checkRules(context, { ...item, parentId: context.currentNodeId }, choices);
  const kinds = [...stageable].join(", ");
  return refuse("invalid_payload", `A ${item.payload.kind} cannot be staged; what can is ${kinds}.`);
}

const stageable: ReadonlySet<TurnPayload["kind"]> = new Set([
  "user_message",
  "file_content",
  "context_management",
  "note",
]);

/**
 * What is staged as nodes below the head. Looked at when it was staged; what may have changed since is whether
 * a decision about earlier nodes still has its effect where it will stand.
 */
export function stagedNodes(
  context: ConversationContext,
  choices: PathChoices,
): readonly NewNode[] | ConversationRefusal {
  let parentId = context.currentNodeId;
  const nodes = context.stagingArea.map(({ id, timestamp, payload }): NewNode => {
    const node = { id, parentId, timestamp, payload };
    parentId = id;
    return node;
  });
  if (!nodes.some(({ payload }) => decides(payload))) return nodes;
  const refused = checkChain(context, nodes, choices);
  return refused === undefined
    ? nodes
    : refuse(refused.refusal.code, `Staged item ${refused.nodeId}: ${refused.refusal.message}`);
}
