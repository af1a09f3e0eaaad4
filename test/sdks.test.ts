import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  fromAnthropic,
  fromGemini,
  fromOpenAI,
  fromOpenAIResponses,
  type ReceivedAnswer,
  type RequestOptions,
  renderContext,
  toAnthropic,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "../packages/core/src/context/index.js";
import type { ContextManager } from "../packages/core/src/conversation/index.js";
import * as anthropic from "../packages/core/test/context/vendors/anthropic.js";
import * as gemini from "../packages/core/test/context/vendors/gemini.js";
import * as openai from "../packages/core/test/context/vendors/openai.js";
import * as responses from "../packages/core/test/context/vendors/openai-responses.js";
import { must, newManager } from "../packages/core/test/conversation/support.js";

/**
 * Two requests through each real SDK, against a server on this machine that speaks the API's wire format: the
 * SDK's own parser feeds the reader, and what arrives of the second request is what the API had sent.
 */
const model = "the-model";
const offered: RequestOptions = {
  model,
  system: "You change files.",
  tools: [
    { name: "read_file", inputSchema: { type: "object", properties: { file_path: { type: "string" } } } },
    { name: "list_files", inputSchema: { type: "object", properties: {} } },
  ],
};

let server: Server;
let baseURL: string;
/** What the server answers next: a whole response, or the texts of a stream, broken off after some. */
let script: { readonly whole?: object; readonly stream?: readonly string[]; readonly cutAfter?: number };
let bodies: unknown[];

beforeAll(async () => {
  server = createServer((request, answer) => void serve(request, answer));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // It listens at an address, not at a pipe.
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((done) => server.close(done)));
beforeEach(() => {
  bodies = [];
});

async function serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  bodies.push(JSON.parse(Buffer.concat(parts).toString()));
  const { whole, stream = [], cutAfter } = script;
  if (whole !== undefined) {
    answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
    return;
  }
  answer.writeHead(200, { "content-type": "text/event-stream" });
  // Pieces of 61 bytes end anywhere, in the middle of letters as well.
  const bytes = Buffer.from(stream.slice(0, cutAfter).join(""));
  for (let at = 0; at < bytes.length; at += 61)
    await new Promise((done) => answer.write(bytes.subarray(at, at + 61), done));
  if (cutAfter === undefined) answer.end();
  else setImmediate(() => answer.destroy());
}

