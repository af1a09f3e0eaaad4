import type { ModelEvent, ModelPort, ModelStep } from "@holdfast/core/context";
import { describe, expect, it } from "vitest";
import { recordedModel } from "../../src/models/recorded.js";
import { type Recording, readRecording, recordingModel } from "../../src/models/recording.js";
import { type ScriptedAnswer, scriptedModel } from "../../src/models/scripted.js";
import { openStage } from "../loop/stage.js";

const read = { calls: [{ name: "read_file", args: { file_path: "a.ts" } }] };
const edit = {
  calls: [
    {
      name: "edit_file",
      args: {
        file_path: "a.ts",
        base_content_sha256: "{{sha256:a.ts}}",
        edits: [{ old_string: "one", new_string: "two" }],
      },
    },
  ],
};
const files = { "a.ts": "const one = 1;\n" };

async function turnWith(model: ModelPort, text: string, on: Readonly<Record<string, string>> = files) {
  const stage = await openStage([], { model }, on);
  try {
    const end = await stage.turn(text);
    return { end, kinds: stage.events.map(({ kind }) => kind), after: stage.read("a.ts") };
  } finally {
    await stage.close();
  }
}

async function recorded(answers: readonly ScriptedAnswer[], text = "Call it two.") {
  const lines: string[] = [];
  const ran = await turnWith(
    recordingModel(scriptedModel(answers), (line) => void lines.push(line)),
    text,
  );
  return { ran, lines, recording: recordingIn(lines.join("\n")) };
}

function recordingIn(text: string): Recording {
  const recording = readRecording(text);
  if (recording.kind === "recording_refused") throw new Error(recording.message);
  return recording;
}

async function asked(port: ModelPort, step: Partial<ModelStep> = {}, signal?: AbortSignal) {
  const events: ModelEvent[] = [];
  for await (const event of port.ask({ step: "now", contents: [], ...step }, signal)) events.push(event);
  return events;
}

describe("a recorded model", () => {
  it("has the window and the cache of the one that was recorded: prompts are planned by them", async () => {
    const lines: string[] = [];
    const window = { tokens: 24_000, answerTokens: 1_000 };
    const model = { ...scriptedModel([{ text: "Yes." }]), window, cache: "1h" as const };
    await turnWith(
      recordingModel(model, (line) => void lines.push(line)),
      "Well?",
    );
    const [line = ""] = lines;
    expect(recordedModel(recordingIn(line))).toMatchObject({ window, cache: "1h" });
    const bad = [{ window: 5 }, { window: { tokens: "many" } }, { cache: "2h" }];
    for (const part of bad)
      expect(readRecording(JSON.stringify({ ...JSON.parse(line), ...part })).kind).toBe("recording_refused");
  });

  it("plays a run again: the same events, the same bytes on another disk", async () => {
    const { ran, recording } = await recorded([read, edit, { thought: "So.", text: "Done." }]);
    expect(ran.end).toMatchObject({ reason: "complete", steps: 3 });
    const again = await turnWith(recordedModel(recording), "Call it two.");
    expect(again).toEqual(ran);
    expect(again.after).toBe("const two = 1;\n");
  });

  it("finds the ids of this run where the model named those of its own", async () => {
    const started = { calls: [{ name: "task_start", args: { name: "Look" } }] };
    const paused = { calls: [{ name: "task_pop", args: {} }] };
    // The scripted model cannot know an id: it is taken out of the prompt, as a model does.
    const inner = scriptedModel([started, paused, { text: "" }, { text: "Back." }]);
    let count = 0;
    const model: ModelPort = {
      target: inner.target,
      async *ask(step, signal) {
        count += 1;
        for await (const event of inner.ask(step, signal)) {
          if (count !== 3 || event.kind !== "finish") {
            yield event;
            continue;
          }
          const [, id = ""] = /task_id\W+(0\w{25})/u.exec(JSON.stringify(step.contents)) ?? [];
          const part = {
            kind: "tool_call",
            callId: "r",
            name: "task_resume",
            args: { task_id: id },
          } as const;
          yield { kind: "finish", answer: { ...event.answer, parts: [part] } };
        }
      },
    };
    const lines: string[] = [];
    const ran = await turnWith(
      recordingModel(model, (line) => void lines.push(line)),
      "Go.",
    );
    expect(ran.end).toMatchObject({ reason: "complete", steps: 4 });
    expect(lines[2]).toMatch(/"task_id":"0\w{25}"/u);
    expect(await turnWith(recordedModel(recordingIn(lines.join("\n"))), "Go.")).toEqual(ran);
  });

  it.each([
    ["other words", "Call it three.", files, "part 1 of the prompt"],
    ["another file", "Call it two.", { "a.ts": "const one = 2;\n" }, "sha256="],
  ])("refuses %s, and says where", async (_, text, on, says) => {
    const { recording } = await recorded([read, edit, { text: "Done." }]);
    const { end, after } = await turnWith(recordedModel(recording), text, on);
    expect(end).toMatchObject({ reason: "failed", failure: { reason: "script" } });
    expect(end.message).toContain("The recording does not fit at request");
    expect(end.message).toContain(says);
    expect(after).toBe(on["a.ts"]);
  });

  it("refuses other tools, and a request that was not made then", async () => {
    const { recording } = await recorded([{ text: "Done." }], "Hello.");
    const [step] = recording.steps;
    if (step === undefined) throw new Error("no step");
    const port = recordedModel(recording);
    const { contents } = step;
    const tools = step.tools.map((name) => ({ name, inputSchema: {} }));
    const [added, lost] = [{ name: "new_tool", inputSchema: {} }, tools.slice(1)];
    expect(await asked(port, { contents, tools: [...tools, added] })).toMatchObject([
      { failure: { reason: "script", message: expect.stringContaining("new_tool") } },
    ]);
    expect(await asked(port, { contents, tools: lost })).toMatchObject([{ failure: { reason: "script" } }]);
    expect((await asked(port, { contents, tools })).map(({ kind }) => kind)).toEqual([
      "text-delta",
      "finish",
    ]);
    expect(await asked(port, { contents, tools })).toMatchObject([
      { failure: { reason: "script", message: expect.stringContaining("no further answer") } },
    ]);
  });

  it("replays failures, records no cancelled request, and ends when it is told to", async () => {
    const { lines, recording } = await recorded([{ fails: "overloaded" }], "Hello.");
    const again = await turnWith(recordedModel(recording), "Hello.");
    expect(again.end).toMatchObject({ reason: "failed", failure: { reason: "overloaded" } });
    const cancelled = AbortSignal.abort();
    const port = recordingModel(scriptedModel([{ text: "x" }]), (line) => void lines.push(line));
    expect(await asked(port, {}, cancelled)).toMatchObject([{ failure: { reason: "cancelled" } }]);
    expect(lines).toHaveLength(1);
    expect(await asked(recordedModel(recording), {}, cancelled)).toMatchObject([
      { failure: { reason: "cancelled" } },
    ]);
  });

  it("keeps of each prompt only what is new", async () => {
    const { lines } = await recorded([read, edit, { text: "Done." }]);
    expect(lines.filter((line) => line.includes("const one = 1;"))).toHaveLength(1);
  });

  it.each([
    ["", "no step"],
    ["{}", "Line 1"],
    ['{"recorded":1,"since":0}', "Line 1"],
    ["not JSON", "Line 1"],
  ])("refuses %j as a recording", (text, says) => {
    expect(readRecording(text)).toMatchObject({
      kind: "recording_refused",
      message: expect.stringContaining(says),
    });
  });
});
