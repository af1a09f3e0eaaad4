import type { TurnUsage } from "@holdfast/core/conversation/values";
import {
  type BreakCause,
  type CacheBreak,
  type CacheOutlook,
  cacheOutlook,
  charsPerToken,
  type MeasuredPrompt,
  type PromptUsage,
  planBreakpoints,
  type SentPrompt,
  type SentRequest,
  sentPrompt,
} from "@holdfast/core/economy";
import { defined } from "@holdfast/core/text";

/** When and why a provider's cache was of no use any more from some place on. */
export interface CacheBroke {
  readonly kind: "cache_broke";
  readonly cause: BreakCause;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** About so many tokens that were sent before are written again. */
  readonly tokens: number;
  /** The first node that differs. */
  readonly nodeId?: string;
}

/** Remembers what was sent, and says what of the next request a provider still has. */
export class CacheWatch {
  #sent: readonly SentPrompt[] = [];
  #broke: CacheBroke | undefined;
  #keeps = false;

  /** The last break, if there was one. */
  get broke(): CacheBroke | undefined {
    return this.#broke;
  }

  get last(): SentPrompt | undefined {
    return this.#sent.at(-1);
  }

  /** What a provider has of a request; undefined where nothing was sent yet. */
  outlook(
    next: SentRequest,
    prompt: MeasuredPrompt,
    lifetimeMs: number,
    isOnPath: (nodeId: string) => boolean,
  ): CacheOutlook | undefined {
    return this.#sent.length === 0
      ? undefined
      : cacheOutlook(this.#sent, next, prompt, { lifetimeMs }, isOnPath);
  }

  /** Notes what is about to be sent. @returns where it is to be marked, and the break that it meets. */
  sending(
    next: SentRequest,
    prompt: MeasuredPrompt,
    outlook: CacheOutlook | undefined,
    facts: {
      readonly stableParts: number;
      readonly clearableFrom: number;
      readonly last: PromptUsage["last"];
    },
  ): { readonly breakpoints: readonly number[]; readonly broke?: CacheBroke } {
    const seen = outlook ?? { sharedParts: 0, sharedChars: 0 };
    const breakpoints = planBreakpoints(seen, facts.stableParts, facts.clearableFrom);
    const { from, broken } = seen;
    // What another branch had is still kept.
    const others = broken === undefined ? this.#sent.filter((one) => one !== from) : this.#sent;
    this.#sent = [...others, sentPrompt(next, prompt, breakpoints, seen)].slice(-mostSent);
    return { breakpoints, ...defined({ broke: broken && this.#note(broken, next.at, facts.last) }) };
  }

  /** Notes what a provider found of the last request: whatever the reason, less than half is a break. */
  counted(
    outlook: CacheOutlook | undefined,
    { cachedInputTokens }: TurnUsage,
    last: PromptUsage["last"],
    now: number,
  ): CacheBroke | undefined {
    if (cachedInputTokens === undefined) return undefined;
    const keeps = this.#keeps;
    if (cachedInputTokens >= leastTokens) this.#keeps = true;
    // A server that never found anything has no cache that could break.
    if (!keeps || outlook?.from === undefined) return undefined;
    const end = outlook.from.ends.findLast((one) => one <= outlook.sharedParts) ?? 0;
    const keptChars = this.last?.prompt.parts[end]?.before ?? 0;
    const expected = keptChars / charsPerToken(last);
    if (expected < leastTokens || cachedInputTokens >= expected / 2) return undefined;
    return this.#note({ cause: "evicted", lostChars: keptChars }, now, last);
  }

  #note({ cause, lostChars, nodeId }: CacheBreak, at: number, last: PromptUsage["last"]): CacheBroke {
    const tokens = Math.round(lostChars / charsPerToken(last));
    this.#broke = { kind: "cache_broke", cause, at, tokens, ...defined({ nodeId }) };
    return this.#broke;
  }
}

/** Requests of the conversation, of its sub-agents and of branches that may be returned to. */
const mostSent = 8;

/** Providers keep no prompt that is shorter. */
const leastTokens = 4_096;

/** A break in one sentence. */
export function cacheBrokeWords({ cause, at, tokens, nodeId }: CacheBroke): string {
  const time = new Date(at).toISOString().slice(11, 19);
  const where = nodeId === undefined ? "" : ` from ${nodeId} on`;
  return `The cache broke at ${time} UTC${where}, about ${tokens} tokens are written again: ${causeWords[cause]}.`;
}

const causeWords: Readonly<Record<BreakCause, string>> = {
  clearing: "results were cleared there",
  rewritten: "that is written otherwise than before",
  branch: "another branch goes on",
  idle: "it was not used for as long as the provider keeps it",
  model: "another model is asked",
  system: "the system text has changed",
  tools: "other tools are offered",
  compaction: "a summary stands for what came before",
  evicted: "the provider found less than half of what it was sent before",
  first_request: "nothing was sent before",
};
