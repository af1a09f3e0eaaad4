import { checkContents, providers, renderContext } from "@holdfast/core/context";
import { describe, expect, it } from "vitest";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import type { SubAgentModel, SubAgents } from "../../src/loop/sub-agents.js";
import type { AgentEvent } from "../../src/loop/turn.js";
import { type ScriptedAnswer, scriptedModel } from "../../src/models/scripted.js";
import { momentsOf, openStage, type Stage } from "./stage.js";

const read = { name: "read_file", args: { file_path: "a.ts" } };
const edit = {
  name: "edit_file",
  args: {
    file_path: "a.ts",
    base_content_sha256: "{{sha256:a.ts}}",
    edits: [{ old_string: "one", new_string: "two" }],
  },
};
const start = (agent: object, more = {}) => ({
  calls: [
    { name: "task_start", args: { name: "Rename", goal: "Call it two.", ...more, agent: { ...agent } } },
  ],
});
const complete = { calls: [{ name: "task_complete", args: { summary: "It is called two now." } }] };

async function staged(
  main: readonly ScriptedAnswer[],
  sub: readonly ScriptedAnswer[],
  parts: Partial<AgentParts> = {},
  more: Partial<SubAgents> = {},
): Promise<Stage> {
  const costOf = ({ inputTokens = 0 }) => inputTokens;
  const small = { ...scriptedModel(sub, { model: "small" }), costOf };
  const subAgents: SubAgents = {
    models: ["scripted/small"],
    open: () => ({ port: small }),
    ...more,
  };
  const stage = await openStage(main, { subAgents, ...parts }, { "a.ts": "const one = 1;\n" });
  return stage;
}

const inner = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.kind === "sub_agent" ? [event.event] : []));
const named = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.kind === "call_ended" ? [`${event.call.name} ${event.call.code}`] : []));
const small = { model: "scripted/small" };

function isSound({ manager }: Stage): boolean {
  const { contents } = renderContext(manager.context);
  return providers.every((provider) => checkContents(contents, provider).length === 0);
}

