import type { ConversationEvent } from "../event.js";
import type { TurnMetadata } from "../node.js";
import type { TurnPayload } from "../payload.js";

/** An entry of a foreign session before it has our ids and its place is settled. */
export interface Draft {
  /** Its id there. */
  readonly sourceId: string;
  /** `null`: it stands at the beginning. */
  readonly parentSourceId: string | null;
  /** 1-based, of the file. */
  readonly line: number;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** What becomes a node each, one below the other. None: what hangs below hangs on its parent. */
  readonly pieces: readonly Piece[];
  /** What happens when it is reached, besides its nodes. */
  readonly effect?: (place: Place) => ConversationEvent | undefined;
  /** It begins a branch of its own, whose task ends with it. */
  readonly aside?: true;
}

/** One node that an entry becomes. */
export interface Piece {
  /** A function where it names other entries, which have ids by then. */
  readonly payload: TurnPayload | ((place: Place) => TurnPayload);
  readonly metadata?: TurnMetadata;
}

/** What an entry can find out of those before it. */
export interface Place {
  /** The node below which it stands. */
  readonly parentId: string;
  /** First and last node of an entry that was placed already. */
  nodesOf(sourceId: string): { readonly firstId: string; readonly lastId: string } | undefined;
  /** Whether a node stands on the path from the root to `parentId`. */
  isAbove(nodeId: string): boolean;
  /** The node on the way up from `nodeId` whose parent is on this path; `nodeId` itself where there is none. */
  branchStart(nodeId: string): string;
  /** The payload of a node that was placed already. */
  payloadOf(nodeId: string): TurnPayload | undefined;
  /** Tells of something that could not be kept as it was. */
  tell(message: string): void;
}
