import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { McpServers } from "@holdfast/agent/host";
import type { HostTool } from "@holdfast/core/tools";
import { beforeAll, describe, expect, test } from "vitest";
import { call, folder, until } from "../../../packages/agent/test/host/ground.js";
import { afterThisFile, afterThisTest } from "../../../test/cleanups.js";
import { open } from "./opened.js";

const odd = fileURLToPath(new URL("odd-server.mjs", import.meta.url));
const holdfast = fileURLToPath(new URL("../../../packages/cli/bin/holdfast.js", import.meta.url));

const program = (how: string, ...more: readonly string[]) => ({
  command: process.execPath,
  args: [odd, how, ...more],
});

/** One server that works, for all that does not harm it. */
const well = { opened: undefined as unknown as McpServers, root: "", log: "", changed: 0 };
beforeAll(async () => {
  const log = join(await folder(afterThisFile), "log");
  const server = { ...program("well", log), env: { GIVEN_TOKEN: "given" } };
  const onChanged = () => (well.changed += 1);
  Object.assign(well, { log, ...(await open({ odd: server }, { onChanged }, afterThisFile)) });
  await well.opened.start();
});

/** What buffers hold once what nobody holds is gone: how far a process grows before that is up to the collector. */
function bytesHeld(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().arrayBuffers;
}

