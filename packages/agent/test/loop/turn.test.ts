import {
  checkContents,
  type ModelEvent,
  type ModelPort,
  providers,
  renderContext,
} from "@holdfast/core/context";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import { CostMeter } from "../../src/models/cost-meter.js";
import { type ScriptedAnswer, scriptedModel } from "../../src/models/scripted.js";
import { openStage, type Stage } from "./stage.js";

const opened: Stage[] = [];
afterEach(async () => {
  for (const stage of opened.splice(0)) await stage.close();
});

async function staged(
  answers: readonly ScriptedAnswer[],
  parts: Partial<AgentParts> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const stage = await openStage(answers, parts, files);
  opened.push(stage);
  return stage;
}

const read = (path: string) => ({ name: "read_file", args: { file_path: path } });
const edit = (path: string, from: string, to: string) => ({
  name: "edit_file",
  args: {
    file_path: path,
    base_content_sha256: `{{sha256:${path}}}`,
    edits: [{ old_string: from, new_string: to }],
  },
});

/** A model whose prices are known: a thousandth of a dollar for a token in. */
const priced = (answers: readonly ScriptedAnswer[], perToken = 0.001): ModelPort => ({
  ...scriptedModel(answers),
  costOf: ({ inputTokens = 0 }) => inputTokens * perToken,
});

