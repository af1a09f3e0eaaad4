import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, type McpHttpHandler, McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { call, until } from "../../../packages/agent/test/host/ground.js";
import { afterThisTest } from "../../../test/cleanups.js";
import { open } from "./opened.js";

/** A server of the protocol's own library, made anew for each request. */
function makeServer(tools: ReadonlySet<string>): McpServer {
  const server = new McpServer(
    { name: "web", version: "1" },
    { capabilities: { tools: { listChanged: true } } },
  );
  for (const name of tools)
    server.registerTool(
      name,
      { inputSchema: z.object({ text: z.string() }), annotations: { readOnlyHint: true } },
      async ({ text }) => ({ content: [{ type: "text", text: `${name} ${text}` }] }),
    );
  return server;
}

async function listen(handler: McpHttpHandler): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "GET", headers, url = "/" } = request;
    const body = method === "POST" ? { body: Buffer.concat(chunks) } : {};
    const given = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
    const leaving = new AbortController();
    response.once("close", () => leaving.abort());
    const init = { method, headers: given, signal: leaving.signal, ...body };
    const answer = await handler.fetch(new Request(`http://127.0.0.1${url}`, init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    try {
      for await (const chunk of answer.body ?? []) response.write(chunk);
    } catch {
      // The client left.
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterThisTest(() => void server.close().closeAllConnections());
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/mcp`;
}

describe.each(["stateless", "reject"] as const)(
  "a server of the newer revision, older ones: %s",
  (legacy) => {
    test("is called, refuses wrong arguments, and says that its tools changed", async () => {
      const tools = new Set(["first"]);
      const handler = createMcpHandler(() => makeServer(tools), { legacy });
      afterThisTest(() => handler.close());
      const url = await listen(handler);
      let changed = 0;
      const onChanged = () => (changed += 1);
      const { opened: servers } = await open({ web: { url } }, { onChanged });
      expect(await servers.start()).toMatchObject([{ kind: "ready", tools: 1 }]);
      const [first] = servers.tools();
      if (first === undefined) throw new Error("there is one");
      expect(first.annotations?.readOnly).toBe(true);
      expect(await call(first, { text: "a" })).toEqual({ code: "ok", text: "first a" });
      expect((await call(first, { text: 3 })).code).not.toBe("ok");
      tools.add("second");
      handler.notify.toolsChanged();
      await until(() => changed > 0);
      expect(servers.tools().map(({ name }) => name)).toEqual(["web__first", "web__second"]);
    });
  },
);
