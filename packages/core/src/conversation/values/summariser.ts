import type { ConversationContext } from "./node.js";
import { type ConversationRefusal, refuse } from "./refusal.js";

/** What is to be summed up: the nodes of one path, both ends included. */
export interface SummaryRequest {
  /**
   * `task`: to complete it. `branch`: to stand beside it. `start`: in place of it, for a new branch. `compaction`: in
   * place of it on the same branch.
   */
  readonly purpose: "task" | "branch" | "start" | "compaction";
  readonly context: ConversationContext;
  readonly fromId: string;
  readonly toId: string;
  /** What the summary should dwell on. */
  readonly focus?: string;
  /** What is asked of the model, in place of its own words for that. */
  readonly task?: string;
  /** Ends the request; the answer then is `no_summary`. */
  readonly signal?: AbortSignal;
}

/** Asks a model for a summary. `no_summary` where it gives none. */
export type Summariser = (
  request: SummaryRequest,
) => Promise<{ readonly kind: "summarised"; readonly text: string } | ConversationRefusal>;

/** A summariser that knows its answers beforehand, one a request: for tests, tours and replays. */
export function scriptedSummariser(texts: readonly string[]): Summariser {
  const left = [...texts];
  return async () => {
    const text = left.shift();
    if (text === undefined) return refuse("no_summary", "The script holds no further summary.");
    return { kind: "summarised", text };
  };
}
