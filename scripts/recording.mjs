// @ts-check
/**
 * `npm run recording` makes the blocks and pictures of docs/screen.md anew; the words of the page stay. It plays a story in the built
 * program, in tmux, with the scripted model. Needs `npm run build` and a Chromium, at CHROMIUM or /usr/bin/chromium.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { env, execPath } from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const files = {
  "package.json": JSON.stringify({ name: "shop", type: "module", scripts: { test: "node test/cart.js" } }),
  "src/cart.js": `/** What the customer pays, in cents, with the tax. */
export function totalOf(items) {
  let sum = 0;
  for (const item of items) sum += item.price;
  return Math.round(sum * 1.19);
}

/** How many things are in the cart. */
export function countOf(items) {
  return items.reduce((sum, item) => sum + item.count, 0);
}

/** The total as the customer reads it. */
export function describe(items) {
  const euros = totalOf(items) / 100;
  return \`Total: \${euros} €\`;
}
`,
  "test/cart.js": `import assert from "node:assert/strict";
import { totalOf } from "../src/cart.js";

const items = [{ name: "apple", price: 50, count: 2 }];
assert.equal(totalOf(items), 119);
console.log("ok - adds each item as often as it is bought");
`,
};

const usage = { inputTokens: 4_000, cachedInputTokens: 3_600, outputTokens: 90 };
/** @param {string} text @param {readonly (readonly [name: string, args: object])[]} calls */
const says = (text, ...calls) => ({ text, calls: calls.map(([name, args]) => ({ name, args })), usage });
const cart = { file_path: "src/cart.js", base_content_sha256: "{{sha256:src/cart.js}}" };
const patch = `@@ -1,3 +1,3 @@
   let sum = 0;
-  for (const item of items) sum += item.price;
+  for (const item of items) sum += item.price * item.count;
   return Math.round(sum * 1.19);
@@ -9,3 +9,3 @@
   const euros = totalOf(items) / 100;
-  return \`Total: \${euros} €\`;
+  return \`Total: \${euros.toFixed(2)} €\`;
 }
`;
/** @param {string} name */
const signFirst = (name) => [{ old_string: `${name}: \${euros} €`, new_string: `${name}: € \${euros}` }];
const finding = `\`totalOf\` takes the price of each item **once**, however often it is bought:

| line | it says | it should say |
|---|---|---|
| 4 | \`sum += item.price\` | \`sum += item.price * item.count\` |

The tax is right. Shall I change line 4?`;
const answers = [
  says("I read the code and its test.", ["read_many_files", { paths: Object.keys(files).slice(1) }]),
  says(finding),
  says("I count each item, and write two digits.", ["safe_patch", { ...cart, unified_diff: patch }]),
  says("Only the count, then. Now the test.", ["run_shell_command", { command: "npm test" }]),
  says("The test passes: two apples at 50 cents cost 1.19 €."),
  says("The sign goes before the number.", ["edit_file", { ...cart, edits: signFirst("Total") }]),
  says("Somebody renamed it meanwhile. I take the new line.", [
    "edit_file",
    { ...cart, edits: signFirst("Sum") },
  ]),
  says("The sign is before the number now."),
];

/** Words with Enter, what is waited for, what somebody makes of the file, a key, or a picture. */
/** @typedef {string | RegExp | ((text: string) => string) | { key: string } | { picture: string }} Step */
const idle = /\n\d requests?, [^\n]* s\n[^\n]*\n>$/u;
const [clear, rewind] = [{ key: "C-l" }, { key: "r" }];
/** @param {string} text */
const renamed = (text) => text.replace("Total:", "Sum:");
/** @type {readonly (readonly Step[])[]} a scene for each block of the page */
const scenes = [
  [/\n>$/u, "Why is the total of two apples too low?", idle],
  [clear, "Yes, please.", /\(1-2\)/u, { picture: "screen.png" }],
  [clear, "1", /npm test[\s\S]*\[y\]es[^\n]*:$/u, "y", idle],
  [clear, renamed, "Write the € first.", /\[y\]es[^\n]*:$/u],
  ["y", idle, "/history view", /you are here/u, "/Yes, p", /▸ user: Yes/u, { picture: "screen-tree.png" }],
  [rewind, /Esc back/u],
  [rewind, /\n>$/u, "/context", /By kind/u],
];

const styles = [
  "reset;",
  "font-weight:bold;",
  "opacity:.6;",
  "font-style:italic;",
  "text-decoration:underline;",
];
/** @param {string} path */
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const place = mkdtempSync(join(tmpdir(), "holdfast-recording-"));
const [home, project] = [join(place, "home"), join(place, "shop")];
/** @param {string} path @param {string} text */
const put = (path, text) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
/** @param {readonly string[]} words */
const tmux = (...words) =>
  execFileSync("tmux", ["-u", "-S", join(place, "tmux"), "-f", "/dev/null", ...words], { encoding: "utf8" });
const screen = () => tmux("capture-pane", "-p").trimEnd();
/** A screen without what is another one in each run, and with one empty line for many. @param {string} text */
const steady = (text) => text.replaceAll(/\d+(?:\.\d)? s\b/gu, "0.1 s").replaceAll(/\n{3,}/gu, "\n\n");

