import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import { allTools, tools as defaultTools, findTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import type { ApprovalRule } from "../../src/config/approval.js";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import { type Action, decide } from "../../src/loop/approval.js";
import { openStage, type Stage } from "./stage.js";

/** One call under these rules, and how it ended. */
async function ended(name: string, args: JsonObject, parts: Partial<AgentParts>) {
  const script = [{ calls: [{ name, args }] }, { text: "Done." }];
  const stage = await openStage(script, { mode: "yolo", ...parts }, { "a.txt": "one\n" });
  const { undone } = await stage.turn("Go.");
  const call = stage.events.find((event) => event.kind === "call_ended")?.call;
  return {
    call,
    code: call?.code,
    text: call?.text ?? "",
    undone: undone.map((one) => `${one.name} ${one.code}`),
    isThere: existsSync(join(stage.root, "new.txt")),
  };
}

const deny = (tool: string, path?: string): ApprovalRule => ({
  tool,
  decision: "deny",
  ...defined({ path }),
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
    const end = await ended(name, args, { rules: [rule] });
    expect(end.code, end.text).toBe(code);
    if (code !== "ok") expect(end.text).toContain(`A rule of the settings denies ${name} here.`);
  });
});

describe("a denied file", () => {
  it("is not shown by the refusal of a change either", async () => {
    const edits = [{ old_string: "nowhere", new_string: "x" }];
    const args = { file_path: "a.txt", base_content_sha256: "0".repeat(64), edits };
    const end = await ended("edit_file", args, { rules: [deny("*", "a.txt")] });
    expect(end).toMatchObject({ code: "denied", undone: ["edit_file denied"] });
    expect(end.text).not.toMatch(/\bone\b/u);
  });

  it.each<readonly [string, JsonObject]>([
    ["delete_file", { file_path: "a.txt" }],
    ["edit_file", { file_path: "./a.txt", edits: [{ old_string: "one" }] }],
    ["append_to_file", { path: "a.txt" }],
    ["fs_write", { path: "a.txt", command: "insert" }],
    ["str_replace_based_edit_tool", { path: "a.txt", command: "str_replace" }],
  ])("is not shown by the refusal of wrong arguments either: %s", async (name, args) => {
    const wire = { resultContent: "full" } as const;
    const open = await ended(name, args, { wire });
    expect(open.text).toMatch(/\bone\b/u);
    const end = await ended(name, args, { wire, rules: [deny("*", "a.txt")] });
    expect(end).toMatchObject({ code: "denied", undone: [`${name} denied`] });
    expect(end.text).not.toMatch(/\bone\b/u);
  });
});

describe("a rule that asks", () => {
  it("holds for a tool that reads", async () => {
    const rules: readonly ApprovalRule[] = [{ tool: "read_file", decision: "ask" }];
    const args = { file_path: "a.txt" };
    expect(await ended("read_file", args, { rules })).toMatchObject({ code: "denied" });
    const yes: Partial<AgentParts> = { rules, ask: async () => [{ kind: "yes" }] };
    expect(await ended("read_file", args, yes)).toMatchObject({ code: "ok" });
  });
});