describe("a sub-agent", () => {
  it("works on the task with a model of its own, and is merged by its summary", async () => {
    const main = [
      start(small),
      { text: "Done.", expects: ["It is called two now."], usage: { inputTokens: 5 } },
    ];
    const stage = await staged(
      [],
      [
        { calls: [read], usage: { inputTokens: 1 } },
        { calls: [edit], usage: { inputTokens: 2 } },
        { ...complete, usage: { inputTokens: 4 }, expects: ["Call it two.", "as a sub-agent"] },
      ],
      { model: { ...scriptedModel(main), costOf: ({ inputTokens = 0 }) => inputTokens / 10 } },
    );
    const end = await stage.turn("Let somebody rename it.");
    expect(end).toMatchObject({ reason: "complete", steps: 5, usage: { inputTokens: 12 }, costUsd: 7.5 });
    expect(stage.read("a.ts")).toBe("const two = 1;\n");
    const nested = inner(stage.events);
    expect(named(nested)).toEqual(["read_file ok", "edit_file applied", "task_complete ok"]);
    expect(named(stage.events)).toEqual(["task_start ok"]);
    expect(nested.at(-1)).toMatchObject({ kind: "turn_ended", end: { reason: "complete", steps: 3 } });
    const [task] = [...stage.manager.context.tasks.keys()].filter(
      (id) => id !== stage.manager.context.sessionId,
    );
    expect(
      stage.events
        .filter(({ kind }) => kind === "sub_agent")
        .every((one) => "taskId" in one && one.taskId === task),
    ).toBe(true);
    expect(isSound(stage)).toBe(true);
  });

  it("has only the tools that were named, and is told of what it has not", async () => {
    const stage = await staged(
      [start({ ...small, tools: ["read_file"] }), { text: "Seen.", expects: ["Nothing done."] }],
      [{ calls: [read] }, { calls: [edit] }, { text: "Nothing done." }],
    );
    expect(await stage.turn("Go.")).toMatchObject({ reason: "complete", steps: 5 });
    expect(named(inner(stage.events))).toEqual(["read_file ok", "edit_file invalid_arguments"]);
    expect(stage.read("a.ts")).toBe("const one = 1;\n");
  });

  it("is begun, and ends, by the one tool of the conversation, of which it has that alone", async () => {
    const args = {
      action: "task start",
      name: "Look",
      goal: "Read it.",
      agent: { ...small, tools: ["read_file"] },
    };
    const by = (action: string, more = {}) => ({
      calls: [{ name: "conversation", args: { action, ...more } }],
    });
    const stage = await staged(
      [{ calls: [{ name: "conversation", args }] }, { text: "Seen.", expects: ["It says one."] }],
      [{ calls: [read] }, by("task pop"), by("task list"), by("task complete", { summary: "It says one." })],
    );
    const one = stage.agent.tools.offered.find(({ name }) => name === "conversation");
    expect(one?.inputSchema.properties).toHaveProperty("agent");
    expect(await stage.turn("Go.")).toMatchObject({ reason: "complete", steps: 6 });
    const no = "invalid_arguments";
    const nested = ["read_file ok", `task_pop ${no}`, `task_list ${no}`, "task_complete ok"];
    expect(named(inner(stage.events))).toEqual(nested);
    expect(named(stage.events)).toEqual(["task_start ok"]);
    expect(isSound(stage)).toBe(true);
  });

  it.each(["task_pop", "task_restart", "rewind"])("cannot leave its task by %s", async (name) => {
    const stage = await staged(
      [start(small), { text: "Done." }],
      [{ calls: [{ name, args: {} }] }, complete],
    );
    expect((await stage.turn("Let somebody do it.")).reason).toBe("complete");
    expect(named(inner(stage.events))).toEqual([
      expect.stringMatching(`^${name} (?!ok)`),
      "task_complete ok",
    ]);
  });

  it("is the model that asks, where it names none", async () => {
    const stage = await staged(
      [start({}), complete, { text: "Done.", expects: ["It is called two now."] }],
      [],
    );
    expect(await stage.turn("Go.")).toMatchObject({ reason: "complete", steps: 3 });
  });

  it("asks for approval as the turn does, and what it leaves undone is left undone", async () => {
    const stage = await staged(
      [start(small), { text: "Well." }],
      [{ calls: [read] }, { calls: [edit] }, complete],
      {
        mode: "ask",
      },
    );
    expect(await stage.turn("Go.")).toMatchObject({
      reason: "complete",
      undone: [{ name: "edit_file", code: "denied" }],
    });
    expect(stage.read("a.ts")).toBe("const one = 1;\n");
  });

  it.each([
    ["its limit of steps", start({ ...small, max_steps: 2 }), Array(9).fill({ calls: [read] }), "limit of 2"],
    ["a failure of its model", start(small), [{ calls: [read] }, { fails: "overloaded" }], "overloaded"],
    ["a model that says nothing", start(small), [{ text: "" }], "without a result"],
    ["giving up", start(small), [{ calls: [{ name: "task_cancel", args: {} }] }], "without a result"],
    [
      "its limit within a task of its own",
      start({ ...small, max_steps: 1 }),
      [{ calls: [{ name: "task_start", args: { name: "Inner" } }] }],
      "limit of 1",
    ],
  ] as const)("ends with %s as a task that was given up", async (_, begun, sub, says) => {
    const stage = await staged([begun, { text: "I see.", expects: ["ended without a result", says] }], sub);
    expect(await stage.turn("Go.")).toMatchObject({ reason: "complete" });
    const { context } = stage.manager;
    const task = [...context.tasks.values()].find(
      ({ id }) => id !== context.sessionId && context.nodes.get(id)?.payload.kind === "task_boundary",
    );
    expect(task?.outcome).toBe("cancelled");
    expect(isSound(stage)).toBe(true);
  });

  it("ends with the turn that is cancelled, at an event of each kind, and the next turn works", async () => {
    const main: readonly ScriptedAnswer[] = [
      start(small),
      { text: "Done." },
      { text: "Next." },
      { text: "Next." },
    ];
    const sub: readonly ScriptedAnswer[] = [{ calls: [read] }, { calls: [edit] }, complete];
    const whole = await staged(main, sub);
    await whole.turn("Go.");
    for (const at of momentsOf(whole.events).filter((moment) => moment > 1)) {
      const ending = new AbortController();
      const stage = await staged(main, sub);
      let seen = 0;
      const onEvent = () => {
        if (seen === at) ending.abort();
        seen += 1;
      };
      const end = await stage.agent.turn({ text: "Go." }, { signal: ending.signal, onEvent });
      expect(["cancelled", "complete"], `at event ${at}`).toContain(end.reason);
      const boundary = stage.manager.getCurrentNode();
      expect(stage.manager.context.tasks.get(boundary.taskId)?.outcome, `at event ${at}`).toBe("open");
      expect(boundary.taskId, `at event ${at}`).toBe(stage.manager.context.rootNode.id);
      expect(isSound(stage), `at event ${at}`).toBe(true);
      expect((await stage.turn("Go on.")).reason, `after event ${at}`).toBe("complete");
    }
  });

  it("is refused with a wrong argument of its task, and nothing was begun", async () => {
    const says = ["must be one of clone, clear, compress", "Nothing was done."];
    const stage = await staged([start(small, { context: "all" }), { text: "I see.", expects: says }], []);
    expect(await stage.turn("Go.")).toMatchObject({ reason: "complete", steps: 2 });
    expect(named(stage.events)).toEqual(["task_start invalid_arguments"]);
  });

  it.each([
    ["another model", { model: "scripted/large" }, {}, "not allowed for sub-agents. Allowed: scripted/small"],
    ["a tool that it has not", { tools: ["fly"] }, {}, 'you have no tool "fly"'],
    ["no number of steps", { max_steps: 0 }, {}, "whole number"],
    ["a depth that is not allowed", {}, { maxDepth: 0 }, "0 deep"],
    ["a model that cannot be opened", small, { open: (): string => "There is no key." }, "There is no key."],
    [
      "a price that is not known",
      small,
      { open: (): SubAgentModel => ({ port: scriptedModel([]) }) },
      "prices of scripted/small",
    ],
  ] as const)("is refused with %s, and nothing was begun", async (_, agent, more, says) => {
    const stage = await staged(
      [start(agent), { text: "I see.", expects: [says, "Nothing was done."] }],
      [],
      { limits: { maxCostUsd: 100 } },
      more,
    );
    expect(await stage.turn("Go.")).toMatchObject({ reason: "complete", steps: 2 });
    expect(named(stage.events)).toEqual(["task_start invalid_arguments"]);
    expect(
      [...stage.manager.context.nodes.values()].some(
        ({ id, payload }) => payload.kind === "task_boundary" && id !== stage.manager.context.rootNode.id,
      ),
    ).toBe(false);
  });

  it("counts for the limits of the turn", async () => {
    const stage = await staged([start(small), { text: "Done." }], Array(9).fill({ calls: [read] }), {
      limits: { maxSteps: 4 },
    });
    expect(await stage.turn("Go.")).toMatchObject({ reason: "max_turns", steps: 4 });
  });
});
