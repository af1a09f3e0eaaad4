import { setImmediate as nextTurn } from "node:timers/promises";
import { applyDiff, applyDiffInTurns } from "./engine.mjs";
import { regular } from "./inputs.mjs";

/**
 * Measures in a process of its own how long one patch holds the event loop: `hold-case.mjs KIND`; answers in JSON.
 * The kinds: `exact` numbers, `moved` ones, `bare` headers, the lines of a `foreign` file.
 *
 * @typedef {{ readonly lines: number, readonly hunks: number, readonly end: string, readonly turns: number,
 *   readonly longestMs: number, readonly totalMs: number, readonly atOnceMs: number }} Hold
 */
const [, , kind = "exact"] = process.argv;
const lines = 1_000_000;
const hunks = 100_000;
const { base, diff } = inputOf(kind);
const request = { base, diff, limitMs: 120_000 };
const runs = [];
for (let n = 0; n < 3; n++) runs.push({ ...(await inTurns()), atOnceMs: atOnce() });
runs.sort((one, other) => one.longestMs - other.longestMs);
process.stdout.write(JSON.stringify({ lines, hunks, ...runs[1] }));

/** @param {string} name */
function inputOf(name) {
  const input = regular(lines, hunks, name === "moved" ? (hunk) => 1_000 + (hunk % 7) : () => 0);
  if (name === "bare") return { ...input, diff: input.diff.replace(/^@@.*$/gm, "@@") };
  return name === "foreign" ? { ...input, diff: input.diff.replaceAll("line ", "row ") } : input;
}

async function inTurns() {
  let turns = 0;
  let longestMs = 0;
  const start = processorMs();
  let since = start;
  const note = () => {
    longestMs = Math.max(longestMs, processorMs() - since);
  };
  const outcome = await applyDiffInTurns(request, async () => {
    note();
    turns += 1;
    await nextTurn();
    since = processorMs();
  });
  note();
  return { end: outcome.code, turns, longestMs, totalMs: processorMs() - start };
}

function atOnce() {
  const start = processorMs();
  applyDiff(request);
  return processorMs() - start;
}

function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
