import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { launch, opening, request, until } from "./by-hand.js";
import { makeGround } from "./server-process.js";

const write = (id: number, content: string) =>
  request(id, "tools/call", { name: "write_file", arguments: { file_path: `w${id}.txt`, content } });

describe("a server process", () => {
  test("ends with success when stdin closes, before and after a session", async () => {
    const ground = await makeGround();
    const silent = launch(ground);
    silent.child.stdin.end();
    expect(await silent.exited).toBe(0);
    expect(silent.output()).toEqual({ lines: [], stderr: "" });

    const served = launch(ground);
    served.say(...opening, write(2, "x\n"));
    await until(() => served.output().lines.length === 2);
    served.child.stdin.end();
    expect(await served.exited).toBe(0);
    expect(await ground.get("w2.txt")).toBe("x\n");
  });

  test("tells the first line that is no message, and at the end how many there were, in words of its own", async () => {
    const server = launch(await makeGround());
    const many = (line: string) => Array.from({ length: 1_000 }, () => line);
    server.say(...opening, ...many('{"jsonrpc":"2.0","id":{}}'), ...many("garbage"), "", " \r");
    server.say(request(9, "ping", {}));
    await until(() => server.output().lines.length === 2);
    const first = [
      "protocol: Error: A line of the client is JSON but no message of JSON-RPC; it was left out.",
      "protocol: Error: A line of the client is not JSON; it was left out.",
    ];
    const told = () => server.output().stderr.trimEnd().split("\n");
    expect(told()).toEqual(first);
    server.child.stdin.end();
    expect(await server.exited).toBe(0);
    expect(told()).toEqual([
      ...first,
      "protocol: Error: 1000 lines of the client were not JSON; they were left out.",
      "protocol: Error: 1000 lines of the client were JSON but no messages of JSON-RPC; they were left out.",
    ]);
  });

  test("reads messages that come in pieces, and many at once", async () => {
    const server = launch(await makeGround());
    const [hello = "", ready = ""] = opening;
    const ping = request(2, "ping", { é: "…" });
    for (const part of [
      hello.slice(0, 9),
      `${hello.slice(9)}\r\n${ready}\n`,
      `${ping}\n${ping.slice(0, 40)}`,
    ]) {
      server.child.stdin.write(part);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    server.child.stdin.write(`${ping.slice(40)}\n`);
    await until(() => server.output().lines.length === 3);
    server.child.stdin.end();
    expect(await server.exited).toBe(0);
    expect(server.output().stderr).toBe("");
  });

  test("ends the connection at a message that is too long to be held, and says why", async () => {
    const server = launch(await makeGround());
    server.say(...opening);
    await until(() => server.output().lines.length === 1);
    server.child.stdin.on("error", () => {});
    server.child.stdin.write(Buffer.alloc(65 * 1024 * 1024, "x"));
    expect(await server.exited).toBe(0);
    expect(server.output().stderr).toBe(
      "protocol: Error: A message is longer than 67108864 bytes; the connection is closed.\n",
    );
  });

  test("carries a write through whose client went away, and leaves nothing behind", async () => {
    const ground = await makeGround();
    const server = launch(ground);
    server.say(...opening);
    await until(() => server.output().lines.length === 1);
    const content = "line\n".repeat(100_000);
    server.say(write(2, content), write(3, content));
    server.child.stdin.end();
    expect(await server.exited).toBe(0);
    const left = await readdir(ground.root);
    // Calls that stdin's end overtook before they were read were never begun; what began is whole.
    for (const name of left) {
      expect(name).toMatch(/^w[23]\.txt$/);
      expect(await ground.get(name)).toBe(content);
    }
    expect(left).not.toEqual([]);
  });

  test.each(["2025-11-25", "2025-06-18", "2025-03-26"])(
    "serves a client of revision %s",
    async (revision) => {
      const ground = await makeGround();
      const server = launch(ground);
      const [initialize = "", initialized = ""] = opening;
      server.say(initialize.replace("2025-11-25", revision), initialized, write(2, "x\n"));
      await until(() => server.output().lines.length === 2);
      const [answer, written] = server.output().lines.map((line) => JSON.parse(line));
      expect(answer.result.protocolVersion).toBe(revision);
      expect(written.result.content[0].text).toMatch(/^OK \(applied\)/);
      server.child.stdin.end();
      expect(await server.exited).toBe(0);
    },
  );

  test("says nothing but the protocol on stdout, whatever it is told", async () => {
    const ground = await makeGround();
    const server = launch(ground);
    server.say(
      "this is not JSON",
      "{}",
      '{"jsonrpc":"2.0","id":9,"method":"no/such"}',
      ...opening,
      request(2, "tools/call", { name: "read_file", arguments: "not an object" }),
      request(3, "tools/call", { arguments: {} }),
      request(4, "tools/call", { name: "read_file", arguments: { file_path: "none\u001b[31m" } }),
      request(5, "resources/list", {}),
      request(6, "tools/list", {}),
    );
    const ids = () => server.output().lines.map((line) => JSON.parse(line).id);
    await until(() => [1, 2, 3, 4, 5, 6].every((id) => ids().includes(id)));
    server.child.stdin.end();
    expect(await server.exited).toBe(0);
    for (const line of server.output().lines) {
      const message = JSON.parse(line);
      expect(message.jsonrpc).toBe("2.0");
      expect(JSON.stringify(message)).not.toContain("\n    at ");
    }
    const byId = new Map(server.output().lines.map((line) => [JSON.parse(line).id, JSON.parse(line)]));
    expect(byId.get(5)).toHaveProperty("error.code", -32601);
    expect(byId.get(2)).toHaveProperty("error.code", -32602);
    expect(byId.get(6).result.tools).toHaveLength(12);
  });
});
