import { scriptedSummariser } from "@holdfast/core/conversation/values";
import { economySettings } from "@holdfast/core/economy";
import { describe, expect, it } from "vitest";
import { todosOf, todosTool } from "../../../src/host/todos.js";
import { runCommand } from "../../../src/slash/run-command.js";
import { openStage } from "../../loop/stage.js";
import { shown } from "./shown.js";

const list = (...todos: readonly (readonly [string, string])[]) => ({
  calls: [{ name: "update_todos", args: { todos: todos.map(([text, state]) => ({ text, state })) } }],
});
const first = list(["Read it", "doing"], ["Change\u001b[31m it", "todo"]);
const second = list(["Read it", "done"], ["Change it", "doing"]);
const hostTools = () => [todosTool];

describe("the list of what is to be done", () => {
  it("is shown with each change of it, goes back with the conversation, and is there after a restart", async () => {
    const answers = [first, { text: "Begun." }, second, { text: "On." }];
    const stage = await openStage(answers, { hostTools, harmless: ["update_todos"], mode: "ask" });
    await stage.turn("Do it.");
    const { text } = shown(stage.events);
    expect(text).toContain("To do\n  ▸ Read it\n  · Change\\u001b[31m it\n");
    await stage.turn("Go on.");
    expect(todosOf(stage.manager.context).map(({ state }) => state)).toEqual(["done", "doing"]);
    const again = await stage.resume([{ text: "Yes." }]);
    const host = { agent: again.agent, manager: again.manager, workspace: again.workspace };
    expect(await runCommand("/todos", host)).toMatchObject({
      message: "1 of 2 are to be done:",
      text: "✓ Read it\n▸ Change it",
    });
    await runCommand("/history rewind", host);
    expect(todosOf(again.manager.context).map(({ state }) => state)).toEqual(["doing", "todo"]);
  });

  it("is refused where it is none, and the one before stands", async () => {
    const wrong = { calls: [{ name: "update_todos", args: { todos: [{ text: "x", state: "later" }] } }] };
    const stage = await openStage([second, wrong, { text: "Hm." }], { hostTools });
    await stage.turn("Do it.");
    expect(stage.events.filter((event) => event.kind === "call_ended" && event.call.isError)).toHaveLength(1);
    expect(todosOf(stage.manager.context)).toHaveLength(2);
  });

  it("has 50 steps of 200 characters at most, and may come as JSON text", async () => {
    const steps = (count: number, length: number) =>
      list(...Array.from({ length: count }, () => ["x".repeat(length), "todo"] as const));
    const asText = { calls: [{ name: "update_todos", args: { todos: '[{"text":"One","state":"doing"}]' } }] };
    const answers = [steps(50, 200), steps(51, 1), steps(1, 201), { text: "Hm." }, asText, { text: "Done." }];
    const stage = await openStage(answers, { hostTools });
    await stage.turn("Do it.");
    const codes = stage.events.flatMap((event) => (event.kind === "call_ended" ? [event.call.code] : []));
    expect(codes).toEqual(["ok", "invalid_arguments", "invalid_arguments"]);
    expect(todosOf(stage.manager.context)).toHaveLength(50);
    await stage.turn("Go on.");
    expect(todosOf(stage.manager.context)).toEqual([{ text: "One", state: "doing" }]);
  });

  it("is one for each task", async () => {
    const start = { calls: [{ name: "task_start", args: { name: "Part", context: "clone" } }] };
    const stage = await openStage([first, start, { text: "Hm." }], { hostTools });
    await stage.turn("Do it.");
    expect(stage.manager.getCurrentNode().taskId).not.toBe(stage.manager.context.sessionId);
    expect(todosOf(stage.manager.context)).toEqual([]);
  });

  it("outlives a summary of the conversation", async () => {
    const long = "A sentence that is summed up. ".repeat(400);
    const economy = economySettings({ compaction: { tailTokens: 200 } });
    if ("code" in economy) throw new Error(economy.message);
    const summariser = scriptedSummariser(["All was read."]);
    const answers = [second, { text: long }, { text: long }];
    const stage = await openStage(answers, { hostTools, economy, summariser });
    await stage.turn("Do it.");
    await stage.turn("More.");
    expect(await stage.agent.compact()).toMatchObject({ kind: "compacted" });
    expect(stage.manager.getCurrentNode().payload).toMatchObject({
      text: expect.stringContaining("▸ Change it"),
    });
  });

  it("costs few bytes", async () => {
    const { agent } = await openStage([], { hostTools });
    const offer = agent.tools.offered.find(({ name }) => name === "update_todos");
    expect(JSON.stringify(offer).length).toBeLessThanOrEqual(350);
  });
});
