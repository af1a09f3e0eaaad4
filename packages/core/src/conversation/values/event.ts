import type { PendingRestore, TurnMetadata } from "./node.js";
import type { TurnPayload } from "./payload.js";

/** A node as it is journaled: what is derived is left out. */
export interface NewNode {
  readonly id: string;
  readonly parentId: string | null;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly payload: TurnPayload;
  readonly metadata?: TurnMetadata;
}

/**
 * What can happen to a conversation. Each event is one line of the journal and takes effect as a whole;
 * the tree is the fold of them in their order (`applyEvent`).
 */
export type ConversationEvent =
  | {
      readonly type: "session_started";
      readonly sessionId: string;
      /** A task boundary without a parent. */
      readonly root: NewNode;
      readonly title?: string;
      /** The folder in which the session works. */
      readonly cwd?: string;
      readonly origin?: SessionOrigin;
    }
  | {
      readonly type: "nodes_added";
      /** Parents before their children. */
      readonly nodes: readonly NewNode[];
      /** Where the head stands afterwards. */
      readonly head: string;
      /** True where a turn begins: staged items were taken, expansions count down. */
      readonly turn?: true;
      /** Ids of staged items that became nodes. */
      readonly staged?: readonly string[];
      readonly task?: TaskChange;
      readonly pruned?: string;
    }
  | {
      readonly type: "head_moved";
      readonly head: string;
      readonly reason: "rewind" | "task_pop" | "task_resume" | "task_cancel" | "navigate";
      readonly task?: TaskChange;
      readonly pruned?: string;
    }
  | {
      readonly type: "staged";
      readonly id: string;
      readonly timestamp: number;
      readonly payload: TurnPayload;
    }
  | { readonly type: "unstaged"; readonly ids: readonly string[] }
  | {
      readonly type: "metadata_set";
      readonly nodeId: string;
      /** Each key replaces the one before; `null` takes it away. In `custom`, key by key. */
      readonly metadata: MetadataPatch;
    }
  | { readonly type: "pruned"; readonly nodeId: string }
  | { readonly type: "unpruned"; readonly nodeId: string; readonly task?: TaskChange }
  | { readonly type: "expansion_set"; readonly taskId: string; readonly turns: number }
  | { readonly type: "renamed"; readonly title: string }
  | ({ readonly type: "restore_begun" } & PendingRestore)
  /** A begun restore that did not happen; one that happened is ended by its `restore` node. */
  | { readonly type: "restore_dropped"; readonly restoreId: string };

/** The name of each thing that can happen to a conversation. */
export type EventType = ConversationEvent["type"];

/** A task that the event begins, completes or cancels; `open` also resumes one. */
export interface TaskChange {
  readonly id: string;
  readonly outcome: "open" | "complete" | "cancelled";
}

/** What a session was made from, where it did not begin empty. */
export interface SessionOrigin {
  readonly kind: "fork" | "import";
  /** The session or file that it was made from. */
  readonly from: string;
  /** Of a fork: the last record that was taken over. */
  readonly seq?: number;
  /** Of an import: the session's id there. */
  readonly sourceId?: string;
}

/** Changes to a node's metadata: `null` takes a member away, absent members stay. */
export interface MetadataPatch {
  readonly label?: string | null;
  readonly usage?: TurnMetadata["usage"] | null;
  readonly custom?: Readonly<Record<string, unknown>>;
}

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
