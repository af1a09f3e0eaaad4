import { largeChanges } from "./floods/changes.mjs";
import { hardDiffs, hardSessions } from "./floods/hard.mjs";
import { longLines } from "./floods/lines.mjs";
import { serverFloods } from "./floods/server.mjs";

/** @typedef {import("./contract.mjs").Part} Part */

/** M1 to M3: what comes faster, longer, larger or harder than a door can take it. @type {Part} */
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
    for (const row of [hardDiffs(quick), ...(quick ? [] : [hardSessions()])]) {
      rows.push(row);
      print(`${row.what}: ${JSON.stringify(row.bad)}`);
    }
    return rows;
  },
};
