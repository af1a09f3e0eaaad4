import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createGzip } from "node:zlib";
import { describe, expect, it, test } from "vitest";
import { afterThisTest } from "../../../../test/cleanups.js";
import { fetchThrough, proxyFor } from "../../src/config/proxied-fetch.js";
import { providerFetch } from "../../src/models/provider-port.js";

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

test("nor is one whose event does not end", async () => {
  const piece = Buffer.alloc(1024 * 1024, "x");
  let sent = 0;
  const server = await serving((_, response) => {
    response.write("data: whole\n\ndata: ");
    const more = () => {
      sent += 1;
      if (!response.destroyed) response.write(piece, more);
    };
    more();
  });
  await expect((await providerFetch(server)).text()).rejects.toMatchObject({ status: 400 });
  expect(sent).toBeLessThan(60);
});

test.each([
  ["as it is", undefined],
  ["packed", "gzip"],
])("of an error that does not end the beginning is read, %s", async (_, packing) => {
  const server = await serving((_request, response) => {
    response.writeHead(500, packing === undefined ? {} : { "content-encoding": packing });
    const sink = packing === undefined ? response : createGzip();
    if (sink !== response) sink.pipe(response);
    const piece = Buffer.alloc(1024 * 1024, "x");
    const more = (): boolean => (response.destroyed ? true : sink.write(piece, () => more()));
    more();
  });
  const answer = await providerFetch(server);
  expect(answer.status).toBe(500);
  const text = await answer.text();
  expect(text).toMatch(/^x+$/);
  expect(text.length).toBeLessThan(4 * 1024 * 1024);
});

describe("a proxy of the environment", () => {
  it.each([
    [{ HTTPS_PROXY: "http://p:3128" }, "https://api.test/v1", "p:3128"],
    [{ HTTPS_PROXY: "http://p:3128" }, "http://api.test/v1", undefined],
    [{ HTTP_PROXY: "p:3128" }, "http://api.test/v1", "p:3128"],
    [{ https_proxy: "http://q:1", HTTPS_PROXY: "http://p:3128" }, "https://api.test/v1", "q:1"],
    [{ HTTPS_PROXY: "http://p:3128" }, "https://127.0.0.1:8443/v1", undefined],
    [{ HTTPS_PROXY: "http://p:3128", NO_PROXY: "other.test, .test" }, "https://api.test/v1", undefined],
    [{ HTTPS_PROXY: "http://p:3128", NO_PROXY: "pi.test" }, "https://api.test/v1", "p:3128"],
    [{ HTTPS_PROXY: "http://p:3128", NO_PROXY: "api.test:8443" }, "https://api.test/v1", "p:3128"],
    [{ HTTPS_PROXY: "http://p:3128", no_proxy: "*" }, "https://api.test/v1", undefined],
    [{}, "https://api.test/v1", undefined],
  ])("is, of %j for %s, %s", (environment, url, expected) => {
    expect(proxyFor(new URL(url), environment)?.host).toBe(expected);
  });

  it("is asked by the whole address, with its name and password, and gives a stream as it comes", async () => {
    const asked: unknown[] = [];
    const proxy = await serving((request, response) => {
      asked.push([
        request.method,
        request.url,
        request.headers["proxy-authorization"],
        request.headers["x-api-key"],
      ]);
      request.on("data", (bytes) => asked.push(String(bytes)));
      response.writeHead(200, { "content-type": "text/plain" }).write("one ");
      setTimeout(() => response.end("two"), 20);
    });
    const named = new URL(proxy.replace("//", "//me:pass%21@"));
    const answer = await fetchThrough(named, new URL("http://api.test/v1/x?y=1"), post);
    expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([
      200,
      "text/plain",
      "one two",
    ]);
    const basic = `Basic ${Buffer.from("me:pass!").toString("base64")}`;
    expect(asked).toEqual([["POST", "http://api.test/v1/x?y=1", basic, "KEY"], "the prompt"]);
  });

  it("tells why it opens no tunnel", async () => {
    const proxy = new URL(await serving((_, response) => response.end()));
    const server = createServer().on("connect", (_, socket) =>
      socket.end("HTTP/1.1 407 Who are you\r\n\r\n"),
    );
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    afterThisTest(() => void server.close());
    proxy.port = String((server.address() as AddressInfo).port);
    await expect(fetchThrough(proxy, new URL("https://api.test/"), post)).rejects.toThrow("407 Who are you");
  });
});
