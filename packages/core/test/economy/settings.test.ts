import { describe, expect, it } from "vitest";
import { coldCause, defaultEconomy, economySettings, requestsToPay } from "../../src/economy/index.js";

describe("settings of the economy", () => {
  it.each([
    [{ clearAtLeast: 200_000 }, "clearAtLeast"],
    [{ trigger: { type: "tool_uses", value: 5 } as const }, "keep"],
    [{ compaction: { contextTokenThreshold: 10_000 } }, "tailTokens"],
    [
      {
        trigger: { type: "input_tokens", value: 90_000 } as const,
        compaction: { contextTokenThreshold: 50_000 },
      },
      "trigger",
    ],
    [{ keep: -1 }, "keep"],
    [{ warnAt: 2 }, "warnAt"],
    [{ payFrom: -1 }, "payFrom"],
    [{ placeholder: " " }, "placeholder"],
    [{ ratios: { mine: { write: 0.1, read: 0.5, lifetimeMs: 1, bindsThinking: false } } }, "ratios.mine"],
  ])("refuses %j", (given, word) => {
    expect(economySettings(given)).toMatchObject({
      kind: "economy_refusal",
      message: expect.stringContaining(word),
    });
  });

  it("has the seed's values where nothing is set", () => {
    expect(economySettings()).toEqual(defaultEconomy);
  });
});

describe("what a cache costs", () => {
  it("pays after 11.5 T/S requests at five minutes' writes, 9 without a premium", () => {
    const five = { write: 1.25, read: 0.1, lifetimeMs: 0, bindsThinking: true };
    expect(requestsToPay(five, 1_000, 1_000)).toBeCloseTo(11.5);
    expect(requestsToPay({ ...five, write: 1 }, 1_000, 2_000)).toBeCloseTo(18);
  });

  it.each([
    [{ at: 400_000 }, "idle"],
    [{ model: "other" }, "model"],
    [{ tools: "[]+" }, "tools"],
    [{ system: "else" }, "system"],
    [{ startId: "s2" }, "compaction"],
    [{}, undefined],
  ])("is cold after %j: %s", (change, cause) => {
    const last = {
      at: 0,
      provider: "anthropic",
      model: "m",
      system: "",
      tools: "[]",
      headId: "h",
      startId: "s",
    };
    const next = { ...last, at: 1_000, ...change };
    expect(coldCause(last, next, { lifetimeMs: 300_000 }, () => true)).toBe(cause);
    expect(coldCause(last, next, { lifetimeMs: 300_000 }, () => false)).toBe(
      cause === "idle" || cause === undefined ? "branch" : cause,
    );
    expect(coldCause(undefined, next, { lifetimeMs: 300_000 }, () => true)).toBe("first_request");
  });
});