const named = (event: { readonly type: string }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const data = (event: object) => `data: ${JSON.stringify(event)}\n\n`;

interface Sdk {
  readonly name: string;
  readonly provider: string;
  readonly whole: object;
  readonly stream: readonly string[];
  /** The conversation's part of a request's body, as it arrived. */
  readonly member: "messages" | "input" | "contents";
  ask(manager: ContextManager, how: "whole" | "stream" | "helper"): Promise<ReceivedAnswer>;
  /** The answer as the API wants it back, between what was said and the results. */
  readonly wanted: readonly unknown[];
}

const step = (manager: ContextManager) => ({ step: `s${manager.context.nodes.size}`, model });
const contentsFor = (manager: ContextManager, provider: string) =>
  renderContext(manager.context, { target: { provider, model } }).contents;

const sdks: readonly Sdk[] = [
  {
    name: "@anthropic-ai/sdk",
    provider: "anthropic",
    whole: anthropic.message,
    stream: anthropic.events.map(named),
    member: "messages",
    async ask(manager, how) {
      const client = new Anthropic({ apiKey: "k", baseURL, maxRetries: 0 });
      const { body } = toAnthropic(contentsFor(manager, "anthropic"), { ...offered, cache: "5m" });
      const request = { model, max_tokens: 100, ...body };
      if (how === "whole") return fromAnthropic(await client.messages.create(request), step(manager));
      const stream =
        how === "helper"
          ? client.messages.stream(request)
          : await client.messages.create({ ...request, stream: true });
      return await fromAnthropic(stream, step(manager));
    },
    wanted: [
      {
        role: "assistant",
        content: anthropic.content.map((block) => {
          const { caller: _, citations: __, ...rest } = { caller: 0, citations: 0, ...block };
          return rest;
        }),
      },
    ],
  },
  {
    name: "openai, Chat Completions",
    provider: "openai",
    whole: openai.completion,
    stream: [...openai.chunks.map(data), "data: [DONE]\n\n"],
    member: "messages",
    async ask(manager, how) {
      const client = new OpenAI({ apiKey: "k", baseURL, maxRetries: 0 });
      const { body } = toOpenAI(contentsFor(manager, "openai"), offered);
      const request = { model, ...body };
      if (how === "whole") return fromOpenAI(await client.chat.completions.create(request), step(manager));
      const counted = { ...request, stream: true, stream_options: { include_usage: true } } as const;
      const stream =
        how === "helper"
          ? client.chat.completions.stream(counted)
          : await client.chat.completions.create(counted);
      return await fromOpenAI(stream, step(manager));
    },
    wanted: [
      {
        role: "assistant",
        content: "I look at both.",
        tool_calls: openai.completion.choices[0]?.message.tool_calls,
      },
    ],
  },
  {
    name: "openai, Responses",
    provider: "openai",
    whole: responses.response,
    stream: responses.events.map(named),
    member: "input",
    async ask(manager, how) {
      const client = new OpenAI({ apiKey: "k", baseURL, maxRetries: 0 });
      const { body } = toOpenAIResponses(contentsFor(manager, "openai"), offered);
      const include = ["reasoning.encrypted_content" as const];
      const request = { model, store: false, include, ...body };
      if (how === "whole") return fromOpenAIResponses(await client.responses.create(request), step(manager));
      const stream =
        how === "helper"
          ? client.responses.stream(request)
          : await client.responses.create({ ...request, stream: true });
      return await fromOpenAIResponses(stream, step(manager));
    },
    wanted: responses.output,
  },
  {
    name: "@google/genai",
    provider: "google",
    whole: gemini.response(gemini.parts),
    stream: gemini.stream(gemini.parts).map(data),
    member: "contents",
    async ask(manager, how) {
      const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: baseURL } });
      const { body } = toGemini(contentsFor(manager, "google"), offered);
      const request = { model, ...body };
      if (how === "whole") return fromGemini(await client.models.generateContent(request), step(manager));
      return await fromGemini(await client.models.generateContentStream(request), step(manager));
    },
    wanted: [{ role: "model", parts: gemini.parts }],
  },
];

const listOf = (body: unknown, member: string): readonly unknown[] => {
  const list: unknown = Object(body)[member];
  return Array.isArray(list) ? list : [];
};

/** Without the marks of the cache, which move on. */
const unmarked = (list: readonly unknown[]): unknown =>
  JSON.parse(JSON.stringify(list, (key, value: unknown) => (key === "cache_control" ? undefined : value)));

