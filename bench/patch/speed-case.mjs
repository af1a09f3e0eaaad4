import { applyPatch } from "diff";
import { inputs } from "./inputs.mjs";

/** Measures one input in a process of its own: `speed-case.mjs INDEX ours|jsdiff`; answers in JSON. */
const [, , index = "0", who = "ours"] = process.argv;
const input = inputs[Number(index)]?.make();
if (input === undefined) throw new Error(`no input ${index}`);
const { base, diff } = input;
const before = process.memoryUsage().rss;
const run = who === "ours" ? await ours() : jsdiff;
const first = once();
const times = first.ms > 2_000 ? [first.ms] : repeat(first.ms);
times.sort((one, other) => one - other);
const peak = process.resourceUsage().maxRSS * 1_024;
const answer = { ms: times[Math.floor(times.length / 2)], end: first.end, before, peak };
process.stdout.write(JSON.stringify(answer));

/** Memory counts from the first run only: the later ones are for the clock. @param {number} ms */
function repeat(ms) {
  const count = Math.min(30, Math.max(3, Math.round(600 / Math.max(ms, 1))));
  return Array.from({ length: count }, () => once().ms);
}

function once() {
  const start = performance.now();
  const end = run();
  return { ms: performance.now() - start, end };
}

async function ours() {
  const { applyDiff } = await import("./engine.mjs");
  return () => applyDiff({ base, diff }).code;
}

function jsdiff() {
  try {
    const text = applyPatch(base, diff);
    if (text === false) return "refused";
    return text === base ? "unchanged" : "applied";
  } catch {
    return "cannot parse";
  }
}
