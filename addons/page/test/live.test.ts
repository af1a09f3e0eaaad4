import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { memorySessionStore } from "@holdfast/core/conversation";
import type { TimedEvent, TurnPayload } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { openJournalStore, openWorkspace } from "@holdfast/core/node";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Project, program } from "../../../packages/cli/test/process.js";
import { afterThisTest } from "../../../test/cleanups.js";
import { endProcess } from "../../../test/end-process.js";
import { has } from "../../../test/tools.js";
import { serveSession } from "../src/index.js";
import { type Browser, openBrowser } from "./browser.js";

const project = new Project();
const stateDir = join(project.folder, "state");
const place = ["--state-dir", stateDir];

const store = () => {
  const opened = openJournalStore({ stateDir });
  if (isRefusal(opened)) throw new Error(opened.message);
  return opened;
};

type Node = readonly [id: string, payload: TurnPayload];
const said = (text: string): TurnPayload => ({ kind: "user_message", text });

function added(nodes: readonly Node[], parent: string): readonly TimedEvent[] {
  return nodes.map(([id, payload], at) => {
    const parentId = nodes[at - 1]?.[0] ?? parent;
    return {
      ts: at,
      event: { type: "nodes_added", nodes: [{ id, parentId, timestamp: at, payload }], head: id },
    };
  });
}

async function stored(id: string, nodes: readonly Node[]): Promise<string> {
  const payload = { kind: "task_boundary", name: "", transformation: { kind: "clear" } } as const;
  const root = { id, parentId: null, timestamp: 1, payload };
  const begun = {
    type: "session_started",
    sessionId: id,
    root,
    title: `About ${id}`,
    cwd: project.folder,
  } as const;
  const session = await store().create(id, [{ ts: 1, event: begun }, ...added(nodes, id)]);
  if (isRefusal(session)) throw new Error(session.message);
  await session.close();
  return id;
}

/** Another process that writes to a session and is killed before it could end anything. */
async function writeAndDie(id: string, events: readonly object[]): Promise<void> {
  const script = `
    const { openJournalStore } = await import("@holdfast/core/node");
    const [stateDir, id, events] = process.argv.slice(1);
    const session = await openJournalStore({ stateDir }).open(id, "write");
    for (const event of JSON.parse(events)) session.append(event);
    await session.flush();
    process.kill(process.pid, "SIGKILL");`;
  const args = ["--input-type=module", "-e", script, stateDir, id, JSON.stringify(events)];
  const child = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    stdio: ["ignore", "ignore", "inherit"],
  });
  expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
}

/** The command, and the address that it printed. */
async function view(
  ...args: readonly string[]
): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, [program, "view", ...args, "--json", ...place], {
    cwd: project.folder,
  });
  afterThisTest(() => endProcess(child));
  const [line] = await once(child.stdout, "data");
  return { ...JSON.parse(String(line)), child };
}

async function serve(id: string, options: { readonly port?: number; readonly token?: string } = {}) {
  const live = await serveSession(store(), id, { stateDir, version: "test", ...options });
  if (isRefusal(live)) throw new Error(live.message);
  afterThisTest(() => live.close());
  const [, token = ""] = live.url.split("#");
  return { ...live, token };
}

/** The status of an answer, asked as no browser would. */
async function status(
  port: number,
  path: string,
  headers: Record<string, string>,
  method = "GET",
): Promise<number> {
  const request = get({ host: "127.0.0.1", port, path, headers, method, agent: false });
  const [response] = await once(request, "response");
  response.resume();
  return response.statusCode;
}

