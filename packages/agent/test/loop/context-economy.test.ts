import { type Summariser, scriptedSummariser } from "@holdfast/core/conversation/values";
import {
  type BreakCause,
  type EconomyOverrides,
  type EconomySettings,
  economySettings,
} from "@holdfast/core/economy";
import { refuse } from "@holdfast/core/files/values";
import type { HostTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { type OutputFormat, runOutput } from "../../src/headless/output.js";
import { todosTool } from "../../src/host/todos.js";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import { ContextEconomy } from "../../src/loop/context-economy.js";
import type { AgentEvent } from "../../src/loop/turn.js";
import { type ScriptedAnswer, scriptedModel } from "../../src/models/scripted.js";
import { summariserOf } from "../../src/models/summariser.js";
import { describeResult } from "../../src/slash/results.js";
import { runCommand } from "../../src/slash/run-command.js";
import type { Line } from "../../src/ui/lines/spans.js";
import { textOutput } from "../../src/ui/terminal/written-text.js";
import { openStage, type Stage } from "./stage.js";

const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => `line ${at} of a file that is read\n`).join("");
const [long, longer] = [lines(400), lines(1_500)];
const ratios = { scripted: { write: 1.25, read: 0.1, lifetimeMs: 300_000, bindsThinking: false } };
const read = (path: string) => ({ calls: [{ name: "read_file", args: { file_path: path } }] });
const saidRead = (path: string) => ({ text: "I read.", ...read(path) });
const files = { "a.txt": long, "b.txt": long.replaceAll("read", "kept"), "c.txt": "short\n" };

function settings(given: Parameters<typeof economySettings>[0]): EconomySettings {
  const made = economySettings(given);
  if ("code" in made) throw new Error(made.message);
  return made;
}

async function played(
  summariser?: Summariser,
  given: Parameters<typeof economySettings>[0] = {},
): Promise<Stage> {
  const answers = [read("a.txt"), read("b.txt"), read("c.txt"), { text: "Done." }, { text: "Yes." }];
  const economy = settings({ compaction: { tailTokens: 200 }, ...given });
  const stage = await openStage(
    answers,
    { economy, ...(summariser === undefined ? {} : { summariser }) },
    files,
  );
  expect(await stage.turn("Read them.")).toMatchObject({ reason: "complete" });
  return stage;
}

describe("compaction in a session", () => {
  it("puts the summary in the place of what was said, and goes on", async () => {
    const { agent, turn, manager } = await played(scriptedSummariser(["## Task Overview\nAll were read."]));
    const before = agent.contextMap.tokens;
    expect(await agent.compact("the files")).toMatchObject({ kind: "compacted" });
    expect(agent.contextMap.tokens).toBeLessThan(before);
    expect(manager.getCurrentNode().payload.kind).toBe("summary");
    expect(await turn("Go on?")).toMatchObject({ reason: "complete" });
  });

  it.each([
    ["fails", async () => refuse("no_summary", "Overloaded.")],
    ["says nothing", async () => ({ kind: "summarised", text: " " }) as const],
    ["throws", async () => Promise.reject(new Error("broken"))],
    [
      "is longer than what it stands for",
      async () => ({ kind: "summarised", text: "word ".repeat(50_000) }) as const,
    ],
  ] satisfies [string, Summariser][])(
    "leaves the session as it was where the summariser %s",
    async (_, summariser) => {
      const { agent, manager, turn } = await played(summariser);
      const { context } = manager;
      expect(await agent.compact()).toMatchObject({
        kind: "not_compacted",
        message: expect.stringMatching(/\.|broken/u),
      });
      expect(manager.context).toBe(context);
      expect(await turn("Go on?")).toMatchObject({ reason: "complete" });
    },
  );

  it("leaves it as it was where the summariser hangs or is cancelled", async () => {
    const { manager, agent } = await played(() => new Promise(() => {}));
    const { context } = manager;
    const cancelled = new AbortController();
    const asked = agent.compact(undefined, cancelled.signal);
    cancelled.abort();
    expect(await asked).toMatchObject({ kind: "not_compacted", reason: "cancelled" });
    const economy = new ContextEconomy({
      manager,
      now: () => 0,
      summariser: () => new Promise(() => {}),
      settings: settings({ compaction: { tailTokens: 200 } }),
      summaryMs: 20,
    });
    const hung = await economy.compact({ model: agent.model, system: "", tools: "" });
    expect(hung).toMatchObject({ kind: "not_compacted", reason: "no_summary" });
    expect(manager.context).toBe(context);
  });

  it("is done by itself at its threshold, and told", async () => {
    const { events, turn } = await played(scriptedSummariser(["Short.", "Shorter."]), {
      compaction: { tailTokens: 200, contextTokenThreshold: 6_000 },
    });
    await turn("Go on?");
    expect(events.map((event) => (event.kind === "context" ? event.done.kind : ""))).toContain("compacted");
  });
});

