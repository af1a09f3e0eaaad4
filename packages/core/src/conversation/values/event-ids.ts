import { defined } from "../../text/index.js";
import type { ConversationEvent, NewNode, TaskChange } from "./event.js";
import type { TurnMetadata } from "./node.js";
import type { ContextManagement, Restore, TurnPayload } from "./payload.js";

/** What an event names an id for. */
export type IdUse =
  /** It brings what bears this id. */
  | "own"
  /** A node, the boundary of a task, a staged item: it has to be there for the event to take effect. */
  | "node"
  | "task"
  | "staged"
  /** It is spoken of; the event takes effect without it. */
  | "mention";

type ChangeId = (id: string, use: IdUse) => string;

/** The same event of a session with another id. The root bears the session's id; no other id changes. */
export function reidentify(event: ConversationEvent, oldId: string, newId: string): ConversationEvent {
  const renamed = mapIds(event, (id) => (id === oldId ? newId : id));
  if (renamed.type !== "session_started") return renamed;
  return { ...renamed, sessionId: newId, root: { ...renamed.root, id: newId } };
}

/** The ids that an event names, and what for. */
export function idsIn(event: ConversationEvent): readonly { readonly id: string; readonly use: IdUse }[] {
  const ids: { readonly id: string; readonly use: IdUse }[] = [];
  mapIds(event, (id, use) => {
    ids.push({ id, use });
    return id;
  });
  return ids;
}

/** An event with other ids. */
function mapIds(event: ConversationEvent, change: ChangeId): ConversationEvent {
  const mention: ChangeId = (id) => change(id, "mention");
  switch (event.type) {
    case "session_started":
      return { ...event, sessionId: change(event.sessionId, "own"), root: mapNode(event.root, mention) };
    case "nodes_added": {
      const nodes = event.nodes.map((node) => mapNode(node, change));
      const moved = movedHead(event, change);
      const staged = event.staged?.map((id) => change(id, "staged"));
      return { ...event, nodes, ...moved, ...defined({ staged }) };
    }
    case "head_moved":
      return { ...event, ...movedHead(event, change) };
    case "staged": {
      const payload = mapPayload(event.payload, mention);
      return { ...event, id: change(event.id, "own"), payload };
    }
    case "unstaged":
      return { ...event, ids: event.ids.map((id) => change(id, "staged")) };
    case "metadata_set":
    case "pruned":
      return { ...event, nodeId: change(event.nodeId, "node") };
    case "unpruned":
      return { ...event, nodeId: change(event.nodeId, "node"), ...changedTask(event, change) };
    case "expansion_set":
      return { ...event, taskId: change(event.taskId, "task") };
    case "restore_begun": {
      const cancels = event.cancels === undefined ? undefined : change(event.cancels, "task");
      return { ...event, ...mapEnds(event, change, "node"), ...defined({ cancels }) };
    }
    case "renamed":
    case "restore_dropped":
      return event;
    default:
      return event satisfies never;
  }
}

interface MovedHead {
  readonly head: string;
  readonly pruned?: string;
  readonly task?: TaskChange;
}

function movedHead(event: MovedHead, change: ChangeId): MovedHead {
  const head = change(event.head, "node");
  const pruned = event.pruned === undefined ? undefined : change(event.pruned, "node");
  return { head, ...defined({ pruned }), ...changedTask(event, change) };
}

function changedTask({ task }: Pick<MovedHead, "task">, change: ChangeId): Pick<MovedHead, "task"> {
  return task === undefined ? {} : { task: { ...task, id: change(task.id, "task") } };
}

function mapNode(node: NewNode, change: ChangeId): NewNode {
  const id = change(node.id, "own");
  const parentId = node.parentId === null ? null : change(node.parentId, "node");
  const metadata = node.metadata && mapMetadata(node.metadata, change);
  return { ...node, id, parentId, payload: mapPayload(node.payload, change), ...defined({ metadata }) };
}

function mapMetadata(metadata: TurnMetadata, change: ChangeId): TurnMetadata {
  const { provenance } = metadata;
  if (provenance?.expanded === undefined) return metadata;
  const expanded = provenance.expanded.map((id) => change(id, "mention"));
  return { ...metadata, provenance: { ...provenance, expanded } };
}

function mapPayload(payload: TurnPayload, change: ChangeId): TurnPayload {
  const mention = (id: string) => change(id, "mention");
  switch (payload.kind) {
    case "context_management":
      return mapManagement(payload, mention);
    case "task_boundary":
      return payload.restartOf === undefined
        ? payload
        : { ...payload, restartOf: mention(payload.restartOf) };
    case "task_summary": {
      const tipId = change(payload.tipId, "node");
      return { ...payload, taskId: change(payload.taskId, "task"), tipId };
    }
    case "summary": {
      if (payload.of === "compaction")
        return { ...payload, keepFromId: payload.keepFromId === null ? null : mention(payload.keepFromId) };
      const { fromId, toId } = payload.covers;
      return { ...payload, covers: { fromId: mention(fromId), toId: mention(toId) } };
    }
    case "restore":
      return { ...payload, ...mapEnds(payload, change, "mention") };
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

type Ends = Pick<Restore, "fromId" | "toId" | "stateOf">;

function mapEnds(ends: Ends, change: ChangeId, use: IdUse): Ends {
  const stateOf = ends.stateOf === undefined ? undefined : change(ends.stateOf, "mention");
  return { fromId: change(ends.fromId, use), toId: change(ends.toId, use), ...defined({ stateOf }) };
}

function mapManagement(payload: ContextManagement, mention: (id: string) => string): ContextManagement {
  switch (payload.action) {
    case "overlay":
      return { ...payload, targetId: mention(payload.targetId) };
    case "reform": {
      const changes = payload.changes.map((one) => ({ ...one, targetId: mention(one.targetId) }));
      return { ...payload, changes };
    }
    case "track_file":
    case "untrack_file":
      return payload;
    default:
      return payload satisfies never;
  }
}