function tool(servers: McpServers, name: string): HostTool {
  const found = servers.tools().find((one) => one.name === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found;
}

describe("an MCP server that is a program", () => {
  test("works with the real server of holdfast: its schemas, its refusals", async () => {
    const { opened, root } = await open({
      files: { command: process.execPath, args: [holdfast, "mcp", "--root", "."] },
    });
    expect(await opened.start()).toMatchObject([{ name: "files", kind: "ready", messages: [] }]);
    const read = tool(opened, "files__read_file");
    expect(read.annotations).toEqual({
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    });
    expect(read.schema).toMatchObject({ type: "object", required: ["file_path"] });
    const written = await call(tool(opened, "files__write_file"), { file_path: "a.txt", content: "one\n" });
    expect(written.code).toBe("ok");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n");
    expect((await call(read, { file_path: "none" })).text).toContain("FAILED");
    expect(opened.instructions()).toMatchObject([
      { server: "files", text: expect.stringContaining("Holdfast verifies") },
    ]);
  });

  test("gives what it has: text, an image, resources; what models do not take is in a file", async () => {
    const { opened } = well;
    const { code, text, media } = await call(tool(opened, "odd__media"), {});
    expect(code).toBe("ok");
    expect(media).toEqual([{ mimeType: "image/png", data: "iVBORw0KGgo=" }]);
    expect(text).toContain("look\n\n[audio/wav, 3 bytes: it is in ");
    expect(text).toContain("Resource mem://a:\n\ninside\n\nResource b: mem://b");
    expect(readFileSync(/it is in (\S+)\]/.exec(text)?.[1] ?? "").length).toBe(3);
  });

  test("has the terminal's commands taken out of its words, and long ones in a file", async () => {
    const { opened } = well;
    expect(tool(opened, "odd__echo").description).toBe("Says it again.");
    expect((await call(tool(opened, "odd__echo"), { text: "\u001b[1mx\u0007" })).text).toBe("x\\u0007");
    const { text } = await call(tool(opened, "odd__long"), {});
    expect(text.length).toBeLessThan(31_000);
    const path = /all of it is in (\S+)\)$/.exec(text)?.[1] ?? "";
    expect(readFileSync(path, "utf8")).toBe("long ".repeat(50_000));
  });

  test("says that a call failed, and which arguments are wrong; hints are kept", async () => {
    const { opened } = well;
    const fail = tool(opened, "odd__fail");
    expect(fail.annotations).toEqual({
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
    });
    expect(tool(opened, "odd__die").annotations).toMatchObject({ destructive: true, openWorld: true });
    expect(await call(fail, {})).toEqual({ code: "failed", text: "FAILED (failed): no such thing" });
    expect(await call(tool(opened, "odd__refuse"), {})).toMatchObject({ code: "invalid_arguments" });
  });

  test("is told of a cancelled call, and tells how far it is", async () => {
    const { opened, log } = well;
    const cancelling = new AbortController();
    const told: string[] = [];
    const hanging = call(
      tool(opened, "odd__hang"),
      {},
      {
        signal: cancelling.signal,
        progress: (text) => {
          told.push(text);
          cancelling.abort();
        },
      },
    );
    expect(await hanging).toMatchObject({ code: "cancelled" });
    expect(told).toEqual(["on it (1 of 3)"]);
    await until(() => readFileSync(log, "utf8").includes("cancelled number"));
    expect((await call(tool(opened, "odd__echo"), { text: "on" })).text).toBe("on");
  });

  test("that hangs when it is started again can be cancelled, and is there for a later call", async () => {
    const log = join(await folder(), "log");
    const { opened } = await open({ odd: program("slow-again", log) });
    await opened.start();
    await call(tool(opened, "odd__die"), {});
    const cancelling = new AbortController();
    const waiting = call(tool(opened, "odd__echo"), { text: "on" }, { signal: cancelling.signal });
    await until(() => readFileSync(log, "utf8").match(/start/g)?.length === 2);
    cancelling.abort();
    expect(await waiting).toMatchObject({ code: "cancelled" });
    const reading = opened.readResource("odd", "mem://a", cancelling.signal);
    expect(await reading).toMatchObject({ code: "cancelled" });
    writeFileSync(`${log}.go`, "");
    expect(await call(tool(opened, "odd__echo"), { text: "on" })).toMatchObject({ text: "on" });
    expect(readFileSync(log, "utf8").match(/start/g)).toHaveLength(2);
  });

  test("that hangs in a call costs that call its time", async () => {
    const { opened } = await open({ odd: program("well") }, { callMs: 300 });
    await opened.start();
    expect(await call(tool(opened, "odd__hang"), {})).toMatchObject({ code: "timeout" });
    expect(await call(tool(opened, "odd__echo"), { text: "on" })).toMatchObject({ text: "on" });
  });

  test("that dies, or floods, in a call is started again by the next one", async () => {
    const log = join(await folder(), "log");
    const { opened } = await open({ odd: program("well", log) });
    await opened.start();
    const died = await call(tool(opened, "odd__die"), {});
    expect(died).toMatchObject({ code: "unreachable", text: expect.stringContaining("a word on stderr") });
    expect(opened.states()).toMatchObject([{ kind: "failed" }]);
    expect(await call(tool(opened, "odd__echo"), { text: "again" })).toMatchObject({
      code: "ok",
      text: "again",
    });
    const before = bytesHeld();
    expect(await call(tool(opened, "odd__flood"), {})).toMatchObject({ code: "unreachable" });
    // Buffers that nobody holds may be freed a moment after the collection.
    await expect.poll(() => bytesHeld() - before).toBeLessThan(16 << 20);
    expect(await call(tool(opened, "odd__echo"), { text: "again" })).toMatchObject({
      code: "ok",
      text: "again",
    });
    expect(readFileSync(log, "utf8").match(/start/g)).toHaveLength(3);
  });

  test("is told the workspace's roots, and none of our keys", async () => {
    const { opened, root } = well;
    expect((await call(tool(opened, "odd__roots"), {})).text).toContain(`"file://${root}"`);
    const environment = JSON.parse((await call(tool(opened, "odd__environment"), {})).text);
    expect(environment).toMatchObject({ GIVEN_TOKEN: "given", PATH: process.env.PATH });
    expect(environment).not.toHaveProperty("MY_API_KEY");
  });

  test("gives a resource by its address", async () => {
    const { opened } = well;
    const parts = [
      { kind: "text", uri: "mem://a", text: "inside" },
      { kind: "media", uri: "mem://a", media: { mimeType: "image/png", data: "AAAA" } },
    ];
    expect(await opened.readResource("odd", "mem://a")).toEqual({ kind: "resource", parts });
    for (const [server, uri] of [
      ["odd", "mem://z"],
      ["none", "mem://a"],
    ] as const)
      expect(await opened.readResource(server, uri)).toMatchObject({ kind: "refusal", code: "not_found" });
  });

  test("that changes its tools has them listed again", async () => {
    const { opened } = well;
    const before = opened.tools();
    expect(opened.tools()).toBe(before);
    await call(tool(opened, "odd__grow"), {});
    await until(() => well.changed > 0);
    expect(opened.tools().map(({ name }) => name)).toContain("odd__new");
  });
});

