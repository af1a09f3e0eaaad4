import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type EconomyOverrides, economySettings } from "@holdfast/core/economy";
import { describe, expect, it } from "vitest";
import {
  anthropicWire,
  chatWire,
  geminiWire,
  PrefixCache,
  type PromptTokens,
  type ProviderServer,
  type ReceivedRequest,
  responsesWire,
  type ServedAnswer,
  type Wire,
  wires,
} from "../loopback/index.js";
import { play, portTo, type Session, serve, thoughtsOf, treeOf } from "./on-wire.js";
import { sessions } from "./sessions.js";
import { openStage } from "./stage.js";

const filesIn = (root: string) =>
  Object.fromEntries(readdirSync(root).map((name) => [name, readFileSync(join(root, name), "utf8")]));

describe.each(sessions)("$name", (session) => {
  it("ends in the same tree and the same bytes over all four APIs, which refuse nothing of it", async () => {
    const all = await Promise.all(wires.map((wire) => play(wire, session)));
    const trees = all.map(({ stage }) => treeOf(stage.manager));
    const thoughts = session.script.flatMap(({ thought, fault }) =>
      thought === undefined || (fault !== undefined && fault.kind !== "slow") ? [] : [thought],
    );
    for (const [at, { server, stage, ends }] of all.entries()) {
      const { name, thinks } = server.wire;
      expect(server.refused, name).toEqual([]);
      const reasons = ends.map(({ reason, message }) => message ?? reason);
      expect(reasons, name).toEqual(session.turns.map(() => "complete"));
      expect(server.left, name).toBe(0);
      expect(filesIn(stage.root), name).toEqual(session.after);
      expect(trees[at], name).toEqual(trees[0]);
      expect(thoughtsOf(stage.manager), name).toEqual(thinks ? thoughts : []);
      if (!leavesItsPath(session)) expect(notGivenBack(server), name).toEqual([]);
      const before = server.requests.at(-1);
      server.play({ text: "Still here." });
      const again = await stage.resume([], { ...session.parts, model: portTo(server) });
      expect(await again.turn("Go on."), name).toMatchObject({ reason: "complete" });
      const [had, has] = [partsOf(before), partsOf(server.requests.at(-1))];
      if (!leavesItsPath(session)) expect(has.slice(0, had.length), name).toEqual(had);
    }
  });
});

/** What was said in a request, part by part; marks of a cache move with its end. */
function partsOf(request: ReceivedRequest | undefined): readonly string[] {
  // A cast: the server took the request, so that one of these lists is there.
  const body = request?.body as Readonly<Record<string, readonly object[] | undefined>>;
  const said = body.messages ?? body.input ?? body.contents ?? [];
  return said.map((part) => JSON.stringify(part).replace(/,"cache_control":\{[^}]*\}/gu, ""));
}

/** Of what the provider wants back to the byte: what a request does not hold. */
function notGivenBack({ requests }: ProviderServer): readonly string[] {
  return requests.flatMap(({ text, wanted }) =>
    wanted.filter((signature) => !text.includes(JSON.stringify(signature))),
  );
}

/** Whether answers are left behind on another branch, with what they were signed with. */
function leavesItsPath({ script }: Session): boolean {
  return script.some(({ calls = [] }) =>
    calls.some(({ name, args }) => /task.complete|rewind/u.test(`${name} ${args.action}`)),
  );
}

/** A damage to the last request of a session with parallel calls and thoughts, and what is said of it. */
type Damage = readonly [name: string, damage: (text: string) => string, says: RegExp];

