import { startedContext } from "@holdfast/core/conversation";
import {
  encodeRecord,
  flawOfMetadata,
  isSealed,
  type Line,
  nodeBelow,
  pendingRestore,
  readLine,
  sealJson,
  withChild,
} from "@holdfast/core/conversation/journal";
import type {
  ConversationContext,
  JournalRecord,
  NewNode,
  StagedItem,
  TaskRecord,
  TurnMetadata,
  TurnNode,
} from "@holdfast/core/conversation/values";
import { type InPlaceEdit, PersistentMap } from "@holdfast/core/files/seen";
import { defined, type Infer, isObject, jsonOf, type Schema, shapes } from "@holdfast/core/text";

const { count, listOf, number, oneOf, optional, orNull, shape, text } = shapes;

/**
 * What a conversation is after one record, in the place of the records before it. It consists of parts: nodes as
 * lines of a journal, in the order in which they came, each part written once; and of a head, written anew each time.
 * A snapshot is a copy: whoever deletes it loses time, and one that does not fit is not used.
 */
export interface SnapshotHead {
  /** The record after which the conversation is so. */
  readonly seq: number;
  /** Sealed JSON: all that is no node. */
  readonly state: string;
  /** The root and what is staged, as lines of a journal. */
  readonly lines: readonly string[];
}

/** Rises when a reader of today would misunderstand a snapshot of tomorrow; any other one is not used. */
const snapshotVersion = 1;

/**
 * The nodes that these records added, as parts.
 *
 * @param put as in `encodeRecord`: the texts are kept already, since their records are.
 * @returns undefined where the tree does not hold them all: there is then nothing to keep.
 */
export function snapshotParts(
  context: ConversationContext,
  records: readonly JournalRecord[],
  put: (bytes: Uint8Array) => string,
): readonly string[] | undefined {
  const nodes: NewNode[] = [];
  for (const { event } of records) {
    for (const { id } of event.type === "nodes_added" ? event.nodes : []) {
      const node = context.nodes.get(id);
      if (node === undefined) return undefined;
      nodes.push(withoutDerived(node));
    }
  }
  const lines: string[] = [];
  for (let at = 0; at < nodes.length; at += partNodes) {
    const part = nodes.slice(at, at + partNodes);
    const event = { type: "nodes_added", nodes: part, head: part.at(-1)?.id ?? "" } as const;
    lines.push(lineOf({ seq: 1, ts: 0, event }, put));
  }
  return lines;
}

/** So that a part is a few hundred kilobytes: larger texts are kept apart. */
const partNodes = 500;

/** All fields of a node are kept or derived; another one does not compile (`AllIsKept`). */
type Derived = "childIds" | "taskId" | "depth" | "order" | "exchange";
type KeptOfNode = "id" | "parentId" | "timestamp" | "payload" | "metadata" | "turnParentId";
type UnkeptOfNode = Exclude<keyof TurnNode, KeptOfNode | Derived>;

/** A node of a part: the reader of journals keeps what it does not know. */
interface PartNode extends NewNode {
  readonly turnParentId?: string;
}

function withoutDerived({ id, parentId, timestamp, payload, metadata, turnParentId }: TurnNode): PartNode {
  const isPlain = Object.keys(metadata).length === 0;
  return {
    id,
    parentId,
    timestamp,
    payload,
    ...(isPlain ? {} : { metadata }),
    ...defined({ turnParentId }),
  };
}

/**
 * The head of a snapshot.
 *
 * @param changed ids of nodes whose metadata have changed since their part was written.
 */
export function snapshotHead(
  context: ConversationContext,
  seq: number,
  changed: Iterable<string>,
  put: (bytes: Uint8Array) => string,
): SnapshotHead {
  const { sessionId, title, rootNode, currentNodeId, stagingArea } = context;
  const { nodes, tasks, pruned, expansions, pendingRestore } = context;
  const metadata = [...changed].flatMap((id) => {
    const node = nodes.get(id);
    return node === undefined ? [] : [[id, node.metadata] as const];
  });
  const root = lineOf(
    { seq: 1, ts: 0, event: { type: "session_started", sessionId, root: withoutDerived(rootNode) } },
    put,
  );
  const staged = stagingArea.map((item) =>
    lineOf({ seq: 1, ts: 0, event: { type: "staged", ...item } }, put),
  );
  const state: State & AllIsKept = {
    v: snapshotVersion,
    seq,
    size: nodes.size,
    ...defined({ title, pendingRestore }),
    head: currentNodeId,
    tasks: [...tasks.values()],
    pruned: [...pruned.keys()],
    expansions,
    metadata,
  };
  return { seq, state: sealJson({ ...state }), lines: [root, ...staged] };
}

type KeptOfContext =
  | "sessionId"
  | "title"
  | "rootNode"
  | "currentNodeId"
  | "stagingArea"
  | "nodes"
  | "tasks"
  | "pruned"
  | "expansions"
  | "pendingRestore";
type UnkeptOfContext = Exclude<keyof ConversationContext, KeptOfContext>;
/** A new field has to be kept here, and `snapshotVersion` raised, before `snapshotHead` compiles. */
type AllIsKept = [UnkeptOfNode | UnkeptOfContext] extends [never] ? unknown : never;

