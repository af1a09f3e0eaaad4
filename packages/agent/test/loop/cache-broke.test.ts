import { scriptedSummariser } from "@holdfast/core/conversation";
import { type BreakCause, type EconomyOverrides, economySettings } from "@holdfast/core/economy";
import { afterEach, describe, expect, it } from "vitest";
import { describeResult } from "../../src/commands/describe-result.js";
import { runCommand } from "../../src/commands/run-command.js";
import { type OutputFormat, runOutput } from "../../src/headless/output.js";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import type { AgentEvent } from "../../src/loop/turn.js";
import { type ScriptedAnswer, scriptedModel } from "../../src/models/scripted.js";
import { openStage, type Stage } from "./stage.js";

const opened: Stage[] = [];
afterEach(async () => {
  for (const stage of opened.splice(0)) await stage.close();
});

/** What a host can change between two requests. */
interface Host {
  now: number;
  system: string;
}

/** How a cache is broken, and the words for it. */
interface Row {
  readonly cause: Exclude<BreakCause, "first_request">;
  readonly says: string;
  readonly breaks: (stage: Stage, host: Host) => unknown;
  readonly economy?: EconomyOverrides;
  /** Tokens that the server finds with the two turns. */
  readonly found?: readonly [number, number];
}

const long = Array.from({ length: 1_500 }, (_, at) => `line ${at} of a file that is read\n`).join("");
const result = ({ manager }: Stage) => {
  const found = [...manager.context.nodes.values()].find(({ payload }) => payload.kind === "tool_result");
  return found?.id ?? "";
};

const rows: readonly Row[] = [
  {
    cause: "idle",
    says: "it was not used for as long as the provider keeps it",
    breaks: (_, host) => (host.now += 400_000),
  },
  {
    cause: "model",
    says: "another model is asked",
    breaks: ({ agent }) => agent.switchModel(scriptedModel([{ text: "Yes." }], { model: "other" })),
  },
  {
    cause: "system",
    says: "the system text has changed",
    breaks: (_, host) => (host.system = "Be quick."),
  },
  { cause: "tools", says: "other tools are offered", breaks: ({ agent }) => agent.setMode("plan") },
  {
    cause: "compaction",
    says: "a summary stands for what came before",
    breaks: ({ agent }) => agent.compact(),
    economy: { compaction: { tailTokens: 100 } },
  },
  {
    cause: "branch",
    says: "another branch goes on",
    breaks: ({ manager }) => manager.rewind(manager.context.rootNode.childIds[0]),
  },
  {
    cause: "clearing",
    says: "results were cleared there",
    breaks: (stage) =>
      stage.manager.reform([
        { targetId: result(stage), form: { form: "replaced", by: "cleared", text: "Cleared." } },
      ]),
  },
  {
    cause: "rewritten",
    says: "that is written otherwise than before",
    breaks: (stage) => stage.manager.overlay(result(stage), { form: "hidden" }),
  },
  {
    cause: "evicted",
    says: "the provider found less than half of what it was sent before",
    breaks: () => undefined,
    found: [12_000, 0],
  },
];

const formats = ["text", "json", "stream-json"] as const satisfies readonly OutputFormat[];

/** What the doors without a screen write of these events. */
function written(events: readonly AgentEvent[], format: OutputFormat) {
  const sinks = { out: "", err: "" };
  const output = runOutput(
    format,
    { sessionId: "s1", model: "scripted/script", prompt: "Go." },
    { out: (text) => (sinks.out += text), err: (text) => (sinks.err += text), now: () => 0 },
  );
  for (const event of events) output.onEvent(event);
  return sinks;
}

async function broken({ breaks, economy: given, found = [0, 0] }: Row) {
  const host: Host = { now: Date.parse("2026-11-24T10:00:00Z"), system: "Be careful." };
  const economy = economySettings({
    ...given,
    ratios: { scripted: { write: 1.25, read: 0.1, lifetimeMs: 300_000, bindsThinking: false } },
  });
  if ("code" in economy) throw new Error(economy.message);
  const counted = (cachedInputTokens: number) => ({
    inputTokens: 16_000,
    cachedInputTokens,
    outputTokens: 1,
  });
  const answers: readonly ScriptedAnswer[] = [
    { text: "I read.", calls: [{ name: "read_file", args: { file_path: "a.txt" } }], usage: counted(0) },
    { text: "Read.", usage: counted(found[0]) },
    { text: "Yes.", usage: counted(found[1]) },
  ];
  const parts: Partial<AgentParts> = {
    economy,
    now: () => host.now,
    system: () => host.system,
    summariser: scriptedSummariser(["Short."]),
  };
  const stage = await openStage(answers, parts, { "a.txt": long });
  opened.push(stage);
  expect(await stage.turn("Read it.")).toMatchObject({ reason: "complete" });
  expect(stage.agent.cacheBroke).toBe(undefined);
  const before = stage.events.length;
  await breaks(stage, host);
  expect(await stage.turn("Go on?")).toMatchObject({ reason: "complete" });
  return { stage, events: stage.events.slice(before) };
}

describe("a cache that broke is told at each door, with its cause", () => {
  it.each(rows)("$cause", async (row) => {
    const { stage, events } = await broken(row);
    const told = events.flatMap((event) =>
      event.kind === "context" && event.done.kind === "cache_broke" ? [event.done] : [],
    );
    expect(told).toMatchObject([{ cause: row.cause }]);
    const [tokens = 0] = told.map((one) => one.tokens);
    expect(tokens).toBeGreaterThan(4_096);
    const sentence = new RegExp(
      `^The cache broke at 10:0\\d:\\d\\d UTC( from \\S+ on)?, about ${tokens} tokens are written again: ${row.says}\\.$`,
      "mu",
    );
    const [text, json, stream] = formats.map((format) => written(events, format));
    expect(text?.err).toMatch(sentence);
    expect(text?.out).not.toContain("cache");
    expect(json?.err).toBe("");
    const lines = stream?.out.trimEnd().split("\n") ?? [];
    const line = lines.map((one) => JSON.parse(one)).find(({ done }) => done === "cache_broke");
    expect(line).toMatchObject({ type: "context", cause: row.cause, tokens });
    expect(line.message).toMatch(sentence);
    const { agent, manager, workspace } = stage;
    const shown = await runCommand("/context", { agent, manager, workspace });
    if (shown?.kind !== "told") throw new Error("no context");
    expect(describeResult(shown)).toMatch(sentence);
    expect(shown.data).toMatchObject({ cacheBroke: { cause: row.cause, tokens } });
  });

  it("is no news on standard error below 4,096 tokens", () => {
    const of = (tokens: number): AgentEvent => ({
      kind: "context",
      done: { kind: "cache_broke", cause: "clearing", at: 0, tokens },
    });
    expect(written([of(4_095)], "text").err).toBe("");
    expect(written([of(4_096)], "text").err).toContain("results were cleared there");
    expect(written([of(4_095)], "stream-json").out).toContain('"cache_broke"');
  });
});
