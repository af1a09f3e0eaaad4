import type { ConversationEvent, NewNode, TaskChange } from "../values/event.js";
import type { TurnMetadata } from "../values/node.js";
import type { ContextManagement, Restore, TurnPayload } from "../values/payload.js";

/**
 * The same event of a session with another id. The root bears the session's id, so whatever names the
 * root names it by the new one; no other id changes.
 */
export function reidentify(event: ConversationEvent, oldId: string, newId: string): ConversationEvent {
  const id = (from: string) => (from === oldId ? newId : from);
  const task = (change: TaskChange | undefined) =>
    change === undefined ? {} : { task: { ...change, id: id(change.id) } };
  switch (event.type) {
    case "session_started":
      return { ...event, sessionId: newId, root: { ...reidentifyNode(event.root, id), id: newId } };
    case "nodes_added": {
      const pruned = event.pruned === undefined ? {} : { pruned: id(event.pruned) };
      const nodes = event.nodes.map((node) => reidentifyNode(node, id));
      return { ...event, nodes, head: id(event.head), ...task(event.task), ...pruned };
    }
    case "head_moved": {
      const pruned = event.pruned === undefined ? {} : { pruned: id(event.pruned) };
      return { ...event, head: id(event.head), ...task(event.task), ...pruned };
    }
    case "staged":
      return { ...event, payload: reidentifyPayload(event.payload, id) };
    case "metadata_set":
      return { ...event, nodeId: id(event.nodeId) };
    case "pruned":
      return { ...event, nodeId: id(event.nodeId) };
    case "unpruned":
      return { ...event, nodeId: id(event.nodeId), ...task(event.task) };
    case "expansion_set":
      return { ...event, taskId: id(event.taskId) };
    case "restore_begun":
      return { ...event, ...ends(event, id) };
    case "unstaged":
    case "renamed":
    case "restore_dropped":
      return event;
    default:
      return event satisfies never;
  }
}

type Rename = (id: string) => string;

function reidentifyNode(node: NewNode, id: Rename): NewNode {
  const parentId = node.parentId === null ? null : id(node.parentId);
  const metadata = node.metadata === undefined ? {} : { metadata: reidentifyMetadata(node.metadata, id) };
  return { ...node, id: id(node.id), parentId, payload: reidentifyPayload(node.payload, id), ...metadata };
}

function reidentifyMetadata(metadata: TurnMetadata, id: Rename): TurnMetadata {
  const { provenance } = metadata;
  if (provenance?.expanded === undefined) return metadata;
  return { ...metadata, provenance: { ...provenance, expanded: provenance.expanded.map(id) } };
}

function reidentifyPayload(payload: TurnPayload, id: Rename): TurnPayload {
  switch (payload.kind) {
    case "context_management":
      return reidentifyManagement(payload, id);
    case "task_boundary":
      return payload.restartOf === undefined ? payload : { ...payload, restartOf: id(payload.restartOf) };
    case "task_summary":
      return { ...payload, taskId: id(payload.taskId), tipId: id(payload.tipId) };
    case "summary": {
      if (payload.of === "compaction")
        return { ...payload, keepFromId: payload.keepFromId === null ? null : id(payload.keepFromId) };
      const { fromId, toId } = payload.covers;
      return { ...payload, covers: { fromId: id(fromId), toId: id(toId) } };
    }
    case "restore":
      return { ...payload, ...ends(payload, id) };
    case "user_message":
    case "model_message":
    case "tool_call":
    case "tool_result":
    case "file_content":
    case "note":
    case "lost":
    case "unknown":
      return payload;
    default:
      return payload satisfies never;
  }
}

function ends({ fromId, toId, stateOf }: Pick<Restore, "fromId" | "toId" | "stateOf">, id: Rename) {
  return { fromId: id(fromId), toId: id(toId), ...(stateOf === undefined ? {} : { stateOf: id(stateOf) }) };
}

function reidentifyManagement(payload: ContextManagement, id: Rename): ContextManagement {
  switch (payload.action) {
    case "overlay":
      return { ...payload, targetId: id(payload.targetId) };
    case "reform":
      return {
        ...payload,
        changes: payload.changes.map((change) => ({ ...change, targetId: id(change.targetId) })),
      };
    case "track_file":
    case "untrack_file":
      return payload;
    default:
      return payload satisfies never;
  }
}
