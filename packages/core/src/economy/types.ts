import type { FormChange } from "../conversation/values/index.js";
import type { ColdCause } from "./cold-cache.js";
import type { EconomySettings } from "./settings.js";

/** What a prompt may cost, and by whose rules. */
export interface PromptBudget {
  readonly settings: EconomySettings;
  /** The name of the provider, with `/1h` where its cache is asked to keep so long. */
  readonly provider: string;
  /** Tokens of a prompt and its answer together; unknown unless given. */
  readonly windowTokens?: number;
  /** Tokens that are left to an answer. */
  readonly answerTokens?: number;
  /** A prompt of so many tokens was refused as too long: the next one is to have half of them at most. */
  readonly refusedTokens?: number;
  /** UTF-16 units of system text and tools, which stand before the conversation. */
  readonly headChars?: number;
  /** The memory file, as it is named in results: never cleared, and named in the warning. */
  readonly memoryPath?: string;
  /** Files whose text is never cleared: such as plans. As they are named in results. */
  readonly keepPaths?: readonly string[];
}

/** What is known of the requests so far. */
export interface PromptUsage {
  /** The last request: its size as it was rendered, and as the provider counted it. */
  readonly last?: CountedRequest;
  /** Characters of the next prompt that the cache holds (`CacheOutlook.sharedChars`); all that was sent unless given. */
  readonly warmChars?: number;
  /** Why the next request finds nothing in the cache, where that is known. */
  readonly cold?: ColdCause;
  /** Whether the model was warned since something was cleared last. */
  readonly warned?: boolean;
}

/** A request, measured on both sides. */
export interface CountedRequest {
  /** As `promptChars` counts, with the head. */
  readonly chars: number;
  /** As the provider counted the whole prompt. */
  readonly inputTokens: number;
}

/** What is to be done about the prompt before the next request: one `reform`, one summary, one note, or nothing. */
export type PromptPlan =
  | {
      readonly kind: "nothing";
      readonly reason: NoPlanReason;
      readonly message: string;
      readonly tokens: number;
    }
  /** A note to the model: it is about to lose something. */
  | { readonly kind: "warn"; readonly text: string; readonly tokens: number }
  | ClearingPlan
  /** A summary is due: `planCompaction` says where to cut. */
  | { readonly kind: "compact"; readonly message: string; readonly tokens: number };

/** Results that are to be replaced by a placeholder, in one `reform`. */
export interface ClearingPlan {
  readonly kind: "clear";
  readonly changes: readonly FormChange[];
  readonly report: ClearingReport;
}

/** Why nothing is done. */
export type NoPlanReason =
  | "below_trigger"
  /** Calls await their results. */
  | "open_calls"
  /** All that could go is protected, or is too little. */
  | "too_little"
  /** It would cost more than it is expected to save. */
  | "would_not_pay"
  /** Nothing is known of what the provider's cache costs. */
  | "no_ratios"
  /** System text and tools alone do not fit into the window. */
  | "window_too_small";

/** What clearing does, and what it is expected to save. Costs are in tokens of plain input. */
export interface ClearingReport {
  /** Of the prompt, before and after. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The first node whose bytes change. */
  readonly firstChangedId: string;
  /** Tokens after that place that were sent before, and are written to the cache again. */
  readonly tokensRewritten: number;
  /** So many further requests pay for it; 0 where the cache is cold. */
  readonly requestsToPay: number;
  readonly expectedRequests: number;
  readonly cold?: ColdCause;
  /**
   * What it costs once, and what it saves beside that in all if as many requests follow as are expected: never less, unless
   * the window demands the clearing.
   */
  readonly cost: number;
  readonly predictedSaving: number;
  readonly cleared: readonly ClearedBlock[];
  /** Nodes whose references were written out, since what they spoke of goes. */
  readonly writtenOut: readonly string[];
  /** Thoughts that the change makes void. */
  readonly thoughtsLost: number;
}

/** A result, or a file, that is cleared. */
export interface ClearedBlock {
  readonly nodeId: string;
  readonly class: ClearingClass;
  readonly tokens: number;
  /** The tool, where it was one. */
  readonly name?: string;
  readonly paths: readonly string[];
}

/** The classes in the order in which they go. */
export type ClearingClass = "failed" | "superseded" | "large_output" | "file" | "output";

/** The classes in the order in which they go. */
export const clearingClasses: readonly ClearingClass[] = [
  "failed",
  "superseded",
  "large_output",
  "file",
  "output",
];
