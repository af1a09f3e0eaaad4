import {
  type Effort,
  type ModelEvent,
  type ModelFailureReason,
  type ModelPort,
  renderContext,
} from "@holdfast/core/context";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hangMs } from "../../../../test/until.js";
import { must, newManager } from "../../../core/test/conversation/support.js";
import { anthropicModel } from "../../src/models/anthropic.js";
import { modelCatalog } from "../../src/models/catalog.js";
import { openModel, type ProviderKind } from "../../src/models/open-model.js";
import { wires as loopbackWires, ProviderServer } from "../loopback/index.js";
import { Loopback, model, offered, type Wire, wires } from "./wires.js";

let server: Loopback;
beforeEach(async () => {
  server = new Loopback();
  await server.open();
});
afterEach(() => server.close());

const key = "sk-very-secret";
let waits: number[];
beforeEach(() => {
  waits = [];
});

interface Waiting {
  readonly idleMs?: number;
  readonly openMs?: number;
  readonly silentMs?: number;
  readonly attempts?: number;
}

/** A wait for an answer that comes as well may be too long on a slow machine: then it is asked for once more. */
const oftenEnough = { attempts: 100 };

function portOf({ open }: Wire, waiting: Waiting = {}): ModelPort {
  const { idleMs = hangMs, openMs = hangMs, silentMs = hangMs, attempts = 3 } = waiting;
  const sleep = async (ms: number) => void waits.push(ms);
  return open({
    model,
    key,
    keyName: "THE_KEY",
    baseUrl: server.url,
    idleMs,
    openMs,
    silentMs,
    retry: { attempts, sleep, random: () => 1 },
  });
}

async function asked(port: ModelPort, signal?: AbortSignal, onEvent = (_: ModelEvent) => {}) {
  const manager = newManager();
  must(manager.commitStagedItems("Look at both."));
  const { contents, report } = renderContext(manager.context, { target: port.target });
  const events: ModelEvent[] = [];
  const step = { step: "s1", contents, ...offered, stableParts: report.stableParts };
  for await (const event of port.ask(step, signal)) {
    events.push(event);
    onEvent(event);
  }
  return { events, manager, last: events.at(-1) };
}

const wholeAnswers = ({ stream }: Wire) => Array.from({ length: oftenEnough.attempts }, () => ({ stream }));

it.each(loopbackWires)(
  "$provider, $model: an answer of more calls than a model makes is broken off, and not asked for again",
  async (wire) => {
    const call = { name: "read_file", args: { file_path: "a.txt" } };
    const provider = await new ProviderServer(wire, [
      { calls: Array.from({ length: 300 }, () => call) },
      { calls: Array.from({ length: 200 }, () => call) },
    ]).open();
    try {
      const environment = environmentOf(provider.url, provider.key);
      const providers = { local: { baseUrl: provider.url, keyVariable: "OPENAI_API_KEY" } };
      const opened = openModel(`${wire.provider}/${wire.model}`, { environment, providers });
      if (opened.kind === "model_refused") throw new Error(opened.message);
      const first = await asked(opened.port);
      expect(failureIn(first.last)?.message).toContain("went on above 256 calls");
      expect(provider.requests).toHaveLength(1);
      expect((await asked(opened.port)).last?.kind).toBe("finish");
    } finally {
      await provider.close();
    }
  },
);

const environmentOf = (url: string, secret: string, openai = url) => ({
  ANTHROPIC_API_KEY: secret,
  ANTHROPIC_BASE_URL: url,
  OPENAI_API_KEY: secret,
  OPENAI_BASE_URL: openai,
  GEMINI_API_KEY: secret,
  GOOGLE_GEMINI_BASE_URL: url,
});

const failureIn = (event: ModelEvent | undefined) => (event?.kind === "failed" ? event.failure : undefined);

