import { cacheRatiosOf, isEconomyRefusal } from "@holdfast/core/economy";
import { describe, expect, it } from "vitest";
import { economyOf } from "../../src/agent/settings.js";

function ratiosIn(ratios: NonNullable<NonNullable<Parameters<typeof economyOf>[0]["context"]>["ratios"]>) {
  const economy = economyOf({ context: { ratios } });
  if (isEconomyRefusal(economy)) throw new Error(economy.message);
  return economy.ratios;
}

describe("the ratios of the settings", () => {
  it("leave the rest of a known provider as the list has it", () => {
    const { google, "anthropic/1h": anthropic } =
      ratiosIn({ google: { write: 1, read: 0.05 }, "anthropic/1h": { write: 1.9, read: 0.1 } }) ?? {};
    expect(google).toEqual({ ...cacheRatiosOf("google"), read: 0.05 });
    expect(anthropic).toEqual({ ...cacheRatiosOf("anthropic/1h"), write: 1.9 });
  });

  it("are of a cache that is soon cold, where nothing is known of it", () => {
    expect(ratiosIn({ mine: { write: 1, read: 0.5 } })?.mine).toEqual({
      write: 1,
      read: 0.5,
      lifetimeMs: 300_000,
      bindsThinking: false,
    });
  });
});

describe("the thresholds of the settings", () => {
  it("are those of the economy", () => {
    const context = { triggerTokens: 5_000, keep: 3, compaction: false, compactAtTokens: 10_000 };
    expect(economyOf({ context })).toMatchObject({
      trigger: { type: "input_tokens", value: 5_000 },
      keep: 3,
      compaction: { enabled: false, contextTokenThreshold: 10_000, tailTokens: 2_500 },
    });
  });

  it.each([
    [{ triggerTokens: 50_000, compactAtTokens: 30_000 }, "(30000) is below the trigger of clearing (50000)"],
    [{ triggerTokens: 5, clearAtLeast: 6 }, "context.clearAtLeast (6) is above the trigger (5)"],
  ])("are refused by their names where they contradict each other: %j", (context, says) => {
    const refused = economyOf({ context });
    expect(isEconomyRefusal(refused) ? refused.message : "").toContain(says);
  });
});
