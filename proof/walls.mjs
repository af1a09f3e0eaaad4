import { denyForms } from "./walls/deny.mjs";
import { prefixes } from "./walls/prefixes.mjs";
import { readers } from "./walls/readers.mjs";
import { sandboxed } from "./walls/sandbox.mjs";
import { trust } from "./walls/trust.mjs";

/** @typedef {import("./contract.mjs").Part} Part */

/** What a model, or a stranger's repository, tries in order to run or read what no person agreed to. @type {Part} */
export const part = {
  name: "walls",
  title: "Walls",
  async run(options) {
    const { print, quick } = options;
    const rows = [...(await sandboxed(quick))];
    print("sandbox done");
    for (const wall of [prefixes, denyForms, readers, trust]) {
      rows.push(...[await wall(options)].flat());
      print(`${wall.name} done`);
    }
    return rows;
  },
};