describe("the server of a page", () => {
  test("answers nobody without its token, under another name, or from another origin", async () => {
    const { port, token } = await serve(await stored("kept", [["k1", said("a secret")]]));
    const auth = { authorization: `Bearer ${token}` };
    const asked = (headers: Record<string, string>, path = "/records", method = "GET") =>
      status(port, path, headers, method);
    expect(await asked(auth)).toBe(200);
    expect(await asked({})).toBe(401);
    expect(await asked({ authorization: `Bearer ${token.slice(1)}` })).toBe(401);
    expect(await asked({ authorization: `Basic ${token}` })).toBe(401);
    expect(await asked({}, `/records?token=${token}`)).toBe(401);
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", `[::1]:${port}`])
      for (const path of ["/", "/records"]) expect(await asked({ ...auth, host }, path)).toBe(403);
    for (const origin of [
      "null",
      "http://evil.example",
      `http://127.0.0.1:${port + 1}`,
      `https://127.0.0.1:${port}`,
    ])
      expect(await asked({ ...auth, origin })).toBe(403);
    for (const method of ["POST", "PUT", "OPTIONS", "DELETE"])
      expect(await asked(auth, "/records", method)).toBe(405);
    for (const path of [
      "/state/x",
      `/state/${"a".repeat(64)}`,
      `/blob/${"a".repeat(64)}`,
      "/../etc/passwd",
      "//x",
    ])
      expect(await asked(auth, path)).toBe(204);
    const page = await fetch(`http://127.0.0.1:${port}/`);
    expect(await page.text(), "the page itself holds nothing").not.toContain("secret");
    expect(page.headers.get("cache-control")).toBe("no-store");
  });

  test("stays there for others while 1,000 connections ask for nothing and one does not read", async () => {
    const long = Array.from({ length: 3_000 }, (_, at): Node => [`l${at}`, said("x".repeat(4_000))]);
    const { port, token } = await serve(await stored("long", long));
    const auth = { authorization: `Bearer ${token}` };
    const deaf = connect(port, "127.0.0.1");
    deaf.write(`GET /records HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    deaf.pause();
    const sockets: Socket[] = Array.from({ length: 1_000 }, () =>
      connect(port, "127.0.0.1").on("error", () => {}),
    );
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBeGreaterThan(930);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => status(port, "/records", auth).catch(() => 0)).toBe(200);
    deaf.destroy();
  });

  test("answers who holds the token at once, while 200 connections that stay ask for nothing", async () => {
    const { port, token } = await serve(await stored("held", [["h1", said("held")]]));
    const auth = { authorization: `Bearer ${token}` };
    const strangers: Socket[] = [];
    for (let at = 0; at < 200; at++) {
      const socket = connect(port, "127.0.0.1").on("error", () => {});
      strangers.push(socket);
      await once(socket, "connect");
      socket.write("GET / HT");
    }
    // None of them has to go before: neither for the page nor for what is in it.
    for (const [path, headers] of [
      ["/", {}],
      ["/records", auth],
    ] as const)
      expect(await status(port, path, headers)).toBe(200);
    expect(strangers.filter(({ closed }) => !closed).length).toBeGreaterThan(20);
    for (const socket of strangers) socket.destroy();
  });

  test("gives out a state of a file that the session names, unless the file may hold secrets", async () => {
    const workspace = await openWorkspace({ roots: [project.folder], stateDir });
    if (isRefusal(workspace)) throw new Error(workspace.message);
    await workspace.write({ path: "money.txt", content: "cents" });
    await workspace.close();
    const after = project.hash("money.txt");
    const call = { kind: "tool_call", callId: "A", name: "read_file", args: {} } as const;
    const result = { kind: "tool_result", callId: "A", name: "read_file", output: "" } as const;
    for (const [id, path, expected] of [
      ["open", "money.txt", 200],
      ["closed", ".env", 204],
    ] as const) {
      const files = [{ path, after, by: "seen" }] as const;
      const { port, token } = await serve(
        await stored(id, [
          [`${id}1`, call],
          [`${id}2`, { ...result, files }],
        ]),
      );
      expect(await status(port, `/state/${after}`, { authorization: `Bearer ${token}` })).toBe(expected);
    }
  });

  test("follows a store that only lists its sessions", async () => {
    const memory = memorySessionStore();
    const root = { id: "m", parentId: null, timestamp: 1, payload: said("none") };
    const begun = { type: "session_started", sessionId: "m", root } as const;
    const session = await memory.create("m", [{ ts: 1, event: begun }]);
    if (isRefusal(session)) throw new Error(session.message);
    const live = await serveSession(memory, "m", { stateDir, version: "test" });
    if (isRefusal(live)) throw new Error(live.message);
    afterThisTest(() => live.close());
    const ask = async (seen: string) => {
      const headers = { authorization: `Bearer ${live.url.split("#")[1]}` };
      const address = `http://127.0.0.1:${live.port}/records?seen=${encodeURIComponent(seen)}`;
      // A cast: the server's own answer.
      return (await fetch(address, { headers })).json() as Promise<{ readonly mark: string }>;
    };
    const { mark } = await ask("");
    const next = ask(mark);
    for (const event of added([["m1", said("more")]], "m")) session.append(event);
    await session.flush();
    expect(await next).toMatchObject({ from: 1, records: [{ event: { head: "m1" } }] });
    expect(await ask("other 1")).toMatchObject({ from: 0, records: [{}, {}] });
  });

  test("refuses a port that is taken, and a session that is not there", async () => {
    const { port } = await serve("kept");
    expect(await serveSession(store(), "kept", { stateDir, version: "test", port })).toMatchObject({
      code: "busy",
    });
    const none = await serveSession(store(), "none", { stateDir, version: "test" });
    expect(none).toMatchObject({ code: "unknown_session" });
  });
});

