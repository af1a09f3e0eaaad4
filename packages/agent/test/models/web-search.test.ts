import { afterEach, beforeEach, expect, it } from "vitest";
import { CostMeter } from "../../src/models/catalog.js";
import { openModel } from "../../src/models/open-model.js";
import { searchedBy } from "../../src/models/web-search.js";
import { Loopback } from "./wires.js";

let server: Loopback;
beforeEach(async () => {
  server = new Loopback();
  await server.open();
});
afterEach(() => server.close());

const named = (event: { readonly type: string }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const data = (event: object) => `data: ${JSON.stringify(event)}\n\n`;

const page = { url: "https://holdfast.example/a", title: "About holdfasts" };
const words = "A holdfast grips the rock.";

/** What each provider streams where its own tool has searched, as its documentation has it. */
const searched = [
  {
    name: "anthropic/claude-sonnet-5-5",
    tool: { type: "web_search_20250305", name: "web_search", max_uses: 5 },
    stream: [
      { type: "message_start", message: { id: "m", role: "assistant", usage: { input_tokens: 9 } } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json: '{"query":"holdfast"}' },
      },
      { type: "content_block_stop", index: 0 },
      {
        type: "content_block_start",
        index: 1,
        content_block: {
          type: "web_search_tool_result",
          tool_use_id: "srvtoolu_1",
          content: [
            { type: "web_search_result", ...page, encrypted_content: "EqgfCioIARgB", page_age: null },
          ],
        },
      },
      { type: "content_block_stop", index: 1 },
      { type: "content_block_start", index: 2, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: words } },
      {
        type: "content_block_delta",
        index: 2,
        delta: { type: "citations_delta", citation: { type: "web_search_result_location", ...page } },
      },
      { type: "content_block_stop", index: 2 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 7 } },
      { type: "message_stop" },
    ].map(named),
  },
  {
    name: "openai/gpt-6.2-sol",
    tool: { type: "web_search" },
    stream: [
      {
        type: "response.output_item.done",
        output_index: 0,
        item: { id: "ws_1", type: "web_search_call", status: "completed" },
      },
      {
        type: "response.output_item.done",
        output_index: 1,
        item: {
          ...{ id: "msg_1", type: "message", role: "assistant", status: "completed" },
          content: [
            {
              type: "output_text",
              text: words,
              annotations: [
                { type: "url_citation", start_index: 0, end_index: 5, ...page },
                { type: "url_citation", start_index: 6, end_index: 9, ...page },
              ],
            },
          ],
        },
      },
      {
        type: "response.completed",
        response: { status: "completed", output: [], usage: { input_tokens: 9, output_tokens: 7 } },
      },
    ].map(named),
  },
  {
    name: "google/gemini-4-neon",
    tool: { googleSearch: {} },
    stream: [
      { candidates: [{ index: 0, content: { role: "model", parts: [{ text: words }] } }] },
      {
        candidates: [
          {
            ...{ index: 0, content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP" },
            groundingMetadata: {
              webSearchQueries: ["holdfast"],
              groundingChunks: [{ web: { uri: page.url, title: page.title } }],
            },
          },
        ],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 7 },
      },
    ].map(data),
  },
] as const;

function portOf(name: string) {
  const environment = {
    ...{ ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" },
    ...{ ANTHROPIC_BASE_URL: server.url, OPENAI_BASE_URL: server.url, GOOGLE_GEMINI_BASE_URL: server.url },
  };
  const opened = openModel(name, { environment, retry: { attempts: 1 } });
  if (opened.kind === "model_refused") throw new Error(opened.message);
  return opened.port;
}

it.each(searched)(
  "$name searches by its own tool, in a request of its own",
  async ({ name, tool, stream }) => {
    server.script = [{ stream }];
    const port = portOf(name);
    const meter = new CostMeter();
    expect(port.searches).toBe(true);
    const found = await searchedBy(port, "What is a holdfast?", { newId: () => "s1", meter });
    expect(found).toEqual({ code: "ok", text: `${words}\n\nPages:\n- ${page.title}: ${page.url}` });
    expect(server.bodies[0]?.tools).toEqual([tool]);
    expect(JSON.stringify(server.bodies[0])).toContain("What is a holdfast?");
    expect(meter.spent.costUsd).toBeGreaterThan(0);
  },
);

it.each(searched)("$name says why where it refuses to", async ({ name }) => {
  server.script = [{ status: 400, body: { error: { code: 400, message: "no search for this key" } } }];
  const found = await searchedBy(portOf(name), "What?", { newId: () => "s1" });
  expect(found).toMatchObject({ code: "failed", text: expect.stringContaining("no search for this key") });
});

it.each(searched)("$name is a failure where its answer says nothing", async ({ name, stream }) => {
  const silent = stream.map((event) =>
    event.replaceAll(words, "").replaceAll(/"(?:url|uri)":"[^"]*"/gu, '"no":""'),
  );
  server.script = [{ stream: silent }];
  const found = await searchedBy(portOf(name), "What?", { newId: () => "s1" });
  expect(found).toMatchObject({ code: "failed", text: expect.stringContaining("without an answer") });
});

it("is not offered for a server that only speaks a provider's form", () => {
  const providers = { mine: { kind: "anthropic", baseUrl: server.url } } as const;
  const opened = openModel("mine/claude-sonnet-5-5", { environment: {}, providers });
  expect(opened.kind === "model" && opened.port.searches).toBe(false);
});
