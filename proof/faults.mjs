import { sweepErrors, sweepKills } from "./faults/sweep.mjs";
import { hasProgram } from "./machine.mjs";
import { bundle } from "./rooms.mjs";

/** @type {import("./contract.mjs").Part} */
export const part = {
  name: "faults",
  title: "Faults",
  run: async ({ quick, print }) => {
    const child = bundle("faults/call.mjs");
    if (!hasProgram("strace", ["-V"])) return [notHad("F1"), notHad("F3")];
    return [
      ...(await sweepErrors(child, { points: quick ? 40 : Number.POSITIVE_INFINITY, print })),
      ...(await sweepKills(child, { points: quick ? 12 : Number.POSITIVE_INFINITY, print })),
    ];
  },
};

/** @param {string} figure @returns {import("./contract.mjs").Row} */
function notHad(figure) {
  return { figure, what: "system calls under strace", tried: 0, bad: {}, notHad: "strace is not installed" };
}
