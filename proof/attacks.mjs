import { badDiffs, largeDiffs } from "./attacks/bad-diffs.mjs";
import { envelopes } from "./attacks/envelopes.mjs";
import { harderCases } from "./attacks/kinds.mjs";
import { attackList } from "./attacks/list.mjs";

/** @typedef {import("./contract.mjs").Part} Part */

/** B1, B2, B4 and B5: what comes with the intent to break, or by the accident of a model. @type {Part} */
export const part = {
  name: "attacks",
  title: "Attacks",
  async run({ quick, print }) {
    const rows = [...(await badDiffs()), ...(await largeDiffs(quick))];
    print("diffs done");
    rows.push(...(await attackList()), ...(await harderCases()));
    print("attack list done");
    rows.push(...(await envelopes(quick ? 1_000 : 10_000)));
    print("envelopes done");
    return rows;
  },
};
