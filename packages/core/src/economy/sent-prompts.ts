import type { MeasuredPart, MeasuredPrompt } from "./blocks.js";
import { type ColdCause, coldCause, type SentRequest } from "./cold-cache.js";
import type { CacheRatios } from "./settings.js";

/** A request that was sent, with its prompt and the places up to which a provider was told to keep it. */
export interface SentPrompt extends SentRequest {
  readonly prompt: MeasuredPrompt;
  /** How many parts stand before each place that this request marked. */
  readonly marks: readonly number[];
  /** The same of this request and of those that it continued. */
  readonly ends: readonly number[];
}

/** What a provider's cache holds of the next request. */
export interface CacheOutlook {
  /** Why it holds nothing. */
  readonly cold?: ColdCause;
  /** The request that the next one has most in common with. */
  readonly from?: SentPrompt;
  /** How many parts, from the first on, are the same as in it, and their characters. */
  readonly sharedParts: number;
  readonly sharedChars: number;
  readonly broken?: CacheBreak;
}

/** Why a cache is of no use from some place on: something was cleared there, or is written otherwise than before. */
export type BreakCause = ColdCause | "clearing" | "rewritten" | "evicted";

/** A place from which on the cache is of no use any more. */
export interface CacheBreak {
  readonly cause: BreakCause;
  /** Of what was sent before, that has to be written again. */
  readonly lostChars: number;
  /** The first node that differs. */
  readonly nodeId?: string;
}

/**
 * What the cache holds of the next request, by what was sent: only what differs is cold. A request of another branch, or
 * of a sub-agent between two of the same conversation, takes nothing from it.
 *
 * @param sent the requests that may still be kept, the newest last.
 * @param isOnPath whether a node stands on the path of the next request.
 */
export function cacheOutlook(
  sent: readonly SentPrompt[],
  next: SentRequest,
  prompt: MeasuredPrompt,
  ratios: Pick<CacheRatios, "lifetimeMs">,
  isOnPath: (nodeId: string) => boolean,
): CacheOutlook {
  const last = sent.at(-1);
  const warm = sent.filter((one) => isOfOneCache(one, next) && next.at - one.at <= ratios.lifetimeMs);
  let best: { readonly from: SentPrompt; readonly parts: number } | undefined;
  for (const from of warm) {
    const parts = sharedParts(from.prompt.parts, prompt.parts);
    if (parts > 0 && parts >= (best?.parts ?? 0)) best = { from, parts };
  }
  if (best === undefined) {
    const cold = coldCause(last, next, ratios, isOnPath) ?? "branch";
    const lostChars = last?.prompt.chars ?? 0;
    const lost = lostChars === 0 ? {} : { broken: { cause: cold, lostChars } };
    return { cold, sharedParts: 0, sharedChars: 0, ...lost };
  }
  const { from, parts } = best;
  const sharedChars = prompt.parts[parts]?.before ?? prompt.chars;
  const lostChars = from.prompt.chars - sharedChars;
  const seen = { from, sharedParts: parts, sharedChars };
  if (parts >= from.prompt.parts.length || lostChars <= 0) return seen;
  const first = prompt.parts[parts]?.origin;
  const cause = !isOnPath(from.headId) ? "branch" : first?.rule === "cleared" ? "clearing" : "rewritten";
  return { ...seen, broken: { cause, lostChars, ...(first === undefined ? {} : { nodeId: first.nodeId }) } };
}

/**
 * Where a request is marked, for providers that keep it only up to marks: before the first text that a clearing may take,
 * so that what stands there outlasts it; where the last request ended, or the last place before which nothing has
 * changed; and at the end.
 *
 * @param stableParts of the rendering. @param clearableFrom how many parts stand before the first text that may go.
 * @returns how many parts stand before each mark, ascending; at most three.
 */
export function planBreakpoints(
  { from, sharedParts: shared, broken }: CacheOutlook,
  stableParts: number,
  clearableFrom: number,
): readonly number[] {
  const still = (ends: readonly number[]) => ends.findLast((end) => end <= shared) ?? 0;
  const safe = from === undefined || broken === undefined ? clearableFrom : still(from.marks);
  const last = from === undefined ? 0 : still(from.ends);
  const wanted = [safe, last, stableParts].filter((end) => end > 0 && end <= stableParts);
  return [...new Set(wanted)].sort((one, other) => one - other);
}

/** The request as it is remembered, with the places that are kept of those before it. */
export function sentPrompt(
  request: SentRequest,
  prompt: MeasuredPrompt,
  marks: readonly number[],
  { from, sharedParts: shared }: CacheOutlook,
): SentPrompt {
  const kept = from?.ends ?? [];
  const before = (kept.at(-1) ?? 0) <= shared ? kept : kept.filter((end) => end <= shared);
  const added = marks.filter((mark) => !before.includes(mark));
  const ends = added.length === 0 ? before : [...before, ...added].sort((one, other) => one - other);
  return { ...request, prompt, marks, ends };
}

function isOfOneCache(one: SentRequest, other: SentRequest): boolean {
  return (
    one.provider === other.provider &&
    one.model === other.model &&
    one.tools === other.tools &&
    one.system === other.system
  );
}

function sharedParts(before: readonly MeasuredPart[], now: readonly MeasuredPart[]): number {
  let at = 0;
  for (; at < before.length && at < now.length; at += 1) {
    const [one, other] = [before[at], now[at]];
    if (one === other) continue;
    if (one === undefined || other === undefined || !isSame(one, other)) break;
  }
  return at;
}

/** Parts that were not laid out again are the same objects: only the others are compared. */
function isSame(one: MeasuredPart, other: MeasuredPart): boolean {
  if (one.content !== other.content || one.role !== other.role) return false;
  if (one.value === other.value) return true;
  return one.chars === other.chars && JSON.stringify(one.value) === JSON.stringify(other.value);
}