describe("MCP servers that misbehave", () => {
  test("cost only themselves", async () => {
    const { opened } = await open({
      none: { command: "no-such-program-anywhere" },
      dead: program("die-at-start"),
      hanging: { ...program("hang-at-start"), startTimeoutMs: 500 },
      flooding: program("flood-at-start"),
      endless: program("endless"),
      schemas: program("bad-schemas"),
      nowhere: { url: "http://127.0.0.1:1/mcp" },
      odd: { url: "no address" },
      well: program("well"),
    });
    const states = await opened.start();
    expect(states.map(({ name, kind }) => [name, kind])).toEqual([
      ["none", "failed"],
      ["dead", "failed"],
      ["hanging", "failed"],
      ["flooding", "failed"],
      ["endless", "ready"],
      ["schemas", "ready"],
      ["nowhere", "failed"],
      ["odd", "failed"],
      ["well", "ready"],
    ]);
    const messages = Object.fromEntries(states.map((state) => [state.name, state.messages.join("\n")]));
    expect(messages.hanging).toContain("did not answer within 0.5 s");
    expect(messages.dead).toContain("a word on stderr");
    expect(messages.schemas).toContain("The tool no_schema is not offered: its inputSchema is none.");
    for (const { messages: said } of states) for (const one of said) expect(one.length).toBeLessThan(1_500);
    expect(states.at(5)?.tools).toBe(states.at(8)?.tools);
    expect((await call(tool(opened, "well__echo"), { text: "on" })).text).toBe("on");
  });

  test("end with the session, also who ignores SIGTERM, and what they started", async () => {
    const log = join(await folder(), "log");
    const word = `8${process.pid}.25`;
    const { opened } = await open({ odd: program("stubborn", log, word) });
    expect(await opened.start()).toMatchObject([{ kind: "ready" }]);
    await until(() => living(word) > 0);
    await opened.close();
    expect(living(word)).toBe(0);
    const [, pid = ""] = /start (\d+)/.exec(readFileSync(log, "utf8")) ?? [];
    expect(existsSync(`/proc/${pid}/exe`)).toBe(false);
  });
});

function living(word: string): number {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      return !stat.includes(") Z ") && readFileSync(`/proc/${name}/cmdline`, "latin1").includes(word);
    } catch {
      return false;
    }
  }).length;
}

/** A server by streamable HTTP, written by hand: each answer as JSON, one tool. */
async function httpServer(answerBytes = 10) {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    if (request.method !== "POST") return void response.writeHead(405).end();
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { id, method, params } = JSON.parse(body);
      if (id === undefined) return void response.writeHead(202).end();
      const results: Readonly<Record<string, unknown>> = {
        initialize: {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "web", version: "1" },
        },
        "tools/list": { tools: [{ name: "get", inputSchema: { type: "object" } }] },
        "tools/call": { content: [{ type: "text", text: "y".repeat(answerBytes) }] },
      };
      const result = results[method];
      const error = { code: -32601, message: "Method not found" };
      const answer = result === undefined ? { error } : { result };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterThisTest(() => void server.close().closeAllConnections());
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, seen };
}

describe("an MCP server by HTTP", () => {
  test("is called with its headers", async () => {
    const { url, seen } = await httpServer();
    const { opened } = await open({ web: { url, headers: { Authorization: "Bearer mine" } } });
    expect(await opened.start()).toMatchObject([{ kind: "ready", tools: 1 }]);
    expect(await call(tool(opened, "web__get"), {})).toEqual({ code: "ok", text: "y".repeat(10) });
    expect(new Set(seen)).toEqual(new Set(["Bearer mine"]));
  });

  test("that answers more than a message may hold costs that call", async () => {
    const { url } = await httpServer(3 << 20);
    const { opened } = await open({ web: { url } }, { messageBytes: 1 << 20 });
    await opened.start();
    expect(await call(tool(opened, "web__get"), {})).toMatchObject({ code: "failed" });
    expect(opened.states()).toMatchObject([{ kind: "ready" }]);
  });
});
