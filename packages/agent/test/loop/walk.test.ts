import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Content,
  checkContents,
  type ModelPort,
  providers,
  toAnthropic,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "@holdfast/core/context";
import { ContextManager } from "@holdfast/core/conversation";
import { type JsonObject, namesFrom, timeSortedIds } from "@holdfast/core/conversation/values";
import { type OpenedWorkspace, openWorkspace } from "@holdfast/core/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  checkAnthropic,
  checkGemini,
  checkOpenAI,
  checkOpenAIResponses,
} from "../../../core/test/context/wire-checks/index.js";
import { type Agent, openAgent } from "../../src/loop/agent.js";
import { type ScriptedAnswer, scriptedModel } from "../../src/models/scripted.js";
import { runCommand } from "../../src/slash/run-command.js";

/**
 * Every command of tasks, files and the history, in every place where it can stand, by the person and by the model: it works,
 * or it is refused before it costs anything; and what is sent to the model next, each provider takes.
 */

const newId = timeSortedIds(Date.now, (bytes) => randomBytes(bytes));
const folder = mkdtempSync(join(tmpdir(), "holdfast-walk-"));
let workspace: OpenedWorkspace;

beforeAll(async () => {
  mkdirSync(join(folder, "project"));
  writeFileSync(join(folder, "project", "a.ts"), "one\n");
  const opened = await openWorkspace({ roots: [join(folder, "project")], stateDir: join(folder, "state") });
  if ("code" in opened) throw new Error(opened.message);
  workspace = opened;
});

