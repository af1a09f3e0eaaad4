import { describe, expect, it } from "vitest";
import {
  coldCause,
  defaultEconomy,
  economyFromApi,
  economySettings,
  requestsToPay,
} from "../../src/economy/index.js";

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

describe("the API's form", () => {
  it("is taken as seed 3 writes it", () => {
    const edit = {
      type: "clear_tool_uses_20250919",
      trigger: { type: "input_tokens", value: 30_000 },
      keep: { type: "tool_uses", value: 5 },
      exclude_tools: ["read_file"],
      clear_at_least: { type: "input_tokens", value: 5_000 },
    };
    const expected = {
      trigger: { type: "input_tokens", value: 30_000 },
      keep: 5,
      excludeTools: ["read_file"],
      clearAtLeast: 5_000,
    };
    expect(economyFromApi({ context_management: { edits: [edit] } })).toEqual(expected);
    expect(economyFromApi({ edits: [edit], compaction_control: { enabled: true, model: "small" } })).toEqual({
      ...expected,
      compaction: { enabled: true, contextTokenThreshold: 100_000, model: "small" },
    });
  });

  it.each([
    [[]],
    [{ edit: 1 }],
    [{ edits: [{ type: "other" }] }],
    [{ edits: [{ type: "clear_tool_uses_20250919", keep: 3 }] }],
  ])("is refused where it is not understood: %j", (value) => {
    expect(economyFromApi(value)).toMatchObject({ kind: "economy_refusal" });
  });
});