describe("holdfast view", () => {
  test("says in one sentence what it cannot do", async () => {
    const run = (...args: readonly string[]) => project.run(["view", ...args, ...place]);
    expect(await run("nope")).toMatchObject({ code: 3, stderr: expect.stringContaining("unknown_session") });
    expect(await run("k", "--port", "70000")).toMatchObject({ code: 2 });
    expect(await run("kept", "--share", "a.html", "--open")).toMatchObject({ code: 2 });
    const elsewhere = await project.run(["view", ...place], { cwd: "/" });
    expect(elsewhere).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("no session of this folder"),
    });
    expect(await run("kept", "--share", "a.html")).toMatchObject({ code: 0 });
    expect(await run("kept", "--share", "a.html")).toMatchObject({ code: 3 });
    expect(await run("kept", "--share", "a.html", "--yes")).toMatchObject({ code: 0 });
  });

  test("ends with Ctrl-C, of the last session of the folder", async () => {
    await stored("newest", [["z1", said("the last one")]]);
    await writeAndDie(
      "newest",
      added([["z2", said("later")]], "z1").map((one) => ({ ...one, ts: Date.now() })),
    );
    const { url, child } = await view();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#[\w-]{43}$/);
    const response = await fetch(new URL("/records", url), {
      headers: { authorization: `Bearer ${url.split("#")[1]}` },
    });
    expect(await response.json()).toMatchObject({ id: "newest", from: 0 });
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});

