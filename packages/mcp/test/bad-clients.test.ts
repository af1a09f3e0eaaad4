import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { launch, opening, request, until } from "./by-hand.js";
import { connect, type Ground, makeGround, sha256 } from "./server-process.js";

/** What no client should do, and some do: a code and a sentence, and nothing is lost. */

const poem = "one\ntwo\nthree\n";

async function filesOf(ground: Ground): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(ground.root, { recursive: true })).toSorted();
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await ground.get(name)])));
}

describe("a client that echoes an answer of ours", () => {
  test("as the name of a file is refused with a code and a sentence, whatever the tool", async () => {
    const ground = await makeGround();
    await ground.put("a.txt", poem);
    const { call } = await connect("2025-11-25", ground);
    const read = await call("read_file", { file_path: "a.txt" });
    const [envelope, head = ""] = [read.text, read.text.split("\n")[0]];
    const hash = sha256(poem);
    const others: Readonly<Record<string, object>> = {
      read_file: {},
      safe_patch: { unified_diff: "@@\n-one\n+1\n", base_content_sha256: hash },
      edit_file: { edits: [{ old_string: "one", new_string: "1" }], base_content_sha256: hash },
      write_file: { content: "x", base_content_sha256: hash },
      update_section: { section_header: "# one", new_content: "x" },
      move_file: { to: "b.txt", base_content_sha256: hash },
      delete_file: { base_content_sha256: hash },
      undo_edit: {},
    };
    const named: { readonly tool: string; readonly isRefused: boolean }[] = [];
    for (const echoed of [envelope, head, JSON.stringify(envelope)])
      for (const [tool, more] of Object.entries(others)) {
        const { text, success } = await call(tool, { file_path: echoed, ...more });
        const isRefused = success === false && /^FAILED \([a-z_]+\): \S.*[.?!]/.test(text);
        named.push({ tool, isRefused });
      }
    expect(named.filter(({ isRefused }) => !isRefused)).toEqual([]);
    expect(await filesOf(ground)).toEqual({ "a.txt": poem });
  });

  test("as a diff or as a hash is refused, and as a text is that very text", async () => {
    const ground = await makeGround();
    await ground.put("a.txt", poem);
    const { call } = await connect("2025-11-25", ground);
    const { text: envelope } = await call("read_file", { file_path: "a.txt" });
    const base_content_sha256 = sha256(poem);
    const diff = { file_path: "a.txt", unified_diff: envelope, base_content_sha256 };
    expect(await call("safe_patch", diff)).toMatchObject({ success: false });
    const change = { file_path: "a.txt", unified_diff: "@@\n-one\n+1\n" };
    const hashless = await call("safe_patch", { ...change, base_content_sha256: envelope });
    expect(hashless).toMatchObject({ success: false, code: "invalid_hash" });
    expect(await ground.get("a.txt")).toBe(poem);
    const edits = [{ old_string: envelope, new_string: "x" }];
    expect(await call("edit_file", { file_path: "a.txt", edits })).toMatchObject({ code: "not_found" });
    // A file may hold what looks like an answer: nobody guesses that it was not meant.
    expect(await call("write_file", { file_path: "b.txt", content: envelope })).toMatchObject({
      code: "applied",
    });
    expect(await ground.get("b.txt")).toBe(envelope);
    const again = await call("read_file", { file_path: "b.txt" });
    expect(again.files).toHaveLength(1);
    expect(again.file?.content).toBe(envelope);
  });
});

const append = (id: number, content: string) =>
  request(id, "tools/call", { name: "append_to_file", arguments: { file_path: "log.txt", content } });
const cancelled = (requestId: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });

