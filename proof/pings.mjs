import { heavyInputs } from "./pings/heavy.mjs";
import { measure } from "./pings/measure.mjs";

/** @typedef {import("./contract.mjs").Part} Part */

/** L1: a ping to the server while it works on each heavy input, `only` those with this in their names. Times are shown and never fail. @type {Part} */
export const part = {
  name: "pings",
  title: "Pings under heavy work",
  async run({ quick, only = "", print }) {
    /** @type {import("./contract.mjs").Row[]} */
    const rows = [newMemory()];
    for (const heavy of heavyInputs(quick)) {
      if (!heavy.what.includes(only)) continue;
      rows.push(await measure(heavy));
      print(`${heavy.what}: ${rows.at(-1)?.seen}`);
    }
    return rows;
  },
};

/**
 * What new memory costs here: a text of 50 MB is one copy that nothing can interrupt, so no ping beside one is faster.
 *
 * @returns {import("./contract.mjs").Row}
 */
function newMemory() {
  const times = Array.from({ length: 5 }, () => {
    const begun = performance.now();
    Buffer.allocUnsafeSlow(50 * 1024 * 1024).fill(1);
    return performance.now() - begun;
  });
  const [, , median = 0] = times.sort((a, b) => a - b);
  return {
    figure: "L1",
    what: "no server: 50 MiB of new memory filled, the median of 5",
    tried: times.length,
    bad: {},
    seen: `${median.toFixed(0)} ms`,
  };
}
