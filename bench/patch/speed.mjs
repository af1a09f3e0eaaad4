import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { inputs } from "./inputs.mjs";
import { formatMiB, formatMs, tableOf } from "./table.mjs";

/**
 * The whole function on large and evil inputs, each in a process of its own; growth as time per line.
 * @param {{ short: boolean }} options
 */
export async function measureSpeed({ short }) {
  const rows = [];
  for (const [index, input] of inputs.entries()) {
    if (short && input.lines > 20_000) continue;
    const ours = await measure(index, "ours");
    const other = input.jsdiff ? await measure(index, "jsdiff") : undefined;
    rows.push([
      input.name,
      formatMs(ours.ms),
      input.lines >= 200 ? `${((1_000 * ours.ms) / input.lines).toFixed(2)} µs` : "",
      ours.end,
      formatMiB(ours.peak),
      other === undefined ? "" : formatMs(other.ms),
      other?.end ?? "",
      other === undefined || !Number.isFinite(other.ms) ? "" : `${(ours.ms / other.ms).toFixed(2)}`,
      other === undefined ? "" : formatMiB(other.peak),
    ]);
  }
  const head = [
    "input",
    "holdfast",
    "a line",
    "outcome",
    "peak memory",
    "jsdiff",
    "outcome",
    "times jsdiff",
    "peak memory",
  ];
  return [
    "## Speed: the whole function\n",
    "The median of repeated runs (one run above 2 s). Peak memory is that of the whole process, the input and Node (about 45 MiB) included.\n",
    tableOf(head, rows),
    await measureWarm(),
    await measureHolds(),
  ].join("\n");
}

/** Small files, as a server patches them all day; also in a short run. */
async function measureWarm() {
  const rows = [];
  for (const lines of [40, 100, 200, 500]) {
    /** @type {import("./warm-case.mjs").Warm} */
    const warm = await answerOf("warm-case.mjs", String(lines), "10");
    const times = (/** @type {number} */ ours, /** @type {number} */ jsdiff) => (ours / jsdiff).toFixed(2);
    rows.push([
      `${lines} lines, 10 hunks, exact`,
      formatMs(warm.oursMs),
      formatMs(warm.jsdiffMs),
      times(warm.oursMs, warm.jsdiffMs),
      formatMs(warm.oursUsualMs),
      formatMs(warm.jsdiffUsualMs),
      times(warm.oursUsualMs, warm.jsdiffUsualMs),
    ]);
  }
  const head = ["input", "holdfast", "jsdiff", "times jsdiff", "holdfast", "jsdiff", "times jsdiff"];
  return [
    "\n## Small files in a warm process\n",
    "After 10,000 runs of each, 400 times 50 runs by turns. First the quickest tenth, which is what the work costs by itself; then the median, with what else the machine did.\n",
    tableOf(head, rows),
  ].join("\n");
}

/** For how long the event loop has to wait, also in a short run: it is the promise of `applyDiffInTurns`. */
async function measureHolds() {
  const rows = [];
  for (const kind of ["exact", "moved", "bare", "foreign"]) {
    /** @type {import("./hold-case.mjs").Hold} */
    const { lines, hunks, end, turns, longestMs, totalMs, atOnceMs } = await answerOf("hold-case.mjs", kind);
    const name = `${lines.toLocaleString("en")} lines, ${hunks.toLocaleString("en")} hunks, ${kind}`;
    rows.push([name, end, String(turns), formatMs(longestMs), formatMs(totalMs), formatMs(atOnceMs)]);
  }
  const head = ["input", "outcome", "turns", "longest hold", "in turns", "at once"];
  return [
    "\n## How long the event loop waits\n",
    "The median of three runs, processor time of the process: what others on the machine take is left out, what the collector of garbage takes beside the loop is not.\n",
    tableOf(head, rows),
  ].join("\n");
}

/** What a script answers in a process of its own. @param {string} script @param {readonly string[]} args @returns {Promise<any>} */
function answerOf(script, ...args) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [path, ...args], { timeout: 4 * limitMs }, (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout));
      else reject(error);
    });
  });
}

/** @param {number} index @param {"ours" | "jsdiff"} who @returns {Promise<{ ms: number, end: string, peak: number }>} */
function measure(index, who) {
  const script = fileURLToPath(new URL("speed-case.mjs", import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [script, String(index), who], { timeout: limitMs }, (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout));
      else
        resolve({
          ms: Number.NaN,
          end: error.killed ? `more than ${limitMs / 1_000} s` : "crashed",
          peak: 0,
        });
    });
  });
}

const limitMs = 90_000;
