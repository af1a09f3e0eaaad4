import { largeChanges } from "./floods/changes.mjs";
import { longLines } from "./floods/lines.mjs";
import { serverFloods } from "./floods/server.mjs";

/** @typedef {import("./contract.mjs").Part} Part */

/** M1 to M3: what comes faster, longer or larger than a door can take it, with little room for its objects. @type {Part} */
export const part = {
  name: "floods",
  title: "Floods",
  async run({ quick, print }) {
    /** @type {import("./contract.mjs").Row[]} */
    const rows = [];
    for await (const row of serverFloods(quick ? 500 : 10_000)) {
      rows.push(row);
      print(`${row.what}: ${row.seen}`);
    }
    for await (const row of longLines(quick)) {
      rows.push(row);
      print(`${row.what}: ${JSON.stringify(row.bad)} ${row.seen}`);
    }
    for await (const row of largeChanges(quick)) {
      rows.push(row);
      print(`${row.what}: ${JSON.stringify(row.bad)} ${row.seen}`);
    }
    return rows;
  },
};
