import { parentPort, workerData } from "node:worker_threads";
import { distilled, fuzz, runOnce, type Task } from "./loop.js";
import { maxLength } from "./mutate.js";
import { findTarget } from "./targets/index.js";

/** What `run.mjs` hands over. */
interface Order {
  readonly name: string;
  readonly edges: number;
  readonly seed: number;
  readonly fixed: readonly string[];
  readonly found: readonly string[];
  readonly runs?: number;
  readonly seconds?: number;
  /** One input to run, and nothing else. */
  readonly repeat?: string;
  readonly keep: boolean;
  /** How many inputs were begun; then the length and the units of the present one. */
  readonly present: SharedArrayBuffer;
}

const order: Order = workerData;
const counter = new Int32Array(order.present, 0, 2);
const units = new Uint16Array(order.present, 8);
const target = findTarget(order.name);
if (target === undefined) throw new Error(`no target ${order.name}`);
const { seconds = 0, runs, repeat, fixed, found } = order;
const task: Task = {
  target,
  edges: order.edges,
  seed: order.seed,
  corpus: [...fixed, ...found],
  until: runs === undefined ? { timeMs: performance.now() + seconds * 1_000 } : { runs },
  begin: (input) => {
    for (let at = 0; at < input.length && at < maxLength; at++) units[at] = input.charCodeAt(at);
    Atomics.store(counter, 1, Math.min(maxLength, input.length));
    Atomics.add(counter, 0, 1);
  },
};
if (repeat !== undefined) {
  const { failure } = await runOnce(task, repeat);
  const told = failure instanceof Error ? (failure.stack ?? failure.message) : failure;
  parentPort?.postMessage({ kind: "repeated", failure: told === undefined ? undefined : String(told) });
} else {
  const report = await fuzz(task);
  const kept = order.keep ? await distilled(task, fixed, [...found, ...report.kept]) : report.kept;
  parentPort?.postMessage({ kind: "report", ...report, kept });
}
await target.close?.();
