import { describe, expect, it } from "vitest";
import { exitCodeOfTurn } from "../../src/headless/exit-codes.js";
import type { TurnEnd } from "../../src/loop/turn.js";

const undone = [{ callId: "c", name: "edit_file", code: "denied" }];
const nothing = { steps: 1, usage: {}, undone: [] } as const;
const failed = (reason: "auth" | "unknown_model" | "rate_limit" | "cancelled"): TurnEnd => ({
  ...nothing,
  reason: "failed",
  failure: { kind: "model_failure", reason, message: "No." },
});

describe("the exit code of a turn", () => {
  it.each<readonly [TurnEnd, number]>([
    [{ ...nothing, reason: "complete" }, 0],
    [{ ...nothing, reason: "complete", undone }, 64],
    [{ ...nothing, reason: "max_turns", undone }, 53],
    [{ ...nothing, reason: "max_cost" }, 53],
    [{ ...nothing, reason: "repeating" }, 53],
    [{ ...nothing, reason: "cancelled", undone }, 130],
    [{ ...nothing, reason: "conversation" }, 1],
    [{ ...nothing, reason: "failed" }, 1],
    [failed("auth"), 41],
    [failed("unknown_model"), 52],
    [failed("rate_limit"), 1],
    [failed("cancelled"), 130],
  ])("%j is %i", (end, code) => {
    expect(exitCodeOfTurn(end)).toBe(code);
  });
});
