import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { TurnPayload } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { openJournalStore } from "@holdfast/core/node";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Project } from "../../../packages/cli/test/process.js";
import { has } from "../../../test/tools.js";
import { type Browser, openBrowser } from "./browser.js";

/** The built program's page, opened from a file as a person opens it. */
describe.runIf(has("chromium"))("the page of a session", () => {
  const project = new Project();
  const stateDir = join(project.folder, "state");
  let browser: Browser;
  let sample = "";

  beforeAll(async () => {
    const script = fileURLToPath(new URL("../../../scripts/sample-session.mjs", import.meta.url));
    project.put("work/.keep", "");
    const id = execFileSync(process.execPath, [script, stateDir, join(project.folder, "work")], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
    sample = await exportPage(id, "sample.html");
    browser = await openBrowser();
  });

  afterAll(() => browser?.close());

  async function exportPage(id: string, name: string): Promise<string> {
    const args = ["history", "export", id, "--html", "--output", name, "--state-dir", stateDir];
    expect(await project.run(args)).toMatchObject({ code: 0 });
    return join(project.folder, name);
  }

  async function importPage(lines: readonly object[], name: string): Promise<string> {
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    const done = await project.run(["sessions", "import", "-", "--json", "--state-dir", stateDir], {
      input: text,
    });
    expect(done.code, done.stderr).toBe(0);
    return exportPage(JSON.parse(done.stdout).id, name);
  }

  /** A page of a session of these nodes, each below the one that is named, else below the last. */
  async function storedPage(
    id: string,
    title: string,
    nodes: readonly (readonly [id: string, payload: TurnPayload, parentId?: string])[],
  ): Promise<string> {
    const store = openJournalStore({ stateDir });
    if (isRefusal(store)) throw new Error(store.message);
    const payload = { kind: "task_boundary", name: "", transformation: { kind: "clear" } } as const;
    const root = { id, parentId: null, timestamp: 1, payload };
    const events = nodes.map(([nodeId, said, parentId], at) => {
      const node = {
        id: nodeId,
        parentId: parentId ?? nodes[at - 1]?.[0] ?? id,
        timestamp: at,
        payload: said,
      };
      return { ts: at, event: { type: "nodes_added" as const, nodes: [node], head: nodeId } };
    });
    const begun = { type: "session_started", sessionId: id, root, title } as const;
    const made = await store.create(id, [{ ts: 1, event: begun }, ...events]);
    if (isRefusal(made)) throw new Error(made.message);
    await store.close();
    return exportPage(id, `${id}.html`);
  }

  /** Opens a page; the test fails on whatever it complains of or asks the network for. */
  async function open(file: string, options: Parameters<Browser["newPage"]>[0] = {}) {
    const page = await browser.newPage({ viewport: { width: 1400, height: 860 }, ...options });
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`));
    page.on("request", (request) => {
      if (request.url() !== pathToFileURL(file).href) complaints.push(`request: ${request.url()}`);
    });
    await page.goto(pathToFileURL(file).href);
    opened.push({ page, complaints });
    await selected(page).waitFor();
    return page;
  }

  const opened: { readonly page: Page; readonly complaints: readonly string[] }[] = [];
  afterEach(async () => {
    for (const { page, complaints } of opened.splice(0)) {
      await page.close();
      expect(complaints).toEqual([]);
    }
  });

  const selected = (page: Page) => page.locator('[role="treeitem"][aria-selected="true"]');
  async function press(page: Page, ...keys: readonly string[]): Promise<void> {
    for (const key of keys) await page.keyboard.press(key);
  }

  test("opens at the head, asks for nothing, and complains of nothing", async () => {
    const page = await open(sample);
    await page.getByRole("heading", { level: 1, name: "Invoices are a cent off" }).waitFor();
    expect(await selected(page).textContent()).toContain("The total now reads `Total: 11.90 €`.");
    expect(await page.getByRole("tree").getAttribute("aria-activedescendant")).toBe(
      await selected(page).getAttribute("id"),
    );
  });

  test("goes to another branch, folds and comes back by the keyboard alone", async () => {
    // Tall enough for every line: only those in sight are in the document.
    const page = await open(sample, { viewport: { width: 1400, height: 1600 } });
    await press(page, "[");
    expect(await selected(page).textContent()).toContain("Show the currency with the total.");
    expect(await selected(page).getAttribute("aria-expanded")).toBe("true");
    const lines = await page.getByRole("treeitem").count();
    await press(page, "ArrowLeft");
    expect(await selected(page).getAttribute("aria-expanded")).toBe("false");
    expect(await page.getByRole("treeitem").count()).toBeLessThan(lines);
    await press(page, "ArrowRight", "ArrowRight");
    expect(await selected(page).textContent()).toContain("Before the amount");
    await press(page, "]");
    expect(await selected(page).textContent()).toContain("restore");
    await press(page, "Home");
    expect(await selected(page).textContent()).toContain("task");
    await press(page, "End", "Enter");
    expect(await page.evaluate("document.activeElement?.id")).toBe("middle");
    await press(page, "Escape", "h");
    expect(await page.evaluate("document.activeElement?.id")).toBe("tree");
    expect(await selected(page).textContent()).toContain("head");
  });

  test("shows what changed between the versions of a file, readable without colour", async () => {
    const page = await open(sample);
    await press(page, "[", "ArrowDown", "ArrowDown", "ArrowDown");
    expect(await selected(page).textContent()).toContain("src/format.ts +1 −1 v8");
    const files = page.getByRole("region", { name: "Files at this turn" });
    expect(await files.getByText("changed here").count()).toBe(1);
    const diff = files.locator(".diff");
    expect(await diff.locator(".removed").textContent()).toMatch(/^4−.*`Total: \$\{/);
    expect(await diff.locator(".added").textContent()).toMatch(/^4\+.*`Total: € \$\{/);
    await files.getByRole("button", { name: "src/invoice.ts" }).click();
    expect(await files.locator(".stat").textContent()).toBe("v1 → v2: 5 lines added, 4 lines removed");
    await files.getByRole("button", { name: /^v1/ }).click();
    await files.getByRole("button", { name: "Show the whole file" }).waitFor();
    expect(await files.locator(".stat").textContent()).toBe("In the prompt: lines 1–19.");
    expect(await files.locator(".line.seen").count()).toBe(19);
  });

  test("shows what the model saw, and which lines of which state stood in it", async () => {
    const page = await open(sample);
    await press(page, "m");
    const turn = page.getByRole("region", { name: "The selected turn" });
    await turn.getByRole("heading", { name: "What the model had before it" }).waitFor();
    expect(await turn.locator(".visible tbody").textContent()).toMatch(
      /^src\/format.ts[0-9a-f]{16} an older state1–5src\/invoice.ts[0-9a-f]{16} an older state1–19$/,
    );
    const prompt = await turn.locator(".prompt").textContent();
    expect(prompt).toContain("Some invoices are a cent off.");
    expect(prompt).toContain("totalOf counts whole cents and rounds each line");
    expect(prompt, "what the task did is summed up").not.toContain("One small type keeps");
    expect(prompt, "what it answers is not in its own prompt").not.toContain("11.90 €`.");
    await turn.locator(".why").first().click();
    expect(await selected(page).textContent()).toContain("Some invoices are a cent off.");
  });

  test("finds turns by their words and kinds", async () => {
    const page = await open(sample);
    await press(page, "/");
    await page.keyboard.type("decimal");
    expect(await page.getByRole("treeitem").allTextContents()).toEqual([
      expect.stringContaining("a decimal library"),
    ]);
    await press(page, "Escape");
    await page.getByLabel("Filter the tree by kind").selectOption("Tasks");
    expect((await page.getByRole("treeitem").allTextContents()).length).toBe(4);
  });

  test("is dark where the system is, and light again at a press", async () => {
    const page = await open(sample, { colorScheme: "dark" });
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(await ground()).toBe("rgb(13, 17, 20)");
    await page.getByRole("button", { name: "Light / dark" }).click();
    expect(await ground()).toBe("rgb(246, 245, 241)");
  });

  test("fits into 360, 640 and 1000 pixels", async () => {
    const page = await open(sample);
    for (const width of [360, 640, 1000]) {
      await page.setViewportSize({ width, height: 700 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      await press(page, "[");
      expect(await selected(page).isVisible()).toBe(true);
      expect(await page.getByRole("heading", { name: "Files at this turn" }).isVisible()).toBe(true);
    }
  });

  test("fills the window with a short session, too, and keeps its size whatever is shown", async () => {
    const at = "2026-01-01T00:00:00Z";
    const message = { role: "user", content: "Thanks." };
    const lines = [
      { type: "session", version: 3, id: "x", timestamp: at, cwd: "/x" },
      { type: "message", id: "a", parentId: null, message },
    ];
    const page = await open(await importPage(lines, "short.html"));
    const bottomOf = async (name: string) => {
      const box = await page.locator(name).boundingBox();
      return box === null ? 0 : box.y + box.height;
    };
    const heights = async () => [await bottomOf("body > main"), await bottomOf("body > footer")];
    const [panes = 0, foot] = await heights();
    expect(foot).toBe(860);
    expect(panes).toBeGreaterThan(800);
    await page.keyboard.press("m");
    expect(await page.textContent("#turn-view")).not.toContain("Thanks..");
    expect(await heights()).toEqual([panes, foot]);
  });

  test("leaves hostile texts as they are: nothing runs, nothing leaves its place", async () => {
    const evil = '</script><script>alert(1)</script><img src="http://127.0.0.1:9/x" onerror="alert(2)"><!--';
    const bidi = "abc\u202Etxt.exe\u0007\u001b[31m\u2028";
    const file = await importPage(
      [
        { type: "session", version: 3, id: "hostile", timestamp: "2026-01-01T00:00:00Z", cwd: evil },
        { type: "session_info", id: "n", parentId: null, name: `${evil}${bidi}` },
        {
          type: "message",
          id: "a",
          parentId: "n",
          message: {
            role: "user",
            content: [
              { type: "text", text: `${evil}\n${bidi}` },
              { type: "image", mimeType: "image/svg+xml", data: "PHN2Zz4=" },
            ],
          },
        },
        {
          type: "message",
          id: "b",
          parentId: "a",
          message: {
            role: "assistant",
            model: evil,
            provider: bidi,
            content: [{ type: "toolCall", id: "c", name: evil, arguments: { [evil]: bidi } }],
          },
        },
        {
          type: "message",
          id: "d",
          parentId: "b",
          message: {
            role: "toolResult",
            toolCallId: "c",
            toolName: evil,
            content: [{ type: "text", text: evil }],
          },
        },
        { type: "label", id: "e", parentId: "d", targetId: "a", label: evil },
      ],
      "hostile.html",
    );
    const page = await open(file);
    for (const view of ["t", "m"])
      for (const step of ["Home", "ArrowDown", "ArrowDown", "ArrowDown", "End"])
        await press(page, view, step);
    await press(page, "t", "Home", "ArrowDown");
    expect(await page.locator("#turn-view .prose").textContent()).toBe(
      `${evil}\nabc\\u202etxt.exe\\u0007\\u001b[31m\\u2028`,
    );
    expect(await page.locator("script").count()).toBe(2);
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).toContain("\\u202e");
  });

  const progress = (at: number): TurnPayload => ({ kind: "unknown", type: "claude:progress", data: { at } });
  const state = "a".repeat(64);
  const output = "1\tone\n2\ttwo\n";
  const real: readonly (readonly [string, TurnPayload, string?])[] = [
    ["u", { kind: "user_message", text: "Look at it." }],
    ["c1", { kind: "tool_call", callId: "A", name: "read_file", args: { path: "a.txt" } }],
    ["p1", progress(1)],
    ["p2", progress(2)],
    [
      "r1",
      {
        kind: "tool_result",
        callId: "A",
        name: "read_file",
        output,
        files: [{ path: "a.txt", after: state, by: "seen" }],
        shows: [
          { path: "a.txt", sha256: state, from: 11, to: 11, start: 2, end: 6 },
          { path: "a.txt", sha256: state, from: 12, to: 12, start: 8, end: 12 },
        ],
      },
      "c1",
    ],
    ["c2", { kind: "tool_call", callId: "B", name: "bash", args: { command: "false" } }],
    ["r2", { kind: "tool_result", callId: "B", name: "bash", output: "exit code 1", isError: true }],
    ["c3", { kind: "tool_call", callId: "C", name: "bash", args: { command: "sleep" } }],
    ["p3", progress(3)],
    ["p4", progress(4)],
    ["u2", { kind: "user_message", text: "Never mind." }],
  ];

  test("shows chatter as one line, which opens, and is no branch", async () => {
    const page = await open(await storedPage("chatty", "Real", real));
    expect(await page.locator("#session-facts").textContent()).toContain("1 branch");
    const lines = () => page.getByRole("treeitem").allTextContents();
    const chatter = page.locator(".row", { hasText: "2 lines of chatter: claude:progress 2" });
    expect(await chatter.count()).toBe(2);
    expect((await lines()).length).toBe(8);
    await press(page, "Home", "ArrowDown", "ArrowDown", "ArrowDown");
    expect(await selected(page).getAttribute("aria-expanded")).toBe("false");
    await press(page, "ArrowRight");
    expect(await selected(page).getAttribute("aria-expanded")).toBe("true");
    expect((await lines()).length).toBe(9);
    await press(page, "ArrowLeft");
    expect((await lines()).length).toBe(8);
    await page.locator("#words").fill("claude:progress");
    expect(await page.getByRole("treeitem").count(), "what is looked for is shown").toBe(0);
    await page.getByLabel("Filter the tree by kind").selectOption("Notes");
    await page.locator("#words").fill("");
    await page.getByRole("treeitem").last().click();
    await press(page, "Escape");
    expect((await lines()).length, "the line that holds it was opened").toBe(9);
  });

  test("tells calls that failed and calls without an answer from the others", async () => {
    const page = await open(await storedPage("failed", "Real", real));
    const tags = await page.locator(".row.kind-tool_call").allTextContents();
    expect(tags.map((text) => /failed$|no answer$/.exec(text)?.[0] ?? "")).toEqual([
      "",
      "failed",
      "no answer",
    ]);
    await page.locator(".row.failed").click();
    const head = page.locator(".turn-head h2");
    expect(await head.textContent()).toBe("call");
    const colour = "e => getComputedStyle(e).color";
    expect(await head.evaluate(colour)).toBe(await page.locator(".row.failed .word").evaluate(colour));
  });

  test("shows of a state whose bytes are gone what the model was shown of it", async () => {
    const page = await open(await storedPage("gone", "Real", real));
    const files = page.getByRole("region", { name: "Files at this turn" });
    await files.getByText("These 2 lines of it were shown to the model.").waitFor();
    expect(await files.locator(".line").allTextContents()).toEqual(["11 one", "12 two"]);
    expect(await files.locator(".gap").textContent()).toContain("10 lines not shown");
  });

  test("cuts a title that is a whole message, and says it in full where one points at it", async () => {
    const title = `A very long beginning ${"of a session ".repeat(200)}`;
    const page = await open(await storedPage("titled", title, real));
    const heading = page.getByRole("heading", { level: 1 });
    const box = await heading.boundingBox();
    expect(box?.height).toBeLessThan(40);
    expect(await heading.getAttribute("title")).toBe(title);
    expect((await page.title()).length).toBeLessThan(130);
  });

  test("lets panes be made wider, by the mouse and by the keys", async () => {
    const page = await open(sample);
    const width = async () => Math.round((await page.locator("#left").boundingBox())?.width ?? 0);
    const split = page.getByRole("separator", { name: "Width of the tree" });
    const first = await width();
    await split.focus();
    await press(page, "ArrowRight", "ArrowRight");
    expect(await width()).toBe(first + 48);
    expect(await split.getAttribute("aria-valuenow")).toBe(`${first + 48}`);
    await press(page, "Home");
    expect(await width()).toBe(180);
    await press(page, "Enter");
    expect(await width()).toBe(first);
    const box = await split.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 5, 400);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) - 95, 400, { steps: 4 });
    await page.mouse.up();
    expect(await width()).toBe(first - 100);
  });

  test("closes with Escape what was opened, one after the other", async () => {
    const page = await open(sample);
    const isSeen = () => page.locator("#tab-seen").getAttribute("aria-selected");
    await page.getByRole("button", { name: "Show the whole file" }).click();
    await page.getByLabel("Filter the tree by kind").selectOption("Talk");
    await page.locator("#tree").focus();
    await press(page, "m");
    const all = await page.locator("#tree-count").textContent();
    await press(page, "Escape");
    expect(await page.getByRole("button", { name: "Show the whole file" }).count()).toBe(1);
    expect(await isSeen()).toBe("true");
    await press(page, "Escape");
    expect(await isSeen()).toBe("false");
    expect(await page.locator("#tree-count").textContent()).toBe(all);
    await press(page, "Escape");
    expect(await page.locator("#tree-count").textContent()).not.toBe(all);
    await press(page, "?");
    expect(await page.locator("#keys").isVisible()).toBe(true);
    await press(page, "Escape");
    expect(await page.locator("#keys").isVisible()).toBe(false);
  });

  test("shows 3,000 tasks inside one another", async () => {
    const nodes = Array.from({ length: 3_000 }, (_, at): readonly [string, TurnPayload] => [
      `t${at}`,
      { kind: "task_boundary", name: `task ${at}`, transformation: { kind: "clone" } },
    ]);
    const page = await open(await storedPage("deep", "Deep", nodes));
    await page.getByText("task 2999").first().waitFor();
    await press(page, "t");
    expect(await selected(page).textContent()).toContain("task 2999");
    expect(await page.locator(".crumbs").textContent()).toContain("2,993 tasks");
  });

  test("works with 4,000 turns in one row, and holds few of them in the document", async () => {
    const at = (n: number) => ({
      id: `e${n}`,
      parentId: n === 0 ? null : `e${n - 1}`,
      timestamp: "2026-01-01T00:00:00Z",
    });
    const lines = Array.from({ length: 4_000 }, (_, n) => ({
      type: "message",
      ...at(n),
      message: { role: n % 2 === 0 ? "user" : "assistant", content: [{ type: "text", text: `turn ${n}` }] },
    }));
    const header = { type: "session", version: 3, id: "long", timestamp: "2026-01-01T00:00:00Z", cwd: "/x" };
    const page = await open(await importPage([header, ...lines], "long.html"));
    expect(await selected(page).textContent()).toContain("turn 3999");
    expect(await page.getByRole("treeitem").count()).toBeLessThan(100);
    await press(page, "Home", "ArrowDown", "ArrowDown", "End", "ArrowUp", "m");
    await page.locator(".prompt").waitFor();
    expect(await selected(page).textContent()).toContain("turn 3998");
    await page.getByRole("button", { name: /Show earlier messages/ }).waitFor();
  });
});