describe("clearing in a session", () => {
  const economy = settings({
    ...{ trigger: { type: "input_tokens", value: 5_000 } },
    ...{ keep: 1, keepMessages: 0, keepTokens: 0, keepTurns: 0 },
    ...{ workingSet: 1, clearAtLeast: 500, expectedRequests: 100 },
    ratios,
  });

  it("counts what sub-agents have saved", async () => {
    const complete = { calls: [{ name: "task_complete", args: { summary: "Read." } }] };
    const sub = scriptedModel([read("a.txt"), read("b.txt"), read("c.txt"), read("c.txt"), complete]);
    const start = { calls: [{ name: "task_start", args: { goal: "Read.", agent: { model: "a/b" } } }] };
    const subAgents = { models: ["a/b"], open: () => ({ port: sub }) };
    const { agent, turn } = await openStage([start, { text: "Done." }], { economy, subAgents }, files);
    expect(await turn("Go.")).toMatchObject({ reason: "complete", steps: 7 });
    expect(agent.savings.clearings).toBeGreaterThan(0);
  });

  it("tells what it has saved so far, and what was needed after all", async () => {
    const answers = [
      read("a.txt"),
      read("b.txt"),
      read("c.txt"),
      ...Array.from({ length: 6 }, (_, at) => ({ text: `Thought ${at}.` })),
      read("a.txt"),
      { text: "Done." },
    ];
    const { agent, turn } = await openStage(answers, { economy }, files);
    expect(agent.savings).toEqual({ clearings: 0, predicted: 0, realised: 0, regret: 0 });
    for (let at = 0; at < 6; at += 1) expect(await turn("Go on.")).toMatchObject({ reason: "complete" });
    const { clearings, predicted, realised, regret } = agent.savings;
    expect(clearings).toBeGreaterThan(0);
    expect(predicted).toBeGreaterThan(realised);
    expect(regret).toBe(0);
    await turn("Read it again.");
    expect(agent.savings.regret).toBeGreaterThan(1_000);
  });
});

describe("bad input in a turn", () => {
  const compacting = settings({ compaction: { tailTokens: 200, contextTokenThreshold: 5_500 } });
  const notSummed = "The context was not summed up: ";
  const model = (answer: ScriptedAnswer) => summariserOf(scriptedModel([answer]), () => "id");

  it.each<readonly [string, Summariser, string]>([
    ["hangs", () => new Promise(() => {}), "No summary came within 0.02 seconds."],
    ["fails", model({ fails: "overloaded" }), ""],
    ["says nothing", model({ text: " " }), "The model gave no summary."],
    [
      "calls a tool",
      model({ text: "Summary.", ...read("a.txt") }),
      "The model called a tool instead of summing up.",
    ],
    ["says more than it stands for", model({ text: "word ".repeat(20_000) }), "The summary has "],
  ])("goes on uncompacted where the summariser %s, and says so once", async (kind, summariser, why) => {
    const script = [read("a.txt"), read("b.txt"), { text: "Done." }];
    const summaryMs = kind === "hangs" ? { summaryMs: 20 } : {};
    const stage = await openStage(script, { economy: compacting, summariser, ...summaryMs }, files);
    expect(await stage.turn("Read them.")).toMatchObject({ reason: "complete" });
    expect(noticedIn(stage)).toEqual([expect.stringContaining(`${notSummed}${why}`)]);
    const nodes = [...stage.manager.context.nodes.values()];
    expect(nodes.some(({ payload }) => payload.kind === "summary")).toBe(false);
    const again = await stage.resume([{ text: "Yes." }], {});
    expect(await again.turn("Go on?")).toMatchObject({ reason: "complete" });
  });

  it("says once that nothing is known of the provider's cache, and that a window is too small", async () => {
    const script = [read("a.txt"), read("b.txt"), { text: "Done." }];
    const trigger = { type: "input_tokens", value: 2_000 } as const;
    const unknown = await openStage(script, { economy: settings({ trigger }) }, files);
    await unknown.turn("Read them.");
    const unpriced = 'Nothing is known of what the cache of "scripted" costs: set context.ratios for it.';
    expect(noticedIn(unknown)).toEqual([expect.stringContaining(unpriced)]);
    const window = { tokens: 8_000, answerTokens: 2_000 };
    const small = { ...scriptedModel(script), window };
    const system = () => "word ".repeat(5_000);
    const stage = await openStage([], { economy: settings({ ratios }), model: small, system }, files);
    await stage.turn("Read them.");
    expect(noticedIn(stage)).toEqual([
      expect.stringMatching(
        /The window leaves 6000 tokens to a prompt, and system text and tools alone have/u,
      ),
    ]);
  });
});

