import { type EconomyOverrides, economySettings } from "@holdfast/core/economy";
import { afterEach, describe, expect, it } from "vitest";
import {
  anthropicWire,
  geminiWire,
  PrefixCache,
  type PromptTokens,
  ProviderServer,
  responsesWire,
  type ServedAnswer,
  type Wire,
} from "../loopback/index.js";
import { portTo } from "./on-wire.js";
import { openStage, type Stage } from "./stage.js";

const opened: { readonly stage: Stage; readonly server: ProviderServer }[] = [];
afterEach(async () => {
  for (const { stage, server } of opened.splice(0)) {
    await stage.close();
    await server.close();
  }
});

const count = 12;
const name = (at: number) => `part-${at}.txt`;
const files = Object.fromEntries(
  Array.from({ length: count }, (_, at) => [
    name(at),
    Array.from({ length: 300 }, (_, line) => `${line} of part ${at}: some words that stand for code\n`).join(
      "",
    ),
  ]),
);
const reads: readonly ServedAnswer[] = Array.from({ length: count }, (_, at) => ({
  calls: [{ name: "read_file", args: { file_path: name(at) } }],
}));

/** How many requests are to follow a clearing, itself the first. */
const following = 20;

const clearing: EconomyOverrides = {
  trigger: { type: "input_tokens", value: 30_000 },
  ...{ keep: 2, keepMessages: 0, keepTokens: 0, keepTurns: 0, workingSet: 2, clearAtLeast: 10_000 },
  ...{ payFrom: 1, warnAt: 1, expectedRequests: following, compaction: { enabled: false } },
};
const nothing: EconomyOverrides = { ...clearing, trigger: { type: "input_tokens", value: 10_000_000 } };

interface Metered {
  readonly prompts: readonly PromptTokens[];
  /** Requests before the first clearing. */
  readonly before: number;
  readonly predicted: number;
  readonly realised: number;
  readonly clearings: number;
}

/** A session whose server counts by its own cache. */
async function metered(wire: Wire, given: EconomyOverrides): Promise<Metered> {
  const answers = Array.from({ length: following + count }, (_, at) => ({ text: `Thought ${at}.` }));
  const server = await new ProviderServer(wire, [...reads, ...answers]).open();
  const cache = new PrefixCache(wire.provider === "anthropic");
  const prompts: PromptTokens[] = [];
  server.meter = (body) => {
    const counted = cache.count(body);
    prompts.push(counted);
    return counted;
  };
  const economy = economySettings(given);
  if ("code" in economy) throw new Error(economy.message);
  const stage = await openStage([], { economy, model: portTo(server) }, files);
  opened.push({ stage, server });
  let before = 0;
  let predicted = 0;
  for (let turn = 0; turn <= following; turn += 1) {
    const end = await stage.agent.turn(
      { text: `Go on, for the ${turn}th time.` },
      {
        onEvent: (event) => {
          if (event.kind !== "context" || event.done.kind !== "clear") return;
          before = prompts.length;
          predicted = event.done.report.predictedSaving;
        },
      },
    );
    expect(end).toMatchObject({ reason: "complete" });
    if (before > 0 && prompts.length - before === following) break;
  }
  expect(server.refused).toEqual([]);
  const { clearings, realised } = stage.agent.savings;
  return { prompts, before, predicted, realised, clearings };
}

/** What requests cost, in tokens of plain input. */
function costOf(prompts: readonly PromptTokens[], write: number): number {
  return prompts.reduce(
    (sum, { total, cached, written }) => sum + 0.1 * cached + write * written + (total - cached - written),
    0,
  );
}

describe("where the planner marks a request", () => {
  it("keeps what stands before the first text that goes, and says where the cache broke", async () => {
    const answers = [...reads.map((one) => ({ ...one, text: "The next one." })), { text: "Done." }];
    const server = await new ProviderServer(anthropicWire, answers).open();
    const cache = new PrefixCache(true);
    const seen: { readonly counted: PromptTokens; readonly marked: readonly string[] }[] = [];
    server.meter = (body) => {
      const counted = cache.count(body);
      seen.push({ counted, marked: markedIn(body) });
      return counted;
    };
    const trigger = { type: "input_tokens", value: 36_000 } as const;
    const economy = economySettings({ ...clearing, trigger, expectedRequests: 1_000 });
    if ("code" in economy) throw new Error(economy.message);
    const stage = await openStage([], { economy, model: portTo(server) }, files);
    opened.push({ stage, server });
    const steps: unknown[] = [];
    const words = `Read them. ${"This is what is wanted. ".repeat(1_000)}`;
    const end = await stage.agent.turn(
      { text: words },
      {
        onEvent: (event) => {
          if (event.kind === "context") steps.push({ ...event.done, at: seen.length });
        },
      },
    );
    expect(end).toMatchObject({ reason: "complete" });
    expect(server.refused).toEqual([]);
    const at = steps.findIndex((step) => Object(step).kind === "clear");
    expect(steps.slice(at, at + 2)).toMatchObject([
      { kind: "clear" },
      { kind: "cache_broke", cause: "clearing" },
    ]);
    const after = seen[Object(steps[at]).at];
    // More than twenty blocks before the end: only a mark of its own finds it.
    expect(after?.counted.cached).toBeGreaterThan(words.length / 4);
    for (const { marked } of seen) expect(marked.length).toBeLessThanOrEqual(4);
    expect(seen.at(-1)?.marked.length).toBe(4);
    expect(stage.agent.cacheBroke).toMatchObject({ cause: "clearing" });
  });
});

/** Blocks of a request that carry a mark: what they are. */
function markedIn(body: unknown): readonly string[] {
  if (typeof body !== "object" || body === null) return [];
  if ("cache_control" in body) return ["type" in body ? String(body.type) : "tool"];
  return Object.values(body).flatMap(markedIn);
}

describe("what a clearing saves, by a cache that knows nothing of the planner", () => {
  it.each([
    [anthropicWire, 1.25],
    [responsesWire, 1],
    [geminiWire, 1],
  ])("is what was predicted, within a twentieth: $name", { timeout: 60_000 }, async (wire, write) => {
    const cleared = await metered(wire, clearing);
    const whole = await metered(wire, nothing);
    expect([cleared.clearings, whole.clearings]).toEqual([1, 0]);
    const { before } = cleared;
    const span = (prompts: readonly PromptTokens[]) =>
      costOf(prompts.slice(before, before + following), write);
    expect(costOf(cleared.prompts.slice(0, before), write)).toBe(
      costOf(whole.prompts.slice(0, before), write),
    );
    const saved = span(whole.prompts) - span(cleared.prompts);
    expect(saved).toBeGreaterThan(20_000);
    expect(Math.abs(cleared.predicted / saved - 1)).toBeLessThan(0.05);
    expect(Math.abs(cleared.realised / saved - 1)).toBeLessThan(0.05);
  });
});
