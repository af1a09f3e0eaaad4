import { describe, expect, it } from "vitest";
import { afterRequest, beganClearing, planPrompt, regretOf } from "../../src/economy/index.js";
import { fileOf, Session, settingsOf } from "./sessions.js";

const ratios = { read: 0.1, write: 1.25, lifetimeMs: 300_000, bindsThinking: true };
const settings = settingsOf({
  trigger: { type: "input_tokens", value: 4_000 },
  keep: 1,
  keepMessages: 0,
  keepTokens: 0,
  keepTurns: 0,
  clearAtLeast: 500,
  workingSet: 0,
  expectedRequests: 100,
});

/** A session whose early file is cleared. */
function clearedSession() {
  const session = new Session().say("go");
  session.read(fileOf("a.ts", 600));
  session.use("run_shell_command", {}, "done\n");
  const plan = planPrompt(session.tree.context, session.render(), { settings, provider: "anthropic" }, {});
  if (plan.kind !== "clear") throw new Error(plan.kind);
  session.tree.add("reform", { kind: "context_management", action: "reform", changes: plan.changes });
  return { session, report: plan.report, began: beganClearing("reform", plan.report) };
}

describe("what a clearing brings", () => {
  it("is counted request by request: the first one pays, a cold one saves the price of writing", () => {
    const { report, began } = clearedSession();
    const saved = report.tokensBefore - report.tokensAfter;
    const first = afterRequest(began, { cold: undefined }, ratios);
    expect(first.realisedSaving).toBeCloseTo(0.1 * saved - 1.15 * report.tokensRewritten);
    const second = afterRequest(first, { cold: undefined }, ratios);
    expect(second.realisedSaving - first.realisedSaving).toBeCloseTo(0.1 * saved);
    const third = afterRequest(second, { cold: "idle" }, ratios);
    expect(third.realisedSaving - second.realisedSaving).toBeCloseTo(1.25 * saved);
    expect(third.requests).toBe(3);
  });

  it("is regretted where a cleared file comes up again", () => {
    const { session, began } = clearedSession();
    expect(regretOf(session.tree.context, began)).toBe(0);
    session.read(fileOf("b.ts", 10));
    expect(regretOf(session.tree.context, began)).toBe(0);
    session.read(fileOf("a.ts", 600), 1, 5);
    expect(regretOf(session.tree.context, began)).toBe(
      began.cleared
        .filter(({ paths }) => paths.includes("a.ts"))
        .reduce((sum, { tokens }) => sum + tokens, 0),
    );
    expect(regretOf(session.tree.context, began)).toBeGreaterThan(1_000);
  });
});
