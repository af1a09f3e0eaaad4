import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Project } from "../process.js";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const missing = existsSync(executablePath) ? "" : ` (skipped: there is no Chromium at ${executablePath})`;

/** The built program's page, opened from a file as a person opens it. */
describe.skipIf(missing !== "")(`the page of a session${missing}`, () => {
  const project = new Project();
  const stateDir = join(project.folder, "state");
  let browser: Browser;
  let sample = "";

  beforeAll(async () => {
    const script = fileURLToPath(new URL("../../../../scripts/sample-session.mjs", import.meta.url));
    project.put("work/.keep", "");
    const id = execFileSync(process.execPath, [script, stateDir, join(project.folder, "work")], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
    sample = await exportPage(id, "sample.html");
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  }, 60_000);

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

  /** Opens a page and fails on whatever it complains of or asks the network for. */
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
    return { page, complaints };
  }

  const selected = (page: Page) => page.locator('[role="treeitem"][aria-selected="true"]');
  async function press(page: Page, ...keys: readonly string[]): Promise<void> {
    for (const key of keys) await page.keyboard.press(key);
  }

  test("opens at the head, asks for nothing, and complains of nothing", async () => {
    const { page, complaints } = await open(sample);
    await page.getByRole("heading", { level: 1, name: "Invoices are a cent off" }).waitFor();
    expect(await selected(page).textContent()).toContain("The total now reads `Total: 11.90 €`.");
    expect(await page.getByRole("tree").getAttribute("aria-activedescendant")).toBe(
      await selected(page).getAttribute("id"),
    );
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("goes to another branch, folds and comes back by the keyboard alone", async () => {
    // Tall enough for every line: only those in sight are in the document.
    const { page, complaints } = await open(sample, { viewport: { width: 1400, height: 1600 } });
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
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("shows what changed between the versions of a file, readable without colour", async () => {
    const { page } = await open(sample);
    await press(page, "[", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown");
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
    await page.close();
  });

  test("shows what the model saw, and which lines of which state stood in it", async () => {
    const { page } = await open(sample);
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
    await page.close();
  });

  test("finds turns by their words and kinds", async () => {
    const { page } = await open(sample);
    await press(page, "/");
    await page.keyboard.type("decimal");
    expect(await page.getByRole("treeitem").allTextContents()).toEqual([
      expect.stringContaining("a decimal library"),
    ]);
    await press(page, "Escape");
    await page.getByLabel("Filter the tree by kind").selectOption("Tasks");
    expect((await page.getByRole("treeitem").allTextContents()).length).toBe(4);
    await page.close();
  });

  test("is dark where the system is, and light again at a press", async () => {
    const { page } = await open(sample, { colorScheme: "dark" });
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(await ground()).toBe("rgb(13, 17, 20)");
    await page.getByRole("button", { name: "Light / dark" }).click();
    expect(await ground()).toBe("rgb(246, 245, 241)");
    await page.close();
  });

  test.each([360, 640, 1000])("fits into %i pixels", async (width) => {
    const { page, complaints } = await open(sample, { viewport: { width, height: 700 } });
    const wide = await page.evaluate("document.documentElement.scrollWidth");
    expect(wide).toBeLessThanOrEqual(width);
    await press(page, "[");
    expect(await selected(page).isVisible()).toBe(true);
    expect(await page.getByRole("heading", { name: "Files at this turn" }).isVisible()).toBe(true);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("fills the window with a short session, too, and keeps its size whatever is shown", async () => {
    const at = "2026-01-01T00:00:00Z";
    const message = { role: "user", content: "Thanks." };
    const lines = [
      { type: "session", version: 3, id: "x", timestamp: at, cwd: "/x" },
      { type: "message", id: "a", parentId: null, message },
    ];
    const { page, complaints } = await open(await importPage(lines, "short.html"));
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
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("leaves hostile texts as they are: nothing runs, nothing leaves its place", async () => {
    const evil = '</script><script>alert(1)</script><img src="http://127.0.0.1:9/x" onerror="alert(2)"><!--';
    const bidi = "abc\u202Etxt.exe\u0007\u001b[31m\u2028";
    const file = await importPage(
      [
        { type: "session", version: 3, id: "x", timestamp: "2026-01-01T00:00:00Z", cwd: evil },
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
    const { page, complaints } = await open(file);
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
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("works with 10,000 turns in one row, and holds few of them in the document", {
    timeout: 60_000,
  }, async () => {
    const at = (n: number) => ({
      id: `e${n}`,
      parentId: n === 0 ? null : `e${n - 1}`,
      timestamp: "2026-01-01T00:00:00Z",
    });
    const lines = Array.from({ length: 10_000 }, (_, n) => ({
      type: "message",
      ...at(n),
      message: { role: n % 2 === 0 ? "user" : "assistant", content: [{ type: "text", text: `turn ${n}` }] },
    }));
    const header = { type: "session", version: 3, id: "long", timestamp: "2026-01-01T00:00:00Z", cwd: "/x" };
    const { page, complaints } = await open(await importPage([header, ...lines], "long.html"));
    expect(await selected(page).textContent()).toContain("turn 9999");
    expect(await page.getByRole("treeitem").count()).toBeLessThan(100);
    const began = Date.now();
    await press(page, "Home", "ArrowDown", "ArrowDown", "End", "ArrowUp", "m");
    await page.locator(".prompt").waitFor();
    console.info(`10,000 turns: six keys and a prompt in ${Date.now() - began} ms`);
    expect(await selected(page).textContent()).toContain("turn 9998");
    await page.getByRole("button", { name: /Show earlier messages/ }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });
});
