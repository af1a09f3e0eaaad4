import { formatMiB, formatMs, median, tableOf } from "../patch/table.mjs";
import { runCase } from "./case.mjs";

/**
 * What a turn costs in conversations of different lengths.
 *
 * @typedef {import("./growth-case.mjs").Measured} Measured
 * @typedef {import("./growth-case.mjs").TurnCost} TurnCost
 * @typedef {import("./turns.mjs").Shape} Shape
 */

/** @param {{ readonly short: boolean, readonly note: (line: string) => void }} options */
export async function measureGrowth({ short, note }) {
  const sizes = short ? [100, 400] : [100, 10_000, 100_000];
  const rows = [];
  const scratch = [];
  for (const shape of /** @type {const} */ (["linear", "branchy"])) {
    /** @type {Measured[]} */
    const measured = [];
    for (const nodes of sizes) {
      note(`growth: ${shape}, ${nodes} nodes`);
      measured.push(await runCase("growth-case.mjs", [String(nodes), String(roundsAt(nodes)), shape]));
    }
    rows.push(...measured.map((one, at) => rowOf(shape, sizes[at] ?? 0, one.turns)));
    rows.push(ratioOf(shape, sizes, measured));
    scratch.push(...measured.map((one, at) => scratchOf(shape, sizes[at] ?? 0, one)));
  }
  return [
    "## A turn in a growing conversation\n",
    "Four nodes a turn, in memory: the median of 200 turns by the clock, and the mean of the processor's time, all threads and the collection of garbage included, which depends less on what else the machine does. Rendering is incremental. *Rendered*: the prompt with its visibility and report; *and read*: another renderer, whose list of contents is written down as well. *Sum* is append and *and read*.\n",
    tableOf(["conversation", "append", "CPU", "rendered", "CPU", "and read", "CPU", "sum", "CPU"], rows),
    "From scratch, the list of contents included, is what the first rendering after opening costs. Memory: what is on the heap after collection, for the tree and then with two renderers that have followed 200 turns.\n",
    tableOf(["conversation", "parts", "from scratch", "CPU", "the tree", "with the renderers"], scratch),
  ].join("\n");
}

/** Small conversations grow while they are measured; so they are measured anew. @param {number} nodes */
function roundsAt(nodes) {
  return nodes < 1_000 ? 20 : 1;
}

/** @param {Shape} shape @param {number} nodes */
function nameOf(shape, nodes) {
  return `${shape}, ${nodes.toLocaleString("en")} nodes`;
}

/** @param {Shape} shape @param {number} nodes @param {readonly TurnCost[]} turns */
function rowOf(shape, nodes, turns) {
  return [nameOf(shape, nodes), ...figuresOf(turns).map((ms) => `${(ms * 1_000).toFixed(0)} µs`)];
}

/** The longest against the shortest. @param {Shape} shape @param {readonly number[]} sizes @param {readonly Measured[]} measured */
function ratioOf(shape, sizes, measured) {
  const short = figuresOf(measured[0]?.turns ?? []);
  const long = figuresOf(measured.at(-1)?.turns ?? []);
  const [from, to] = [sizes[0] ?? 0, sizes.at(-1) ?? 0].map((size) => size.toLocaleString("en"));
  return [`${shape}, ${to} : ${from}`, ...long.map((ms, at) => (ms / (short[at] ?? 0)).toFixed(1))];
}

/** Clock and processor in turn. @param {readonly TurnCost[]} turns */
function figuresOf(turns) {
  const sums = turns.map(({ append, contents }) => ({
    ms: append.ms + contents.ms,
    cpu: append.cpu + contents.cpu,
  }));
  const costs = [
    turns.map(({ append }) => append),
    turns.map(({ render }) => render),
    turns.map(({ contents }) => contents),
    sums,
  ];
  return costs.flatMap((each) => [median(each.map(({ ms }) => ms)), meanOf(each.map(({ cpu }) => cpu))]);
}

/** @param {Shape} shape @param {number} nodes @param {Measured} measured */
function scratchOf(shape, nodes, { parts, scratch, heapMiB }) {
  return [
    nameOf(shape, nodes),
    parts.toLocaleString("en"),
    formatMs(median(scratch.map(({ ms }) => ms))),
    formatMs(median(scratch.map(({ cpu }) => cpu))),
    formatMiB(heapMiB.tree * 2 ** 20),
    formatMiB(Math.max(0, heapMiB.rendered) * 2 ** 20),
  ];
}

/** @param {readonly number[]} values */
function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
