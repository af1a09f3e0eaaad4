import { expect, it } from "vitest";
import { anthropicWire } from "../../../agent/test/loopback/index.js";
import { call, provided } from "./provided.js";

it("the provider's own search is found by more_tools, and asked in a request beside the conversation", async () => {
  const query = "what is a holdfast?";
  const script = [
    { calls: [call("more_tools", { find: "search the web" })] },
    { calls: [call("web_search", { query })] },
    { text: "It grips the rock." },
    { text: "Found." },
  ];
  const { run, server } = await provided(anthropicWire, script, {});
  const env = { ANTHROPIC_API_KEY: server.key, ANTHROPIC_BASE_URL: server.url };
  const flags = ["--model", "anthropic/claude-sonnet-5-5", "--approval-mode", "yolo"];
  const { stdout, code } = await run(["-p", "Look.", ...flags], { env });
  expect([code, stdout]).toEqual([0, expect.stringContaining("Found.")]);
  const [first, , beside, last] = server.requests.map(({ body }) => body as Record<string, unknown>);
  expect(JSON.stringify(first?.tools)).not.toContain('"web_search"');
  const said = JSON.stringify(last?.messages);
  expect(beside?.tools).toEqual([{ type: "web_search_20250305", name: "web_search", max_uses: 5 }]);
  expect(JSON.stringify(beside?.messages)).toContain(query);
  expect(said).toContain("It grips the rock.");
  // The conversation goes on as it was: what it begins with is in the provider's cache.
  expect(last?.tools).toEqual(first?.tools);
});
