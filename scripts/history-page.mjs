/**
 * Makes docs/history-page.png anew: plays the sample session, exports its page, and takes its picture in
 * Chromium. Needs `npm run build` and a Chromium, at CHROMIUM or /usr/bin/chromium.
 *
 *     npm run history-page [FILE]
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { argv, env, execPath } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const picture = resolve(argv[2] ?? here("../docs/history-page.png"));
const folder = mkdtempSync(join(tmpdir(), "holdfast-page-"));
try {
  const page = exportSample();
  await takePicture(page);
  console.log(`${picture}: ${Math.round(statSync(picture).size / 1000)} kB`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function exportSample() {
  const [state, project, page] = ["state", "project", "page.html"].map((name) => join(folder, name));
  mkdirSync(project);
  const run = (args) =>
    execFileSync(execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const id = run([here("sample-session.mjs"), state, project]).trim();
  const holdfast = here("../packages/cli/bin/holdfast.js");
  run([holdfast, "history", "export", id, "--html", "--output", page, "--state-dir", state]);
  return page;
}

async function takePicture(page) {
  const browser = await chromium.launch({
    executablePath: env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const tab = await browser.newPage({ viewport: { width: 1440, height: 860 }, colorScheme: "light" });
  await tab.goto(pathToFileURL(page).href);
  await tab.getByRole("treeitem", { name: /The total is in cents now/ }).click();
  await tab.screenshot({ path: picture });
  await browser.close();
}
