import type { Effort, ModelPort, Visibility } from "@holdfast/core/context";
import type { ClearingReport, NodeReason } from "@holdfast/core/economy";
import type { ConversationReply } from "@holdfast/core/tools";
import type { ApprovalMode } from "../config/approval.js";
import type { CostMeter } from "../models/catalog.js";
import type { Allowance } from "./approval.js";
import type { CacheBroke } from "./cache-watch.js";
import type { CompactionOutcome, ContextSavings, PromptMap } from "./context-economy.js";
import type { FileOffers } from "./file-forms.js";
import type { MemoryFile } from "./memory-file.js";
import type { ToolSet } from "./offered-tools.js";
import type { TurnEnd, TurnInput, TurnScope } from "./turn.js";

/** A conversation with a model that can change files. One turn at a time. */
export interface Agent {
  /** Says something to the model, and lets it work until it has nothing more to do, a limit, or the signal. */
  turn(input: TurnInput, scope?: TurnScope): Promise<TurnEnd>;
  /**
   * Does for the person what a conversation tool does for the model; what it did is durable when this resolves.
   *
   * @param name of a tool; see `conversationTools`. @param args as its parameters say; checked there.
   */
  carry(name: string, args: unknown): Promise<ConversationReply>;
  readonly model: ModelPort;
  /** Another model from the next request on; thoughts of the former one are not sent to it. */
  switchModel(model: ModelPort): void;
  /** How much the model is asked to think: what was set, if the model takes it, else medium; undefined where it cannot be asked. */
  effort: Effort | undefined;
  readonly mode: ApprovalMode;
  setMode(mode: ApprovalMode): void;
  /** Allows something for the rest of the session. */
  allow(allowance: Allowance): void;
  /** What is offered to the model now. */
  readonly tools: ToolSet;
  /** Sums up all but the tail of the conversation, at once. @param focus what the summary is to dwell on. */
  compact(focus?: string, signal?: AbortSignal): Promise<CompactionOutcome>;
  /** Begins uploads of files to the provider; undefined where the model, or the host, has no place for them. */
  readonly uploads: FileOffers | undefined;
  /** The notes that outlast a conversation; absent where the host has given no place for them. */
  readonly memory: MemoryFile | undefined;
  /** What fills the prompt now. */
  readonly contextMap: PromptMap;
  /** What a clearing would bring now, whatever its trigger says; undefined where nothing may go. */
  clearingNow(): ClearingReport | undefined;
  /** What the clearings of this run were to save, and have saved. */
  readonly savings: ContextSavings;
  /** What this run has spent. */
  readonly meter: Pick<CostMeter, "spent">;
  /** When and why the provider's cache broke last, as far as this run knows. */
  readonly cacheBroke: CacheBroke | undefined;
  /** Why a node stands in the prompt as it does; undefined where there is no such node. */
  why(nodeId: string): NodeReason | undefined;
  /** What the model sees of files in the prompt as it would be now. */
  readonly visibility: Visibility;
}
