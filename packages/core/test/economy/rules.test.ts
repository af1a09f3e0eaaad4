import { describe, expect, it } from "vitest";
import {
  cacheOutlook,
  coldCause,
  type EconomyOverrides,
  fileLedger,
  measure,
  type PromptUsage,
  planPrompt,
  type SentPrompt,
} from "../../src/economy/index.js";
import { fileOf, Session, settingsOf } from "./sessions.js";

// One rule of the planner each, so that none can be taken out unseen.

const log = (seed: string) => Array.from({ length: 200 }, (_, at) => `${seed} ${at} went on\n`).join("");
const never = 1_000_000;
const bare: EconomyOverrides = {
  ...{
    trigger: { type: "input_tokens", value: 4_000 },
    keep: 0,
    keepMessages: 0,
    keepTokens: 0,
    keepTurns: 0,
  },
  ...{ workingTokens: 0, clearAtLeast: 0, clearAtLeastShare: 0, paidAtLeast: never, payFrom: 1, warnAt: 1 },
  ...{ expectedRequests: 1_000, compaction: { enabled: false } },
};

/** What is planned for a session under these settings. */
function planned(session: Session, given: EconomyOverrides, usage: PromptUsage = {}, provider = "anthropic") {
  const budget = { settings: settingsOf({ ...bare, ...given }), provider };
  return planPrompt(session.tree.context, session.render(), budget, usage);
}

/** Words that cannot go, so many tokens of them, with an output of some 1,000 tokens before them. */
function talk(tokens: number): Session {
  const session = new Session().say("go");
  session.use("run_shell_command", {}, log("output"));
  return session.answer("w".repeat(tokens * 4));
}

describe("a rule of the planner", () => {
  it("compacts where clearing leaves the prompt as full as it was", () => {
    const compaction = { enabled: true, contextTokenThreshold: 8_000, tailTokens: 100 };
    const given = {
      compaction,
      clearAtLeastShare: 0.3,
      trigger: { type: "input_tokens", value: 4_000 },
    } as const;
    expect(planned(talk(8_000), given)).toMatchObject({ kind: "compact" });
    expect(planned(talk(8_000), { ...given, clearAtLeastShare: 0 })).toMatchObject({ kind: "compact" });
    const outputs = new Session().say("go");
    for (let at = 0; at < 9; at += 1) outputs.use("run_shell_command", {}, log(`output ${at}`));
    expect(planned(outputs, given)).toMatchObject({ kind: "clear" });
  });

  it("lets nothing pay for itself before its share of the trigger", () => {
    const session = talk(2_500);
    for (let at = 0; at < 60; at += 1) session.answer("Going on.");
    const given = { paidAtLeast: 0, warnAt: 0.1 };
    expect(planned(session, { ...given, payFrom: 1 })).toMatchObject({ kind: "warn" });
    expect(planned(session, { ...given, payFrom: 0.5 })).toMatchObject({ kind: "clear" });
  });

  it("wins a share of the prompt, or leaves it", () => {
    expect(planned(talk(5_000), { clearAtLeastShare: 0.5 })).toMatchObject({ reason: "too_little" });
    expect(planned(talk(5_000), { clearAtLeastShare: 0.1 })).toMatchObject({ kind: "clear" });
  });

  it("need not win anything where the cache is cold", () => {
    const ratios = { even: { write: 1, read: 1, lifetimeMs: 1, bindsThinking: false } };
    const session = new Session().say("go").answer("w".repeat(20_000));
    session.use("run_shell_command", {}, log("output"));
    const given = { ratios, clearAtLeast: 3_000, paidAtLeast: never };
    expect(planned(session, given, {}, "even")).toMatchObject({ reason: "too_little" });
    expect(planned(session, given, { cold: "idle" }, "even")).toMatchObject({ kind: "clear" });
  });

  it("lets go what has paid for itself only from a least amount on", () => {
    const session = talk(2_500);
    for (let at = 0; at < 60; at += 1) session.answer("Going on.");
    const given = { payFrom: 0.5 };
    expect(planned(session, { ...given, paidAtLeast: 2_000 })).toMatchObject({ kind: "nothing" });
    expect(planned(session, { ...given, paidAtLeast: 500 })).toMatchObject({ kind: "clear" });
  });

  it("takes nothing that may be missed where it is free, below the trigger", () => {
    const session = talk(500);
    expect(planned(session, {}, { cold: "idle" })).toMatchObject({
      kind: "nothing",
      reason: "below_trigger",
    });
    session.use("run_shell_command", {}, log("output"));
    const plan = planned(session, {}, { cold: "idle" });
    expect(plan).toMatchObject({ kind: "clear", report: { cleared: [{ class: "superseded" }] } });
  });

  it("expects as many requests as there were answers, and ten at least", () => {
    const session = talk(5_000);
    for (let at = 0; at < 40; at += 1) session.answer("Going on.");
    const { expectedRequests: _, ...given } = bare;
    const settings = settingsOf(given);
    const plan = (one: Session) =>
      planPrompt(one.tree.context, one.render(), { settings, provider: "google" }, { cold: "idle" });
    expect(plan(session)).toMatchObject({ kind: "clear", report: { expectedRequests: 42 } });
    expect(plan(talk(5_000))).toMatchObject({ kind: "clear", report: { expectedRequests: 10 } });
  });

  it("stops at the first class with which the goal is reached", () => {
    const session = new Session().say("go");
    const failed = session.use("edit_file", {}, log("no such text").repeat(3), { isError: true });
    session.use("run_shell_command", {}, log("output").slice(0, 3_000));
    session.answer("w".repeat(4_000));
    const plan = planned(session, { clearTo: 0.9 });
    if (plan.kind !== "clear") throw new Error(plan.kind);
    expect(plan.report.cleared.map(({ nodeId }) => nodeId)).toEqual([failed]);
  });

  it("keeps the newest results, and the last messages only as far as their share goes", () => {
    const session = talk(4_000);
    const last = session.use("run_shell_command", {}, log("last"));
    const gone = (given: EconomyOverrides) => {
      const plan = planned(session, given, { cold: "idle" });
      return plan.kind === "clear" && plan.report.cleared.some(({ nodeId }) => nodeId === last);
    };
    expect(gone({})).toBe(true);
    expect(gone({ keepTokens: 2_000 })).toBe(false);
    expect(gone({ keepMessages: 20, keepShare: 1 })).toBe(false);
    expect(gone({ keepMessages: 20, keepShare: 0.01 })).toBe(true);
  });

  it("takes no lines away that a text that stays would have to say again", () => {
    const file = fileOf("a.ts", 300);
    const session = new Session().say("go");
    const shown = session.read(file);
    const output = session.use("run_shell_command", {}, log("output"));
    session.answer("w".repeat(16_000));
    session.readWithout(file, 1, 300);
    const plan = planned(session, { keep: 1 }, { cold: "idle" });
    if (plan.kind !== "clear") throw new Error(plan.kind);
    const ids = plan.report.cleared.map(({ nodeId }) => nodeId);
    expect(ids).toContain(output);
    expect(ids).not.toContain(shown);
    expect(plan.report.writtenOut).toEqual([]);
  });
});

