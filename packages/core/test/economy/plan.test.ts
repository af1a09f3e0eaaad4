import { describe, expect, it } from "vitest";
import { checkContents } from "../../src/context/index.js";
import { measure, type PromptPlan, planPrompt } from "../../src/economy/index.js";
import { fileOf, Session, settingsOf } from "./sessions.js";

const small = settingsOf({
  trigger: { type: "input_tokens", value: 4_000 },
  keep: 1,
  keepMessages: 2,
  keepTokens: 100,
  clearAtLeast: 500,
  workingSet: 1,
  expectedRequests: 1_000,
});
const budget = { settings: small, provider: "anthropic" };
const log = (seed: string) => Array.from({ length: 200 }, (_, at) => `${seed} ${at} went on\n`).join("");

function cleared(plan: PromptPlan): readonly string[] {
  if (plan.kind !== "clear") throw new Error(`${plan.kind}: ${"message" in plan ? plan.message : ""}`);
  return plan.report.cleared.map(({ nodeId }) => nodeId);
}

function apply(session: Session, plan: PromptPlan): void {
  if (plan.kind !== "clear") throw new Error(plan.kind);
  session.tree.add("reform", { kind: "context_management", action: "reform", changes: plan.changes });
}

describe("planning", () => {
  it("does nothing below the trigger", () => {
    const session = new Session().say("go");
    session.use("run_shell_command", { command: "ls" }, "a\nb\n");
    expect(planPrompt(session.tree.context, session.render(), budget, {})).toMatchObject({
      kind: "nothing",
      reason: "below_trigger",
    });
  });

  it("clears failed calls and outputs before files, and keeps the last use", () => {
    const session = new Session().say("go");
    const file = session.read(fileOf("a.ts", 200));
    const failed = session.use("edit_file", {}, log("no such text"), { isError: true });
    const output = session.use("run_shell_command", {}, log("output"));
    for (let at = 0; at < 3; at += 1) session.answer("Going on.");
    session.read(fileOf("b.ts", 150));
    session.say("and now?");
    session.say("well?");
    const last = session.use("run_shell_command", {}, log("last"));
    const plan = planPrompt(session.tree.context, session.render(), budget, {});
    expect(cleared(plan)).toEqual(expect.arrayContaining([failed, output]));
    expect(cleared(plan)).not.toContain(last);
    apply(session, plan);
    const { contents, report } = session.render();
    expect(checkContents(contents, "anthropic")).toEqual([]);
    expect(report.broken).toEqual([]);
    expect(file).toBe("n3");
  });

  it("never leaves a reference without its lines", () => {
    const file = fileOf("a.ts", 300);
    const session = new Session().say("go");
    const shown = session.read(file);
    for (let at = 0; at < 6; at += 1) session.read(fileOf(`other${at}.ts`, 100));
    const short = session.reread(file, 1, 10);
    for (let at = 0; at < 6; at += 1) session.read(fileOf(`more${at}.ts`, 100));
    const plan = planPrompt(session.tree.context, session.render(), budget, {});
    expect(cleared(plan)).toContain(shown);
    apply(session, plan);
    const { report, visibility } = session.render();
    expect(report.broken).toEqual([]);
    if (plan.kind === "clear" && plan.report.writtenOut.includes(short))
      expect(visibility.isVisible({ path: "a.ts", sha256: file.sha256, from: 1, to: 10 })).toBe(true);
  });

  it("counts lines that come back by themselves, and writes them once", () => {
    const file = fileOf("a.ts", 300);
    const session = new Session().say("go");
    const shown = session.read(file);
    for (let at = 0; at < 6; at += 1) session.read(fileOf(`other${at}.ts`, 200));
    const again = session.readWithout(file, 11, 30);
    const settings = { ...small, workingSet: 0, keepMessages: 0 };
    const plan = planPrompt(session.tree.context, session.render(), { ...budget, settings }, {});
    const before = measure(session.render()).chars;
    expect(cleared(plan)).toContain(shown);
    apply(session, plan);
    const { contents, report, visibility } = session.render();
    expect(report.broken).toEqual([]);
    expect(visibility.isVisible({ path: "a.ts", sha256: file.sha256, from: 1, to: 300 })).toBe(true);
    expect(JSON.stringify(contents).split("a.ts line 20\\n")).toHaveLength(2);
    if (plan.kind !== "clear") return;
    expect(plan.report.writtenOut).toEqual([again]);
    const lost = (before - measure(session.render()).chars) / 4;
    const told = plan.report.tokensBefore - plan.report.tokensAfter;
    expect(Math.abs(told - lost)).toBeLessThan(0.05 * lost);
  });

  it("warns once, in the words of the seed, with what will go", () => {
    const session = new Session().say("go");
    session.use("run_shell_command", {}, log("output").repeat(2));
    session.use("run_shell_command", {}, "done");
    for (let at = 0; at < 3; at += 1) session.answer(log("words").slice(0, 1_800));
    const plan = planPrompt(
      session.tree.context,
      session.render(),
      { ...budget, memoryPath: "workspace.md" },
      {},
    );
    expect(plan.kind).toBe("warn");
    if (plan.kind !== "warn") return;
    expect(plan.text).toMatch(/^⚠️ CONTEXT APPROACHING LIMIT\n\nYou are at \d+% of context capacity\./u);
    expect(plan.text).toContain("Save any critical information to workspace.md now.");
    expect(plan.text).toContain("large outputs of commands and searches");
    const again = planPrompt(session.tree.context, session.render(), budget, { warned: true });
    expect(again.kind).toBe("nothing");
  });

  it("says so where the window is smaller than what stands before every prompt, and where no ratios are known", () => {
    const session = new Session().say("go");
    for (let at = 0; at < 8; at += 1) session.use("run_shell_command", {}, log(`output ${at}`));
    const narrow = { ...budget, windowTokens: 8_000, headChars: 40_000 };
    expect(planPrompt(session.tree.context, session.render(), narrow, {})).toMatchObject({
      kind: "nothing",
      reason: "window_too_small",
    });
    const foreign = planPrompt(
      session.tree.context,
      session.render(),
      { ...budget, provider: "elsewhere" },
      {},
    );
    expect(foreign).toMatchObject({ kind: "nothing", reason: "no_ratios" });
  });

  it("warns where a window is near that demands it, and without prices only there", () => {
    const session = new Session().say("go");
    for (let at = 0; at < 8; at += 1) session.use("run_shell_command", {}, log(`output ${at}`));
    const far = settingsOf({ ...small, keepShare: 0, trigger: { type: "input_tokens", value: 1_000_000 } });
    const tokens = Math.round(measure(session.render()).chars / 4);
    const plan = (provider: string, settings: typeof small, share: number) => {
      const windowTokens = Number.isFinite(share) ? Math.round(tokens / share / 0.8) : undefined;
      const at = { settings, provider, ...(windowTokens === undefined ? {} : { windowTokens }) };
      return planPrompt(session.tree.context, session.render(), at, {});
    };
    for (const provider of ["anthropic", "elsewhere"]) {
      expect(plan(provider, far, 0.7).kind).toBe("nothing");
      const near = plan(provider, far, 0.9);
      expect(near).toMatchObject({ kind: "warn", text: expect.stringContaining("You are at 90% of") });
    }
    const unpriced = settingsOf({ ...small, trigger: { type: "input_tokens", value: tokens + 100 } });
    expect(plan("anthropic", { ...unpriced, payFrom: 1 }, Number.NaN).kind).toBe("warn");
    expect(plan("elsewhere", unpriced, Number.NaN)).toMatchObject({ reason: "below_trigger" });
  });
});