describe.each(wires)("$name", (wire) => {
  it("sends what the form made, and gives the whole answer with its deltas on the way", async () => {
    server.script = [{ stream: wire.stream }];
    const { events, manager, last } = await asked(portOf(wire));
    if (last?.kind !== "finish") throw new Error(JSON.stringify(last));
    expect(last.answer).toMatchObject({
      step: "s1",
      ended: "complete",
      flaws: [],
      from: { provider: wire.provider, model },
    });
    const calls = last.answer.parts.filter((part) => part.kind === "tool_call");
    expect(calls.map(({ name }) => name)).toEqual(["read_file", "list_files"]);
    must(manager.addAnswer(last.answer));
    const words = last.answer.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");
    const shown = events.flatMap((event) => (event.kind === "text-delta" ? [event.text] : [])).join("");
    expect(shown).toBe(words);
    const json = events
      .flatMap((event) => (event.kind === "call-delta" && event.at === 0 ? [event.json] : []))
      .join("");
    expect(JSON.parse(json)).toEqual(calls[0]?.args);
    expect(server.bodies[0]).toMatchObject(JSON.parse(JSON.stringify(wire.form(newManagerAsking()))));
  });

  it.each<readonly [number, string, ModelFailureReason]>([
    [400, "bad", "invalid_request"],
    [400, "prompt is too long: 9 tokens > 8 maximum", "too_long"],
    [401, `invalid key ${key}`, "auth"],
    [403, "not for you", "auth"],
    [404, "no such model", "unknown_model"],
  ])("gives up at once at %i: %s", async (status, message, reason) => {
    server.script = [{ status, body: wire.error(status, message) }];
    const { events, last } = await asked(portOf(wire));
    expect(failureIn(last)).toMatchObject({ reason, status });
    expect(events).toHaveLength(1);
    expect(server.bodies).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain(key);
    if (reason === "auth" && status === 401) expect(failureIn(last)?.message).toContain("THE_KEY");
  });

  it.each<readonly [number, ModelFailureReason]>([
    [429, "rate_limit"],
    [500, "overloaded"],
    [503, "overloaded"],
    [529, "overloaded"],
  ])("asks again after %i, and then has the answer once", async (status, reason) => {
    server.script = [{ status, body: wire.error(status, "later") }, { stream: wire.stream }];
    const { events, last } = await asked(portOf(wire));
    expect(events[0]).toMatchObject({ kind: "retry", attempt: 1, failure: { reason } });
    expect(last?.kind).toBe("finish");
    expect(waits).toEqual([1_000]);
    expect(server.bodies[1]).toEqual(server.bodies[0]);
  });

  it("gives up after so many requests, having waited longer each time", async () => {
    server.script = [1, 2, 3].map(() => ({ status: 500, body: wire.error(500, "down") }));
    const { last } = await asked(portOf(wire));
    expect(failureIn(last)).toMatchObject({ reason: "overloaded" });
    expect(waits).toEqual([1_000, 2_000]);
    expect(server.bodies).toHaveLength(3);
  });

  it("asks again where the stream breaks off anywhere; nothing of it is an answer", async () => {
    for (const cutAfter of [0, 1, 3, Math.floor(wire.stream.length / 2), wire.stream.length - 3]) {
      server.script = [{ stream: wire.stream, cutAfter }, { stream: wire.stream }];
      const { events, last } = await asked(portOf(wire));
      expect(
        events.filter(({ kind }) => kind === "retry"),
        `cut after ${cutAfter}`,
      ).toHaveLength(1);
      expect(events.filter(({ kind }) => kind === "finish")).toHaveLength(1);
      expect(last?.kind).toBe("finish");
    }
  });

  it("asks again where the stream says nothing any more, or nonsense", async () => {
    server.script = [{ stream: wire.stream, stallAfter: 2 }, ...wholeAnswers(wire)];
    const stalled = await asked(portOf(wire, { idleMs: 500, ...oftenEnough }));
    expect(stalled.events.map(({ kind }) => kind)).toContain("retry");
    expect(stalled.last?.kind).toBe("finish");
    server.script = [{ stream: [...wire.stream.slice(0, 2), ...wire.broken] }, { stream: wire.stream }];
    const broken = await asked(portOf(wire));
    expect(broken.events.filter(({ kind }) => kind === "retry")).toHaveLength(1);
    expect(broken.last?.kind).toBe("finish");
  });

  it("tells a silence while it lasts, with its length", async () => {
    server.script = [{ stream: wire.stream, stallAfter: 2 }, ...wholeAnswers(wire)];
    const { events, last } = await asked(portOf(wire, { idleMs: 900, silentMs: 200, ...oftenEnough }));
    const silences = events.flatMap((event) => (event.kind === "silent" ? [event.ms] : []));
    expect(silences).toContain(400);
    // Each wait begins anew.
    expect(silences.filter((ms, at) => ms !== 200 && ms !== (silences[at - 1] ?? 0) + 200)).toEqual([]);
    expect(last?.kind).toBe("finish");
  });

  it("asks again where the request is taken and nothing comes, not even a header", async () => {
    server.script = [{ stream: wire.stream }, { stream: wire.stream, stallAfter: 0 }, ...wholeAnswers(wire)];
    // The first request loads the SDK, which may take longer than is waited here.
    await asked(portOf(wire));
    const { events, last } = await asked(portOf(wire, { openMs: 1_000, ...oftenEnough }));
    expect(events.map(({ kind }) => kind)).toContain("retry");
    expect(last?.kind).toBe("finish");
  });

  it("ends at any event when it is told to, and lets the connection go", async () => {
    server.script = [{ stream: wire.stream }];
    const whole = await asked(portOf(wire));
    for (let at = 0; at < whole.events.length - 1; at += 3) {
      const ending = new AbortController();
      let seen = 0;
      server.script = [{ stream: wire.stream, stallAfter: wire.stream.length - 2 }];
      const { last } = await asked(portOf(wire), ending.signal, () => {
        if (seen === at) ending.abort();
        seen += 1;
      });
      expect(failureIn(last), `at event ${at}`).toMatchObject({ reason: "cancelled" });
    }
    const ending = AbortSignal.abort();
    const before = server.bodies.length;
    expect(failureIn((await asked(portOf(wire), ending)).last)).toMatchObject({ reason: "cancelled" });
    expect(server.bodies).toHaveLength(before);
  });

  it("says that nobody answers", async () => {
    server.close();
    const { last } = await asked(portOf(wire));
    expect(failureIn(last)).toMatchObject({ reason: "unreachable" });
  });
});

