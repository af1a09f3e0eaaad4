import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import {
  attach,
  byHand,
  connect,
  type Ground,
  makeGround,
  newClient,
  notification,
  opening,
  request,
  type ServerOptions,
  serve,
  sha256,
  startProcess,
  toolCall,
  until,
} from "./support.js";

/** A client that writes its lines itself, after the opening. */
async function speak(ground: Ground, options: ServerOptions = {}) {
  const server = byHand(await serve(ground, options));
  await server.say(opening, [1]);
  /** Says the lines at once. @returns the codes of the answers to these calls */
  const codes = async (lines: readonly string[], ids: readonly number[]) => {
    const answers = await server.say(lines, ids);
    return answers.map(({ result }) => /\((\w+)\)/.exec(result.content[0].text)?.[1]);
  };
  return { ...server, codes };
}

const add = (id: number, content = "more\n", name = "append_to_file") =>
  toolCall(id, name, { file_path: "f", content });
const undo = (id: number) => toolCall(id, "undo_edit", { file_path: "f" });
const list = (id: number) => toolCall(id, "list_files", {});
const cancel = (requestId?: unknown) => notification("cancelled", { requestId });

describe("lines of a client", () => {
  test("may be none: the server ends with its input, and says nothing", async () => {
    const server = byHand(await serve(await makeGround()));
    await server.end();
    expect([server.answers(), server.errors()]).toEqual([[], ""]);
  });

  test.each(["2025-03-26", "2025-06-18"])(
    "may hold a list of messages in %s, where that has lists",
    async (version) => {
      const server = byHand(await serve(await makeGround({ f: "one\n" })));
      const [hello = "", ready = ""] = opening;
      await server.say([hello.replace("2025-11-25", version), ready], [1]);
      const ping = request(2, "ping");
      server.input.write(
        `[${[ping, list(3), notification("progress"), "7", request(4, "nothing")].join()}]\n[]\n`,
      );
      server.input.write(`${request(5, "ping")}\n`);
      await until(() => server.answers().some(({ id }) => id === 5));
      const noList = { id: null, error: { code: -32600 } };
      if (version === "2025-06-18") {
        expect(server.answers().slice(1)).toMatchObject([noList, noList, { id: 5 }]);
        expect(server.errors()).toMatch(/no message of JSON-RPC/);
        return;
      }
      // The answers of a list come as one, with those that are refused.
      await until(() => server.answers().length === 4);
      const [together = []] = server.answers().filter((one) => Array.isArray(one));
      const ids = together.map(({ id, error }: { id: number; error?: { code: number } }) => [
        id,
        error?.code,
      ]);
      expect(ids.toSorted()).toEqual([
        [2, undefined],
        [3, undefined],
        [4, -32601],
      ]);
      expect(server.answers().filter(({ id }) => id === null)).toMatchObject([noList]);
      // A call that is cancelled has no answer, and the others do not wait for one.
      server.input.write(`[${[list(6), request(7, "ping"), cancel(6)].join()}]\n`);
      await until(() => server.answers().length === 5);
      expect(server.answers().at(-1)).toMatchObject([{ id: 7 }]);
    },
  );

  test("may come in pieces, and many at once", async () => {
    const server = byHand(await serve(await makeGround()));
    const [hello = "", ready = ""] = opening;
    const ping = request(2, "ping", { é: "…" });
    const last = request(3, "ping", { é: "…" });
    for (const part of [
      hello.slice(0, 9),
      `${hello.slice(9)}\r\n${ready}\n`,
      `${ping}\n${last.slice(0, 40)}`,
      `${last.slice(40)}\n`,
    ]) {
      server.input.write(part);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await server.say([], [1, 2, 3]);
    await server.end();
    expect(server.errors()).toBe("");
  });

  test("that are no message are left out: the first is reported, and at the end their number", async () => {
    const server = await speak(await makeGround());
    const many = (line: string) => Array.from({ length: 1_000 }, () => line);
    await server.say([...many('{"jsonrpc":"2.0","id":{}}'), ...many("garbage"), "", " \r"]);
    await server.say([request(9, "ping")], [9]);
    const first = [
      "protocol: Error: A line of the client is JSON but no message of JSON-RPC; it was left out.",
      "protocol: Error: A line of the client is not JSON; it was left out.",
    ];
    const reported = () => server.errors().trimEnd().split("\n");
    expect(reported()).toEqual(first);
    await server.end();
    expect(reported()).toEqual([
      ...first,
      "protocol: Error: 1000 lines of the client were not JSON; they were left out.",
      "protocol: Error: 1000 lines of the client were JSON but no messages of JSON-RPC; they were left out.",
    ]);
  });

  test("that are longer than a message may be end the connection, and the reason is reported", async () => {
    const served = await serve(await makeGround());
    served.input.write(Buffer.alloc(65 * 1024 * 1024, "x"));
    await served.ended;
    expect(served.errors()).toBe(
      "protocol: Error: A message is longer than 67108864 bytes; the connection is closed.\n",
    );
  });

  test.each(["2025-06-18", "2025-03-26"])("may open with the older revision %s", async (revision) => {
    const server = byHand(await serve(await makeGround()));
    const [initialize = "", initialized = ""] = opening;
    const [hello, written] = await server.say(
      [initialize.replace("2025-11-25", revision), initialized, add(2)],
      [1, 2],
    );
    expect(hello.result.protocolVersion).toBe(revision);
    expect(written.result.content[0].text).toMatch(/^OK \(applied\)/);
  });

  test("are answered by the protocol and nothing else, whatever they ask", async () => {
    const server = await speak(await makeGround());
    const [noArguments, noName, noFile, noMethod, listed] = await server.say(
      [
        "{}",
        '{"jsonrpc":"2.0","id":9,"method":"no/such"}',
        request(2, "tools/call", { name: "read_file", arguments: "not an object" }),
        request(3, "tools/call", { arguments: {} }),
        toolCall(4, "read_file", { file_path: "none\u001b[31m" }),
        request(5, "resources/list"),
        request(6, "tools/list"),
      ],
      [2, 3, 4, 5, 6],
    );
    for (const answer of server.answers()) {
      expect(answer.jsonrpc).toBe("2.0");
      expect(JSON.stringify(answer)).not.toContain("\\n    at ");
    }
    expect(noArguments.error.code).toBe(-32602);
    expect(noName.error.code).toBe(-32602);
    expect(noFile.result.content[0].text).toMatch(/^FAILED \(/);
    expect(noMethod.error.code).toBe(-32601);
    expect(listed.result.tools).toHaveLength(12);
  });
});

describe("a client that goes its own way", () => {
  test("and gives two calls one number gets both carried out once, each answered", async () => {
    const ground = await makeGround();
    const server = await speak(ground);
    await server.say([add(2, "a\n"), add(2, "b\n"), request(3, "ping")], [3]);
    await until(() => server.answers().length === 4);
    await server.end();
    expect((await ground.get("f")).trimEnd().split("\n").toSorted()).toEqual(["a", "b"]);
  });

  test("and cancels what was never asked, or is over, changes nothing", async () => {
    const ground = await makeGround();
    const server = await speak(ground);
    await server.say([cancel(7), cancel("x"), cancel({}), cancel(), add(2, "a\n")], [2]);
    await server.say([cancel(2), add(3, "b\n")], [3]);
    expect(await ground.get("f")).toBe("a\nb\n");
  });

  test("and goes away has its writes carried through, and nothing left behind", async () => {
    const ground = await makeGround();
    const server = await speak(ground);
    const content = "line\n".repeat(100_000);
    await server.say([2, 3].map((id) => toolCall(id, "write_file", { file_path: `w${id}.txt`, content })));
    await server.end();
    // A call that the end of the input overtook was never begun; what began is whole.
    const left = await readdir(ground.root);
    expect(left).not.toEqual([]);
    for (const name of left) {
      expect(name).toMatch(/^w[23]\.txt$/);
      expect(await ground.get(name)).toBe(content);
    }
  });
});

describe("the same call again", () => {
  test("is made once where the client went on without the answer, and again after an answer", async () => {
    const ground = await makeGround({ f: "one\n" });
    const { codes, say } = await speak(ground);
    await say([add(2), cancel(2), list(3)], [3]);
    expect(await codes([add(4)], [4])).toEqual(["already_applied"]);
    expect(await ground.get("f")).toBe("one\nmore\n");
    expect(await codes([toolCall(5, "append_to_file", { content: "more\n", file_path: "f" })], [5])).toEqual([
      "applied",
    ]);
    expect(await ground.get("f")).toBe("one\nmore\nmore\n");
  });

  test("is an undo of one write where the first undo is still in flight", async () => {
    const ground = await makeGround();
    const { codes } = await speak(ground);
    await codes([add(2), add(3, "x\n")], [2, 3]);
    expect(await codes([undo(4), undo(5)], [4, 5])).toEqual(["applied", "already_applied"]);
    expect(await ground.get("f")).toBe("more\n");
  });

  test.each([
    ["append_to_file", "one\nmore\n"],
    ["prepend_to_file", "more\none\n"],
  ] as const)("is carried out after what an unanswered %s wrote was undone", async (name, after) => {
    const ground = await makeGround({ f: "one\n" });
    const { codes, say } = await speak(ground, { tools: [name, "undo_edit", "list_files"] });
    await say([add(2, "more\n", name), cancel(2), list(3)], [3]);
    expect(await codes([undo(4)], [4])).toEqual(["applied"]);
    expect(await codes([add(5, "more\n", name)], [5])).toEqual(["applied"]);
    expect(await ground.get("f")).toBe(after);
  });

  const moveTo = (id: number, to: string) =>
    toolCall(id, "move_file", { file_path: "f", new_path: to, base_content_sha256: sha256("one\n") });

  test.each([
    ["another write", add(2), add(5, "two\n")],
    ["another move", moveTo(2, "g"), moveTo(5, "h")],
  ])("is an undo of %s that came after an unanswered undo", async (_, change, other) => {
    const ground = await makeGround({ f: "one\n" });
    const { codes, say } = await speak(ground);
    expect(await codes([change], [2])).toEqual(["applied"]);
    await say([undo(3), cancel(3), list(4)], [4]);
    expect(await codes([other], [5])).toEqual(["applied"]);
    expect(await codes([undo(6)], [6])).toEqual(["applied"]);
    expect(await readdir(ground.root)).toEqual(["f"]);
    expect(await ground.get("f")).toBe("one\n");
  });

  test("is carried out where the first was refused", async () => {
    const { codes, say } = await speak(await makeGround());
    await say([undo(2), cancel(2), add(3)], [3]);
    expect(await codes([undo(4)], [4])).toEqual(["applied"]);
  });
});

describe("the roots of a client of the stateless revision", () => {
  /** The real client, and how often it was asked for its roots. */
  async function connectByRoots(options: ServerOptions) {
    const ground = await makeGround({ "one/a.txt": "in one\n", "two/a.txt": "in two\n" });
    const client = newClient("test-client", "2026-07-28", { capabilities: { roots: {} } });
    const asked: string[] = [];
    let root = "one";
    client.setRequestHandler("roots/list", () => {
      asked.push(root);
      return { roots: [{ uri: pathToFileURL(join(ground.root, root)).href }] };
    });
    await attach(client, await serve(ground, { ...options, byClient: true }));
    const call = async (name: string, args: Record<string, unknown>) => {
      const [first] = (await client.callTool({ name, arguments: args })).content;
      return first?.type === "text" ? first.text : "";
    };
    return {
      asked,
      call,
      folder: ground.root,
      read: () => call("read_file", { file_path: "a.txt" }),
      move(to: string) {
        root = to;
      },
    };
  }

  test("are asked for with the first call, and hold", async () => {
    const { asked, read } = await connectByRoots({});
    for (let times = 0; times < 4; times++) expect(await read()).toContain("in one");
    expect(asked).toEqual(["one"]);
  });

  test("are asked for again by a call outside of them, which is then carried out, and by no other", async () => {
    const { asked, read, move, call, folder } = await connectByRoots({ rootsHoldMs: 0 });
    for (let times = 0; times < 3; times++) expect(await read()).toContain("in one");
    const readThere = () => call("read_file", { file_path: join(folder, "two/a.txt") });
    expect(await readThere()).toContain("FAILED (outside_workspace)");
    expect(asked).toEqual(["one", "one"]);
    move("two");
    for (let times = 0; times < 3; times++) expect(await readThere()).toContain("in two");
    expect(asked).toEqual(["one", "one", "two"]);
  });

  test("are not asked for again so soon: their answer would be the same", async () => {
    const { asked, call, folder } = await connectByRoots({});
    for (let times = 0; times < 3; times++)
      expect(await call("read_file", { file_path: join(folder, "two/a.txt") })).toContain("FAILED");
    expect(asked).toEqual(["one"]);
  });

  test("let calls that came at once be carried out once each", async () => {
    const { call } = await connectByRoots({});
    const write = (content: string) => call("append_to_file", { file_path: "log.txt", content });
    for (const text of await Promise.all(["a\n", "b\n", "c\n"].map(write)))
      expect(text).toContain("(applied)");
    const log = await call("read_file", { file_path: "log.txt" });
    for (const line of ["a", "b", "c"]) expect(log.match(new RegExp(`^${line}$`, "gm"))).toHaveLength(1);
  });

  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "by-hand", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { roots: {} },
  };
  const poem = "one\ntwo\nthree\n";

  test.each([
    { roots: { roots: "no list" } },
    { roots: { roots: [7] } },
    { roots: "nothing" },
    { other: { roots: [] } },
    {},
  ])("that come as %j are none, or an error, and the next call is answered", async (inputResponses) => {
    const server = byHand(await serve(await makeGround({ "a.txt": poem }), { byClient: true }));
    const read = (id: number, responses: object) =>
      toolCall(id, "read_file", { file_path: "a.txt" }, { _meta: meta, inputResponses: responses });
    const [first] = await server.say([read(1, inputResponses)], [1]);
    const [second] = await server.say([read(2, { roots: { roots: [] } })], [2]);
    if (first.error === undefined) expect(first.result.content[0].text).toContain(poem);
    else
      expect(first.error).toMatchObject({ code: -32602, message: expect.stringContaining("nputResponses") });
    expect(second.result.content[0].text).toContain(poem);
    // In a sentence of ours, not in a parser's JSON.
    expect(server.errors()).toMatch(/^(roots: Error: [^\n]{20,120}\.\n)?$/);
  });
});

/** What only a process of its own shows. All else a server does is tested in this process. */
describe("a server process", () => {
  test("says nothing but the protocol on stdout, and ends with success when stdin closes", async () => {
    const ground = await makeGround();
    const server = byHand(startProcess(ground));
    const add = toolCall(2, "append_to_file", { file_path: "f", content: "x\n" });
    await server.say(["this is not JSON", ...opening, add], [1, 2]);
    expect(await server.end()).toBe(0);
    expect(await ground.get("f")).toBe("x\n");
    expect(server.answers().map(({ id }) => id)).toEqual([1, 2]);
    expect(server.errors()).toContain("is not JSON");
  });

  test("whose client hangs up in the middle of a write leaves the old file or the new one", async () => {
    const [before, after] = ["old\n".repeat(50_000), "new\n".repeat(50_000)];
    const ground = await makeGround({ "a.txt": before });
    const { input, output, ended, ...served } = startProcess(ground);
    const server = byHand({ input, output, ended, ...served });
    await server.say(opening, [1]);
    const write = { file_path: "a.txt", content: after, base_content_sha256: sha256(before) };
    await server.say([toolCall(2, "read_file", { file_path: "a.txt" }), toolCall(3, "write_file", write)]);
    // Both ends at once: its answers have nowhere to go.
    output.destroy();
    input.destroy();
    await ended;
    expect(await readdir(ground.root)).toEqual(["a.txt"]);
    const left = await ground.get("a.txt");
    expect([before, after]).toContain(left);
    const next = await connect("2025-11-25", ground);
    expect((await next.call("read_file", { file_path: "a.txt" })).file?.sha256).toBe(sha256(left));
  });

  test("that was killed before it answered: the next one makes the same calls with their base once", async () => {
    const ground = await makeGround({ f: "one\n", g: "one\n" });
    const first = startProcess(ground);
    const hand = byHand(first);
    await hand.say(opening, [1]);
    const add = (id: number, file_path: string, content: string, base = {}) =>
      toolCall(id, "append_to_file", { file_path, content, ...base });
    await hand.say([add(2, "f", "two\n"), add(3, "g", "two\n")], [2, 3]);
    const base = { base_content_sha256: sha256("one\ntwo\n") };
    const calls = (id: number) => [
      add(id, "f", "three\n", base),
      toolCall(id + 1, "undo_edit", { file_path: "g", ...base }),
    ];
    await hand.say(calls(4));
    const files = { f: "one\ntwo\nthree\n", g: "one\n" };
    const isMade = async () => (await ground.get("f")) === files.f && (await ground.get("g")) === files.g;
    await until(isMade);
    first.child.kill("SIGKILL");
    await first.ended;
    const next = byHand(startProcess(ground));
    const answers = await next.say([...opening, ...calls(6)], [6, 7]);
    for (const { result } of answers) expect(result.content[0].text).toContain("(already_applied)");
    expect(await isMade()).toBe(true);
  });
});

/**
 * The ids of the answers to a heavy call and to three pings behind it, in their order, up to the third ping. A ping
 * is sent when the one before it was answered, so that the last ones fall into the middle of the work. The work goes
 * on until its limit, far longer than any pause of a loaded machine: only a held loop can bring it in front of a ping.
 */
async function answersInOrder(ground: Ground, name: string, args: object): Promise<readonly number[]> {
  const server = byHand(startProcess(ground, { limits: { searchMs: workMs } }));
  await server.say(opening, [1]);
  await server.say([toolCall(2, name, args)]);
  for (const id of [3, 4, 5]) await server.say([request(id, "ping")], [id]);
  return server.answers().map(({ id }) => id);
}

/** The longest time of the work: a loop that is held for so long makes the test red, and no shorter. */
const workMs = 30_000;

describe("a ping is answered while", () => {
  test("a folder is listed by 10,000 lines of an ignore file", async () => {
    const ground = await makeGround({
      ".gitignore": Array.from({ length: 10_000 }, (_, at) => `*${at}x*`).join("\n"),
    });
    for (let at = 0; at < 2_000; at++) await ground.put(`d${at % 10}/file${at}.txt`, "");
    expect(await answersInOrder(ground, "list_files", { depth: 2 })).toEqual([1, 3, 4, 5]);
  });

  test("one file of 20 lines of 1 MB is searched", async () => {
    // Whatever comes after a 1 is remembered, no text is needed that bytes could be sought for, and nothing matches.
    const digits = Array.from({ length: 70_000 }, (_, at) => at.toString(2)).join("");
    const ground = await makeGround({ "long.txt": `${digits.slice(0, 1_000_000)}\n`.repeat(20) });
    const search = { pattern: "1[01]{60}[23]" };
    expect(await answersInOrder(ground, "search_files", search)).toEqual([1, 3, 4, 5]);
  });
});
