/** What a provider's cache costs, as shares of the price of plain input. */
export interface CacheRatios {
  /** A token that is written to the cache: `w`. 1 where writing costs nothing extra. */
  readonly write: number;
  /** A token that is read of the cache: `r`. */
  readonly read: number;
  /** How long it is kept after its last use, in milliseconds. */
  readonly lifetimeMs: number;
  /** Whether a thought is void once any byte before it has changed. */
  readonly bindsThinking: boolean;
}

/** When the table below was made: of the providers' price pages and SDKs. */
export const cacheRatiosDate = "2026-11-23";

const minute = 60_000;

/** By provider, or by provider and how long its cache is asked to keep. */
const table: Readonly<Record<string, CacheRatios>> = {
  anthropic: { write: 1.25, read: 0.1, lifetimeMs: 5 * minute, bindsThinking: true },
  "anthropic/1h": { write: 2, read: 0.1, lifetimeMs: 60 * minute, bindsThinking: true },
  google: { write: 1, read: 0.1, lifetimeMs: 60 * minute, bindsThinking: false },
  openai: { write: 1, read: 0.1, lifetimeMs: 30 * minute, bindsThinking: false },
};

/**
 * The ratios of a provider; undefined where none are known and none are set.
 *
 * @param overrides of the settings, by the same names; they come first.
 */
export function cacheRatiosOf(
  provider: string,
  overrides: Readonly<Record<string, CacheRatios>> = {},
): CacheRatios | undefined {
  if (Object.hasOwn(overrides, provider)) return overrides[provider];
  return Object.hasOwn(table, provider) ? table[provider] : undefined;
}

/**
 * How many further requests it takes until clearing has paid: (w − r)/r · T/S, with S tokens cleared and T
 * tokens after them. 0 where the cache is cold.
 */
export function requestsToPay({ write, read }: CacheRatios, saved: number, after: number): number {
  if (saved <= 0) return Number.POSITIVE_INFINITY;
  return (Math.max(0, write - read) / read) * (after / saved);
}
