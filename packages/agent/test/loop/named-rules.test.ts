import type { JsonObject } from "@holdfast/core/conversation";
import { afterEach, describe, expect, it } from "vitest";
import type { ApprovalRule } from "../../src/config/approval.js";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import { type Action, decide } from "../../src/loop/approval.js";
import { openStage, type Stage } from "./stage.js";

const opened: Stage[] = [];
afterEach(async () => {
  for (const stage of opened.splice(0)) await stage.close();
});

/** One call under these rules, and how it ended. */
async function ended(name: string, args: JsonObject, parts: Partial<AgentParts>) {
  const stage = await openStage([{ calls: [{ name, args }] }, { text: "Done." }], parts, {
    "a.txt": "one\n",
  });
  opened.push(stage);
  const { undone } = await stage.turn("Go.");
  const call = stage.events.find((event) => event.kind === "call_ended")?.call;
  return { code: call?.code, text: call?.text ?? "", undone: undone.map((one) => `${one.name} ${one.code}`) };
}

const deny = (tool: string, path?: string): ApprovalRule => ({
  tool,
  decision: "deny",
  ...(path === undefined ? {} : { path }),
});

describe("a rule that denies", () => {
  it.each<readonly [string, string, JsonObject, ApprovalRule, string]>([
    ["reading one file", "read_file", { file_path: "a.txt" }, deny("read_file", "a.txt"), "denied"],
    ["reading it by any tool", "read_file", { file_path: "./a.txt" }, deny("*", "a.txt"), "denied"],
    ["another file", "read_file", { file_path: "a.txt" }, deny("read_file", "b.txt"), "ok"],
    ["several files", "read_many_files", { paths: ["a.txt"] }, deny("read_many_files", "a.txt"), "denied"],
    ["files by a glob", "read_many_files", { globs: ["*.txt"] }, deny("*", "a.txt"), "denied"],
    ["a search", "search_files", { pattern: "one" }, deny("search_files"), "denied"],
    ["a look at the conversation", "history_view", {}, deny("history_*"), "denied"],
    ["tracking a file", "track_file", { file_path: "a.txt" }, deny("*", "a.txt"), "denied"],
    ["going back", "rewind", {}, deny("rewind"), "denied"],
    ["files that go back", "restore_files", {}, deny("restore_files"), "files_refused"],
    ["them by the name of old", "restore_files", {}, deny("restore"), "files_refused"],
  ])("holds for %s, in yolo too", async (_, name, args, rule, code) => {
    const end = await ended(name, args, { mode: "yolo", rules: [rule] });
    expect(end.code, end.text).toBe(code);
    if (code !== "ok") expect(end.text).toContain(`A rule of the settings denies ${name} here.`);
  });
});

describe("a denied file", () => {
  it("is not shown by the refusal of a change either", async () => {
    const edits = [{ old_string: "nowhere", new_string: "x" }];
    const args = { file_path: "a.txt", base_content_sha256: "0".repeat(64), edits };
    const end = await ended("edit_file", args, { mode: "yolo", rules: [deny("*", "a.txt")] });
    expect(end).toMatchObject({ code: "denied", undone: ["edit_file denied"] });
    expect(end.text).not.toMatch(/\bone\b/u);
  });
});

describe("a rule that asks", () => {
  it("holds for a tool that reads", async () => {
    const rules: readonly ApprovalRule[] = [{ tool: "read_file", decision: "ask" }];
    const args = { file_path: "a.txt" };
    expect(await ended("read_file", args, { mode: "yolo", rules })).toMatchObject({ code: "denied" });
    const yes: Partial<AgentParts> = { mode: "yolo", rules, ask: async () => ({ kind: "yes" }) };
    expect(await ended("read_file", args, yes)).toMatchObject({ code: "ok" });
  });
});

describe("a call that works on the conversation", () => {
  it("is left undone where it is denied", async () => {
    const { undone } = await ended("restore_files", {}, { mode: "ask", rules: [deny("restore_files")] });
    expect(undone).toEqual(["restore_files files_refused"]);
    expect((await ended("rewind", {}, { rules: [deny("rewind")] })).undone).toEqual(["rewind denied"]);
  });

  it("is none in plan mode", async () => {
    expect((await ended("task_start", { name: "a", goal: "b" }, { mode: "plan" })).code).not.toBe("ok");
  });
});

describe("a rule with a command", () => {
  const decided = (tool: string, decision: ApprovalRule["decision"]) => {
    const action: Action = { kind: "run", tool, files: [], command: "ls -l" };
    const rules = [{ tool: "*", command: "ls *", decision }];
    return decide(action, { mode: "ask", rules, always: [], fitsPath: () => false }).kind;
  };

  it("allows the shell alone, and denies any tool", () => {
    expect(decided("run_shell_command", "allow")).toBe("allow");
    expect(decided("mcp__server__exec", "allow")).toBe("ask");
    expect(decided("mcp__server__exec", "deny")).toBe("deny");
  });
});