const all: readonly Damage[] = [
  ["a member that nobody knows", (text) => text.replace(/^\{/u, '{"unheard":1,'), /nrecognized key/u],
  ["a tool twice", (text) => text.replace('"name":"write_file"', '"name":"read_file"'), /unique|Duplicate/u],
  [
    "a tool whose name no API takes",
    (text) => text.replace('"name":"write_file"', '"name":"wri te"'),
    /name/u,
  ],
  ["half the JSON", (text) => text.slice(0, 99), /./u],
];

const damages: readonly (readonly [Wire, readonly Damage[]])[] = [
  [
    anthropicWire,
    [
      ["a thought with a letter less", (text) => text.replace("Both at once.", "Both at once"), /signature/u],
      ["a changed signature", (text) => text.replace("EqQBCkYI", "eqQBCkYI"), /redacted_thinking|signature/u],
      [
        "no thought before a call",
        (text) => text.replace(/\{"type":"thinking".*?\},/u, ""),
        /Expected `thinking`/u,
      ],
      ["no result", (text) => text.replace(/"tool_use_id":"/u, '"tool_use_id":"x'), /without `tool_result`/u],
      ["no limit of tokens", (text) => text.replace(/,"max_tokens":\d+/u, ""), /max_tokens/u],
      ["an empty text", (text) => text.replace('"All at once."', '" "'), /non-whitespace/u],
      ["two of one role", (text) => text.replace('"role":"assistant"', '"role":"user"'), /messages/u],
    ],
  ],
  [
    responsesWire,
    [
      [
        "encrypted reasoning that was changed",
        (text) => text.replace("EqQBCkYI", "eqQBCkYI"),
        /encrypted content/u,
      ],
      [
        "a call without its reasoning",
        (text) => text.replace(/\{"type":"reasoning".*?"encrypted_content":"[^"]*"\},/u, ""),
        /required 'reasoning' item|required following/u,
      ],
      [
        "no result",
        (text) => text.replace('"function_call_output","call_id":"', '"function_call_output","call_id":"x'),
        /No tool call found/u,
      ],
      [
        "reasoning that is not asked for",
        (text) => text.replace('"reasoning.encrypted_content"', ""),
        /not persisted/u,
      ],
      ["an id of another kind", (text) => text.replace('"id":"fc_', '"id":"xx_'), /input/u],
    ],
  ],
  [
    chatWire,
    [
      ["no result", (text) => text.replace('"tool_call_id":"', '"tool_call_id":"x'), /must be a response/u],
      [
        "arguments that are no JSON",
        (text) => text.replace(/"arguments":"\{/u, '"arguments":"'),
        /not a JSON object/u,
      ],
      ["an id of 41 letters", (text) => text.replaceAll(/call_2/gu, "c".repeat(41)), /messages/u],
      ["an empty text", (text) => text.replace('"All in capitals."', '""'), /empty/u],
    ],
  ],
  [
    geminiWire,
    [
      [
        "a call without signature",
        (text) => text.replace(/,"thoughtSignature":"[^"]*"/u, ""),
        /missing a thought_signature/u,
      ],
      ["a changed signature", (text) => text.replace("EqQBCkYI", "eqQBCkYI"), /signature is not valid/u],
      [
        "a response less",
        (text) => text.replace(/\{"functionResponse":\{"id":"[^"]*","name":"read_file".*?\}\}\},?/u, ""),
        /number of function response parts/u,
      ],
      [
        "a response of another name",
        (text) => text.replace(/("functionResponse":\{[^{]*"name":")read_file/u, "$1write_file"),
        /answers no call/u,
      ],
    ],
  ],
];

describe.each(damages)("$name on loopback", (wire, own) => {
  it("refuses what the real API refuses, and takes the same request whole", async () => {
    const session = sessions.find(({ name }) => name.startsWith("parallel"));
    if (session === undefined) throw new Error("no such session");
    const played = await play(wire, session);
    const { requests, ledger } = played.server;
    const text = requests.at(-1)?.text ?? "";
    expect([...wire.complaints(JSON.parse(text), ledger)]).toEqual([]);
    for (const [name, damage, says] of [...all, ...own]) {
      const damaged = damage(text);
      expect(damaged, name).not.toBe(text);
      const [first] = wire.complaints(parsed(damaged), ledger);
      expect(first, name).toMatch(says);
    }
  });
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
  const server = await serve(wire, [...reads, ...answers]);
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
  let before = 0;
  let predicted = 0;
  for (let turn = 0; turn <= following; turn += 1) {
    const end = await stage.agent.turn(
      { text: `Go on, for the ${turn}th time.` },
      {
        onEvent: (event) => {
          if (event.kind !== "context" || event.done.kind !== "clear") return;
          before = prompts.length;
          predicted = event.done.report.predictedSaving - event.done.report.cost;
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
    const server = await serve(anthropicWire, answers);
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
  ])("is what was predicted, within a twentieth: $name", async (wire, write) => {
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
