import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { afterThisTest } from "../../../../test/cleanups.js";
import { providerFetch } from "../../src/models/provider-fetch.js";

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  afterThisTest(() => server.closeAllConnections());
  afterThisTest(() => server.close());
  await new Promise((listening) => server.once("listening", listening));
  // A cast: a server on a port has an address of a net.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const post = { method: "POST", body: "the prompt", headers: { "x-api-key": "KEY" } };

test("no redirect takes a prompt or a key to another origin, by any status", async () => {
  const reached: string[] = [];
  const other = await serving((request, response) => {
    reached.push(request.url ?? "");
    response.end();
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const first = await serving((_, response) =>
      response.writeHead(status, { location: `${other}/x` }).end(),
    );
    const answer = await providerFetch(`${first}/v1`, post);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: expect.objectContaining({ message: expect.stringContaining("baseUrl") }) },
    ]);
  }
  expect(reached).toEqual([]);
});

test("a redirect within the origin is followed with all that was sent, a circle is not", async () => {
  const server = await serving(async (request, response) => {
    if (request.url === "/circle") return response.writeHead(307, { location: "/circle" }).end();
    if (request.url !== "/v2") return response.writeHead(308, { location: "/v2" }).end();
    let body = "";
    for await (const part of request) body += part;
    return response.end(`${request.method} ${body} ${request.headers["x-api-key"]}`);
  });
  expect(await (await providerFetch(`${server}/v1`, post)).text()).toBe("POST the prompt KEY");
  expect(await (await providerFetch(`${server}/circle`, post)).text()).toContain("in a circle");
});

test("an answer that does not end is broken off", async () => {
  const piece = Buffer.alloc(4 * 1024 * 1024, "x");
  const server = await serving((_, response) => {
    const more = (): boolean => (response.destroyed ? true : response.write(piece, () => more()));
    more();
  });
  const answer = await providerFetch(server);
  await expect(answer.text()).rejects.toMatchObject({ status: 400 });
});
