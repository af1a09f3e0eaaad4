import type { PersistentMap } from "../../files/seen/index.js";
import { type Infer, type Schema, shapes } from "../../text/index.js";
import type { Exchange } from "./exchange.js";
import { fileDelta } from "./file-facts.js";
import type { TurnPayload } from "./payload.js";

const { flag, listOf, number, object, optional, shape, text } = shapes;

/** One typed event of the conversation, and its place in the tree (seed 4, "TurnNode"). Immutable. */
export interface TurnNode {
  /** Sorts by time. */
  readonly id: string;
  /** `null` for the root only. */
  readonly parentId: string | null;
  /** In the order in which they were added; derived. */
  readonly childIds: readonly string[];
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly payload: TurnPayload;
  readonly metadata: TurnMetadata;
  /** The boundary of the task that it belongs to (of a boundary, itself); derived. */
  readonly taskId: string;
  /** Steps from the root, which has 0; derived. */
  readonly depth: number;
  /** How many nodes there were before it: the order of the journal, whatever its clock said; derived. */
  readonly order: number;
  /** Of a message that began a turn: the node on which the head stood before; derived. */
  readonly turnParentId?: string;
  /** The calls that stand open below it, or were answered together with such; derived. */
  readonly exchange: Exchange;
}

/** What the provider counted for the request that a node answers, in tokens. */
export type TurnUsage = Infer<typeof turnUsage>;
export const turnUsage = shape({
  /** The whole prompt, with what was read of a cache or written to it. */
  inputTokens: optional(number),
  /** Of these, what was read of a cache. */
  cachedInputTokens: optional(number),
  /** Of these, what was written to a cache. */
  cacheWriteTokens: optional(number),
  /** All that the model made, with its thoughts. */
  outputTokens: optional(number),
  /** Of these, thoughts. */
  thoughtTokens: optional(number),
});

/** Where a node comes from, and under which circumstances it was made. */
export type TurnProvenance = Infer<typeof turnProvenance>;
const turnProvenance = shape({
  /** Where a node came from that was not made here, such as `import:pi`. */
  source: optional(text),
  /** Its id there. */
  sourceId: optional(text),
  /** The tasks that were shown in full to the model when it made this node. */
  expanded: optional(listOf(text)),
});

/** Data of extensions, each under its declared key (`defineMetadataKey`). JSON. */
export const customData: Schema<Readonly<Record<string, unknown>>> = object;

/** Annotations of the application (seed 4, "TurnMetadata"). */
export type TurnMetadata = Infer<typeof turnMetadata>;
export const turnMetadata = shape({
  /** Never rendered, on no branch. Given when the node is made; later, hide it on a branch instead. */
  isHiddenFromLlm: optional(flag),
  label: optional(text),
  usage: optional(turnUsage),
  provenance: optional(turnProvenance),
  custom: optional(customData),
});

/** What waits for the next turn. Its id becomes the node's. */
export interface StagedItem {
  readonly id: string;
  readonly timestamp: number;
  readonly payload: TurnPayload;
}

/** What the tree knows of a task beyond its nodes. */
export interface TaskRecord {
  /** The id of its boundary. */
  readonly id: string;
  /** `null` for the session itself, which is the outermost task. */
  readonly parentTaskId: string | null;
  /** The end of its branch: where the head stood last inside this task. */
  readonly tipId: string;
  readonly outcome: "open" | "complete" | "cancelled";
}

/** A completed task that is rendered in full for a while. */
export interface Expansion {
  readonly taskId: string;
  /** How many more turns may begin before it ends. */
  readonly turns: number;
}

/** A restore that was begun and of which it is not known yet whether it was carried out. */
export type PendingRestore = Infer<typeof pendingRestore>;
/** What a `PendingRestore` consists of; a store checks it as it was kept. */
export const pendingRestore = shape({
  restoreId: text,
  fromId: text,
  toId: text,
  files: listOf(fileDelta),
  undoes: optional(text),
  /** As in `Restore`. */
  stateOf: optional(text),
  /** The task that is cancelled by the move. */
  cancels: optional(text),
});

/** The whole state of a conversation: an immutable value, the fold of its journal (seed 4). */
export interface ConversationContext {
  readonly sessionId: string;
  readonly title: string | undefined;
  /** A task boundary: the start of the session. */
  readonly rootNode: TurnNode;
  readonly currentNodeId: string;
  readonly stagingArea: readonly StagedItem[];
  readonly nodes: PersistentMap<TurnNode>;
  /** By the id of the boundary; the root is among them. */
  readonly tasks: PersistentMap<TaskRecord>;
  /** Nodes at which a branch was pruned: they and all below them are kept, and out of the way. */
  readonly pruned: PersistentMap<true>;
  readonly expansions: readonly Expansion[];
  readonly pendingRestore: PendingRestore | undefined;
}