describe("a client that goes its own way", () => {
  test("and gives two calls one number gets both carried out once, each answered", async () => {
    const ground = await makeGround();
    const server = launch(ground);
    server.say(...opening, append(2, "a\n"), append(2, "b\n"), request(3, "ping", {}));
    await until(() => server.output().lines.length === 4);
    server.child.stdin.end();
    expect(await server.exited).toBe(0);
    const lines = (await ground.get("log.txt")).trimEnd().split("\n");
    expect(lines.toSorted()).toEqual(["a", "b"]);
  });

  test("and cancels what was never asked, or is over, changes nothing", async () => {
    const ground = await makeGround();
    const server = launch(ground);
    server.say(
      ...opening,
      cancelled(7),
      cancelled("x"),
      cancelled({}),
      cancelled(undefined),
      append(2, "a\n"),
    );
    await until(() => server.output().lines.length === 2);
    server.say(cancelled(2), append(3, "b\n"));
    await until(() => server.output().lines.length === 3);
    server.child.stdin.end();
    expect(await server.exited).toBe(0);
    expect(await ground.get("log.txt")).toBe("a\nb\n");
  });

  test("and sends a call, takes it back and sends it again has it once", async () => {
    const ground = await makeGround();
    const server = launch(ground);
    server.say(...opening, append(2, "a\n"), cancelled(2), append(3, "a\n"));
    await until(() => server.output().lines.some((line) => JSON.parse(line).id === 3));
    server.child.stdin.end();
    expect(await server.exited).toBe(0);
    expect(await ground.get("log.txt")).toBe("a\n");
  });

  test("and hangs up in the middle of a write leaves the old file or the new one, and nothing else", async () => {
    const ground = await makeGround();
    const [before, after] = ["old\n".repeat(50_000), "new\n".repeat(50_000)];
    await ground.put("a.txt", before);
    const server = launch(ground);
    server.say(...opening);
    await until(() => server.output().lines.length === 1);
    const base_content_sha256 = sha256(before);
    const args = { file_path: "a.txt", content: after, base_content_sha256 };
    server.say(
      request(2, "tools/call", { name: "read_file", arguments: { file_path: "a.txt" } }),
      request(3, "tools/call", { name: "write_file", arguments: args }),
    );
    // Both ends at once: its answers have nowhere to go.
    server.child.stdout.destroy();
    server.child.stdin.destroy();
    await server.exited;
    const left = await filesOf(ground);
    expect(Object.keys(left)).toEqual(["a.txt"]);
    expect([before, after]).toContain(left["a.txt"]);
    const next = await connect("2025-11-25", ground);
    const { file } = await next.call("read_file", { file_path: "a.txt" });
    expect(file?.sha256).toBe(sha256(left["a.txt"] ?? ""));
  });
});

describe("a client of the stateless revision that answers what it was not asked", () => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "by-hand", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { roots: {} },
  };
  const read = (id: number, more: object) =>
    request(id, "tools/call", { name: "read_file", arguments: { file_path: "a.txt" }, _meta: meta, ...more });

  test.each([
    { roots: { roots: "no list" } },
    { roots: { roots: [7] } },
    { roots: "nothing" },
    { other: { roots: [] } },
    {},
  ])("%j: is served without roots, or told, and the next call is answered", async (inputResponses) => {
    const ground = await makeGround();
    await ground.put("a.txt", poem);
    const server = launch(ground, { byClient: true });
    server.say(read(1, { inputResponses }));
    await until(() => server.output().lines.length === 1);
    server.say(read(2, { inputResponses: { roots: { roots: [] } } }));
    await until(() => server.output().lines.length === 2);
    const [first, second] = server.output().lines.map((line) => JSON.parse(line));
    if (first.error === undefined) expect(first.result.content[0].text).toContain(poem);
    else
      expect(first.error).toMatchObject({ code: -32602, message: expect.stringContaining("nputResponses") });
    expect(second.result.content[0].text).toContain(poem);
    // In a sentence of ours, not in a parser's JSON.
    expect(server.output().stderr).toMatch(/^(roots: Error: [^\n]{20,120}\.\n)?$/);
    server.child.stdin.end();
    expect(await server.exited).toBe(0);
  });
});
