import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { gzipSync } from "node:zlib";
import { Commands, readOutputTool, SpillFiles } from "@holdfast/agent/host";
import type { HostTool } from "@holdfast/core/tools";
import { describe, expect, test } from "vitest";
import { call, folder } from "../../../packages/agent/test/host/ground.js";
import { afterThisTest } from "../../../test/cleanups.js";
import { type FetchToolOptions, fetchTool } from "../src/index.js";

const pages: Readonly<Record<string, RequestListener>> = {
  "/page": (_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end("<title>T</title><p>Hello <b>you</b>\u001b[31m</p><script>evil()</script>");
  },
  "/packed": (_, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" });
    response.end(gzipSync("packed words"));
  },
  "/bomb": (_, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" });
    response.end(gzipSync(Buffer.alloc(100 << 20, "x")));
  },
  "/json": (_, response) => response.setHeader("content-type", "application/json").end('{"a":1}'),
  "/latin": (_, response) => {
    response.setHeader("content-type", "text/plain; charset=iso-8859-1");
    response.end(Buffer.from([0x68, 0xe9]));
  },
  "/image": (_, response) => response.setHeader("content-type", "image/png").end("x"),
  "/zeros": (_, response) => response.setHeader("content-type", "text/plain").end("a\0b"),
  "/none": (_, response) => response.writeHead(404, { "content-type": "text/plain" }).end("not here"),
  "/long": (_, response) => response.setHeader("content-type", "text/plain").end("word ".repeat(20_000)),
  "/endless": (_, response) => {
    response.setHeader("content-type", "text/plain");
    const more = () => response.write("y".repeat(1 << 16), (error) => error ?? setImmediate(more));
    more();
  },
  "/slow": (_, response) => void response.setHeader("content-type", "text/plain").write("a"),
  "/cut": (_, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": "100" }).write("a");
    setTimeout(() => response.destroy(), 50);
  },
  "/moved": (_, response) => response.writeHead(302, { location: "/json" }).end(),
  "/away": ({ socket }, response) => {
    response.writeHead(302, { location: `http://localhost:${socket.localPort}/json` }).end();
  },
  "/file": (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "/round": (_, response) => response.writeHead(302, { location: "/round" }).end(),
};

async function web(more: Partial<FetchToolOptions> = {}) {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(request.url ?? "");
    pages[request.url ?? ""]?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterThisTest(() => void server.close().closeAllConnections());
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  const spilled = new SpillFiles(await folder());
  const made = fetchTool({ allowedHosts: ["127.0.0.1"], spilled, timeMs: 20_000, ...more });
  // A tool with parameters of its own is one of any.
  const tool = made.tool as unknown as HostTool;
  const get = (path: string, args: object = {}) =>
    call(tool, { url: `http://127.0.0.1:${port}${path}`, ...args });
  return { get, tool, port, hits };
}

describe("fetch_url", () => {
  test("gives the words of a page, or the page", async () => {
    const { get } = await web();
    expect(await get("/page")).toMatchObject({
      code: "ok",
      text: expect.stringMatching(/bytes\.\nT\n\nHello you$/),
    });
    expect((await get("/page", { raw: true })).text).toContain("<b>you</b></p><script>");
    expect((await get("/json")).text).toMatch(/status 200, application\/json, 7 bytes\.\n\{"a":1\}$/);
    expect((await get("/packed")).text).toContain("packed words");
    expect((await get("/latin")).text).toContain("hé");
  });

  test("follows a redirect, and no other than an allowed one", async () => {
    const { get } = await web();
    expect((await get("/moved")).text).toMatch(/\/json: status 200/);
    expect(await get("/away")).toMatchObject({ code: "denied", text: expect.stringContaining("localhost") });
    expect(await get("/file")).toMatchObject({ code: "invalid_arguments" });
    expect(await get("/round")).toMatchObject({ code: "not_found" });
  });

  test.each([
    ["/image", "binary"],
    ["/zeros", "binary"],
    ["/none", "failed"],
    ["/cut", "not_found"],
  ])("%s is %s", async (path, code) => {
    const { get } = await web();
    expect((await get(path)).code).toBe(code);
  });

  test("takes so much and no more, packed or not, and puts what is long into a file", async () => {
    const { get } = await web({ mostBytes: 200_000, textChars: 1_000 });
    for (const path of ["/bomb", "/endless"]) {
      const { code, text } = await get(path);
      expect(code).toBe("ok");
      expect(text).toContain("200000 bytes, cut there.");
    }
    const { text } = await get("/long");
    const path = /all of it is in (\S+)\)$/.exec(text)?.[1] ?? "";
    expect(readFileSync(path, "utf8")).toBe("word ".repeat(20_000));
  });

  test("lets read_output show the rest of a long page", async () => {
    const tempDir = await folder();
    const spilled = new SpillFiles(tempDir, undefined, "read_output");
    const { get } = await web({ textChars: 1_000, spilled });
    const { text } = await get("/long");
    const id = /; read_output with id (\S+) shows it\)$/.exec(text)?.[1] ?? "";
    const commands = new Commands({ roots: [tempDir], tempDir, environment: {} });
    afterThisTest(() => commands.close());
    const read = readOutputTool({ commands, spilled });
    const first = await call(read, { id });
    expect(first.text).toMatch(/^Bytes 0 to 29999 of 100000; read_output shows what follows:\nword word /);
    expect((await call(read, { id, offset: 90_000 })).text).toContain("Bytes 90000 to 99999 of 100000:\n");
    expect((await call(read, { id })).text).toBe("Nothing new; 100000 bytes in all.");
    spilled.close();
    expect((await call(read, { id })).code).toBe("not_found");
  });

  test("ends at its time, and when it is cancelled", async () => {
    const { get } = await web({ timeMs: 300 });
    expect((await get("/slow")).code).toBe("timeout");
    const { tool, port } = await web();
    const cancelling = new AbortController();
    const slow = call(tool, { url: `http://127.0.0.1:${port}/slow` }, { signal: cancelling.signal });
    setTimeout(() => cancelling.abort(), 50);
    expect((await slow).code).toBe("cancelled");
  });

  test("asks nobody for an address that is not allowed", async () => {
    const { tool, port, hits } = await web({ allowedHosts: ["*", "**", "[::1]"] });
    const addresses = [
      `http://127.0.0.1:${port}/json`,
      `http://localhost:${port}/json`,
      `http://2130706433:${port}/json`,
      `http://0x7f.1:${port}/json`,
      `http://[::ffff:127.0.0.1]:${port}/json`,
      "http://169.254.169.254/latest/meta-data",
    ];
    for (const url of addresses) expect([url, (await call(tool, { url })).code]).toEqual([url, "denied"]);
    const { tool: narrow } = await web({ allowedHosts: ["*.example.com"] });
    for (const url of ["http://example.org/", "http://example.com.evil.org/", `http://127.0.0.1:${port}/`])
      expect([url, (await call(narrow, { url })).code]).toEqual([url, "denied"]);
    expect(hits).toEqual([]);
  });

  test("takes a private address only where it, or localhost, is what is allowed", async () => {
    const { tool, port, hits } = await web({
      allowedHosts: ["localhost", "[::1]", hostname().toLowerCase()],
    });
    expect((await call(tool, { url: `http://localhost:${port}/json` })).code).toBe("ok");
    // Nobody listens there, but it was asked.
    expect((await call(tool, { url: `http://[::1]:${port}/json` })).code).toBe("not_found");
    // The machine's own name has an address of this machine or of its net, where it has one.
    const own = await call(tool, { url: `http://${hostname()}:${port}/json` });
    expect(["denied", "not_found"]).toContain(own.code);
    expect(hits).toEqual(["/json"]);
  });

  test.each(["169.254.169.254", "[::ffff:169.254.169.254]", "[fd00:ec2::254]", "100.100.100.200"])(
    "never asks %s, also where it is allowed by name",
    async (host) => {
      const { tool } = await web({ allowedHosts: [host, "::ffff:a9fe:a9fe"] });
      const { code, text } = await call(tool, { url: `http://${host}/latest/meta-data` });
      expect([code, text]).toEqual(["denied", expect.stringContaining("metadata")]);
    },
  );

  test("takes addresses of http alone, without a password", async () => {
    const { tool } = await web({ allowedHosts: ["**"] });
    for (const url of ["file:///etc/passwd", "ftp://a/", "a", "http://me:secret@127.0.0.1/", "http://"])
      expect([url, (await call(tool, { url })).code]).toEqual([url, "invalid_arguments"]);
  });
});