describe("a rule of what is known", () => {
  it("has a check of a file only until the file changes again", () => {
    const change = (before: string, after: string) => ({ path: "a.ts", before, after, by: "tool" });
    const session = new Session().say("go");
    session.use("edit_file", {}, "Done.", { files: [change("a", "b")] });
    session.use("run_shell_command", { command: "npm test" }, "ok");
    const entries = () => fileLedger(session.tree.context, session.tree.context.currentNodeId);
    expect(entries()).toMatchObject([{ to: "b", check: { command: "npm test" } }]);
    session.use("edit_file", {}, "Done.", { files: [change("b", "c")] });
    expect(entries()).toMatchObject([{ to: "c" }]);
    expect(entries()[0]).not.toHaveProperty("check");
  });

  const request = {
    ...{ at: 1_000, provider: "anthropic", model: "m", system: "s", tools: "t" },
    ...{ headId: "n1", startId: "s-1" },
  };

  it("takes a cache for warm to the end of its lifetime", () => {
    const cause = (at: number) => coldCause(request, { ...request, at }, { lifetimeMs: 500 }, () => true);
    expect([cause(1_500), cause(1_501)]).toEqual([undefined, "idle"]);
  });

  it("goes on from the newest of two requests that share as much", () => {
    const prompt = measure(new Session().say("go").answer("Going on.").render());
    const sent = (at: number): SentPrompt => ({ ...request, at, prompt, marks: [1], ends: [1] });
    const [older, newer] = [sent(1_000), sent(1_100)];
    const outlook = cacheOutlook(
      [older, newer],
      { ...request, at: 1_200 },
      prompt,
      { lifetimeMs: 500 },
      () => true,
    );
    expect(outlook.from).toBe(newer);
  });
});