function newManagerAsking() {
  const manager = newManager();
  must(manager.commitStagedItems("Look at both."));
  return manager;
}

describe("how long is waited", () => {
  const [anthropic, , chat] = wires;
  it("is what the provider asks for, up to a bound", async () => {
    if (anthropic === undefined || chat === undefined) throw new Error("no wires");
    for (const [headers, wait] of [
      [{ "retry-after": "7" }, 7_000],
      [{ "retry-after-ms": "250" }, 250],
      [{ "retry-after": "9000" }, 60_000],
    ] as const) {
      waits = [];
      server.script = [
        { status: 429, body: anthropic.error(429, "later"), headers },
        { stream: anthropic.stream },
      ];
      await asked(portOf(anthropic));
      expect(waits).toEqual([wait]);
    }
  });

  const quota = "You exceeded your current quota, please check your plan and billing details.";
  const gemini = (...details: readonly object[]) => ({
    error: { code: 429, message: quota, status: "RESOURCE_EXHAUSTED", details },
  });
  const failure = { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [] };
  const info = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "2.5s" };

  it.each([
    [[failure, info], [2_500], "finish"],
    [[failure], [], "failed"],
  ])("is what Gemini's RetryInfo says, and nothing without one: %j", async (details, expected, ends) => {
    const wire = wireOf("Gemini");
    server.script = [{ status: 429, body: gemini(...details) }, { stream: wire.stream }];
    const { last } = await asked(portOf(wire));
    expect(waits).toEqual(expected);
    expect(last?.kind).toBe(ends);
  });

  it("is nothing where the account is empty: the same request would be refused again", async () => {
    if (chat === undefined) throw new Error("no wires");
    const body = { error: { type: "insufficient_quota", message: "You exceeded your current quota." } };
    server.script = [{ status: 429, body }];
    const { last } = await asked(portOf(chat));
    expect(failureIn(last)).toMatchObject({ reason: "rate_limit" });
    expect(server.bodies).toHaveLength(1);
  });

  it("is as after 529 where Anthropic says so inside a stream", async () => {
    if (anthropic === undefined) throw new Error("no wires");
    const error = `event: error\ndata: ${JSON.stringify(anthropic.error(529, "Overloaded"))}\n\n`;
    server.script = [{ stream: [...anthropic.stream.slice(0, 5), error] }, { stream: anthropic.stream }];
    const { events, last } = await asked(portOf(anthropic));
    expect(events.find(({ kind }) => kind === "retry")).toMatchObject({ failure: { reason: "overloaded" } });
    expect(last?.kind).toBe("finish");
  });
});

