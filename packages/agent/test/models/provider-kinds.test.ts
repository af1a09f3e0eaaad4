import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openModel, type ProviderKind } from "../../src/models/open-model.js";
import { Loopback, type Wire, wires } from "./wires.js";

const server = new Loopback();
beforeAll(() => server.open());
afterAll(() => server.close());

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

async function asked(name: string, provider: object, environment: Readonly<Record<string, string>>) {
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
      const { target, last, request } = await asked("mine/the-model", provider, { K: "key-of-mine" });
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
    const { last } = await asked("mine/the-model", provider, {});
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
