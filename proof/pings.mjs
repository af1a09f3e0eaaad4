import { heavyInputs } from "./pings/heavy.mjs";
import { measure } from "./pings/measure.mjs";

/** @typedef {import("./contract.mjs").Part} Part */

/** L1: a ping to the server while it works on each heavy input, `only` those with this in their names. Times are shown and never fail. @type {Part} */
export const part = {
  name: "pings",
  title: "Pings under heavy work",
  async run({ quick, only = "", print }) {
    /** @type {import("./contract.mjs").Row[]} */
    const rows = [];
    for (const heavy of heavyInputs(quick)) {
      if (!heavy.what.includes(only)) continue;
      rows.push(await measure(heavy));
      print(`${heavy.what}: ${rows.at(-1)?.seen}`);
    }
    return rows;
  },
};
