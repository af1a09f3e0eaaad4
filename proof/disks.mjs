import { fillDisks } from "./disks/full.mjs";
import { cutPower } from "./disks/power-cuts.mjs";
import { bundle } from "./rooms.mjs";

/** @type {import("./contract.mjs").Part} */
export const part = {
  name: "disks",
  title: "Full disks and power cuts",
  run: async ({ quick, print }) => {
    const children = {
      writer: bundle("writers/writer.mjs"),
      plainWriter: bundle("writers/plain-writer.mjs"),
    };
    return [
      ...(await fillDisks({ quick, print })),
      ...(await cutPower(children, { cuts: quick ? 8 : 200, print })),
    ];
  },
};
