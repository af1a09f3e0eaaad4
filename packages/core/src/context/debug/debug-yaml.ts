import { downwards } from "../../conversation/index.js";
import type { ConversationContext, TurnNode } from "../../conversation/values/index.js";
import { defined, escapeUnseen, hasUnseen } from "../../text/index.js";

/**
 * The whole state of a conversation as YAML, for people and for tests: every node with its payload and its
 * metadata, in the order of the tree, and what stands beside the tree. Texts are never cut. Controls and
 * bidirectional marks are written as escapes, and what is written reads back as the same values. Costs the
 * size of the conversation; loads its library when first called.
 */
export async function debugYaml(context: ConversationContext): Promise<string> {
  const { Document, visit } = await import("yaml");
  const document = new Document(stateOf(context), { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === "string" && hasUnseen(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  // What needs an escape stands between double quotes now, where an escape means the same.
  return escapeUnseen(document.toString({ lineWidth: 0 }));
}

function stateOf(context: ConversationContext): object {
  const { sessionId, title, currentNodeId, stagingArea, expansions, pendingRestore } = context;
  return {
    session: sessionId,
    ...defined({ title }),
    head: currentNodeId,
    nodes: [...downwards(context, sessionId)].map(nodeState),
    tasks: sorted(context.tasks.values()),
    ...(stagingArea.length === 0 ? {} : { staged: stagingArea }),
    ...(context.pruned.size === 0 ? {} : { pruned: [...context.pruned.keys()].sort() }),
    ...(expansions.length === 0 ? {} : { expansions }),
    ...defined({ pendingRestore }),
  };
}

function nodeState({ id, parentId, timestamp, taskId, depth, payload, metadata }: TurnNode): object {
  const noted = Object.keys(metadata).length === 0 ? {} : { metadata };
  return { id, parentId, timestamp, taskId, depth, payload, ...noted };
}

function sorted<Item extends { readonly id: string }>(items: Iterable<Item>): readonly Item[] {
  return [...items].sort((one, other) => (one.id < other.id ? -1 : 1));
}
