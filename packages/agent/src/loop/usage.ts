import type { TurnUsage } from "@holdfast/core/conversation";

/** The tokens of two requests together. What neither counted stays uncounted. */
export function addUsage(one: TurnUsage, other: TurnUsage = {}): TurnUsage {
  const keys = [
    "inputTokens",
    "cachedInputTokens",
    "cacheWriteTokens",
    "outputTokens",
    "thoughtTokens",
  ] as const;
  const counted = keys.flatMap((key) => {
    const [left, right] = [one[key], other[key]];
    return left === undefined && right === undefined ? [] : [[key, (left ?? 0) + (right ?? 0)] as const];
  });
  return Object.fromEntries(counted);
}
