import { formatMiB, formatMs, tableOf } from "../patch/table.mjs";
import { runCase } from "./case.mjs";

/**
 * What it costs to know what the model was shown.
 *
 * @typedef {import("./knowledge-case.mjs").KnowledgeCost} KnowledgeCost
 */

const files = 5;

/** @param {{ readonly short: boolean, readonly note: (line: string) => void }} options */
export async function measureKnowledge({ short, note }) {
  const rows = [];
  for (const nodes of short ? [400] : [10_000, 100_000]) {
    note(`knowledge: ${nodes} nodes`);
    /** @type {KnowledgeCost} */
    const cost = await runCase("knowledge-case.mjs", [String(nodes), String(files)]);
    rows.push([
      `${nodes.toLocaleString("en")} nodes`,
      formatMs(cost.cold),
      microseconds(cost.warm),
      microseconds(cost.perNode),
      formatMs(cost.back),
      formatMiB(cost.heapMiB * 2 ** 20),
    ]);
  }
  return [
    "## What a path was shown of files\n",
    `${files} files of 200 lines, read in windows of 40 lines and edited in turn, four nodes a turn, in memory: what a guard asks before a write. *Cold*: the first question after opening, which folds the whole path. *Warm*: the same again. *A new node*: after each further turn, a node's share. *1,000 nodes back*: asked from there, the median of twenty places.\n`,
    tableOf(["path", "cold", "warm", "a new node", "1,000 nodes back", "memory"], rows),
  ].join("\n");
}

/** @param {number} ms */
function microseconds(ms) {
  return `${(ms * 1_000).toFixed(1)} µs`;
}
