import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyPatch } from "diff";
import { onGround, openAt, sha } from "../races/ground.mjs";

/** @typedef {import("../contract.mjs").Row} Row */

const five = "a\nb\nc\nd\ne\n";
const twice = "x\nsame\ny\nx\nsame\ny\n";
const head = "--- a/f\n+++ b/f\n";

/**
 * Diffs that a library applies wrongly, or throws at: `right` is the only text that may come of it, where
 * one may; without it only a refusal is right.
 *
 * @type {readonly { what: string, base: string, diff: string, right?: string }[]}
 */
const cases = [
  {
    what: "hunks out of order",
    base: five,
    diff: "@@ -4 +4 @@\n-d\n+D\n@@ -1 +1 @@\n-a\n+A\n",
    right: "A\nb\nc\nD\ne\n",
  },
  { what: "two hunks on one line", base: five, diff: "@@ -2 +2 @@\n-b\n+B\n@@ -2 +2 @@\n-b\n+X\n" },
  {
    what: "overlapping context",
    base: five,
    diff: "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -3,3 +3,3 @@\n c\n-d\n+D\n e\n",
    right: "a\nB\nc\nD\ne\n",
  },
  {
    what: "a hunk twice",
    base: five,
    diff: "@@ -2 +2 @@\n-b\n+B\n@@ -2 +2 @@\n-b\n+B\n",
    right: "a\nB\nc\nd\ne\n",
  },
  { what: "no diff", base: five, diff: "" },
  { what: "prose", base: five, diff: "Please change b into B.\n" },
  { what: "headers alone", base: five, diff: head },
  { what: "a hunk without lines", base: five, diff: `${head}@@ -2 +2 @@\n` },
  { what: "counts that lie", base: five, diff: "@@ -2,9 +2,7 @@\n-b\n+B\n c\n", right: "a\nB\nc\nd\ne\n" },
  {
    what: "counts of nonsense",
    base: five,
    diff: "@@ -2,99999999999 +2,0 @@\n-b\n+B\n",
    right: "a\nB\nc\nd\ne\n",
  },
  {
    what: "two files",
    base: five,
    diff: `${head}@@ -2 +2 @@\n-b\n+B\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-g\n+G\n`,
  },
  {
    what: "two equal places, and a number of neither",
    base: twice,
    diff: "@@ -99,3 +99,3 @@\n x\n-same\n+new\n y\n",
  },
  { what: "a line that is not there", base: five, diff: "@@ -2 +2 @@\n-q\n+Q\n" },
  { what: "context of another file", base: five, diff: "@@ -1,3 +1,3 @@\n q\n-b\n+B\n r\n" },
  {
    what: "carriage returns in a header",
    base: five,
    diff: "--- a\r\u2028\r\r\n+++ b\r\n@@ -2 +2 @@\n-b\n+B\n",
    right: "a\nB\nc\nd\ne\n",
  },
  {
    what: "a file of CRLF",
    base: "a\r\nb\r\nc\r\n",
    diff: "@@ -2 +2 @@\n-b\n+B\n",
    right: "a\r\nB\r\nc\r\n",
  },
  { what: "mixed endings", base: "a\r\nb\nc\r", diff: "@@ -2 +2 @@\n-b\n+B\n", right: "a\r\nB\nc\r" },
];

/** B1: refused with the file unchanged, or the only right text. @returns {Promise<readonly Row[]>} */
export async function badDiffs() {
  let wrong = 0;
  let silent = 0;
  let landed = 0;
  let garbled = 0;
  const failed = [];
  for (const { what, base, diff, right } of cases) {
    const { text, outcome } = await patch(base, diff);
    const isRight = outcome.success ? text === right : text === base;
    if (!isRight) failed.push(what);
    wrong += isRight ? 0 : 1;
    landed += outcome.success ? 1 : 0;
    if (!outcome.success && outcome.message.length < 20) silent += 1;
    garbled += libraryIsRight(base, diff, right) ? 0 : 1;
  }
  const row = {
    figure: "B1",
    what: "bad diffs: order, overlap, repeats, lies, prose, two files, two places",
    tried: cases.length,
    bad: { "wrong text": wrong, "refused without a word": silent },
    seen:
      failed.length === 0 ? `${landed} landed rightly, ${cases.length - landed} refused` : failed.join("; "),
    baseline: `jsdiff alone: ${garbled} of ${cases.length} wrong or falsely called done`,
  };
  return [row];
}

