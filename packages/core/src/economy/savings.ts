import { pathTo } from "../conversation/index.js";
import { type ConversationContext, effectsOf } from "../conversation/values/index.js";
import type { ColdCause } from "./cold-cache.js";
import type { CacheRatios } from "./settings.js";
import type { ClearedBlock, ClearingReport } from "./types.js";

/** What a clearing was to bring, less what it costs, and what it has brought so far. In tokens of plain input. */
export interface ClearingOutcome {
  /** The node that carried it out. */
  readonly nodeId: string;
  readonly predictedSaving: number;
  /** Below 0 until it has paid for itself. */
  readonly realisedSaving: number;
  /** That were sent since. */
  readonly requests: number;
  readonly savedTokens: number;
  readonly rewrittenTokens: number;
  readonly cleared: readonly ClearedBlock[];
}

/** What is known of a request that was sent. */
export interface CountedPrompt {
  /** Why nothing of it was to be found in the cache, where that was known before. */
  readonly cold: ColdCause | undefined;
  /** As the provider counted; unknown unless given. */
  readonly inputTokens?: number;
  readonly cachedInputTokens?: number;
}

/** A clearing that was just carried out: nothing is won yet. */
export function beganClearing(nodeId: string, report: ClearingReport): ClearingOutcome {
  const { predictedSaving, cost, tokensBefore, tokensAfter, tokensRewritten, cleared } = report;
  return {
    nodeId,
    predictedSaving: predictedSaving - cost,
    realisedSaving: 0,
    requests: 0,
    savedTokens: tokensBefore - tokensAfter,
    rewrittenTokens: tokensRewritten,
    cleared,
  };
}

/**
 * The same after one more request: what went is not read of the cache again, or not written where the cache is cold. The
 * first one after a clearing pays for what had to be written again, as far as the provider did not find it all the same.
 */
export function afterRequest(
  outcome: ClearingOutcome,
  { cold, inputTokens, cachedInputTokens }: CountedPrompt,
  { read, write }: CacheRatios,
): ClearingOutcome {
  const { savedTokens, rewrittenTokens, requests, realisedSaving } = outcome;
  const isFirst = requests === 0;
  const written =
    inputTokens === undefined || cachedInputTokens === undefined
      ? rewrittenTokens
      : Math.min(rewrittenTokens, inputTokens - cachedInputTokens);
  const won = (cold === undefined ? read : write) * savedTokens;
  const paid = isFirst && cold === undefined ? (write - read) * written : 0;
  return { ...outcome, requests: requests + 1, realisedSaving: realisedSaving + won - paid };
}

/** Tokens of cleared blocks whose files came up again afterwards: they were needed after all. */
export function regretOf(context: ConversationContext, { nodeId, cleared }: ClearingOutcome): number {
  const path = pathTo(context, context.currentNodeId);
  const at = path.findIndex(({ id }) => id === nodeId);
  if (at < 0) return 0;
  const used = new Set(
    path.slice(at + 1).flatMap(({ payload }) => {
      if (payload.kind === "file_content") return [payload.path];
      const shown = payload.kind === "tool_result" ? (payload.shows ?? []).map((one) => one.path) : [];
      return [...shown, ...effectsOf(payload).map((effect) => effect.path)];
    }),
  );
  return cleared
    .filter((block) => block.class !== "superseded" && block.paths.some((one) => used.has(one)))
    .reduce((sum, { tokens }) => sum + tokens, 0);
}
