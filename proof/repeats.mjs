import { repeatsAfterKills } from "./repeats/kills.mjs";
import { rootSwaps } from "./repeats/root-swaps.mjs";
import { bundle } from "./rooms.mjs";

/** Calls that are sent again after a kill, and roots that are exchanged under a client. @type {import("./contract.mjs").Part} */
export const part = {
  name: "repeats",
  title: "Repeated calls, replaced roots",
  run: async ({ quick, print }) => {
    const child = bundle("repeats/appender.mjs");
    const rows = [await repeatsAfterKills(child, { kills: quick ? 20 : 1_000, print })];
    return [...rows, await rootSwaps({ swaps: quick ? 30 : 1_000, print })];
  },
};