function noticedIn({ events }: Stage): readonly string[] {
  return events.flatMap((event) => (event.kind === "noticed" ? [event.text] : []));
}

const warning = settings({
  ...{ trigger: { type: "input_tokens", value: 20_000 }, warnAt: 0.5, payFrom: 1, clearAtLeast: 1_000 },
  ...{ keep: 0, keepMessages: 0, keepTokens: 0, keepTurns: 0, workingTokens: 0, expectedRequests: 100 },
  compaction: { enabled: false },
  ratios: { scripted: { write: 1, read: 0.5, lifetimeMs: 3_600_000, bindsThinking: false } },
});

/** The warnings that stand in the tree. */
function warnings({ manager }: Stage): number {
  const payloads = [...manager.context.nodes.values()].map(({ payload }) => payload);
  return payloads.filter(
    (payload) => payload.kind === "note" && payload.text.startsWith("⚠️ CONTEXT APPROACHING LIMIT"),
  ).length;
}

function done({ events }: Stage): readonly string[] {
  return events.flatMap((event) => (event.kind === "context" ? [event.done.kind] : []));
}

describe("the warning before something is cleared", () => {
  it("comes once, also in a session that goes on in another run", async () => {
    const first = await openStage(
      [saidRead("a.txt"), { text: "Read." }, { text: "Yes." }],
      { economy: warning },
      { "a.txt": longer },
    );
    await first.turn("Read it.");
    expect([warnings(first), done(first)]).toEqual([1, ["warn"]]);
    await first.turn("Go on.");
    expect(warnings(first)).toBe(1);
    const next = await first.resume([{ text: "Yes." }, { text: "Yes." }]);
    await next.turn("Go on, in another run.");
    await next.turn("And on.");
    expect([warnings(next), done(next)]).toEqual([1, []]);
  });

  it("comes again after a clearing, in another run as well", async () => {
    const first = await openStage(
      [saidRead("a.txt"), { text: "Read." }, saidRead("b.txt"), { text: "Read." }],
      { economy: warning },
      {
        "a.txt": longer,
        "b.txt": longer.replaceAll("read", "kept"),
        "c.txt": longer.replaceAll("read", "last"),
      },
    );
    await first.turn("Read it.");
    await first.turn("Read the other.");
    expect(done(first)).toContain("clear");
    const before = warnings(first);
    const next = await first.resume([saidRead("c.txt"), { text: "Read." }, { text: "Yes." }]);
    await next.turn("Read the last.");
    await next.turn("Go on.");
    expect(warnings(next)).toBe(before + 1);
  });
});

/** What a host can change between two requests. */
interface Host {
  hostTools: readonly HostTool[];
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
  {
    cause: "tools",
    says: "other tools are offered",
    breaks: (_, host) => (host.hostTools = [todosTool]),
  },
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
  const out = (text: string) => {
    sinks.out += text;
  };
  const now = () => 0;
  const line = (spans: Line) => {
    sinks.err += `${spans.map(({ text }) => text).join("")}\n`;
  };
  const facts = {
    sessionId: "s1",
    model: "scripted/script",
    prompt: "Go.",
    tools: [],
    instructions: [],
    folder: "/work",
  };
  const output =
    format === "text"
      ? textOutput("notices", { words: out, line, now })
      : runOutput(format, { ...facts, mode: "ask" }, { out, err: () => {}, now });
  for (const event of events) output.onEvent(event);
  return sinks;
}

async function broken({ breaks, economy: given, found = [0, 0] }: Row) {
  const host: Host = { now: Date.parse("2026-11-24T10:00:00Z"), system: "Be careful.", hostTools: [] };
  const economy = settings({ ...given, ratios });
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
    hostTools: () => host.hostTools,
    summariser: scriptedSummariser(["Short."]),
  };
  const stage = await openStage(answers, parts, { "a.txt": longer });
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
