import { foreignRaces, foreignUnderSets } from "./races/foreign.mjs";
import { foreignProgram } from "./races/ground.mjs";
import { locksWithoutDescriptors, namesOfOneFile } from "./races/names.mjs";
import { readersDuringCommits } from "./races/readers.mjs";
import { longHistory, parallelCalls, processes, stoppedHolders } from "./races/shared.mjs";
import { symlinkSwaps } from "./races/swapper.mjs";

/** @typedef {import("./contract.mjs").Part} Part */
/** @typedef {import("./contract.mjs").Row} Row */

const whole = {
  foreign: 4_000,
  underSets: 6_700,
  calls: 200,
  history: 3_000,
  each: 150,
  names: 1_000,
  starved: 200,
  stops: 20,
  swaps: 120_000,
  reads: 600_000,
  commits: 1_900,
};
const quickly = {
  foreign: 12,
  underSets: 14,
  calls: 80,
  history: 100,
  each: 16,
  names: 25,
  starved: 2,
  stops: 2,
  swaps: 2_000,
  reads: 20_000,
  commits: 70,
};

/** R1 to R5 and R8: other programs, other processes, other calls, all at the same moment. @type {Part} */
export const part = {
  name: "races",
  title: "Races",
  async run({ quick, only = "", print }) {
    const counts = quick ? quickly : whole;
    /** @type {Row[]} */
    const rows = [];
    const add = async (/** @type {string} */ name, /** @type {() => Promise<readonly Row[]>} */ work) => {
      if (!name.includes(only)) return;
      rows.push(...(await work()));
      print(`${name} done`);
    };
    const program = foreignProgram();
    if (program === undefined) rows.push(noCompiler);
    else {
      await add("foreign writers", () => foreignRaces(program, counts.foreign));
      await add("foreign writers under change sets", () => foreignUnderSets(program, counts.underSets));
    }
    await add("parallel calls", () => parallelCalls(counts.calls));
    await add("a long history", () => longHistory(counts.history));
    await add("processes", () => processes(counts.each));
    await add("names of one file", () => namesOfOneFile(counts.names));
    await add("locks without descriptors", () => locksWithoutDescriptors(counts.starved));
    await add("stopped holders", () => stoppedHolders(counts.stops));
    if (program !== undefined) {
      await add("symbolic links", () => symlinkSwaps(program, counts.swaps));
      await add("readers", () => readersDuringCommits(program, counts));
    }
    return rows;
  },
};

/** @type {Row} */
const noCompiler = {
  figure: "R1",
  what: "foreign writers, swappers, readers",
  tried: 0,
  bad: {},
  notHad: "no C compiler",
};