describe("how much a model is to think", () => {
  const environment = () => environmentOf(server.url, key, `${server.url}/v1`);
  const of = { max_tokens: expect.any(Number) };
  const gemini = (thinkingConfig: object) => ({ generationConfig: { thinkingConfig } });

  it.each<readonly [string, string, Effort, object]>([
    [
      "Anthropic",
      "claude-opus-4-7",
      "max",
      { thinking: { type: "adaptive" }, output_config: { effort: "max" } },
    ],
    [
      "Anthropic",
      "claude-opus-5",
      "low",
      { thinking: { type: "adaptive" }, output_config: { effort: "low" } },
    ],
    [
      "Anthropic",
      "claude-haiku-4-5",
      "high",
      { ...of, thinking: { type: "enabled", budget_tokens: 20_000 } },
    ],
    ["Anthropic", "claude-haiku-4-5", "off", { thinking: { type: "disabled" } }],
    ["OpenAI Responses", "gpt-5.5", "max", { reasoning: { effort: "xhigh", summary: "auto" } }],
    ["OpenAI Responses", "gpt-5.1", "off", { reasoning: { effort: "none" } }],
    ["Gemini", "gemini-3.1-pro-preview", "low", gemini({ includeThoughts: true, thinkingLevel: "LOW" })],
    ["Gemini", "gemini-2.5-flash", "off", gemini({ thinkingBudget: 0 })],
  ])("is told by %s to %s as its API has it: %s", async (wire, name, effort, body) => {
    const opened = openModel(name, { environment: environment() });
    if (opened.kind === "model_refused") throw new Error(opened.message);
    server.script = [{ stream: wireOf(wire).stream }];
    const contents = [{ role: "user", parts: [{ text: "Go." }] }] as const;
    for await (const _ of opened.port.ask({ step: "s1", contents, effort, session: "s" }));
    expect(server.bodies[0]).toMatchObject(body);
    expect(server.bodies[0]?.prompt_cache_key).toBe(wire === "OpenAI Responses" ? "s" : undefined);
  });

  it("leaves room for the answer, and is not said to a model that does not think", async () => {
    const contents = [{ role: "user", parts: [{ text: "Go." }] }] as const;
    for (const [name, wire] of [
      ["claude-haiku-4-5", "Anthropic"],
      ["gpt-4o", "OpenAI Responses"],
    ] as const) {
      const opened = openModel(name, { environment: environment() });
      if (opened.kind === "model_refused") throw new Error(opened.message);
      server.script = [{ stream: wireOf(wire).stream }];
      for await (const _ of opened.port.ask({ step: "s1", contents, effort: "max", answerTokens: 4_096 }));
    }
    expect(server.bodies[0]).toMatchObject({ max_tokens: 4_096, thinking: { budget_tokens: 3_072 } });
    expect(server.bodies[1]).not.toHaveProperty("reasoning");
    expect(modelCatalog.get("gpt-4o")?.efforts).toEqual(["off"]);
    expect(modelCatalog.get("o3")?.efforts).not.toContain("max");
  });
});

describe("thinking of Anthropic's models", () => {
  it("is not asked for where the prompt has lost the thought of an open loop", async () => {
    const bodies: unknown[] = [];
    const port = anthropicModel({
      ...{ model, key, keyName: "THE_KEY", baseUrl: server.url, retry: { attempts: 1 } },
      form: "budget",
      onRequest: ({ body }) => bodies.push(body),
    });
    const contents = [{ role: "user", parts: [{ text: "Go." }] }] as const;
    for (const thinking of ["kept", "off"] as const) {
      server.script = [{ stream: wires[0]?.stream ?? [] }];
      for await (const _ of port.ask({ step: "s1", contents, thinking, effort: "low" }));
    }
    expect(bodies).toMatchObject([{ thinking: { budget_tokens: 4_096 } }, {}]);
    expect(bodies[1]).not.toHaveProperty("thinking");
  });
});

describe("Chat Completions", () => {
  it("streams and keeps thoughts, and gives them back with the calls that they led to", async () => {
    const wire = wireOf("Chat Completions");
    const chunk = (delta: object, end: object = {}) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...end }] })}\n\n`;
    const called = {
      index: 0,
      id: "c1",
      type: "function",
      function: { name: "list_files", arguments: "{}" },
    };
    const stream = [
      chunk({ reasoning_content: "Let me " }),
      chunk({ reasoning_content: "see." }),
      chunk({ tool_calls: [called] }),
      chunk({}, { finish_reason: "tool_calls" }),
      "data: [DONE]\n\n",
    ];
    server.script = [{ stream }];
    const { events, manager, last } = await asked(portOf(wire));
    if (last?.kind !== "finish") throw new Error(JSON.stringify(last));
    expect(events.filter(({ kind }) => kind === "thought-delta")).toHaveLength(2);
    must(manager.addAnswer(last.answer));
    must(manager.addNode({ kind: "tool_result", callId: "c1", name: "list_files", output: "None." }));
    expect(wire.form(manager)).toMatchObject({
      messages: [{}, {}, { reasoning_content: "Let me see.", tool_calls: [{ id: "c1" }] }, { role: "tool" }],
    });
  });

  it("gives what is said in parts and in sound to listeners as texts", async () => {
    const wire = wires.find(({ name }) => name === "Chat Completions");
    if (wire === undefined) throw new Error("no such wire");
    const chunk = (delta: object, more: object = {}) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }] })}\n\n`;
    const parts = [
      { type: "text", text: "Two " },
      { type: "thinking", thinking: [{ type: "text", text: "x" }] },
      { type: "text", text: "parts" },
    ];
    server.script = [
      {
        stream: [
          chunk({ content: parts }),
          chunk({ audio: { transcript: " spoken" } }),
          chunk({ content: "." }),
          chunk({}, { finish_reason: "stop" }),
          "data: [DONE]\n\n",
        ],
      },
    ];
    const { events } = await asked(portOf(wire));
    const texts = events.flatMap((event) => (event.kind === "text-delta" ? [event.text] : []));
    expect(texts).toEqual(["Two parts", " spoken", "."]);
  });
});