describe.runIf(has("chromium"))("the live page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  async function open(url: string): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1400, height: 860 } });
    afterThisTest(() => page.close());
    page.on("pageerror", (error) => expect.fail(error.message));
    page.on("dialog", (dialog) => expect.fail(dialog.message()));
    await page.goto(url);
    return page;
  }
  const selected = (page: Page) => page.locator('[role="treeitem"][aria-selected="true"]');
  const state = (page: Page, text: string) => page.locator("#live", { hasText: text }).waitFor();

  test("follows a session that is written, killed, resumed, rewound, damaged, repaired and removed", async () => {
    const call = { kind: "tool_call", callId: "A", name: "read_file", args: { file_path: "a.txt" } } as const;
    const shows = [{ path: "a.txt", sha256: "a".repeat(64), from: 1, to: 60, start: 0, end: 4 }];
    const files = [{ path: "a.txt", after: "a".repeat(64), by: "seen", version: 3 }] as const;
    const result = {
      kind: "tool_result",
      callId: "A",
      name: "read_file",
      output: "one\n",
      shows,
      files,
    } as const;
    const id = await stored("running", [["u1", said("Look at it.")]]);
    const page = await open((await view(id)).url);
    await state(page, "Following");
    expect(await page.getByRole("tab", { selected: true }).textContent()).toBe("Overview");
    expect(await page.locator("dl.overview").textContent()).toContain("turns1calls0");

    await writeAndDie(id, added([["c1", call]], "u1"));
    await page.locator(".row.kind-tool_call", { hasText: "open" }).waitFor();
    await writeAndDie(id, added([["r1", result]], "c1"));
    await page.locator(".row", { hasText: "a.txt 1–60 v3" }).waitFor();
    expect(await page.locator(".row.kind-tool_result").count(), "the result is in the call's row").toBe(0);
    expect(await selected(page).textContent(), "at the head, it stays there").toContain("a.txt 1–60 v3");

    // What one reads stays as the session goes on.
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("t");
    await writeAndDie(id, added([["u2", said("And further.")]], "r1"));
    await page.locator(".row", { hasText: "And further." }).waitFor();
    expect(await selected(page).textContent()).toContain("Look at it.");
    await writeAndDie(id, [{ ts: 9, event: { type: "head_moved", head: "u1", reason: "rewind" } }]);
    await page.locator(".row.kind-user_message", { hasText: "head" }).waitFor();

    const journal = join(stateDir, "conversations", `${id}.jsonl`);
    const lines = readFileSync(journal, "utf8").split("\n");
    writeFileSync(journal, [...lines.slice(0, 4), "{damaged", ...lines.slice(5)].join("\n"));
    await page.getByText("in this journal").waitFor();
    expect(await project.run(["sessions", "repair", id, "--apply", ...place])).toMatchObject({ code: 0 });
    await page.locator("#problems").waitFor({ state: "hidden" });
    await page.keyboard.press("o");
    await page.locator(".row.kind-lost").waitFor();
    rmSync(journal);
    await state(page, "There is no session running");
    expect(await page.locator(".row").count(), "what was read stays").toBeGreaterThan(3);
  });

  test("comes back when the server does, and says what to do where the token is another", async () => {
    const first = await serve("kept", { token: "t1" });
    const page = await open(first.url);
    await state(page, "Following");
    await first.close();
    await state(page, "trying again");
    await writeAndDie("kept", added([["k2", said("meanwhile")]], "k1"));
    const second = await serve("kept", { token: "t1", port: first.port });
    await page.locator(".row", { hasText: "meanwhile" }).waitFor();
    await state(page, "Following");
    await second.close();
    await serve("kept", { token: "t2", port: first.port });
    await state(page, "token of this address is wrong");
    await page.goto(`http://127.0.0.1:${first.port}/#t2`);
    await state(page, "Following");
  });

  test("gives nothing to a page of another origin, which cannot frame it either", async () => {
    const { url, port, token } = await serve("kept");
    const evil = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<iframe src="${url}"></iframe>`);
    }).listen(0, "127.0.0.1");
    afterThisTest(() => evil.close());
    await once(evil, "listening");
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
    const stolen = await page.evaluate(
      `fetch("http://127.0.0.1:${port}/records", { headers: { Authorization: "Bearer ${token}" } }).then((r) => r.text(), (e) => e.name)`,
    );
    expect(stolen).toBe("TypeError");
    expect(await page.frames()[1]?.locator("#tree").count()).toBe(0);
  });

  test("begins with what the session is about, what it cost, and what became of its files", async () => {
    const usage = { inputTokens: 10_000, cachedInputTokens: 9_000, outputTokens: 500 };
    const from = { provider: "anthropic", model: "claude-sonnet-4-5" };
    const id = await stored("costly", [["q1", said("How much?")]]);
    const payload = { kind: "model_message", text: "So much.", from };
    const node = { id: "q2", parentId: "q1", timestamp: 2, payload, metadata: { usage } };
    await writeAndDie(id, [{ ts: 2, event: { type: "nodes_added", nodes: [node], head: "q2" } }]);
    const page = await open((await view(id)).url);
    const facts = page.locator("dl.overview");
    await facts.waitFor();
    expect(await facts.textContent()).toContain(
      "10,000 in, 500 out; 90 % of the prompts from the cachecost$0.0132",
    );
    expect(await page.locator("#turn-view table caption").textContent()).toBe("0 files changed");
    await page.getByRole("tab", { name: "Overview" }).press("ArrowRight");
    expect(await page.getByRole("tab", { selected: true }).textContent()).toBe("Turn");
    expect(await page.locator("#turn-view").getAttribute("aria-labelledby")).toBe("tab-turn");
  });

  test("renders Markdown, and nothing of a text acts", async () => {
    const hostile = [
      "# Head\n\n- **one**\n- `two`\n\n| a | b |\n|---|--:|\n| 1 | 2 |",
      "<img src=x onerror=alert(1)></script><script>alert(2)</script>",
      "[js](javascript:alert(3)) [data](data:text/html,x) <javascript:alert(4)>",
      "![shot](http://127.0.0.1:9/x.png) [good](https://example.org/?a=1)",
      "abc\u202Etxt \u001b[31m",
    ].join("\n\n");
    const id = await stored("hostile", [["h1", { kind: "model_message", text: hostile }]]);
    const page = await open((await serve(id)).url);
    await state(page, "Following");
    await page.keyboard.press("t");
    const prose = page.locator("#turn-view .prose");
    expect(await prose.locator("h4, li strong, li code, td").allTextContents()).toEqual([
      "Head",
      "one",
      "two",
      "1",
      "2",
    ]);
    expect(await page.locator("#turn-view img, #turn-view script").count()).toBe(0);
    const links = prose.locator("a");
    expect(await links.allTextContents()).toEqual(["shot", "good"]);
    expect(await links.last().getAttribute("rel")).toBe("noopener noreferrer");
    const text = await prose.textContent();
    for (const part of ["<img src=x onerror=alert(1)>", "javascript:alert(3)", "abc\\u202etxt \\u001b[31m"])
      expect(text).toContain(part);
  });

  test("opens 40,000 nodes with what the window shows of them, and reads the rest when it is asked for", async () => {
    const output = Array.from({ length: 25 }, (_, at) => `${at}\tconst value${at} = compute(${at});`).join(
      "\n",
    );
    const turn = (at: number): readonly Node[] => [
      [`m${at}`, { kind: "model_message", text: `I look at **${at}**. ${"So it goes. ".repeat(30)}` }],
      [
        `c${at}`,
        { kind: "tool_call", callId: `k${at}`, name: "read_file", args: { file_path: `f${at % 50}.ts` } },
      ],
      [`r${at}`, { kind: "tool_result", callId: `k${at}`, name: "read_file", output }],
      [`u${at}`, said(`Then this: ${at}`)],
    ];
    const id = await stored("large", Array.from({ length: 10_000 }, (_, at) => turn(at)).flat());
    const { url } = await view(id);
    const page = await browser.newPage({ viewport: { width: 1400, height: 860 } });
    await page.goto(url);
    await page.locator("dl.overview").waitFor();
    expect(await page.getByRole("treeitem").count()).toBeLessThan(100);
    await page.keyboard.press("ArrowUp");
    await page.locator("#turn-view .code", { hasText: "24\tconst value24" }).first().waitFor();
  });
});
