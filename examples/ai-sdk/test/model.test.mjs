/** A model of the AI SDK behind core's port: a real provider of the SDK against a server on loopback. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, it } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { modelFromAiSdk } from "@holdfast/adapters/ai-sdk";
import { ContextManager, renderContext } from "@holdfast/core";

/** @type {{ status?: number, headers?: Record<string, string>, chunks?: readonly object[], body?: object, cut?: boolean, stall?: boolean }[]} */
const script = [];
/** @type {any[]} */
const bodies = [];
let dropped = 0;

const server = createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += part;
  bodies.push(JSON.parse(text));
  const { status = 200, headers = {}, chunks = [], body, cut = false, stall = false } = script.shift() ?? {};
  response.on("close", () => {
    if (!response.writableEnded) dropped += 1;
  });
  if (body !== undefined) {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const chunk of chunks)
    response.write(`data: ${JSON.stringify({ id: "c", choices: [], ...chunk })}\n\n`);
  if (stall) return;
  if (cut) setImmediate(() => response.destroy());
  else response.end("data: [DONE]\n\n");
});
let url = "";
before(async () => {
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(undefined)));
  const address = server.address();
  if (typeof address === "object" && address !== null) url = `http://127.0.0.1:${address.port}/v1`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const tools = [
  {
    name: "read_file",
    description: "Reads.",
    inputSchema: { properties: { file_path: { type: "string" } } },
  },
];

/** @param {object} delta @param {string | null} [reason] */
const chunk = (delta, reason = null) => ({ choices: [{ index: 0, delta, finish_reason: reason }] });
/** @param {number} index @param {string} id @param {string} json */
const call = (index, id, json) =>
  chunk({ tool_calls: [{ index, id, type: "function", function: { name: "read_file", arguments: json } }] });

const port = (baseURL = url) =>
  modelFromAiSdk(
    createOpenAICompatible({ name: "local", baseURL, apiKey: "sk-secret", includeUsage: true })("the-model"),
  );

function conversation() {
  let id = 0;
  const manager = new ContextManager({
    ids: () => {
      id += 1;
      return `n${id}`;
    },
    now: () => 1,
  });
  manager.commitStagedItems("Look at both.");
  return manager;
}

/** @param {ContextManager} manager @param {{ model?: ReturnType<typeof port>, signal?: AbortSignal, onEvent?: () => void }} [how] */
async function asked(manager, { model = port(), signal, onEvent } = {}) {
  const { contents } = renderContext(manager.context, { target: model.target });
  /** @type {import("@holdfast/core").ModelEvent[]} */
  const events = [];
  const step = { step: `s${bodies.length}`, contents, tools, system: "You change files." };
  for await (const event of model.ask(step, signal)) {
    events.push(event);
    onEvent?.();
  }
  const last = events.at(-1);
  return {
    events,
    last,
    answer: last?.kind === "finish" ? last.answer : undefined,
    failure: last?.kind === "failed" ? last.failure : undefined,
  };
}

