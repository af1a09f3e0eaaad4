import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isThere } from "../addon-there.js";
import { Project } from "../process.js";

/** A server that speaks Chat Completions: it answers who brings the key, once. */
let server: Server;
const bodies: string[] = [];
beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    bodies.push(body);
    if (request.headers.authorization !== "Bearer sk-right") {
      response.writeHead(401, { "content-type": "application/json" });
      response.end('{"error":{"message":"Incorrect API key","type":"invalid_request_error"}}');
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    response.end(`${chunk({ role: "assistant", content: "ok" }, null)}${chunk({}, "stop")}data: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

interface Finding {
  readonly name: string;
  readonly verdict: string;
  readonly says: string;
}

async function doctor(
  own: object,
  args: readonly string[],
  key?: string,
  more: Readonly<Record<string, string>> = {},
) {
  const home = new Project({ "settings.jsonc": JSON.stringify(own) });
  const project = new Project();
  const env = {
    HOLDFAST_HOME: home.folder,
    HOME: home.folder,
    HOLDFAST_STATE_DIR: join(home.folder, "state"),
    ...(key === undefined ? {} : { MY_KEY: key }),
    ...more,
  };
  const done = await project.run(["doctor", "--json", ...args], { env });
  const { findings }: { readonly findings: readonly Finding[] } = JSON.parse(done.stdout);
  const of = (name: string) => findings.filter((finding) => finding.name === name);
  return { ...done, of };
}

function modelAt(more: object = {}): object {
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const mine = { kind: "chat", baseUrl, keyEnv: "MY_KEY" };
  return { model: { name: "mine/m", providers: { mine }, ...more } };
}

it("asks no model unless told to, and shows no key", async () => {
  const { code, stdout, of } = await doctor(modelAt(), [], "sk-right");
  expect(code).toBe(0);
  expect(bodies).toEqual([]);
  expect(of("keys")).toContainEqual({ name: "keys", verdict: "good", says: "mine: MY_KEY is set" });
  expect(of("model tried")).toEqual([]);
  expect(stdout).not.toContain("sk-right");
});

it("tries the model with one short request, and says what is wrong with it", async () => {
  const right = await doctor(modelAt(), ["--try-model"], "sk-right");
  expect(right.of("model tried")).toMatchObject([{ verdict: "good" }]);
  expect(bodies).toHaveLength(1);
  const wrong = await doctor(modelAt(), ["--try-model"], "sk-wrong");
  expect(wrong.code).not.toBe(0);
  expect(wrong.of("model tried")).toMatchObject([{ verdict: "fault" }]);
  expect(wrong.stdout).not.toContain("sk-wrong");
  const none = await doctor(modelAt(), []);
  expect(none.of("keys")).toContainEqual({ name: "keys", verdict: "fault", says: "mine: MY_KEY is not set" });
});

it.skipIf(!isThere("mcp-client"))(
  "starts each MCP server, and names the one that does not come up",
  async () => {
    const script = `let t="";process.stdin.on("data",(d)=>{t+=d;for(let i;(i=t.indexOf("\\n"))>=0;){const m=JSON.parse(t.slice(0,i));t=t.slice(i+1);
    const answer=(result)=>console.log(JSON.stringify({jsonrpc:"2.0",id:m.id,result}));
    if(m.method==="initialize")answer({protocolVersion:m.params.protocolVersion,capabilities:{tools:{}},serverInfo:{name:"s",version:"1"}});
    if(m.method==="tools/list")answer({tools:[{name:"one",inputSchema:{type:"object"}}]});}});`;
    const mcpServers = {
      up: { command: process.execPath, args: ["-e", script] },
      down: { command: "no-such-program-here" },
    };
    const { of, code } = await doctor({ mcpServers }, []);
    expect(of("MCP server up")).toMatchObject([{ verdict: "good", says: "ready, 1 tools" }]);
    expect(of("MCP server down")).toMatchObject([{ verdict: "fault" }]);
    expect(code).not.toBe(0);
  },
);

it("tells settings that do not hold", async () => {
  const { of, code } = await doctor({ limits: { maxTurns: "many" } }, []);
  expect(of("settings")).toMatchObject([{ verdict: "fault", says: expect.stringContaining("maxTurns") }]);
  expect(code).not.toBe(0);
});

it("knows the window of a model that the settings describe", async () => {
  const described = await doctor(modelAt({ overrides: { m: { contextTokens: 32_000 } } }), [], "sk-right");
  expect(described.of("model")).toMatchObject([{ verdict: "good" }]);
  for (const overrides of [{}, { m: { outputTokens: 100 } }]) {
    const undescribed = await doctor(modelAt({ overrides }), [], "sk-right");
    expect(undescribed.of("model")).toMatchObject([
      { verdict: "note", says: expect.stringContaining("window") },
    ]);
  }
});

it("tells what every run would be refused for, thresholds that contradict each other too", async () => {
  const upsideDown = await doctor({ context: { ratios: { anthropic: { write: 0.1, read: 1 } } } }, []);
  expect(upsideDown.of("settings")).toMatchObject([
    { verdict: "fault", says: expect.stringContaining("context.ratios.anthropic: read has to be above 0") },
  ]);
  expect(upsideDown.code).not.toBe(0);
  const small = await doctor({ context: { compactAtTokens: 100, triggerTokens: 200 } }, []);
  expect(small.of("settings")).toMatchObject([
    { verdict: "fault", says: expect.stringContaining("context.compactAtTokens") },
  ]);
});

it("says whose variable counts where the one of the settings is empty, as a run has it", async () => {
  const settings = { model: { name: "claude-sonnet-4-6", providers: { anthropic: { keyEnv: "MY_EMPTY" } } } };
  const usual = await doctor(settings, [], undefined, { MY_EMPTY: "", ANTHROPIC_API_KEY: "sk-usual" });
  expect(usual.of("keys")).toContainEqual({
    name: "keys",
    verdict: "note",
    says: "anthropic: MY_EMPTY is not set; ANTHROPIC_API_KEY counts",
  });
  expect(usual.of("model")).toMatchObject([{ verdict: "good" }]);
  const none = await doctor(settings, [], undefined, { MY_EMPTY: "", ANTHROPIC_API_KEY: "" });
  expect(none.of("keys")).toContainEqual({
    name: "keys",
    verdict: "fault",
    says: "anthropic: MY_EMPTY is not set",
  });
  expect(none.of("model")).toMatchObject([{ verdict: "fault" }]);
});

it("takes a key for a provider that is known, without its address", async () => {
  const own = { model: { name: "openrouter/some/model", providers: { openrouter: { key: "sk-mine" } } } };
  const { of, stdout } = await doctor(own, []);
  expect(of("keys")).toContainEqual({
    name: "keys",
    verdict: "good",
    says: "openrouter: in your settings",
  });
  expect(of("model")).toMatchObject([{ verdict: "note", says: expect.stringContaining("openrouter/some") }]);
  expect(stdout).not.toContain("sk-mine");
});