afterAll(async () => {
  await workspace.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A conversation that goes on under an agent, with all that was sent and all summaries that were paid for. */
class Walk {
  readonly manager = new ContextManager({ ids: newId, now: Date.now, naming: namesFrom(folder) });
  readonly sent: (readonly Content[])[] = [];
  paid = 0;

  /** As the program does when it is started again over the same session. */
  open(script: readonly ScriptedAnswer[] = []): Agent {
    const model = scriptedModel(script, { provider: "anthropic", model: "claude-opus-5" });
    const seen: ModelPort = {
      ...model,
      ask: (step, signal) => {
        this.sent.push(step.contents);
        return model.ask(step, signal);
      },
    };
    const summariser = async () => {
      this.paid += 1;
      return { kind: "summarised", text: "SUMMED UP" } as const;
    };
    return openAgent({
      ...{ manager: this.manager, workspace, model: seen, summariser, newId },
      ...{ mode: "yolo", now: Date.now },
    });
  }

  async turn(text: string, ...script: readonly ScriptedAnswer[]) {
    return this.open(script).turn({ text });
  }

  /** A line of the person; where it asks back, the first way to go on is taken. */
  async line(text: string, agent = this.open()) {
    const { manager } = this;
    const result = await runCommand(text, { agent, manager, workspace });
    if (result?.kind !== "question") return result;
    return runCommand(result.choices[0]?.line ?? "", { agent, manager, workspace });
  }

  /** A task of this outcome; without one, a task that is not there. */
  task(wanted: string): string {
    const { tasks, sessionId } = this.manager.context;
    const inner = [...tasks.values()].filter(({ id }) => id !== sessionId);
    return inner.find(({ outcome }) => outcome === wanted)?.id ?? "no-such-task";
  }

  /** The last node of a kind on the path; the root where there is none. */
  node(kind: string): string {
    const { nodes, currentNodeId, rootNode } = this.manager.context;
    let node = nodes.get(currentNodeId);
    while (node !== undefined && node.payload.kind !== kind) node = nodes.get(node.parentId ?? "");
    return (node ?? rootNode).id;
  }
}

const call = (name: string, args: JsonObject = {}) => ({ name, args });
const look = call("read_file", { file_path: "a.ts" });
const edit = (content: string) => call("write_file", { file_path: "b.ts", content, overwrite: true });
const done: ScriptedAnswer = { text: "Done." };

const places: Readonly<Record<string, (walk: Walk) => Promise<unknown>>> = {
  "at the beginning": async () => undefined,
  "on the main branch": async (walk) => {
    await walk.turn("FIRST", { text: "I look.", calls: [look] }, done);
    await walk.turn("SECOND", { calls: [edit("two\n")] }, done);
  },
  "in a task": async (walk) => {
    await walk.turn("FIRST", { calls: [look] }, done);
    await walk.line("/task start one");
    await walk.turn("SECOND", { calls: [edit("two\n")] }, done);
  },
  "in a task that nothing was said in": async (walk) => {
    await walk.turn("FIRST", done);
    await walk.line("/task start one --goal all");
  },
  "in a task that sees nothing": async (walk) => {
    await walk.turn("FIRST", done);
    await walk.line("/task start one --clear");
    await walk.turn("SECOND", done);
  },
  "in a task that sees a summary": async (walk) => {
    await walk.turn("FIRST", done);
    await walk.line("/task start one --compress");
  },
  "in a nested task": async (walk) => {
    await walk.turn("FIRST", done);
    await walk.line("/task start one");
    await walk.turn("SECOND", done);
    await walk.line("/task start two --clear");
    await walk.turn("THIRD", { calls: [look] }, done);
  },
  "in a task that the model started": (walk) =>
    walk.turn("FIRST", { calls: [call("task_start", { name: "own" })] }, { calls: [look] }, done),
  "in a task that the model started in one": async (walk) => {
    await walk.line("/task start one");
    await walk.turn("FIRST", { calls: [call("task_start", { name: "clear", context: "clear" })] }, done);
  },
  "after a merge": async (walk) => {
    await walk.turn(
      "FIRST",
      { calls: [call("task_start", { name: "own" })] },
      { calls: [edit("two\n")] },
      done,
    );
    await walk.turn("SECOND", { calls: [call("task_complete", { summary: "all" })] }, done);
  },
  "after a merge by the person": async (walk) => {
    await walk.line("/task start one");
    await walk.turn("FIRST", done);
    await walk.line("/task complete all");
  },
  "after a pause and a cancel": async (walk) => {
    await walk.line("/task start one");
    await walk.turn("FIRST", { calls: [edit("two\n")] }, done);
    await walk.line("/task pop");
    await walk.line("/task start two");
    await walk.turn("SECOND", done);
    await walk.line("/task cancel");
  },
  "after a way back": async (walk) => {
    await walk.turn("FIRST", { calls: [edit("two\n")] }, done);
    await walk.turn("SECOND", { text: "No.", calls: [call("rewind")] }, done);
    await walk.line("/history rewind");
  },
  "after a turn that was stopped": async (walk) => {
    const ending = new AbortController();
    const agent = walk.open([{ calls: [look, call("task_list"), look] }]);
    const onEvent = ({ kind }: { readonly kind: string }) =>
      kind === "call_ended" ? ending.abort() : undefined;
    await agent.turn({ text: "FIRST" }, { signal: ending.signal, onEvent });
  },
  "after a compaction": async (walk) => {
    await walk.turn("FIRST", { calls: [look] }, done);
    const keepFromId = null;
    walk.manager.addSummary({ kind: "summary", of: "compaction", text: "SHORT", keepFromId });
  },
  // In the next three the process was killed: the journal ends there, and the program starts again.
  "after a kill before an answer": async ({ manager }) => manager.commitStagedItems("FIRST"),
  "after a kill in a call": async ({ manager }) => {
    manager.commitStagedItems("FIRST");
    const parts = [{ kind: "tool_call", callId: "c", ...call("run", {}) }] as const;
    manager.addAnswer({ step: "s", parts });
  },
  "after a kill in a call of a task": async ({ manager }) => {
    manager.startTask({ name: "one" });
    manager.commitStagedItems("FIRST");
    const parts = [{ kind: "tool_call", callId: "c", ...call("run", {}) }] as const;
    manager.addAnswer({ step: "s", parts });
  },
};

/** A command as the person types it and as the model calls it. */
interface Asked {
  readonly line: string;
  readonly name: string;
  readonly args?: JsonObject;
}

const restoring = { files: "restore", conflicts: "leave" };

const commands: readonly ((walk: Walk) => Asked)[] = [
  () => ({ line: "/task start x", name: "task_start", args: { name: "x" } }),
  () => ({ line: "/task start x --clear", name: "task_start", args: { name: "x", context: "clear" } }),
  () => ({
    line: "/task start --clear --goal G",
    name: "task_start",
    args: { context: "clear", goal: "GOAL" },
  }),
  () => ({ line: "/task start x --compress", name: "task_start", args: { name: "x", context: "compress" } }),
  () => ({
    line: "/task start x --compress --summary S",
    name: "task_start",
    args: { name: "x", context: "compress", summary: "S" },
  }),
  () => ({ line: "/task complete", name: "task_complete" }),
  () => ({ line: "/task complete all", name: "task_complete", args: { summary: "all" } }),
  () => ({
    line: "/task complete --files restore --conflicts leave",
    name: "task_complete",
    args: restoring,
  }),
  () => ({ line: "/task complete --files preview", name: "task_complete", args: { files: "preview" } }),
  () => ({ line: "/task cancel", name: "task_cancel" }),
  () => ({ line: "/task cancel --files restore --conflicts leave", name: "task_cancel", args: restoring }),
  () => ({ line: "/task pop", name: "task_pop" }),
  ...["open", "cancelled", "complete"].map((outcome) => (walk: Walk) => {
    const task = walk.task(outcome);
    return { line: `/task resume ${task} --files keep`, name: "task_resume", args: { task_id: task } };
  }),
  () => ({ line: "/task restart hint", name: "task_restart", args: { hint: "hint" } }),
  (walk) => {
    const task = walk.task("cancelled");
    const line = `/task restart --task ${task} --files restore --conflicts leave`;
    return { line, name: "task_restart", args: { task_id: task, ...restoring } };
  },
  () => ({ line: "/task list", name: "task_list" }),
  () => ({ line: "/file track a.ts", name: "track_file", args: { file_path: "a.ts" } }),
  () => ({ line: "/file untrack a.ts", name: "untrack_file", args: { file_path: "a.ts" } }),
  () => ({ line: "/file list", name: "list_tracked_files" }),
  () => ({ line: "/history view", name: "history_view" }),
  () => ({ line: "/history rewind", name: "rewind" }),
  () => ({ line: "/history rewind --files restore --conflicts leave", name: "rewind", args: restoring }),
  ...["task_boundary", "user_message", "model_message", "tool_call", "tool_result"].map(
    (kind) => (walk: Walk) => {
      const turn = walk.node(kind);
      return { line: `/history rewind ${turn} --files keep`, name: "rewind", args: { turn_id: turn } };
    },
  ),
  () => ({ line: "/history restore --conflicts leave", name: "restore_files", args: { conflicts: "leave" } }),
  () => ({ line: "/history summarize_branch", name: "summarize_branch" }),
  (walk) => {
    const task = walk.task("complete");
    return {
      line: `/history expand_task ${task}`,
      name: "expand_task_summary",
      args: { task_id: task },
    };
  },
];

/** What each of the four APIs would find wrong with a request of this prompt. */
function flawsOf(contents: readonly Content[]): readonly unknown[] {
  const options = { request: true };
  return [
    ...providers.flatMap((provider) => checkContents(contents, provider)),
    ...checkAnthropic(toAnthropic(contents).body, options),
    ...checkOpenAI(toOpenAI(contents).body, options),
    ...checkOpenAIResponses(toOpenAIResponses(contents).body, options),
    ...checkGemini(toGemini(contents, { model: "gemini-2.5-pro" }).body, {
      ...options,
      model: "gemini-2.5-pro",
    }),
  ];
}

function checkSent({ sent }: Walk, ...wanted: readonly string[]): void {
  expect(sent.flatMap(flawsOf)).toEqual([]);
  const text = JSON.stringify(sent.at(-1));
  expect(
    wanted.some((words) => text.includes(words)),
    text,
  ).toBe(true);
}

describe.each(Object.entries(places))("%s", (_, place) => {
  it("the person's commands work, or are refused before they cost anything", async () => {
    for (const made of commands) {
      const walk = new Walk();
      await place(walk);
      const { line } = made(walk);
      walk.paid = 0;
      const result = await walk.line(line);
      const isDone = result?.kind === "told";
      expect(isDone || result?.kind === "refused", `${line}: ${JSON.stringify(result)}`).toBe(true);
      if (line.startsWith("/task start")) expect(result, line).toMatchObject({ kind: "told" });
      // No call waits where the person is asked: but at the node of a call they cannot go on.
      if (result?.kind === "refused")
        expect(result.message, line).not.toMatch(/waiting|waits|internal_error/);
      expect(walk.paid, line).toBeLessThanOrEqual(isDone ? 1 : 0);
      expect((await walk.turn("NEXT WORDS", done)).reason, line).toBe("complete");
      checkSent(walk, "NEXT WORDS");
    }
  });

  it("the model's calls work, or are refused before they cost anything, and the person's words stay", async () => {
    for (const made of commands) {
      const walk = new Walk();
      await place(walk);
      const { name, args = {} } = made(walk);
      const called = `${name} ${JSON.stringify(args)}`;
      walk.paid = 0;
      const events: string[] = [];
      const agent = walk.open([{ text: "BECAUSE", calls: [call(name, args)] }, done]);
      const end = await agent.turn(
        { text: "NEXT WORDS" },
        { onEvent: (event) => event.kind === "call_ended" && events.push(event.call.code) },
      );
      expect(end, called).toMatchObject({ reason: "complete", steps: 2 });
      expect(events, called).toEqual([
        name === "task_start" ? "ok" : expect.not.stringMatching("internal_error"),
      ]);
      expect(walk.paid, called).toBeLessThanOrEqual(events[0] === "ok" ? 1 : 0);
      // Where a task sees nothing, its goal stands for them.
      checkSent(walk, "NEXT WORDS", "Goal: GOAL");
      expect((await walk.turn("LAST WORDS", done)).reason, called).toBe("complete");
      checkSent(walk, "LAST WORDS");
    }
  });
});
