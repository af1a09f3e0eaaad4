import type { Content, ModelEvent, ModelPort } from "@holdfast/core/context";
import { describe, expect, it } from "vitest";
import { must, newManager } from "../../../core/test/conversation/support.js";
import { CostMeter, costOf, factsOfModel } from "../../src/models/catalog.js";
import { retryingModel } from "../../src/models/failure.js";
import { configuredModel, openModel } from "../../src/models/open-model.js";
import { recordingModel } from "../../src/models/recording.js";
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

const environment = {
  ANTHROPIC_API_KEY: "a",
  OPENAI_API_KEY: "o",
  GOOGLE_API_KEY: "g",
  OPENROUTER_API_KEY: "r",
};

describe("a model by its name", () => {
  it.each([
    ["claude-opus-5", "anthropic", "claude-opus-5"],
    ["anthropic/claude-opus-5", "anthropic", "claude-opus-5"],
    ["gpt-5.4", "openai", "gpt-5.4"],
    ["o3", "openai", "o3"],
    ["gemini-3-pro-preview", "google", "gemini-3-pro-preview"],
    ["ollama/qwen3:8b", "ollama", "qwen3:8b"],
    ["openrouter/anthropic/claude-opus-5", "openrouter", "anthropic/claude-opus-5"],
    ["mine/some/model", "mine", "some/model"],
  ])("%s is of %s", (name, provider, model) => {
    const opened = openModel(name, {
      environment,
      providers: { mine: { baseUrl: "http://127.0.0.1:1/v1" } },
    });
    expect(opened.kind === "model" ? opened.port.target : opened).toEqual({ provider, model });
  });

  it("is refused where nobody knows it, and where its key is missing", () => {
    for (const name of ["", "llama", "nobody/x", "anthropic/", "/x"])
      expect(openModel(name, { environment })).toMatchObject({
        kind: "model_refused",
        reason: "unknown_model",
      });
    const refused = openModel("gemini-3-pro-preview", { environment: { GEMINI_API_KEY: "" } });
    expect(refused).toMatchObject({
      reason: "auth",
      message: expect.stringContaining("GEMINI_API_KEY or GOOGLE_API_KEY"),
    });
    expect(openModel("openrouter/x", { environment: {} })).toMatchObject({ reason: "auth" });
  });

  it("takes what settings say of a known provider, and the rest as it is known", () => {
    const providers = { openrouter: { keyVariable: "MINE" }, nowhere: { keyVariable: "MINE" } };
    expect(openModel("openrouter/x", { environment: { MINE: "k" }, providers })).toMatchObject({
      name: "openrouter/x",
    });
    expect(openModel("openrouter/x", { environment: {}, providers })).toMatchObject({
      reason: "auth",
      message: expect.stringContaining("MINE"),
    });
    for (const name of ["nowhere/x", "constructor/x", "__proto__/x"])
      expect(openModel(name, { environment, providers })).toMatchObject({ reason: "unknown_model" });
  });

  it("is what the environment says, else of the first provider with a key", () => {
    expect(configuredModel({})).toBeUndefined();
    expect(configuredModel({ GEMINI_API_KEY: "x" })).toMatch(/^google\//);
    expect(configuredModel({ ...environment })).toMatch(/^anthropic\//);
    expect(configuredModel({ ...environment, HOLDFAST_MODEL: "ollama/x" })).toBe("ollama/x");
  });

  it("asks Anthropic's cache to keep a prompt as long as is said, and nobody else's", () => {
    const cacheOf = (name: string, cache?: "1h") => {
      const opened = openModel(name, { environment, ...(cache === undefined ? {} : { cache }) });
      return opened.kind === "model" ? opened.port.cache : opened;
    };
    expect(cacheOf("claude-opus-5", "1h")).toBe("1h");
    expect(cacheOf("claude-opus-5")).toBeUndefined();
    expect(cacheOf("gpt-5.4", "1h")).toBeUndefined();
  });

  it("brings what is known of it, and what settings say instead", () => {
    expect(factsOfModel("claude-haiku-4-5-20251001")).toEqual(factsOfModel("claude-haiku-4-5"));
    expect(factsOfModel("claude-of-tomorrow")).toBeUndefined();
    const facts = { "claude-of-tomorrow": { contextWindow: 5 } };
    expect(openModel("claude-of-tomorrow", { environment, facts })).toMatchObject({ contextWindow: 5 });
  });
});

describe("what requests cost", () => {
  it("counts what was read of a cache and written to it apart", () => {
    const prices = { input: 3, cached: 0.3, cacheWrite: 3.75, output: 15 };
    const usage = {
      inputTokens: 1_000_000,
      cachedInputTokens: 400_000,
      cacheWriteTokens: 100_000,
      outputTokens: 10_000,
    };
    expect(costOf(usage, prices)).toBeCloseTo(0.5 * 3 + 0.4 * 0.3 + 0.1 * 3.75 + 0.01 * 15, 10);
    expect(costOf({}, prices)).toBe(0);
  });
});
