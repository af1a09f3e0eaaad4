import { checkContents, providers, renderContext } from "@holdfast/core/context";
import { describe, expect, it } from "vitest";
import { Hooks } from "../../src/loop/hooks.js";
import type { AgentEvent } from "../../src/loop/turn.js";
import { type ScriptedAnswer, scriptedModel } from "../../src/models/scripted.js";
import { openStage, type Stage } from "./stage.js";

const read = { calls: [{ name: "read_file", args: { file_path: "a.ts" } }] };
const edit = (from: string, to: string) => ({
  calls: [
    {
      name: "edit_file",
      args: {
        file_path: "a.ts",
        base_content_sha256: "{{sha256:a.ts}}",
        edits: [{ old_string: from, new_string: to }],
      },
    },
  ],
});
const complete = (summary: string) => ({ calls: [{ name: "task_complete", args: { summary } }] });
const text = "one\n2\n3\n4\n5\n6\n7\n8\nnine\n";

/** Each script is a sub-agent's; no script gives its second answer before all that work at once gave the first. */
async function staged(scripts: readonly (readonly ScriptedAnswer[])[], most = 4, hooks?: Hooks) {
  const atWork = { now: 0, most: 0 };
  let arrived = 0;
  let open = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  const portOf = (name: string) => {
    const script = scriptedModel(scripts[Number(name.slice("scripted/".length))] ?? []);
    let asked = 0;
    return {
      ...script,
      async *ask(...args: Parameters<typeof script.ask>) {
        asked += 1;
        if (asked === 1) {
          atWork.now += 1;
          atWork.most = Math.max(atWork.most, atWork.now);
          arrived += 1;
          if (arrived >= Math.min(most, scripts.length)) open();
          await all;
        }
        if (asked === scripts[0]?.length) atWork.now -= 1;
        yield* script.ask(...args);
      },
    };
  };
  const names = scripts.map((_, at) => `scripted/${at}`);
  const calls = names.map((model, at) => ({
    name: "task_start",
    args: { name: `Task ${at}`, goal: "Do it.", agent: { model } },
  }));
  const main = [{ calls: [...calls, ...read.calls] }, { text: "Done." }, { text: "Next." }];
  const subAgents = { models: names, open: (name: string) => ({ port: portOf(name) }), maxAtOnce: most };
  const parts = { subAgents, ...(hooks === undefined ? {} : { hooks }) };
  const stage = await openStage(main, parts, { "a.ts": text }, { onMismatch: "rebase" });
  return { stage, atWork, subAgents };
}

function isSound({ manager }: Stage): boolean {
  const { contents } = renderContext(manager.context);
  return providers.every((provider) => checkContents(contents, provider).length === 0);
}

const summaries = ({ manager }: Stage) =>
  [...manager.context.nodes.values()]
    .sort((a, b) => a.order - b.order)
    .flatMap(({ payload }) => (payload.kind === "task_summary" ? [payload.summary] : []));
const codes = ({ events }: Stage) =>
  events.flatMap((one) =>
    one.kind === "sub_agent" && one.event.kind === "call_ended" && one.event.call.name === "edit_file"
      ? [one.event.call.code]
      : [],
  );

