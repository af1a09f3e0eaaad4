import type { Content, ModelEvent, ModelPort } from "@holdfast/core/context";
import { describe, expect, it } from "vitest";
import { must, newManager } from "../../../core/test/conversation/support.js";
import { CostMeter } from "../../src/models/cost-meter.js";
import { recordingModel } from "../../src/models/recording.js";
import { retryingModel } from "../../src/models/retry.js";
import { scriptedModel } from "../../src/models/scripted.js";
import { summariserOf } from "../../src/models/summariser.js";

async function asked(port: ModelPort, contents: readonly Content[] = [], signal?: AbortSignal) {
  const events: ModelEvent[] = [];
  for await (const event of port.ask({ step: "s", contents }, signal)) events.push(event);
  return events;
}

const hash = "a".repeat(64);
const older = "b".repeat(64);
const shown = (sha256: string): Content => ({
  role: "user",
  parts: [{ text: `<file path="a.ts" version="1" sha256="${sha256}" total_lines="1">` }],
});

describe("the scripted model", () => {
  it("answers with what the script says, in order, and then fails", async () => {
    const port = scriptedModel([
      { thought: "Hm.", text: "Hello.", calls: [{ name: "read_file", args: { file_path: "a" } }] },
      { fails: "overloaded" },
    ]);
    const first = await asked(port);
    expect(first.map(({ kind }) => kind)).toEqual(["thought-delta", "text-delta", "call-delta", "finish"]);
    expect(await asked(port)).toMatchObject([{ kind: "failed", failure: { reason: "overloaded" } }]);
    expect(await asked(port)).toMatchObject([{ kind: "failed", failure: { reason: "script" } }]);
  });

  it("fills in the newest hash that the prompt shows of a file, at any depth", async () => {
    const args = { base: "{{sha256:a.ts}}", deep: [{ of: "x {{sha256:a.ts}} {{sha256:none}}" }] };
    const port = scriptedModel([{ calls: [{ name: "x", args }] }]);
    const [, finish] = await asked(port, [shown(older), shown(hash)]);
    if (finish?.kind !== "finish") throw new Error("no answer");
    expect(finish.answer.parts).toMatchObject([{ args: { base: hash, deep: [{ of: `x ${hash} ` }] } }]);
  });

  it("does not play on where the run is not the one it was written for", async () => {
    const port = scriptedModel([{ text: "I see.", expects: ["the tests pass"] }]);
    expect(await asked(port, [shown(hash)])).toMatchObject([
      { kind: "failed", failure: { reason: "script" } },
    ]);
  });

  it("ends when it is told to", async () => {
    expect(await asked(scriptedModel([{ text: "x" }]), [], AbortSignal.abort())).toMatchObject([
      { failure: { reason: "cancelled" } },
    ]);
  });
});

describe("a summariser over a model", () => {
  it("asks for the branch, and takes the words of the answer", async () => {
    const manager = newManager();
    must(manager.commitStagedItems("Count to three."));
    const usage = { inputTokens: 3 };
    const script = [
      { text: " Three. ", expects: ["Count to three."], usage },
      { text: "", usage },
    ];
    const port = { ...scriptedModel(script), costOf: ({ inputTokens = 0 }) => inputTokens };
    const meter = new CostMeter();
    const summarise = summariserOf(port, () => "s", meter);
    const request = {
      purpose: "branch",
      context: manager.context,
      fromId: manager.context.rootNode.id,
      toId: manager.context.currentNodeId,
    } as const;
    expect(await summarise(request)).toEqual({ kind: "summarised", text: "Three." });
    expect(await summarise(request)).toMatchObject({ kind: "refusal", code: "no_summary" });
    expect(await summarise(request)).toMatchObject({ kind: "refusal", code: "no_summary" });
    expect(meter.spent).toEqual({ costUsd: 6, unpriced: 0 });
  });
});

it("keeps what is known of a model whose requests are repeated or recorded", () => {
  const known = { cache: "1h", window: { tokens: 32_000, answerTokens: 4_000 }, costOf: () => 1 } as const;
  const port = { ...scriptedModel([]), ...known };
  expect(retryingModel(port)).toMatchObject(known);
  expect(recordingModel(port, () => {})).toMatchObject(known);
});