const secret = "gateway-secret-1";
const headers = { "X-Gateway": secret };

/** A protocol, its wire, where its requests go below the base address, and the header of its key. */
const kinds: readonly (readonly [ProviderKind, string, string, RegExp, string])[] = [
  ["chat", "Chat Completions", "/v1", /^\/v1\/chat\/completions$/, "authorization"],
  ["responses", "OpenAI Responses", "/v1", /^\/v1\/responses$/, "authorization"],
  ["anthropic", "Anthropic", "", /^\/v1\/messages$/, "authorization"],
  ["google", "Gemini", "", /^\/v1beta\/models\/the-model:streamGenerateContent/, "x-goog-api-key"],
];

function wireOf(name: string): Wire {
  const found = wires.find((wire) => wire.name === name);
  if (found === undefined) throw new Error(name);
  return found;
}

async function askedBy(name: string, provider: object, environment: Readonly<Record<string, string>>) {
  const providers = { mine: { ...provider, headers } };
  const opened = openModel(name, { environment, providers });
  if (opened.kind === "model_refused") throw new Error(opened.message);
  const events = [];
  for await (const event of opened.port.ask({
    step: "s",
    contents: [{ role: "user", parts: [{ text: "Hi." }] }],
  }))
    events.push(event);
  return { target: opened.port.target, last: events.at(-1), request: server.requests.at(-1) };
}

describe("a provider of the settings", () => {
  it.each(kinds)(
    "is asked by the protocol %s, with its key and headers",
    async (kind, name, base, path, of) => {
      const wire = wireOf(name);
      const provider = { kind, baseUrl: `${server.url}${base}`, keyVariable: "K" };
      server.script = [{ stream: wire.stream }];
      const { target, last, request } = await askedBy("mine/the-model", provider, { K: "key-of-mine" });
      expect(last).toMatchObject({ kind: "finish", answer: { from: target } });
      // Bound thoughts and a marked cache are Anthropic's, whoever speaks for it.
      expect(target).toEqual({ provider: kind === "anthropic" ? "anthropic" : "mine", model: "the-model" });
      expect(request?.url).toMatch(path);
      expect(request?.headers).toMatchObject({ "x-gateway": secret });
      expect(request?.headers[of]).toContain("key-of-mine");
    },
  );

  it.each(kinds)("needs no key with %s, and its headers stand in no message", async (kind, name, base) => {
    const wire = wireOf(name);
    server.script = [{ status: 401, body: wire.error(401, `no ${secret} here`) }];
    const provider = { kind, baseUrl: `${server.url}${base}` };
    const { last } = await askedBy("mine/the-model", provider, {});
    expect(last).toMatchObject({ kind: "failed", failure: { reason: "auth" } });
    expect(JSON.stringify(last)).not.toContain(secret);
  });

  it("takes headers for a vendor, and another protocol of it only where it has one", async () => {
    const environment = { OPENAI_API_KEY: "o", OPENAI_BASE_URL: `${server.url}/v1`, ANTHROPIC_API_KEY: "a" };
    server.script = [{ stream: wireOf("Chat Completions").stream }];
    const providers = { openai: { kind: "chat", headers }, anthropic: { kind: "chat" } } as const;
    const opened = openModel("openai/the-model", { environment, providers });
    if (opened.kind === "model_refused") throw new Error(opened.message);
    for await (const _ of opened.port.ask({ step: "s", contents: [] }));
    expect(server.requests.at(-1)).toMatchObject({
      url: "/v1/chat/completions",
      headers: { "x-gateway": secret },
    });
    expect(openModel("anthropic/x", { environment, providers })).toMatchObject({
      kind: "model_refused",
      message: expect.stringContaining("another name"),
    });
  });
});
