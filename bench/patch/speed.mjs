import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { inputs } from "./inputs.mjs";
import { formatMiB, formatMs, tableOf } from "./table.mjs";

/**
 * The whole function on large and evil inputs, each in a process of its own; growth as time per line.
 * @param {{ quick: boolean }} options
 */
export async function measureSpeed({ quick }) {
  const rows = [];
  for (const [index, input] of inputs.entries()) {
    if (quick && input.lines > 20_000) continue;
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
    await measureHolds(),
  ].join("\n");
}

/** For how long the event loop has to wait, also in a quick run: it is the promise of `applyDiffInTurns`. */
async function measureHolds() {
  const rows = [];
  for (const kind of ["exact", "moved", "bare", "foreign"]) {
    const { lines, hunks, end, turns, longestMs, totalMs, atOnceMs } = await measureHold(kind);
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

/** @param {string} kind @returns {Promise<import("./hold-case.mjs").Hold>} */
function measureHold(kind) {
  const script = fileURLToPath(new URL("hold-case.mjs", import.meta.url));
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, kind], { timeout: 4 * limitMs }, (error, stdout) => {
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
