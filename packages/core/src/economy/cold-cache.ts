import type { CacheRatios } from "./settings.js";

/** Why the cache holds nothing of the next request: whatever changes in the prompt now costs nothing extra. */
export type ColdCause = "first_request" | "idle" | "model" | "system" | "tools" | "compaction" | "branch";

/** What a request was, as far as its cache goes. */
export interface SentRequest {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly provider: string;
  readonly model: string;
  /** The system text and the tools as JSON, or hashes of them. */
  readonly system: string;
  readonly tools: string;
  /** The node that it was rendered for, and at which its rendering began. */
  readonly headId: string;
  readonly startId: string;
}

/**
 * Why the cache will be cold for the next request; undefined where it is warm.
 *
 * @param isOnPath whether the head of the last request stands on the path of the next one.
 */
export function coldCause(
  last: SentRequest | undefined,
  next: SentRequest,
  ratios: Pick<CacheRatios, "lifetimeMs">,
  isOnPath: (nodeId: string) => boolean,
): ColdCause | undefined {
  if (last === undefined) return "first_request";
  if (last.provider !== next.provider || last.model !== next.model) return "model";
  if (last.tools !== next.tools) return "tools";
  if (last.system !== next.system) return "system";
  if (last.startId !== next.startId) return "compaction";
  if (!isOnPath(last.headId)) return "branch";
  return next.at - last.at > ratios.lifetimeMs ? "idle" : undefined;
}