describe("a turn", () => {
  it("reads, changes, and ends when the model has nothing more to do", async () => {
    const answers = [
      { thought: "Look first.", calls: [read("a.ts")] },
      { calls: [edit("a.ts", "one", "two")], usage: { inputTokens: 10, outputTokens: 2 } },
      { text: "Done.", usage: { inputTokens: 12, outputTokens: 1 } },
    ];
    const stage = await staged([], { model: priced(answers) }, { "a.ts": "const one = 1;\n" });
    const end = await stage.turn("Call it two.");
    expect(end).toEqual({
      reason: "complete",
      steps: 3,
      usage: { inputTokens: 22, outputTokens: 3 },
      costUsd: 0.022,
      undone: [],
    });
    expect(stage.read("a.ts")).toBe("const two = 1;\n");
    expect(stage.events.map(({ kind }) => kind)).toEqual([
      "turn_begun",
      ...["step_begun", "model", "model", "answered", "call_begun", "call_ended"],
      ...["step_begun", "model", "answered", "call_begun", "call_ended"],
      ...["step_begun", "model", "answered"],
      "turn_ended",
    ]);
  });

  it("makes five parallel changes of one file with one hash in one step", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const text = names.map((name) => `const ${name} = 1;\n// between\n// between\n`).join("");
    const stage = await staged(
      [
        { calls: [read("f.ts")] },
        { calls: names.map((name) => edit("f.ts", `const ${name} = 1`, `const ${name} = 2`)) },
        { text: "Done." },
      ],
      {},
      { "f.ts": text },
    );
    expect(await stage.turn("All two.")).toMatchObject({ reason: "complete", steps: 3, undone: [] });
    expect(stage.read("f.ts")).toBe(text.replaceAll("= 1", "= 2"));
  });

  it("keeps an answer before it carries it out, so that a kill leaves no unrecorded work", async () => {
    const stage = await staged([{ calls: [read("a.ts")] }, { text: "Seen." }], {}, { "a.ts": "x\n" });
    await stage.turn("Look.");
    const again = await stage.resume([{ text: "Still here.", expects: ["x\n", "Seen."] }]);
    opened[opened.indexOf(stage)] = again;
    expect(await again.turn("And?")).toMatchObject({ reason: "complete" });
  });

  it("ends as cancelled at any event, and the next turn works", async () => {
    const script: readonly ScriptedAnswer[] = [
      { text: "I look.", calls: [read("a.ts"), read("b.ts")] },
      { calls: [edit("a.ts", "one", "two"), edit("b.ts", "one", "two")] },
      { text: "Done." },
    ];
    const files = { "a.ts": "one\n", "b.ts": "one\n" };
    const whole = await staged(script, {}, files);
    await whole.turn("Go.");
    for (let at = 0; at < whole.events.length - 1; at += 1) {
      const ending = new AbortController();
      const stage = await staged([...script, ...Array(3).fill({ text: "Next." })], {}, files);
      let seen = 0;
      const end = await stage.agent.turn(
        { text: "Go." },
        {
          signal: ending.signal,
          onEvent: () => {
            if (seen === at) ending.abort();
            seen += 1;
          },
        },
      );
      expect(["cancelled", "complete"], `at event ${at}`).toContain(end.reason);
      const contents = renderContext(stage.manager.context).contents;
      const flaws = providers.flatMap((provider) => checkContents(contents, provider));
      expect(flaws, `at event ${at}`).toEqual([]);
      const states = ["a.ts", "b.ts"].map((name) => stage.read(name));
      for (const state of states) expect(["one\n", "two\n"]).toContain(state);
      const next = await stage.turn("Go on.");
      expect(["complete"], `after event ${at}`).toContain(next.reason);
    }
  });

  it("tells the model of a call that fails in the same way twice, and ends after five", async () => {
    const wrong = { name: "read_file", args: { file_path: "none.ts" } };
    const stage = await staged(Array(9).fill({ calls: [wrong] }));
    const end = await stage.turn("Read it.");
    expect(end).toMatchObject({ reason: "repeating", steps: 5 });
    const notes = [...stage.manager.context.nodes.values()].filter(({ payload }) => payload.kind === "note");
    expect(notes).toHaveLength(3);
  });

  it("has half a call made again, and ends after three in a row", async () => {
    const flaw = {
      what: "cut_call",
      message: "A call of write_file breaks off; it is not made.",
      text: "{",
    } as const;
    /** A model whose first answers break off within a call, as an adapter hands them on. */
    const breaking = (answers: number, then: readonly ScriptedAnswer[]): ModelPort => {
      const whole = scriptedModel(then);
      let left = answers;
      return {
        target: whole.target,
        ask: (step, signal) => {
          left -= 1;
          if (left < 0) return whole.ask(step, signal);
          const answer = {
            from: whole.target,
            step: step.step,
            parts: [],
            ended: "length",
            flaws: [flaw],
          } as const;
          return (async function* (): AsyncGenerator<ModelEvent> {
            yield { kind: "finish", answer };
          })();
        },
      };
    };
    const mended = [{ expects: ["make the call again, whole"], text: "Again." }];
    const one = await staged([], { model: breaking(1, mended) });
    expect(await one.turn("Write.")).toMatchObject({ reason: "complete", steps: 2 });
    const many = await staged([], { model: breaking(9, []) });
    expect(await many.turn("Write.")).toMatchObject({ reason: "incomplete", steps: 3 });
  });

  it("ends at the limit of requests and of money", async () => {
    const call = { calls: [read("a.ts")], usage: { inputTokens: 1_000 } };
    const files = { "a.ts": "x\n" };
    const bySteps = await staged(Array(9).fill(call), { limits: { maxSteps: 3 } }, files);
    expect(await bySteps.turn("Go.")).toMatchObject({ reason: "max_turns", steps: 3 });
    const byCost = await staged([], { limits: { maxCostUsd: 2 }, model: priced(Array(9).fill(call)) }, files);
    expect(await byCost.turn("Go.")).toMatchObject({ reason: "max_cost", steps: 2, costUsd: 2 });
  });

  it("hears a timer and a person between requests, also of a model that answers at once", async () => {
    const calls = Array.from({ length: 500 }, (_, at) => ({ calls: [read(`missing-${at}.ts`)] }));
    const ending = new AbortController();
    const played = scriptedModel(calls);
    let asked = 0;
    const model: ModelPort = {
      ...played,
      ask: (step, signal) => {
        asked += 1;
        if (asked === 1) setTimeout(() => ending.abort(), 0);
        return played.ask(step, signal);
      },
    };
    const stage = await staged([], { model, limits: { maxSteps: 400 } });
    expect(await stage.turn("Go.", ending.signal)).toMatchObject({ reason: "cancelled" });
  });

  const half = (times: number) => Array(times).fill({ text: "Yes.", usage: { inputTokens: 500 } });

  it("takes the limit of money for all turns of a run, not for each", async () => {
    const stage = await staged([], { limits: { maxCostUsd: 0.6 }, model: priced(half(9)) });
    expect(await stage.turn("One.")).toMatchObject({ reason: "complete", costUsd: 0.5 });
    expect(await stage.turn("Two.")).toMatchObject({ reason: "complete", costUsd: 0.5 });
    expect(await stage.turn("Three.")).toMatchObject({ reason: "max_cost", steps: 0, costUsd: 0 });
  });

  it("takes the limit of money for all agents that share a meter, and for what else was added to it", async () => {
    const meter = new CostMeter();
    const parts = () => ({ meter, limits: { maxCostUsd: 0.6 }, model: priced(half(1)) });
    const one = await staged([], parts());
    expect(await one.turn("One.")).toMatchObject({ reason: "complete", costUsd: 0.5 });
    meter.add(priced([]), { inputTokens: 100 });
    const other = await staged([], parts());
    expect(await other.turn("One.")).toMatchObject({ reason: "max_cost", steps: 0 });
  });

  it("counts by the prices of the model that answered, also after a change of it", async () => {
    const stage = await staged([], { limits: { maxCostUsd: 3 }, model: priced(half(1)) });
    await stage.turn("One.");
    stage.agent.switchModel(priced(half(2), 0.01));
    expect(await stage.turn("Two.")).toMatchObject({ reason: "complete", costUsd: 5 });
    expect(await stage.turn("Three.")).toMatchObject({ reason: "max_cost" });
    const unpriced = await staged([], { model: priced(half(1)) });
    unpriced.agent.switchModel(scriptedModel(half(1)));
    expect(await unpriced.turn("One.")).not.toHaveProperty("costUsd");
  });

  it("says why the model gave no answer", async () => {
    const stage = await staged([{ fails: "auth" }, { text: "" }]);
    expect(await stage.turn("Go.")).toMatchObject({ reason: "failed", failure: { reason: "auth" } });
    expect(await stage.turn("Go.")).toMatchObject({ reason: "complete" });
  });

  it("shows a tracked file again when somebody else has changed it", async () => {
    const stage = await staged(
      [
        { calls: [{ name: "track_file", args: { file_path: "a.ts" } }] },
        { text: "Tracked." },
        { text: "I see.", expects: ["changed by hand"] },
      ],
      {},
      { "a.ts": "first\n" },
    );
    await stage.turn("Keep an eye on it.");
    stage.write("a.ts", "changed by hand\n");
    expect(await stage.turn("And now?")).toMatchObject({ reason: "complete" });
  });
});