describe.each(sdks)("$name", ({ whole, stream, member, ask, wanted }) => {
  it.each(["stream", "helper", "whole"] as const)("is sent back what it sent: %s", async (how) => {
    const manager = newManager();
    must(manager.commitStagedItems("Look at both."));
    script = how === "whole" ? { whole } : { stream };
    const answer = await ask(manager, how);
    expect(answer).toMatchObject({ ended: "complete", flaws: [], usage: { thoughtTokens: 40 } });
    must(manager.addAnswer(answer));
    const calls = answer.parts.filter((part) => part.kind === "tool_call");
    expect(calls.map(({ name }) => name)).toEqual(["read_file", "list_files"]);
    for (const { callId, name } of calls)
      must(manager.addNode({ kind: "tool_result", callId, name, output: `of ${name}` }));
    await ask(manager, how);
    const [first, second] = bodies.map((body) => listOf(body, member));
    if (first === undefined || second === undefined) throw new Error("two requests were to arrive");
    const from = first.length;
    expect(unmarked(second.slice(0, from))).toEqual(unmarked(first));
    // What JSON says of it is equal to the letter, too: names stand in the order in which they came.
    const got = JSON.stringify(unmarked(second.slice(from, from + wanted.length)));
    expect(JSON.parse(got)).toEqual(wanted);
    for (const secret of got.match(
      /"(signature|data|encrypted_content|thoughtSignature|arguments)":"[^"]+"/g,
    ) ?? [])
      expect(JSON.stringify(wanted)).toContain(secret);
    expect(JSON.stringify(second.slice(from + wanted.length))).toContain("of list_files");
    expect(JSON.stringify(bodies[0])).toContain("You change files.");
    expect(JSON.stringify(bodies[0])).toContain('"name":"list_files"');
  });

  it("is told of, where the connection breaks off anywhere", async () => {
    const manager = newManager();
    must(manager.commitStagedItems("Look at both."));
    const complete = stream.length;
    for (const cutAfter of [1, 4, Math.floor(complete / 2), complete - 3]) {
      script = { stream, cutAfter };
      const answer = await ask(manager, "stream");
      if (answer.ended === "complete") continue;
      expect(answer.ended).toBe("cut");
      expect(answer.parts.filter((part) => part.kind === "tool_call").length).toBeLessThan(3);
      for (const part of answer.parts)
        if (part.kind === "tool_call" && part.name === "read_file")
          expect(part.args).toHaveProperty("file_path", "src/ü.ts");
    }
  });
});

const pictures = [
  { mimeType: "image/png", data: Buffer.from("a picture").toString("base64") },
  { mimeType: "application/pdf", data: Buffer.from("a document").toString("base64") },
  { mimeType: "audio/wav", data: Buffer.from("a sound").toString("base64") },
];
const formOf: Readonly<Record<string, (manager: ContextManager) => object>> = {
  "@anthropic-ai/sdk": (manager) =>
    toAnthropic(contentsFor(manager, "anthropic"), { ...offered, cache: "5m" }).body,
  "openai, Chat Completions": (manager) => toOpenAI(contentsFor(manager, "openai"), offered).body,
  "openai, Responses": (manager) => toOpenAIResponses(contentsFor(manager, "openai"), offered).body,
  "@google/genai": (manager) => toGemini(contentsFor(manager, "google"), offered).body,
};

describe.each(sdks)("media through $name", ({ name, whole, member, ask }) => {
  it("arrive as the form has them, to the letter", async () => {
    const manager = newManager();
    must(manager.commitStagedItems("Look at both."));
    script = { whole };
    const answer = await ask(manager, "whole");
    must(manager.addAnswer(answer));
    for (const part of answer.parts)
      if (part.kind === "tool_call")
        must(
          manager.addNode({
            kind: "tool_result",
            callId: part.callId,
            name: part.name,
            output: "see",
            media: pictures,
          }),
        );
    await ask(manager, "whole");
    const sent = listOf(formOf[name]?.(manager), member);
    expect(listOf(bodies[1], member)).toEqual(JSON.parse(JSON.stringify(sent)));
    const arrived = JSON.stringify(listOf(bodies[1], member));
    for (const { data: bytes } of pictures.slice(0, 2)) expect(arrived.split(bytes).length - 1).toBe(2);
  });
});

describe("an error in the middle of a stream", () => {
  it("is an answer that broke off, with what the SDK threw", async () => {
    const manager = newManager();
    must(manager.commitStagedItems("go"));
    const failure = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const [one] = sdks;
    if (one === undefined) throw new Error("no SDK");
    script = { stream: [...one.stream.slice(0, 6), named(failure)] };
    const answer = await one.ask(manager, "stream");
    expect(answer.ended).toBe("cut");
    expect(String(answer.error)).toContain("Overloaded");
  });
});
