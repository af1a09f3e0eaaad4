import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { call, scripted } from "../../../packages/cli/test/agent/provided.js";
import { afterThisTest } from "../../../test/cleanups.js";

const answers = [{ calls: [call("web_search", { query: "what is a holdfast?" })] }, { text: "Found." }];

async function searchPage(): Promise<{ readonly address: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(200, { "content-type": "text/html" }).end("<p>It <b>grips</b> the rock.</p>");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  afterThisTest(() => server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

async function searchedWith(search: string) {
  const settings = { fetch: { allowedHosts: ["127.0.0.1"], search } };
  const { run } = scripted(answers, { settings });
  const { stdout } = await run(["-p", "Look.", "--approval-mode", "yolo", "--output-format", "stream-json"]);
  return stdout;
}

it("web_search reads the page that the settings name, with the query in its address", async () => {
  const { address, asked } = await searchPage();
  expect(await searchedWith(`${address}find?q={query}`)).toContain("It grips the rock.");
  expect(asked).toEqual(["/find?q=what%20is%20a%20holdfast%3F"]);
});

it.each(["off", "provider"])("web_search is not there by %s where the model has none", async (search) => {
  const { asked } = await searchPage();
  expect(await searchedWith(search)).toContain("no tool");
  expect(asked).toEqual([]);
});