try {
  for (const [name, text] of Object.entries(files)) put(join(project, name), text);
  put(join(home, "script.json"), JSON.stringify(answers));
  put(join(home, "settings.jsonc"), JSON.stringify({ ui: { theme: "dark" } }));
  const own = [`PATH=${env.PATH}`, `HOME=${home}`, `HOLDFAST_HOME=${home}`];
  const variables = [...own, "TERM=xterm-256color", "LANG=C.UTF-8", "npm_config_update_notifier=false"];
  const program = [execPath, here("../packages/cli/bin/holdfast.js"), "--script", join(home, "script.json")];
  tmux("new-session", "-d", "-x", "100", "-y", "30", "-c", project, "env", "-i", ...variables, ...program);
  const texts = /** @type {string[]} */ ([]);
  for (const scene of scenes) {
    for (const step of scene) await play(step);
    texts.push(`${steady(screen())}\n`);
  }
  const page = here("../docs/screen.md");
  const blocks = readFileSync(page, "utf8").split(/(?<=^```text\n)[\s\S]*?(?=^```$)/mu);
  writeFileSync(page, blocks.map((words, at) => words + (texts[at] ?? "")).join(""));
} finally {
  tmux("kill-server");
  rmSync(place, { recursive: true, force: true, maxRetries: 5 });
}

/** @param {Step} step */
async function play(step) {
  const file = join(project, cart.file_path);
  if (step instanceof RegExp) await until(step);
  else if (typeof step === "function") put(file, step(readFileSync(file, "utf8")));
  else if (typeof step === "string") tmux("send-keys", "-l", step, ";", "send-keys", "Enter");
  else if ("key" in step) tmux("send-keys", step.key);
  else await take(here(`../docs/${step.picture}`));
}

/** Waits until the screen shows this and changes no more, and takes keys: an early one is not for it. @param {RegExp} shown */
async function until(shown) {
  let before = "";
  for (const since = Date.now(); ; await wait(450)) {
    const now = screen();
    if (shown.test(now) && now === before) return;
    if (Date.now() - since > 30_000) throw new Error(`never shown: ${shown}\n${now}`);
    before = now;
  }
}

/** A picture of the screen with its colours. @param {string} file */
async function take(file) {
  const executablePath = env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const tab = await browser.newPage({ deviceScaleFactor: 1.25 });
  const css = `body { margin: 0; color: #d5dae3 }
    main { display: inline-block; padding: 34px 40px 44px; background: linear-gradient(135deg, #3b4a6b, #7a5c8e 60%, #b0787a) }
    div { border-radius: 10px; background: #15181e; box-shadow: 0 18px 50px rgb(0 0 0 / 55%); overflow: hidden }
    p { margin: 0; padding: 9px 16px; background: #20242d; color: #8b93a3; font: 13px/16px "DejaVu Sans", sans-serif; text-align: center }
    i { float: left; width: 12px; height: 12px; margin: 2px 8px 0 0; border-radius: 6px }
    pre { width: 100ch; margin: 0; padding: 14px 20px 18px; font: 15px/19px "DejaVu Sans Mono", monospace }`;
  const dots = ["#e0645c", "#dfb04a", "#5fae5a"].map((dot) => `<i style="background:${dot}"></i>`).join("");
  // A window that is not full is no picture.
  const text = html(
    tmux("capture-pane", "-e", "-p")
      .trimEnd()
      .replace(/\n{4,}/gu, "\n\n\n"),
  );
  const shown = `<main><div><p>${dots}holdfast in shop</p><pre>${text}</pre></div></main>`;
  await tab.setContent(`<style>${css}</style>${shown}`);
  await tab.locator("main").screenshot({ path: file });
  await browser.close();
  console.log(`${file}: ${Math.round(statSync(file).size / 1000)} kB`);
}

/** Text with the codes of its colours, as HTML. @param {string} coloured */
function html(coloured) {
  let css = "";
  const runs = coloured.replaceAll("&", "&amp;").replaceAll("<", "&lt;").split("\u001b[");
  const spans = runs.slice(1).map((run) => {
    const [, codes = "", text = ""] = /^([\d;]*)m(.*)$/su.exec(run) ?? [];
    for (const [code, ground, at] of codes.matchAll(/([34])(?:9|8;5;(\d+))|\d+/gu)) {
      const value = at === undefined ? "unset" : colour(Number(at));
      css += ground ? `${ground === "3" ? "color" : "background"}:${value};` : styles[Number(code)];
    }
    // After a reset nothing of what was before counts.
    css = css.replace(/^.*reset;/u, "");
    return `<span style="${css}">${text}</span>`;
  });
  return runs[0] + spans.join("");
}

/** One of the 256 colours, from 16 on: a cube of six levels, then greys. @param {number} at */
function colour(at) {
  if (at >= 232) return `rgb(${Array(3).fill(8 + 10 * (at - 232))})`;
  return `rgb(${[36, 6, 1].map((by) => [0, 95, 135, 175, 215, 255][Math.floor((at - 16) / by) % 6])})`;
}
