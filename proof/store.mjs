import { hasProgram } from "./machine.mjs";
import { bundle } from "./rooms.mjs";
import { sweepStore } from "./store/sweep.mjs";

/** @type {import("./contract.mjs").Part} */
export const part = {
  name: "store",
  title: "Sessions",
  run: async ({ quick, print }) => {
    const turn = bundle("store/turn.mjs");
    const swept = hasProgram("strace", ["-V"])
      ? await sweepStore(turn, { points: quick ? 8 : Number.POSITIVE_INFINITY, print })
      : [notHad("system calls under strace", "strace is not installed")];
    return [...swept];
  },
};

/** @param {string} what @param {string} why @returns {import("./contract.mjs").Row} */
function notHad(what, why) {
  return { figure: "F6", what, tried: 0, bad: {}, notHad: why };
}