describe("a call that works on the conversation", () => {
  it("is left undone where it is denied", async () => {
    const { undone } = await ended("restore_files", {}, { mode: "ask", rules: [deny("restore_files")] });
    expect(undone).toEqual(["restore_files files_refused"]);
    expect((await ended("rewind", {}, { mode: "ask", rules: [deny("rewind")] })).undone).toEqual([
      "rewind denied",
    ]);
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

/** A project with links into `secrets` and out of `docs`; the script is made once its place is known. */
async function stageWith(
  calls: (root: string) => readonly { readonly name: string; readonly args: JsonObject }[],
  mode: "yolo" | "ask",
  rules: readonly ApprovalRule[],
): Promise<Stage> {
  const stage = await openStage([]);
  const { root } = stage;
  for (const folder of ["secrets", "docs", "src"]) mkdirSync(join(root, folder));
  writeFileSync(join(root, "secrets/x.txt"), "secret\n");
  symlinkSync("secrets", join(root, "link"));
  symlinkSync("secrets/x.txt", join(root, "xl.txt"));
  symlinkSync("../src", join(root, "docs/l"));
  const script = [...calls(root).map((call) => ({ calls: [call] })), { text: "Done." }];
  const again = await stage.resume(script, { mode, rules });
  return again;
}

const denySecrets = deny("*", "secrets/**");
const allowDocs: ApprovalRule = { tool: "write_file", path: "docs/**", decision: "allow" };
const write = (file_path: string) => ({ name: "write_file", args: { file_path, content: "new\n" } });
const hash = "{{sha256:secrets/x.txt}}";

describe("a rule about paths", () => {
  it.each<readonly [string, (root: string) => { readonly name: string; readonly args: JsonObject }]>([
    ["its own name", () => write("secrets/new.txt")],
    ["an absolute name", (root) => write(join(root, "secrets/new.txt"))],
    ["a folder that is a link", () => write("link/new.txt")],
    [
      "a link to the file",
      () => ({ name: "append_to_file", args: { file_path: "xl.txt", content: "new\n" } }),
    ],
    [
      "an absolute name of what is deleted",
      (root) => ({
        name: "delete_file",
        args: { file_path: join(root, "secrets/x.txt"), base_content_sha256: hash },
      }),
    ],
  ])("that denies holds for %s, in yolo too", async (_, call) => {
    const read = { name: "read_file", args: { file_path: "secrets/x.txt" } };
    const reads: ApprovalRule = { tool: "read_file", decision: "allow" };
    const stage = await stageWith((root) => [read, call(root)], "yolo", [reads, denySecrets]);
    expect(await stage.turn("Go.")).toMatchObject({ undone: [{ code: "denied" }] });
    expect(existsSync(join(stage.root, "secrets/new.txt"))).toBe(false);
    expect(stage.read("secrets/x.txt")).toBe("secret\n");
  });

  it("that allows is not widened by a link, and fits absolute names of its files", async () => {
    const stage = await stageWith((root) => [write("docs/l/a.ts"), write(join(root, "docs/a.md"))], "ask", [
      allowDocs,
    ]);
    expect(await stage.turn("Go.")).toMatchObject({ undone: [{ code: "denied" }] });
    expect(existsSync(join(stage.root, "src/a.ts"))).toBe(false);
    expect(stage.read("docs/a.md")).toBe("new\n");
  });
});

const reading = defaultTools.filter(({ annotations }) => annotations.readOnly);
const fsWrite = { command: "create", path: "new.txt", file_text: "x\n" };
const byChanges = { changes: [{ file_path: "new.txt", content: "x\n" }] };

describe("a tool that is not offered", () => {
  it.each<readonly [string, JsonObject]>([
    ["fs_write", fsWrite],
    ["str_replace_based_edit_tool", fsWrite],
    ["apply_changes", byChanges],
    ["write_file", { file_path: "new.txt", content: "x\n" }],
    ["run_anything", {}],
  ])("is not carried out: %s", async (name, args) => {
    const { code, text, isThere } = await ended(name, args, { fileTools: reading });
    expect({ code, isThere }).toEqual({ code: "invalid_arguments", isThere: false });
    expect(text).toContain("there is no tool of this name here; those you have are read_file, ");
  });

  it("is, where it does the work of one that is", async () => {
    expect(await ended("fs_write", fsWrite, {})).toMatchObject({ isThere: true });
    expect(await ended("apply_changes", byChanges, {})).toMatchObject({ isThere: true });
    const moreFileTools = allTools.filter(({ name }) => name !== "write_file");
    for (const name of ["fs_write", "apply_changes"]) {
      const args = name === "fs_write" ? fsWrite : byChanges;
      const end = await ended(name, args, { fileTools: reading, moreFileTools });
      expect(end).toMatchObject({ code: "invalid_arguments", isThere: false });
    }
  });

  it("is, where it is offered by its own name", async () => {
    const own = findTool("fs_write");
    if (own === undefined) throw new Error("no fs_write");
    expect(await ended("fs_write", fsWrite, { fileTools: [own] })).toMatchObject({ isThere: true });
  });
});

const through = (name: string, args: JsonObject) => ["more_tools", { name, args }] as const;
const act = (action: string, args: JsonObject = {}) => ["conversation", { action, ...args }] as const;
const gone = { file_path: "a.txt", base_content_sha256: "0".repeat(64) };
const restore = act("history rewind", { files: "restore" });

describe("a tool that stands for others", () => {
  it.each<readonly [readonly [string, JsonObject], string, string, Partial<AgentParts>]>([
    [act("history rewind"), "rewind", "denied", { rules: [deny("rewind")] }],
    [act("history rewind"), "rewind", "denied", { rules: [deny("conversation")] }],
    [["rewind", {}], "rewind", "denied", { rules: [deny("conversation")] }],
    [through("rewind", {}), "rewind", "denied", { rules: [deny("conversation")] }],
    [act("history rewind"), "rewind", "ok", { rules: [deny("task_*")] }],
    [restore, "rewind", "files_refused", { rules: [deny("conversation")] }],
    [restore, "rewind", "files_refused", { rules: [deny("restore")] }],
    [act("file track", { file_path: "a.txt" }), "track_file", "denied", { rules: [deny("*", "a.txt")] }],
    [act("task start", { name: "x" }), "task_start", "denied", { mode: "plan" }],
    [act("task list"), "task_list", "ok", { mode: "plan" }],
    [act("task start"), "task_start", "invalid_arguments", { conversationTools: [] }],
    [through("insert_lines", {}), "insert_lines", "invalid_arguments", { fileTools: reading }],
    [through("delete_file", gone), "delete_file", "denied", { rules: [deny("delete_*")] }],
    [through("conversation", { action: "rewind" }), "rewind", "denied", { rules: [deny("rewind")] }],
    [through("copy_file", { ...gone, to: "b.txt" }), "copy_file", "denied", { rules: [deny("move_file")] }],
    [
      through("append_to_file", { file_path: "a.txt", content: "x" }),
      "append_to_file",
      "denied",
      { mode: "ask", rules: [{ tool: "more_tools", decision: "allow" }] },
    ],
    [["more_tools", { find: "undo" }], "more_tools", "ok", { mode: "plan" }],
  ])("is judged by them: %j is %s and %s", async ([name, args], meant, code, parts) => {
    const { call } = await ended(name, args, parts);
    expect([call?.name, call?.code], call?.text).toEqual([meant, code]);
  });
});

describe("another vendor's name", () => {
  it("is judged as the tool that it stands for", async () => {
    const rules = [deny("write_file")];
    expect(await ended("fs_write", fsWrite, { rules })).toMatchObject({ code: "denied", isThere: false });
    const byOurs = await ended("apply_changes", byChanges, { rules });
    expect(byOurs).toMatchObject({ code: "denied", isThere: false });
    const view = { command: "view", path: "new.txt" };
    expect(await ended("str_replace_based_edit_tool", view, { rules: [deny("read_file")] })).toMatchObject({
      code: "denied",
    });
  });
});