it("asks and answers: words, thoughts, calls in pieces, tokens, and the results go back", async () => {
  const usage = { prompt_tokens: 20, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 5 } };
  script.push({
    chunks: [
      chunk({ reasoning_content: "Both, then." }),
      chunk({ content: "I look" }),
      chunk({ content: " now." }),
      call(0, "one", '{"file_path":'),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"a.ts"}' } }] }),
      call(1, "two", '{"file_path":"b.ts"}'),
      chunk({}, "tool_calls"),
      { choices: [], usage },
    ],
  });
  const manager = conversation();
  const { events, answer } = await asked(manager);
  assert.ok(answer !== undefined);
  assert.deepEqual(
    answer.parts.map((part) =>
      part.kind === "tool_call" ? [part.callId, part.args] : "text" in part && part.text,
    ),
    ["Both, then.", "I look now.", ["one", { file_path: "a.ts" }], ["two", { file_path: "b.ts" }]],
  );
  assert.equal(answer.ended, "complete");
  assert.deepEqual(answer.usage, {
    inputTokens: 20,
    cachedInputTokens: 5,
    outputTokens: 7,
    thoughtTokens: 0,
  });
  assert.deepEqual(
    [...new Set(events.map(({ kind }) => kind))],
    ["thought-delta", "text-delta", "call-delta", "finish"],
  );
  const [sent] = bodies.slice(-1);
  assert.deepEqual(sent.messages, [
    { role: "system", content: "You change files." },
    { role: "user", content: "Look at both." },
  ]);
  assert.deepEqual(sent.tools[0].function, {
    name: "read_file",
    description: "Reads.",
    parameters: { properties: { file_path: { type: "string" } }, type: "object" },
  });

  manager.addAnswer(answer);
  for (const callId of ["one", "two"])
    manager.addNode({ kind: "tool_result", callId, name: "read_file", output: `text of ${callId}` });
  script.push({ chunks: [chunk({ content: "Done." }), chunk({}, "stop")] });
  assert.equal((await asked(manager)).answer?.ended, "complete");
  const again = bodies.at(-1).messages.slice(2);
  assert.equal(again[0].role, "assistant");
  assert.equal(again[0].reasoning_content, "Both, then.");
  assert.deepEqual(
    again[0].tool_calls.map((/** @type {any} */ one) => [one.id, one.function.arguments]),
    [
      ["one", '{"file_path":"a.ts"}'],
      ["two", '{"file_path":"b.ts"}'],
    ],
  );
  assert.deepEqual(again.slice(1), [
    { role: "tool", tool_call_id: "one", content: "text of one" },
    { role: "tool", tool_call_id: "two", content: "text of two" },
  ]);
});

it("makes no call that did not arrive whole, and gives calls with one id two", async () => {
  script.push({ chunks: [call(0, "x", '{"file_path":"a'), chunk({}, "length")] });
  const half = await asked(conversation());
  assert.equal(half.answer?.ended, "length");
  assert.deepEqual(half.answer?.parts, []);
  assert.deepEqual(
    half.answer?.flaws.map(({ what }) => what),
    ["cut_call"],
  );
  script.push({
    chunks: [call(0, "x", '{"file_path":"a"}'), call(1, "x", '{"file_path":"b"}'), chunk({}, "tool_calls")],
  });
  const twins = await asked(conversation());
  const ids = twins.answer?.parts.flatMap((part) => (part.kind === "tool_call" ? [part.callId] : [])) ?? [];
  assert.equal(ids.length, 2);
  assert.equal(new Set(ids).size, 2);
});

it("says why there is no answer, and rejects never", async () => {
  const error = (/** @type {string} */ message) => ({ error: { message, type: "x" } });
  for (const [served, reason] of /** @type {const} */ ([
    [{ status: 401, body: error("no key") }, "auth"],
    [{ status: 404, body: error("no model") }, "unknown_model"],
    [{ status: 400, body: error("bad") }, "invalid_request"],
    [{ status: 400, body: error("the context length is exceeded") }, "too_long"],
    [{ status: 429, body: error("slow"), headers: { "retry-after": "7" } }, "rate_limit"],
    [{ status: 500, body: error("broken") }, "overloaded"],
    [{ chunks: [chunk({ content: "Half" })], cut: true }, "cut"],
  ])) {
    script.push(served);
    const { failure, events } = await asked(conversation());
    assert.equal(failure?.reason, reason, JSON.stringify(failure));
    assert.equal(failure?.retryAfterMs, reason === "rate_limit" ? 7_000 : undefined);
    assert.ok(!JSON.stringify(events).includes("sk-secret"));
  }
  const nobody = await asked(conversation(), { model: port("http://127.0.0.1:1/v1") });
  assert.equal(nobody.failure?.reason, "unreachable");
});

it("ends when it is told to, and lets the connection go", async () => {
  const ending = new AbortController();
  const before = dropped;
  script.push({ chunks: [chunk({ content: "Half" })], stall: true });
  const { failure } = await asked(conversation(), { signal: ending.signal, onEvent: () => ending.abort() });
  assert.equal(failure?.reason, "cancelled");
  for (let tries = 0; tries < 200 && dropped === before; tries += 1)
    await new Promise((done) => setTimeout(done, 10));
  assert.equal(dropped, before + 1);
  const early = await asked(conversation(), { signal: AbortSignal.abort() });
  assert.equal(early.failure?.reason, "cancelled");
});
