import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { afterThisTest } from "../../../../test/cleanups.js";
import { serverWindow } from "../../src/models/local-server.js";
import { openModel } from "../../src/models/open-model.js";

/** A server that answers these paths, and nothing else. */
async function served(answers: Readonly<Record<string, object>>): Promise<string> {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ""];
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  afterThisTest(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

describe("the window of a local model", () => {
  it.each<readonly [string, object, number | undefined]>([
    ["vLLM", { "/v1/models": { data: [{ id: "x" }, { id: "a/b", max_model_len: 40_960 }] } }, 40_960],
    ["llama.cpp", { "/props": { default_generation_settings: { n_ctx: 8_192 } } }, 8_192],
    ["Ollama", { "/api/show": { model_info: { "qwen3.context_length": 32_768 } } }, 32_768],
    [
      "Ollama with a window of its own",
      {
        "/api/show": {
          parameters: 'stop "x"\nnum_ctx   4096',
          model_info: { "qwen3.context_length": 32_768 },
        },
      },
      4_096,
    ],
    ["a server that does not say it", { "/v1/models": { data: [{ id: "a/b" }] } }, undefined],
  ])("is asked of %s", async (_, answers, tokens) => {
    // A cast: it is a table of answers by their paths.
    const baseUrl = await served(answers as Readonly<Record<string, object>>);
    expect(await serverWindow("mine/a/b", { providers: { mine: { baseUrl } } })).toBe(tokens);
  });

  it("is not asked of a server that wants a key, and settings go before it by either name", async () => {
    const baseUrl = await served({ "/v1/models": { data: [{ id: "q", max_model_len: 4_096 }] } });
    expect(await serverWindow("mine/q", { providers: { mine: { baseUrl, keyVariable: "K" } } })).toBe(
      undefined,
    );
    for (const name of ["q", "mine/q"]) {
      const facts = { [name]: { contextWindow: 16_384 } };
      const opened = openModel("mine/q", { environment: {}, providers: { mine: { baseUrl } }, facts });
      expect(opened).toMatchObject({ kind: "model", contextWindow: 16_384 });
    }
  });
});
