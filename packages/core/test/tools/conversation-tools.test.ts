import type { Workspace } from "@holdfast/core/files";
import { describe, expect, it } from "vitest";
import { type ContextManager, listTasks, pathTo } from "../../src/conversation/index.js";
import { scriptedSummariser } from "../../src/conversation/values/index.js";
import {
  type ConversationToolContext,
  conversationTool,
  conversationToolNames,
  conversationTools,
  followFiles,
  jsonSchema,
  meantCall,
  runConversationTool,
} from "../../src/tools/index.js";
import { call, must, newManager, reply, say } from "../conversation/support.js";
import { ground } from "../support.js";

/** The model calls a tool, alone in its step. */
async function called(
  manager: ContextManager,
  name: string,
  args: object = {},
  host: Partial<ConversationToolContext> = {},
) {
  const callId = `call ${manager.context.nodes.size}`;
  const asked = call(manager, callId, name);
  const answer = await runConversationTool(name, args, { manager, callId, ...host });
  return { ...answer, asked };
}

describe("the conversation's tools", () => {
  it("are the fifteen that are named, each with a schema and a command of its own", () => {
    expect(conversationTools.map(({ name }) => name)).toEqual([...conversationToolNames]);
    expect(new Set(conversationTools.map(({ command }) => command)).size).toBe(15);
    for (const { parameters } of conversationTools)
      expect(jsonSchema(parameters)).toMatchObject({ type: "object" });
  });

  it.each([
    ["task start", { name: "look", goal: "find it" }],
    ["task_list", {}],
    ["File track", { file_path: "a.ts" }],
    ["history view", { limit: 5 }],
    ["history expand_task", { task_id: "none" }],
    ["expand_task_summary", {}],
    ["history restore_files", { turn_id: "a", restore_id: "b" }],
  ])("do by the one tool and the action %s what they do by name", async (action, args) => {
    const meant = meantCall({ name: "conversation", args: { action, ...args } });
    expect(meant.args).toEqual(args);
    const [one, other] = await Promise.all(
      [
        ["conversation", { action, ...args }],
        [meant.name, args],
      ].map(async ([name, given]) => {
        const manager = newManager();
        say(manager, "go");
        const { text, code } = await called(manager, String(name), Object(given));
        const payloads = [...manager.context.nodes.values()].map(({ payload }) => payload);
        expect(payloads.find(({ kind }) => kind === "tool_result")).toMatchObject({ name });
        return JSON.stringify({ text, code, payloads }).replaceAll("conversation", meant.name);
      }),
    );
    expect(other).toBe(one);
  });

  it("are one tool with an action for each, which a host may have fewer of", async () => {
    const { description, parameters } = conversationTool();
    expect(description).toContain("task complete ends it");
    expect(jsonSchema(parameters)).toMatchObject({
      required: ["action"],
      properties: { action: { enum: conversationTools.map(({ command }) => command) } },
    });
    const few = conversationTool(conversationTools.filter(({ name }) => name === "task_list"));
    expect(Object.keys(Object(jsonSchema(few.parameters).properties))).toEqual(["action"]);
    expect(few.description).not.toMatch(/task start|track|rewind/u);
    const { text, code } = await called(newManager(), "conversation", { action: "fly" });
    expect(code).toBe("invalid_arguments");
    expect(text).toContain("The argument action is one of task start, task complete,");
  });

  it("answer the model's call on the branch that the head leaves", async () => {
    const manager = newManager();
    say(manager, "go");
    const started = await called(manager, "task_start", { name: "look", goal: "find it" });
    expect(started).toMatchObject({ isError: false, code: "ok" });
    const boundary = manager.getCurrentNode();
    const answered = manager.context.nodes.get(boundary.parentId ?? "");
    expect([answered?.payload.kind, answered?.parentId]).toEqual(["tool_result", started.asked.id]);
    expect(started.data).toEqual({ task_id: boundary.id });

    const completed = await called(manager, "task_complete", { summary: "found" });
    expect(manager.getCurrentNode().payload).toMatchObject({ kind: "task_summary", summary: "found" });
    expect(manager.getCurrentNode().parentId).toBe(answered?.id);
    const left = manager.context.nodes.get(completed.asked.id)?.childIds ?? [];
    expect(left.map((id) => manager.context.nodes.get(id)?.payload.kind)).toEqual(["tool_result"]);
  });

  it("do by a person's command what they do by a call, without a result in the tree", async () => {
    const manager = newManager();
    say(manager, "go");
    await runConversationTool("task_start", { name: "look" }, { manager });
    expect(manager.getCurrentNode().payload.kind).toBe("task_boundary");
    await runConversationTool("task_pop", {}, { manager });
    const kinds = [...manager.context.nodes.values()].map(({ payload }) => payload.kind).sort();
    expect(kinds).toEqual(["task_boundary", "task_boundary", "user_message"]);
  });

  it("refuse to leave a branch while another call of the step waits, and the batch stays whole", async () => {
    const manager = newManager();
    say(manager, "go");
    call(manager, "beside");
    const refused = await called(manager, "task_start", { name: "look" });
    expect(refused).toMatchObject({ isError: true, code: "open_calls" });
    const answered = manager.getCurrentNode();
    expect(answered.payload).toMatchObject({ kind: "tool_result", name: "task_start", isError: true });
    must(manager.addNode({ kind: "tool_result", callId: "beside", name: "read_file", output: "ok" }));
  });

  it("pause, resume, restart and cancel", async () => {
    const manager = newManager();
    say(manager, "go");
    const { data } = await called(manager, "task_start", { name: "look" });
    const task = String(data?.task_id);
    await called(manager, "task_pop");
    expect(listTasks(manager.context).tasks).toMatchObject([{ state: "paused" }]);
    await called(manager, "task_resume", { task_id: task });
    const again = await called(manager, "task_restart", { hint: "other way" });
    expect(listTasks(manager.context).tasks).toMatchObject([
      { id: task, state: "paused" },
      { id: String(again.data?.task_id), state: "active", restartOf: task },
    ]);
    await called(manager, "task_cancel");
    const list = await called(manager, "task_list");
    expect(list.text).toContain(`${task} look [paused]`);
    expect(list.text).toContain("[cancelled, tries");
  });

  it("let a summariser write what is not given, and refuse where there is none", async () => {
    const manager = newManager();
    say(manager, "go");
    const summariser = scriptedSummariser(["so far: nothing", "at the end: all"]);
    await called(manager, "task_start", { context: "compress", goal: "all" }, { summariser });
    expect(manager.getCurrentNode().payload).toMatchObject({
      transformation: { kind: "compress", summary: "so far: nothing" },
    });
    await called(manager, "task_complete", {}, { summariser });
    expect(manager.getCurrentNode().payload).toMatchObject({ summary: "at the end: all" });
    const before = manager.context.nodes.size;
    expect(await called(manager, "summarize_branch", {}, { summariser })).toMatchObject({
      code: "no_summary",
    });
    expect(await called(manager, "summarize_branch")).toMatchObject({ code: "no_summary" });
    await called(manager, "summarize_branch", { summary: "mine" });
    expect(manager.getCurrentNode().payload).toMatchObject({ kind: "summary", of: "branch", text: "mine" });
    expect(manager.context.nodes.size).toBe(before + 2 + 2 + 3);
  });

  it("rewind to a turn that the history names", async () => {
    const manager = newManager();
    say(manager, "first");
    const answer = reply(manager, "1");
    say(manager, "second");
    reply(manager, "2");
    const { text } = await called(manager, "history_view");
    expect(text).toContain(answer.id);
    const asked = await called(manager, "history_view", { kinds: ["user_message"], text: "SEC" });
    expect(asked.text).toContain("second");
    expect(asked.text).not.toContain("first");
    const branch = await called(manager, "history_view", { branch: answer.id, depth: 0, fold_tasks: true });
    expect(branch.text).toContain("first");
    expect(await called(manager, "history_view", { branch: "nope" })).toMatchObject({ code: "unknown_node" });
    expect(await called(manager, "history_view", { kinds: ["talk"] })).toMatchObject({
      code: "invalid_arguments",
    });
    expect(await called(manager, "rewind", { turn_id: "nope" })).toMatchObject({ code: "unknown_node" });
    await called(manager, "rewind", { turn_id: answer.id });
    const landed = pathTo(manager.context, manager.context.currentNodeId).map(({ payload }) => payload);
    expect(landed.slice(3)).toMatchObject([
      { kind: "user_message", text: "second" },
      { kind: "note", audience: "model", text: expect.stringContaining("Went back; the path left is kept.") },
    ]);
    expect(await called(manager, "rewind", { turn_id: answer.id, files: "restore" })).toMatchObject({
      code: "files_refused",
    });
  });

  it.each([
    ["task_resume", {}, "needs the argument task_id"],
    ["task_start", { context: "forget" }, "context"],
    ["rewind", { consent: ["a"] }, "consent"],
    ["rewind", { conflicts: "leave" }, "conflicts"],
    ["no_such_tool", {}, "no conversation tool"],
  ])(
    "answer wrong arguments of %s with a sentence, and the call has its result",
    async (name, args, words) => {
      const manager = newManager();
      say(manager, "go");
      reply(manager, "hm");
      say(manager, "go on");
      const refused = await called(manager, name, args);
      expect(refused).toMatchObject({ isError: true, code: "invalid_arguments" });
      expect(refused.text).toContain(words);
      expect(manager.getCurrentNode().payload).toMatchObject({ kind: "tool_result", isError: true });
    },
  );

  it("put the files back with the head, and refuse where somebody else has changed them", async () => {
    const { workspace, text, put } = await ground({ "a.ts": "one\n" });
    const manager = newManager();
    let count = 0;
    const files = followFiles(manager, workspace, () => `restore ${++count}`);
    const base = say(manager, "go");
    await changed(manager, workspace, "a.ts", "two\n");
    await changed(manager, workspace, "new.ts", "new\n");
    reply(manager, "done");
    const tip = manager.context.currentNodeId;

    put("a.ts", "by hand\n");
    const refused = await called(manager, "rewind", { turn_id: base.id, files: "restore" }, { files });
    expect(refused).toMatchObject({ code: "files_in_conflict" });
    expect([text("a.ts"), text("new.ts")]).toEqual(["by hand\n", "new\n"]);
    expect(manager.getCurrentNode().payload).toMatchObject({ kind: "tool_result", isError: true });

    const agreed = { turn_id: base.id, files: "restore", consent: ["a.ts"] };
    const restored = await called(manager, "rewind", agreed, { files });
    expect(restored).toMatchObject({ code: "ok" });
    expect(text("a.ts")).toBe("one\n");
    expect(() => text("new.ts")).toThrow();
    expect(pathTo(manager.context, manager.context.currentNodeId).slice(-3)).toMatchObject([
      { id: base.id },
      { payload: { kind: "restore" } },
      { payload: { kind: "note", text: expect.stringContaining("put back: a.ts, new.ts") } },
    ]);
    const answered = manager.context.nodes.get(restored.asked.id)?.childIds ?? [];
    expect(manager.context.nodes.get(answered[0] ?? "")?.payload).toMatchObject({ kind: "tool_result" });
    expect(manager.context.nodes.has(tip)).toBe(true);
  });

  it("put back with a cancelled task what it changed, and prune it in the same step", async () => {
    const { workspace, text } = await ground({ "a.ts": "one\n" });
    const manager = newManager();
    const files = followFiles(manager, workspace, () => "r1");
    say(manager, "go");
    const { data } = await called(manager, "task_start", { name: "try" });
    await changed(manager, workspace, "a.ts", "two\n");
    expect(await called(manager, "task_cancel", { files: "restore" }, { files })).toMatchObject({
      code: "ok",
    });
    expect(text("a.ts")).toBe("one\n");
    expect(listTasks(manager.context).tasks).toMatchObject([{ id: data?.task_id, state: "cancelled" }]);
    expect(manager.context.pruned.has(String(data?.task_id))).toBe(true);
  });

  it("track only files that can be read", async () => {
    const { workspace } = await ground({ "a.ts": "one\n" });
    const manager = newManager();
    const files = followFiles(manager, workspace, () => "r1");
    say(manager, "go");
    expect(await called(manager, "track_file", { file_path: "./a.ts" }, { files })).toMatchObject({
      code: "ok",
    });
    expect(manager.trackedFiles()).toEqual(["a.ts"]);
    expect(await called(manager, "track_file", { file_path: "gone.ts" }, { files })).toMatchObject({
      code: "invalid_arguments",
    });
    expect(await called(manager, "track_file", { file_path: "../out" }, { files })).toMatchObject({
      code: "invalid_arguments",
    });
  });
});