describe("sub-agents of one answer", () => {
  it("work at the same time, beside a read; edits of lines apart both land, results keep the calls' order", async () => {
    const scripts = [
      [read, edit("one", "ONE"), complete("First.")],
      [read, edit("nine", "NINE"), complete("Second.")],
    ];
    const { stage, atWork } = await staged(scripts);
    expect(await stage.turn("Go.")).toMatchObject({ reason: "complete", steps: 8, undone: [] });
    expect(atWork.most).toBe(2);
    expect(stage.read("a.ts")).toBe(text.replace("one", "ONE").replace("nine", "NINE"));
    expect(summaries(stage)).toEqual(["First.", "Second."]);
    expect(isSound(stage)).toBe(true);
  });

  it("lose no write to the same line: the second one is refused", async () => {
    const scripts = ["A", "B"].map((to) => [read, edit("one", to), complete(to)]);
    const { stage } = await staged(scripts);
    await stage.turn("Go.");
    expect(codes(stage).filter((code) => code === "applied")).toHaveLength(1);
    expect(codes(stage)).toHaveLength(2);
    expect(["A", "B"]).toContain(stage.read("a.ts").split("\n")[0]);
  });

  it("are at most so many at once", async () => {
    const scripts = Array.from({ length: 8 }, (_, at) => [read, complete(`Number ${at}.`)]);
    const { stage, atWork } = await staged(scripts, 3);
    expect(await stage.turn("Go.")).toMatchObject({ reason: "complete" });
    expect(atWork.most).toBeLessThanOrEqual(3);
    expect(summaries(stage)).toEqual(scripts.map((_, at) => `Number ${at}.`));
    expect(isSound(stage)).toBe(true);
  });

  it("are no more where the end of one that waited is refused: it waits for a place to go on", async () => {
    const refused = { calls: [{ name: "task_complete", args: { summary: "a", files: "nothing" } }] };
    const scripts = [
      [refused, read, complete("First.")],
      [read, read, complete("Second.")],
    ];
    const { stage } = await staged(scripts, 1);
    const steps: string[] = [];
    const onEvent = (event: AgentEvent) => {
      if (event.kind === "sub_agent" && event.event.kind === "step_begun") steps.push(event.taskId);
    };
    expect((await stage.agent.turn({ text: "Go." }, { onEvent })).reason).toBe("complete");
    const [first, second] = new Set(steps);
    expect(steps).toEqual([first, second, second, second, first, first]);
    expect(summaries(stage)).toEqual(["First.", "Second."]);
  });

  it("leave the person's head where it is, all end when cancelled, and the next run goes on", async () => {
    const { stage, subAgents } = await staged([0, 1].map(() => [read, read, complete("Late.")]));
    const ending = new AbortController();
    const { manager } = stage;
    const main = manager.context.sessionId;
    let working = 0;
    const end = await stage.agent.turn(
      { text: "Go." },
      {
        signal: ending.signal,
        onEvent: (event) => {
          if (event.kind !== "sub_agent") return;
          working += 1;
          expect(manager.getCurrentNode().taskId).toBe(main);
          if (event.event.kind === "call_ended") ending.abort();
        },
      },
    );
    expect(end.reason).toBe("cancelled");
    expect(working).toBeGreaterThan(0);
    expect([...manager.context.tasks.values()].filter(({ outcome }) => outcome === "open")).toHaveLength(1);
    const again = await stage.resume([{ text: "Next." }], { subAgents });
    expect(again.manager.context.currentNodeId).toBe(manager.context.currentNodeId);
    expect((await again.turn("Go on.")).reason).toBe("complete");
    expect(isSound(again)).toBe(true);
  });
});

describe("what changes files beside the tools of a sub-agent", () => {
  it("is told where the sub-agent stands, not where the person does", async () => {
    const formatted = "// formatted\n";
    const scripts = [
      [edit("one", "uno"), edit("uno", "un"), complete("First.")],
      [read, read, complete("Second.")],
    ];
    let stage: Stage | undefined;
    const hooks = new Hooks({
      get workspace() {
        if (stage === undefined) throw new Error("there is no stage yet");
        return stage.workspace;
      },
      conversation: { session: { id: "s" } },
      hooks: { afterTool: [{ tool: "edit_file", command: "format" }] },
      run: async () => {
        const here = stage?.read("a.ts") ?? "";
        if (!here.startsWith(formatted)) stage?.write("a.ts", formatted + here);
        return { exitCode: 0, output: "" };
      },
    });
    ({ stage } = await staged(scripts, 4, hooks));
    const main = stage.manager.context.currentNodeId;
    await stage.turn("Let them work.");
    expect(codes(stage)).toEqual(["applied", "applied"]);
    expect(stage.read("a.ts")).toMatch(/^\/\/ formatted\nun\n/);
    const told = [...stage.manager.context.nodes.values()].filter(
      ({ payload }) => payload.kind === "file_content" && payload.text.startsWith(formatted),
    );
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter(({ taskId }) => taskId === main)).toEqual([]);
    expect(isSound(stage)).toBe(true);
  });
});
