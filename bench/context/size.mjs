import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { formatMiB, formatMs, median, tableOf } from "../patch/table.mjs";
import { runCase } from "./case.mjs";

/**
 * What conversations cost that are as large as few will ever be: deep, wide, long.
 *
 * @typedef {import("./size-case.mjs").Sized} Sized
 */

/** @param {{ readonly short: boolean, readonly folder: string, readonly note: (line: string) => void }} options */
export async function measureSize({ short, folder, note }) {
  const few = short ? 100 : 1;
  const rows = [];
  for (const [name, count] of /** @type {const} */ ([
    ["nested", 5_000 / few],
    ["wide", 50_000 / few],
  ])) {
    note(`size: ${name}, ${count}`);
    rows.push(
      ...rowsOf(name, count, await rounds(short ? 1 : 3, () => runCase("size-case.mjs", [name, `${count}`]))),
    );
  }
  const nodes = 1_000_000 / few;
  note(`size: open, ${nodes}`);
  const stateDir = join(folder, "size");
  mkdirSync(stateDir, { mode: 0o700 });
  await runCase("size-case.mjs", ["write", `${nodes}`, stateDir]);
  const opened = await rounds(1, () => runCase("size-case.mjs", ["open", `${nodes}`, stateDir]));
  rows.push(...rowsOf("open", nodes, opened));
  rmSync(stateDir, { recursive: true });
  return [
    "## Deep, wide and long conversations\n",
    "Each in a fresh process: the median of three, of the longest one run. *Nested*: tasks inside one another, completed from the innermost outwards, then rendered with all of them expanded. *Wide*: children of one node, added one by one. *Open*: a journal of so many records, opened to be gone on with. RSS: the most that the process took; heap: what is left after collection.\n",
    tableOf(["what", "step", "time", "RSS", "heap"], rows),
  ].join("\n");
}

/** @param {number} count @param {() => Promise<Sized>} run */
async function rounds(count, run) {
  /** @type {Sized[]} */
  const all = [];
  for (let round = 0; round < count; round += 1) all.push(await run());
  return all;
}

const titles = {
  nested: "tasks inside one another",
  wide: "children of one node",
  open: "nodes in a journal",
};

/** @param {keyof typeof titles} name @param {number} count @param {readonly Sized[]} measured */
function rowsOf(name, count, measured) {
  const [first] = measured;
  return (first?.steps ?? []).map(([step], at) => [
    `${count.toLocaleString("en")} ${titles[name]}`,
    step,
    formatMs(median(measured.map(({ steps }) => steps[at]?.[1] ?? Number.NaN))),
    formatMiB(median(measured.map(({ rssMiB }) => rssMiB)) * 2 ** 20),
    formatMiB(median(measured.map(({ heapMiB }) => heapMiB)) * 2 ** 20),
  ]);
}
