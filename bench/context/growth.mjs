import { formatMiB, formatMs, median, tableOf } from "../patch/table.mjs";
import { runCase } from "./case.mjs";

/**
 * What a turn costs in conversations of different lengths.
 *
 * @typedef {import("./growth-case.mjs").Measured} Measured
 * @typedef {import("./growth-case.mjs").TurnCost} TurnCost
 * @typedef {import("./turns.mjs").Shape} Shape
 */

/** @param {{ readonly quick: boolean, readonly note: (line: string) => void }} options */
export async function measureGrowth({ quick, note }) {
  const sizes = quick ? [100, 2_000] : [100, 10_000, 100_000];
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
    "Four nodes a turn, in memory: the median of 200 turns, and the mean, in which garbage is collected. Rendering is incremental. *Rendered*: the prompt with its visibility and report; *and read*: another renderer, whose list of contents is written down as well. *Sum* is append and *and read*.\n",
    tableOf(["conversation", "append", "mean", "rendered", "mean", "and read", "mean", "sum"], rows),
    "From scratch, the list of contents included, is what the first rendering after opening costs. Memory: what is on the heap after collection, for the tree and then with two renderers that have followed 200 turns.\n",
    tableOf(["conversation", "parts", "from scratch", "the tree", "with the renderers"], scratch),
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
  const costs = costsOf(turns);
  const cells = [costs.append, costs.render, costs.contents].flatMap((times) => [
    microseconds(median(times)),
    microseconds(meanOf(times)),
  ]);
  return [nameOf(shape, nodes), ...cells, microseconds(sumOf(turns))];
}

/** The longest against the shortest. @param {Shape} shape @param {readonly number[]} sizes @param {readonly Measured[]} measured */
function ratioOf(shape, sizes, measured) {
  const [first, last] = [costsOf(measured[0]?.turns ?? []), costsOf(measured.at(-1)?.turns ?? [])];
  const pairs = /** @type {const} */ (["append", "render", "contents"]).flatMap((key) => [
    median(last[key]) / median(first[key]),
    meanOf(last[key]) / meanOf(first[key]),
  ]);
  const sum = sumOf(measured.at(-1)?.turns ?? []) / sumOf(measured[0]?.turns ?? []);
  const [short, long] = [sizes[0] ?? 0, sizes.at(-1) ?? 0].map((size) => size.toLocaleString("en"));
  return [`${shape}, ${long} : ${short}`, ...[...pairs, sum].map((ratio) => ratio.toFixed(1))];
}

/** @param {readonly TurnCost[]} turns */
function costsOf(turns) {
  return {
    append: turns.map(({ append }) => append),
    render: turns.map(({ render }) => render),
    contents: turns.map(({ contents }) => contents),
  };
}

/** @param {readonly TurnCost[]} turns */
function sumOf(turns) {
  return median(turns.map(({ append, contents }) => append + contents));
}

/** @param {Shape} shape @param {number} nodes @param {Measured} measured */
function scratchOf(shape, nodes, { parts, scratch, heapMiB }) {
  return [
    nameOf(shape, nodes),
    parts.toLocaleString("en"),
    formatMs(median(scratch)),
    formatMiB(heapMiB.tree * 2 ** 20),
    formatMiB(Math.max(0, heapMiB.rendered) * 2 ** 20),
  ];
}

/** @param {number} ms */
function microseconds(ms) {
  return `${(ms * 1_000).toFixed(0)} µs`;
}

/** @param {readonly number[]} values */
function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
