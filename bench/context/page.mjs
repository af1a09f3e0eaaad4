import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { built } from "../../proof/machine.mjs";
import { tableOf } from "../patch/table.mjs";
import { must } from "./engine.mjs";
import { openJournals, startConversation } from "./journals.mjs";
import { player } from "./turns.mjs";

/**
 * What the page of a long session costs a browser until it shows where the conversation is.
 *
 * @param {{ readonly short: boolean, readonly folder: string, readonly note: (line: string) => void }} options
 */
export async function measurePage({ short, folder, note }) {
  const count = short ? 2_000 : 40_000;
  note(`page: ${count} nodes`);
  const stateDir = join(folder, "page");
  const id = await stored(stateDir, count);
  const child = spawn(process.execPath, [built.cli, "view", id, "--json", "--state-dir", stateDir]);
  try {
    const [line] = await once(child.stdout, "data");
    const { task, processor, rows } = await opened(JSON.parse(String(line)).url);
    if (rows === 0 || rows > 100) throw new Error(`the tree shows ${rows} of ${count} nodes`);
    return [
      "## The page of a session\n",
      "In Chromium, until the overview stands: processor time, in seconds. The aim was 2 s of the page's thread.\n",
      tableOf(
        ["nodes", "the page's thread", "its process", "rows in the tree"],
        [[count.toLocaleString("en"), task.toFixed(2), processor.toFixed(2), `${rows}`]],
      ),
    ].join("\n");
  } finally {
    child.kill();
  }
}

/** @param {string} stateDir @param {number} count */
async function stored(stateDir, count) {
  const store = await openJournals(stateDir);
  const { manager, session, close } = await startConversation(store);
  const { play } = player(manager, "linear");
  while (manager.context.nodes.size < count) play();
  must(await manager.flush());
  await close();
  await store.close();
  return session.id;
}

/** @param {string} url */
async function opened(url) {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 860 } });
    const tools = await page.context().newCDPSession(page);
    await tools.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(url);
    await page.locator("dl.overview").waitFor();
    const { metrics } = await tools.send("Performance.getMetrics");
    const seconds = (/** @type {string} */ name) => metrics.find((one) => one.name === name)?.value ?? 0;
    const rows = await page.getByRole("treeitem").count();
    return { task: seconds("TaskDuration"), processor: seconds("ProcessTime"), rows };
  } finally {
    await browser.close();
  }
}
