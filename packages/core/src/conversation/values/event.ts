import { type Infer, type Schema, shapes } from "../../text/index.js";
import { customData, pendingRestore, turnMetadata, turnUsage } from "./node.js";
import { payload } from "./payload.js";

const { count, listOf, number, oneOf, optional, orNull, shape, text, yes } = shapes;

/** A node as it is journaled: what is derived is left out. */
export type NewNode = Infer<typeof newNode>;
const newNode = shape({
  id: text,
  parentId: orNull(text),
  /** Milliseconds since the epoch. */
  timestamp: number,
  payload,
  metadata: optional(turnMetadata),
});

/** A task that the event begins, completes or cancels; `open` also resumes one. */
export type TaskChange = Infer<typeof taskChange>;
const taskChange = shape({ id: text, outcome: oneOf("open", "complete", "cancelled") });

/** What a session was made from, where it did not begin empty. */
export type SessionOrigin = Infer<typeof sessionOrigin>;
const sessionOrigin = shape({
  kind: oneOf("fork", "import"),
  /** The session or file that it was made from. */
  from: text,
  /** Of a fork: the last record that was taken over. */
  seq: optional(count),
  /** Of an import: the session's id there. */
  sourceId: optional(text),
});

/** Changes to a node's metadata: `null` takes a member away, absent members stay. */
export type MetadataPatch = Infer<typeof metadataPatch>;
const metadataPatch = shape({
  label: optional(orNull(text)),
  usage: optional(orNull(turnUsage)),
  custom: optional(customData),
});

/**
 * What can happen to a conversation. Each event is one line of the journal and takes effect as a whole;
 * the tree is the fold of them in their order (`applyEvent`).
 */
export type ConversationEvent = Infer<(typeof known)[EventType]>;

/** The name of each thing that can happen to a conversation. */
export type EventType = keyof typeof known;

const known = {
  session_started: shape({
    type: oneOf("session_started"),
    sessionId: text,
    /** A task boundary without a parent. */
    root: newNode,
    title: optional(text),
    /** The folder in which the session works. */
    cwd: optional(text),
    origin: optional(sessionOrigin),
  }),
  nodes_added: shape({
    type: oneOf("nodes_added"),
    /** Parents before their children. */
    nodes: listOf(newNode),
    /** Where the head stands afterwards. */
    head: text,
    /** True where a turn begins: staged items were taken, expansions count down. */
    turn: optional(yes),
    /** Ids of staged items that became nodes. */
    staged: optional(listOf(text)),
    task: optional(taskChange),
    pruned: optional(text),
  }),
  head_moved: shape({
    type: oneOf("head_moved"),
    head: text,
    reason: oneOf("rewind", "task_pop", "task_resume", "task_cancel", "navigate"),
    task: optional(taskChange),
    pruned: optional(text),
  }),
  staged: shape({ type: oneOf("staged"), id: text, timestamp: number, payload }),
  unstaged: shape({ type: oneOf("unstaged"), ids: listOf(text) }),
  metadata_set: shape({
    type: oneOf("metadata_set"),
    nodeId: text,
    /** Each key replaces the one before; `null` takes it away. In `custom`, key by key. */
    metadata: metadataPatch,
  }),
  pruned: shape({ type: oneOf("pruned"), nodeId: text }),
  unpruned: shape({ type: oneOf("unpruned"), nodeId: text, task: optional(taskChange) }),
  expansion_set: shape({ type: oneOf("expansion_set"), taskId: text, turns: number }),
  renamed: shape({ type: oneOf("renamed"), title: text }),
  restore_begun: shape({ type: oneOf("restore_begun"), ...pendingRestore.fields }),
  /** A begun restore that did not happen; one that happened is ended by its `restore` node. */
  restore_dropped: shape({ type: oneOf("restore_dropped"), restoreId: text }),
};

/** What an event of this type has to be; `undefined` for the types of newer releases. */
export function eventShape(type: string): Schema<ConversationEvent> | undefined {
  return events.get(type);
}

const events: ReadonlyMap<string, Schema<ConversationEvent>> = new Map(Object.entries(known));

/** An event with its place in the journal. Order comes from `seq`, never from ids or times. */
export interface JournalRecord {
  /** The version of the format; see `journalVersion`. */
  readonly v: number;
  /** From 1, without gaps in a whole journal. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly ts: number;
  readonly event: ConversationEvent;
}

/**
 * The greatest version that this release reads and writes. It rises when a reader of today would misunderstand
 * a journal of tomorrow; each record bears the lowest one that does (`versionOf`).
 */
export const journalVersion = 2;