type State = Infer<typeof stateShape>;

/**
 * The conversation that a snapshot says.
 *
 * @param read as in `readLine`.
 * @returns undefined where it does not fit: damaged, of another release, cut short, or of another session.
 */
export function readSnapshot(
  sessionId: string,
  { seq, state: sealed, lines }: SnapshotHead,
  parts: readonly string[],
  read: (sha256: string) => Uint8Array | undefined,
): { readonly context: ConversationContext; readonly changed: readonly string[] } | undefined {
  const state = stateIn(sealed);
  const [root, ...staged] = lines.map((line) => eventIn(line, read));
  if (state?.seq !== seq || root?.type !== "session_started" || root.sessionId !== sessionId)
    return undefined;
  const items: StagedItem[] = [];
  for (const event of staged) {
    if (event?.type !== "staged") return undefined;
    const { type: _, ...item } = event;
    items.push(item);
  }
  const edit: InPlaceEdit = { edit: true };
  const begun = startedContext(root);
  const nodes = nodesIn(begun, parts, { read, metadata: new Map(state.metadata), edit });
  if (nodes === undefined || nodes.size !== state.size) return undefined;
  const headTask = nodes.get(state.head)?.taskId;
  if (headTask === undefined || !state.tasks.some(({ id }) => id === headTask)) return undefined;
  const { title, head, expansions, pendingRestore } = state;
  let tasks = PersistentMap.empty<TaskRecord>();
  for (const task of state.tasks) tasks = tasks.set(task.id, task, edit);
  let pruned = PersistentMap.empty<true>();
  for (const id of state.pruned) pruned = pruned.set(id, true, edit);
  const context: ConversationContext = {
    ...begun,
    title,
    currentNodeId: head,
    stagingArea: items,
    nodes,
    tasks,
    pruned,
    expansions,
    pendingRestore,
  };
  return { context, changed: state.metadata.map(([id]) => id) };
}

interface PartReading {
  readonly read: (sha256: string) => Uint8Array | undefined;
  readonly metadata: ReadonlyMap<string, TurnMetadata>;
  readonly edit: InPlaceEdit;
}

function nodesIn(
  { rootNode }: ConversationContext,
  parts: readonly string[],
  { read, metadata, edit }: PartReading,
): PersistentMap<TurnNode> | undefined {
  let nodes = PersistentMap.empty<TurnNode>().set(rootNode.id, rootNode, edit);
  for (const part of parts) {
    const event = eventIn(part, read);
    if (event?.type !== "nodes_added") return undefined;
    // As `withoutDerived` wrote them.
    for (const node of event.nodes as readonly PartNode[]) {
      const parent = node.parentId === null ? undefined : nodes.get(node.parentId);
      if (parent === undefined || nodes.has(node.id)) return undefined;
      if (optional(text)(node.turnParentId) !== undefined) return undefined;
      const now = metadata.get(node.id);
      const { turnParentId } = node;
      nodes = nodes.set(
        node.id,
        nodeBelow(now === undefined ? node : { ...node, metadata: now }, parent, nodes.size, turnParentId),
        edit,
      );
      // Nobody holds a node yet.
      withChild(parent, node.id, edit);
    }
  }
  return nodes;
}

function lineOf(record: Omit<JournalRecord, "v">, put: (bytes: Uint8Array) => string): string {
  const line = encodeRecord(record, put);
  return decoder.decode(line.subarray(0, line.length - 1));
}

function eventIn(line: string, read: (sha256: string) => Uint8Array | undefined) {
  const bytes = encoder.encode(line);
  const found: Line = isSealed(bytes, 0, bytes.length) ? readLine(line, read) : { kind: "damaged" };
  return found.kind === "record" && found.lostBlobs.length === 0 ? found.record.event : undefined;
}

function stateIn(sealed: string): State | undefined {
  const bytes = encoder.encode(sealed);
  if (!isSealed(bytes, 0, bytes.length)) return undefined;
  const json = jsonOf(sealed);
  // Every field is looked at: whoever can write to a store can seal.
  return isObject(json) && json.v === snapshotVersion && stateShape(json) === undefined
    ? (json as unknown as State)
    : undefined;
}

/** An id, and metadata in the shape of an event's. */
const pair: Schema<readonly [string, TurnMetadata]> = (value) => {
  const [id, metadata]: readonly unknown[] = Array.isArray(value) ? value : [];
  return text(id) ?? flawOfMetadata(metadata);
};

const stateShape = shape({
  v: count,
  seq: count,
  /** How many nodes there are, the root among them. */
  size: count,
  title: optional(text),
  head: text,
  tasks: listOf(
    shape({
      id: text,
      parentTaskId: orNull(text),
      tipId: text,
      outcome: oneOf("open", "complete", "cancelled"),
    }),
  ),
  pruned: listOf(text),
  expansions: listOf(shape({ taskId: text, turns: number })),
  pendingRestore: optional(pendingRestore),
  metadata: listOf(pair),
});

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
