import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  checkContents,
  type ModelEvent,
  type ModelPort,
  providers,
  renderContext,
} from "@holdfast/core/context";
import { pathTo } from "@holdfast/core/conversation";
import type { JsonObject } from "@holdfast/core/conversation/values";
import { describe, expect, it } from "vitest";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import { fileCheckOf } from "../../src/loop/file-check.js";
import { CostMeter } from "../../src/models/catalog.js";
import { type ScriptedAnswer, scriptedModel } from "../../src/models/scripted.js";
import { momentsOf, openStage } from "./stage.js";

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
    const stage = await openStage([], { model: priced(answers) }, { "a.ts": "const one = 1;\n" });
    const end = await stage.turn("Call it two.");
    expect(end).toEqual({
      reason: "complete",
      text: "Done.",
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

  it("takes what is said meanwhile below the results, before the next request", async () => {
    const answers = [
      { calls: [read("a.ts")] },
      { calls: [read("b.ts")], expects: ["Use two blanks."] },
      { text: "Done." },
    ];
    const stage = await openStage(answers, {}, { "a.ts": "a\n", "b.ts": "b\n" });
    const said = ["Use two blanks."];
    const steer = async () => {
      const text = said.shift();
      return text === undefined ? undefined : { text };
    };
    expect(await stage.agent.turn({ text: "Go." }, { steer })).toMatchObject({
      reason: "complete",
      steps: 3,
    });
    const { contents } = renderContext(stage.manager.context);
    const prompt = JSON.stringify(contents);
    const places = ["Go.", "functionResponse", "Use two blanks.", "b.ts"].map((words) =>
      prompt.indexOf(words),
    );
    expect(places).toEqual(places.toSorted((one, two) => one - two));
    expect(providers.flatMap((provider) => checkContents(contents, provider))).toEqual([]);
  });

  it("makes five parallel changes of one file with one hash in one step", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const text = names.map((name) => `const ${name} = 1;\n// between\n// between\n`).join("");
    const stage = await openStage(
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
    const stage = await openStage([{ calls: [read("a.ts")] }, { text: "Seen." }], {}, { "a.ts": "x\n" });
    await stage.turn("Look.");
    const again = await stage.resume([{ text: "Still here.", expects: ["x\n", "Seen."] }]);
    expect(await again.turn("And?")).toMatchObject({ reason: "complete" });
  });

  it("ends as cancelled at an event of each kind, and the next turn works", async () => {
    const script: readonly ScriptedAnswer[] = [
      { text: "I look.", calls: [read("a.ts"), read("b.ts")] },
      { calls: [edit("a.ts", "one", "two"), edit("b.ts", "one", "two")] },
      { text: "Done." },
    ];
    const files = { "a.ts": "one\n", "b.ts": "one\n" };
    const whole = await openStage(script, {}, files);
    await whole.turn("Go.");
    for (const at of momentsOf(whole.events)) {
      const ending = new AbortController();
      const stage = await openStage([...script, ...Array(3).fill({ text: "Next." })], {}, files);
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
    const stage = await openStage(Array(9).fill({ calls: [wrong] }));
    const end = await stage.turn("Read it.");
    expect(end).toMatchObject({ reason: "repeating", steps: 5 });
    const notes = pathTo(stage.manager.context, stage.manager.context.currentNodeId).flatMap(({ payload }) =>
      payload.kind === "note" ? [payload] : [],
    );
    expect(notes.map(({ audience }) => audience)).toEqual(["model", "model", "model", "person"]);
    expect(notes.at(-1)?.text).toBe(end.message);
  });

  it("has half a call made again, and ends after four in a row", async () => {
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
    const one = await openStage([], { model: breaking(1, mended) });
    expect(await one.turn("Write.")).toMatchObject({ reason: "complete", steps: 2 });
    const many = await openStage([], { model: breaking(9, []) });
    expect(await many.turn("Write.")).toMatchObject({ reason: "incomplete", steps: 4 });
  });

  it("ends at the limit of requests and of money", async () => {
    const call = { calls: [read("a.ts")], usage: { inputTokens: 1_000 } };
    const files = { "a.ts": "x\n" };
    const bySteps = await openStage(Array(9).fill(call), { limits: { maxSteps: 3 } }, files);
    expect(await bySteps.turn("Go.")).toMatchObject({ reason: "max_turns", steps: 3 });
    const byCost = await openStage(
      [],
      { limits: { maxCostUsd: 2 }, model: priced(Array(9).fill(call)) },
      files,
    );
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
    const stage = await openStage([], { model, limits: { maxSteps: 400 } });
    expect(await stage.turn("Go.", ending.signal)).toMatchObject({ reason: "cancelled" });
  });

  const half = (times: number) => Array(times).fill({ text: "Yes.", usage: { inputTokens: 500 } });

  it("takes the limit of money for all turns of a run, not for each", async () => {
    const stage = await openStage([], { limits: { maxCostUsd: 0.6 }, model: priced(half(9)) });
    expect(await stage.turn("One.")).toMatchObject({ reason: "complete", costUsd: 0.5 });
    expect(await stage.turn("Two.")).toMatchObject({ reason: "complete", costUsd: 0.5 });
    expect(await stage.turn("Three.")).toMatchObject({ reason: "max_cost", steps: 0, costUsd: 0 });
  });

  it("takes the limit of money for all agents that share a meter, and for what else was added to it", async () => {
    const meter = new CostMeter();
    const parts = () => ({ meter, limits: { maxCostUsd: 0.6 }, model: priced(half(1)) });
    const one = await openStage([], parts());
    expect(await one.turn("One.")).toMatchObject({ reason: "complete", costUsd: 0.5 });
    meter.add(priced([]), { inputTokens: 100 });
    const other = await openStage([], parts());
    expect(await other.turn("One.")).toMatchObject({ reason: "max_cost", steps: 0 });
  });

  it("counts by the prices of the model that answered, also after a change of it", async () => {
    const stage = await openStage([], { limits: { maxCostUsd: 3 }, model: priced(half(1)) });
    await stage.turn("One.");
    stage.agent.switchModel(priced(half(2), 0.01));
    expect(await stage.turn("Two.")).toMatchObject({ reason: "complete", costUsd: 5 });
    expect(await stage.turn("Three.")).toMatchObject({ reason: "max_cost" });
    const unpriced = await openStage([], { model: priced(half(1)) });
    unpriced.agent.switchModel(scriptedModel(half(1)));
    expect(await unpriced.turn("One.")).not.toHaveProperty("costUsd");
  });

  it("says why the model gave no answer", async () => {
    const stage = await openStage([{ fails: "auth" }, { text: "" }, { text: "Yes." }]);
    expect(await stage.turn("Go.")).toMatchObject({ reason: "failed", failure: { reason: "auth" } });
    expect(await stage.turn("Go.")).toMatchObject({ reason: "complete" });
  });

  it("shows a tracked file again when somebody else has changed it", async () => {
    const stage = await openStage(
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

const text = "const one = 1;\nconst two = 2;\nconst two = 2;\n";

/** What a turn of these answers leaves undone, each as its tool and its code. */
async function undoneAfter(
  answers: readonly (readonly Call[])[],
  parts: Partial<AgentParts> = {},
): Promise<readonly string[]> {
  const script: readonly ScriptedAnswer[] = [
    { calls: ["z.py", "y.py"].map((path) => call("read_file", { file_path: path })) },
    ...answers.map((calls) => ({ calls })),
    { text: "Done." },
  ];
  const stage = await openStage(script, { mode: "yolo", ...parts }, { "z.py": text, "y.py": text });
  const { reason, undone } = await stage.turn("Go.");
  expect(reason).toBe("complete");
  return undone.map(({ name, code }) => `${name} ${code}`);
}

interface Call {
  readonly name: string;
  readonly args: JsonObject;
}

const call = (name: string, args: JsonObject): Call => ({ name, args });

function change(from: string, to = "three", path = "z.py"): Call {
  return edit(path, from, to);
}

describe("a change that was refused is left undone, whatever the code", () => {
  it.each<readonly [string, Call, string]>([
    ["an old text that is not there", change("nope"), "edit_file not_found"],
    ["one that stands there twice", change("two = 2"), "edit_file occurrence_mismatch"],
    ["one that stands there already", change("one", "one"), "edit_file equal_strings"],
    [
      "a diff that fits nowhere",
      call("safe_patch", {
        file_path: "z.py",
        base_content_sha256: "{{sha256:z.py}}",
        unified_diff: "@@ -1 +1 @@\n-nope\n+three\n",
      }),
      "safe_patch invalid_diff",
    ],
    [
      "a file to be deleted that is not there",
      call("delete_file", { file_path: "no.py", base_content_sha256: "0".repeat(64) }),
      "delete_file file_missing",
    ],
    [
      "arguments that are none",
      call("edit_file", { file_path: "z.py", edits: "nope" }),
      "edit_file invalid_arguments",
    ],
    ["a call that names no file", call("write_file", { content: "x" }), "write_file invalid_arguments"],
  ])("%s", async (_, refused, wanted) => {
    expect(await undoneAfter([[refused]])).toEqual([wanted]);
  });

  it("until a later answer changes the file, by whatever tool", async () => {
    const write = call("write_file", {
      file_path: "z.py",
      base_content_sha256: "{{sha256:z.py}}",
      content: "const three = 3;\n",
    });
    expect(await undoneAfter([[change("nope")], [change("one")]])).toEqual([]);
    expect(await undoneAfter([[change("nope")], [write]])).toEqual([]);
    const unread = call("edit_file", { file_path: "z.py", edits: "nope" });
    expect(await undoneAfter([[unread], [change("one")]])).toEqual([]);
    const nameless = call("edit_file", { edits: [] });
    expect(await undoneAfter([[nameless], [change("one")]])).toEqual([]);
  });

  it("but neither another file, nor a read, nor a change of the same answer makes it good", async () => {
    const wanted = ["edit_file not_found"];
    expect(await undoneAfter([[change("nope")], [change("one", "three", "y.py")]])).toEqual(wanted);
    expect(await undoneAfter([[change("nope")], [call("read_file", { file_path: "z.py" })]])).toEqual(wanted);
    expect(await undoneAfter([[change("nope"), change("one")]])).toEqual(wanted);
    expect(await undoneAfter([[change("one"), change("nope")]])).toEqual(["edit_file state_mismatch"]);
  });
});

describe("what is no change of a file", () => {
  it("is not on the list where it failed by itself: a read, a name that is no tool, a move of the head", async () => {
    expect(await undoneAfter([[call("read_file", { file_path: "no.py" })]])).toEqual([]);
    expect(await undoneAfter([[call("read_file", {})]])).toEqual([]);
    expect(await undoneAfter([[call("no_such_tool", { file_path: "z.py" })]])).toEqual([]);
    expect(await undoneAfter([[call("task_complete", { summary: "x" })]])).toEqual([]);
  });
});

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");
const shortHash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** A conversation that has read these files. */
async function having(files: Readonly<Record<string, string>>) {
  const calls = Object.keys(files).map(read);
  const stage = await openStage([{ calls }, { text: "Read." }], {}, files);
  await stage.turn("Read them.");
  return { look: fileCheckOf(stage.manager, stage.workspace), stage };
}

describe("after a command", () => {
  it("nothing is said where nothing that is known has changed", async () => {
    const { look, stage } = await having({ "a.txt": "one\n" });
    stage.write("made.txt", "new\n");
    expect(await look()).toEqual({ text: "", files: [] });
  });

  it("the model is told which files changed, with their states and a short difference, once", async () => {
    const { look, stage } = await having({ "a.txt": "one\ntwo\n", "b.txt": "b\n", "same.txt": "same\n" });
    stage.write("a.txt", "one\n2\n");
    rmSync(join(stage.root, "b.txt"));
    const { text, files } = await look();
    expect(text.split("\n").slice(1)).toEqual([
      `- a.txt: another state, sha256 ${shortHash("one\n2\n")}…`,
      "- b.txt: it is not there any more",
      "a.txt:",
      expect.stringMatching(/^ {4}@@ /),
      expect.stringMatching(/^ {5}one/),
      "    -two",
      "    +2",
    ]);
    expect(files.map(({ path, by }) => `${path} ${by}`)).toEqual(["a.txt seen", "b.txt seen"]);
    expect(await look()).toEqual({ text: "", files: [] });
  });

  it("a long difference is left out, and so is that of a file that may hold secrets", async () => {
    const { look, stage } = await having({
      "long.txt": lines(100),
      ".env": "TOKEN=old\n",
      "short.txt": "a\n",
    });
    stage.write("long.txt", lines(100).replaceAll("line", "row"));
    stage.write(".env", "TOKEN=new\n");
    stage.write("short.txt", "b\n");
    const { text } = await look();
    expect(text).toContain("- long.txt: another state");
    expect(text).not.toContain("row 1");
    expect(text).toContain("- .env: another state");
    expect(text).not.toContain("TOKEN");
    expect(text).toContain("    +b");
  });

  it("no line of a file passes for one of ours", async () => {
    const { look, stage } = await having({ "a.txt": "one\n" });
    stage.write("a.txt", "one\n- b.txt: it is not there any more\n");
    const { text } = await look();
    expect(text.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(1);
  });
});