/** @param {string} base @param {string} diff */
function patch(base, diff) {
  return onGround(async (folder, root) => {
    writeFileSync(join(root, "f"), base);
    const workspace = await openAt(folder);
    const outcome = await workspace.patch({ path: "f", diff, base: sha(base) });
    await workspace.close();
    return { outcome, text: readFileSync(join(root, "f"), "utf8") };
  });
}

/** @param {string} base @param {string} diff @param {string | undefined} right */
function libraryIsRight(base, diff, right) {
  try {
    const text = applyPatch(base, diff);
    return text === false || text === right;
  } catch {
    return true;
  }
}

const lineCount = 1_000_000;
const hunkCount = 100_000;

/**
 * B2: what a large or malicious diff costs, and for how long nothing else can be done.
 *
 * @param {boolean} quick
 * @returns {Promise<readonly Row[]>}
 */
export async function largeDiffs(quick) {
  const [lines, hunks] = quick ? [lineCount / 10, hunkCount / 10] : [lineCount, hunkCount];
  const text = Array.from({ length: lines }, (_, at) => `line ${at}\n`).join("");
  const step = lines / hunks;
  const each = Array.from({ length: hunks }, (_, at) => {
    const line = at * step;
    return `@@ -${line + 1} +${line + 1} @@\n-line ${line}\n+LINE ${line}\n`;
  });
  const equal = "same\n".repeat(100_000);
  const search = `@@ -1,1001 +1,1001 @@\n${" same\n".repeat(1_000)}-other\n+new\n`;
  const rows = [
    {
      what: `${hunks} hunks on ${lines} lines`,
      base: text,
      diff: each.join(""),
      rightCodes: ["applied", "timeout"],
    },
    {
      what: "100,000 equal lines, a hunk of 1,000 that fits nowhere",
      base: equal,
      diff: search,
      rightCodes: ["invalid_diff", "timeout"],
    },
  ];
  const found = [];
  for (const { what, base, diff, rightCodes } of rows)
    found.push(await measure(what, base, diff, rightCodes));
  return found;
}

/** @param {string} what @param {string} base @param {string} diff @param {readonly string[]} rightCodes @returns {Promise<Row>} */
function measure(what, base, diff, rightCodes) {
  return onGround(async (folder, root) => {
    writeFileSync(join(root, "f"), base);
    const workspace = await openAt(folder);
    const seen = watchLoop();
    const begun = performance.now();
    const outcome = await workspace.patch({ path: "f", diff, base: sha(base) });
    const ms = performance.now() - begun;
    const blocked = await seen();
    await workspace.close();
    return {
      figure: "B2",
      what,
      tried: 1,
      // A time never fails: it is told, and the aim with it.
      bad: { "wrongly answered": rightCodes.includes(outcome.code) ? 0 : 1 },
      seen: `${outcome.code} in ${ms.toFixed(0)} ms; the loop stood still for ${blocked.wallMs.toFixed(0)} ms, ${blocked.cpuMs.toFixed(0)} ms of them at work; aim 1,000`,
    };
  });
}

/** The longest time between two turns of the loop, by the clock and by this process's own work. */
function watchLoop() {
  let wallMs = 0;
  let cpuMs = 0;
  let last = performance.now();
  let used = process.cpuUsage();
  const turn = () => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(used);
    if (now - last > wallMs) [wallMs, cpuMs] = [now - last, (user + system) / 1_000];
    last = now;
    used = process.cpuUsage();
  };
  const timer = setInterval(turn, 1);
  return async () => {
    await new Promise((go) => setTimeout(go, 5));
    clearInterval(timer);
    return { wallMs, cpuMs };
  };
}
