import { ContextRenderer } from "@holdfast/core/context";
import { type Summariser, scriptedSummariser } from "@holdfast/core/conversation";
import { type EconomySettings, economySettings } from "@holdfast/core/economy";
import { refuse } from "@holdfast/core/files";
import { afterEach, describe, expect, it } from "vitest";
import { ContextEconomy } from "../../src/loop/context-economy.js";
import { openStage, type Stage } from "./stage.js";

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

const long = Array.from({ length: 400 }, (_, at) => `line ${at} of a file that is read\n`).join("");
const read = (path: string) => ({ calls: [{ name: "read_file", args: { file_path: path, path } }] });
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
  stage = await openStage(answers, { economy, ...(summariser === undefined ? {} : { summariser }) }, files);
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
      renderer: new ContextRenderer(),
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
  it("tells what it has saved so far, and what was needed after all", async () => {
    const answers = [
      read("a.txt"),
      read("b.txt"),
      read("c.txt"),
      ...Array.from({ length: 6 }, (_, at) => ({ text: `Thought ${at}.` })),
      read("a.txt"),
      { text: "Done." },
    ];
    const economy = settings({
      ...{
        trigger: { type: "input_tokens", value: 5_000 },
        keep: 1,
        keepMessages: 0,
        keepTokens: 0,
        keepTurns: 0,
      },
      ...{ workingSet: 1, clearAtLeast: 500, expectedRequests: 100 },
      ratios: { scripted: { write: 1.25, read: 0.1, lifetimeMs: 300_000, bindsThinking: false } },
    });
    stage = await openStage(answers, { economy }, files);
    const { agent, turn } = stage;
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
  it("goes on uncompacted where the summariser hangs, and says so", async () => {
    stage = await openStage(
      [read("a.txt"), read("b.txt"), { text: "Done." }],
      {
        economy: settings({ compaction: { tailTokens: 200, contextTokenThreshold: 8_000 } }),
        summariser: () => new Promise(() => {}),
        summaryMs: 20,
      },
      files,
    );
    expect(await stage.turn("Read them.")).toMatchObject({ reason: "complete" });
    const told = stage.events.flatMap((event) => (event.kind === "noticed" ? [event.text] : []));
    expect(told).toEqual([
      expect.stringMatching(/^The context was not summed up: No summary came within 0.02 seconds\.$/u),
    ]);
    const nodes = [...stage.manager.context.nodes.values()];
    expect(nodes.some(({ payload }) => payload.kind === "summary")).toBe(false);
    const again = await stage.resume([{ text: "Yes." }], {});
    expect(await again.turn("Go on?")).toMatchObject({ reason: "complete" });
  });
});
