import type { ConversationEvent, TurnMetadata, TurnPayload } from "@holdfast/core/conversation/values";

/** An entry of a foreign session before it has our ids and its place in the tree. */
export interface ForeignEntry {
  /** Its id there. */
  readonly sourceId: string;
  /** `null`: it stands at the beginning. */
  readonly parentSourceId: string | null;
  /** 1-based, of the file. */
  readonly line: number;
  /** The name of the file, where it is one beside the session's. */
  readonly file?: string;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** What becomes a node each, one below the other. None: what hangs below hangs on its parent. */
  readonly nodes: readonly EntryNode[];
  /** An event that follows its nodes. */
  readonly effect?: (scope: EntryScope) => ConversationEvent | undefined;
  /** It begins a branch of its own, whose task ends with it. */
  readonly aside?: true;
}

/** One node that an entry becomes. */
export interface EntryNode {
  /** A function where it names other entries, which have ids by then. */
  readonly payload: TurnPayload | ((scope: EntryScope) => TurnPayload);
  readonly metadata?: TurnMetadata;
}

/** What an entry can ask about those before it. */
export interface EntryScope {
  /** The node above it. */
  readonly parentId: string;
  /** First and last node of an earlier entry. */
  nodesOf(sourceId: string): { readonly firstId: string; readonly lastId: string } | undefined;
  /** Whether a node stands on the path from the root to `parentId`. */
  isAbove(nodeId: string): boolean;
  /** The node on the way up from `nodeId` whose parent is on this path; `nodeId` itself where there is none. */
  branchStart(nodeId: string): string;
  /** The payload of a node of an earlier entry. */
  payloadOf(nodeId: string): TurnPayload | undefined;
  /** Reports something that could not be kept as it was. */
  report(message: string): void;
}