/** A write by the model, with what it did to the file on its result. */
async function changed(manager: ContextManager, workspace: Workspace, path: string, content: string) {
  const read = await workspace.read({ path });
  const before = read.kind === "read" ? read.state.sha256 : null;
  const base = before === null ? {} : { base: before };
  const outcome = await workspace.write({ path, content, ...base });
  const callId = `write ${manager.context.nodes.size}`;
  call(manager, callId, "write_file");
  const after = outcome.state?.sha256 ?? null;
  const effect = { path, before, after, by: "tool" } as const;
  must(
    manager.addNode({
      kind: "tool_result",
      callId,
      name: "write_file",
      output: outcome.message,
      files: [effect],
    }),
  );
}

describe("a summary that takes its time", () => {
  it("is never put on another task than the one that it tells of", async () => {
    const manager = newManager();
    say(manager, "begin");
    const first = must(manager.startTask({ name: "first" }));
    const summariser = async () => {
      must(manager.popTask());
      must(manager.startTask({ name: "second" }));
      return { kind: "summarised", text: "of the first" } as const;
    };
    const reply = await runConversationTool("task_complete", {}, { manager, summariser });
    expect(reply.code).toBe("no_task");
    expect(listTasks(manager.context).tasks.map(({ state }) => state)).toEqual(["paused", "active"]);
    expect(first.id).not.toBe(manager.getCurrentNode().taskId);
  });
});

describe("a cancellation whose plan takes its time", () => {
  it("cancels the task in which it was asked for", async () => {
    const { workspace } = await ground({});
    const manager = newManager();
    say(manager, "begin");
    const first = must(manager.startTask({ name: "first" }));
    const slow = {
      ...workspace,
      keptStates: async () => new Set<string>(),
      fileStates: async () => {
        must(manager.popTask());
        must(manager.startTask({ name: "second" }));
        return [];
      },
    };
    const files = followFiles(
      manager, // No other method of it is asked.
      slow as unknown as Workspace,
      () => "r1",
    );
    await runConversationTool("task_cancel", { files: "restore" }, { manager, files });
    expect(manager.context.tasks.get(first.id)?.outcome).toBe("cancelled");
    expect(listTasks(manager.context).tasks.map(({ state }) => state)).toEqual(["cancelled", "paused"]);
  });
});
