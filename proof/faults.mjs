import { killAtRandom } from "./faults/random-kills.mjs";
import { scenarios } from "./faults/scenarios.mjs";
import { writeShort } from "./faults/short-writes.mjs";
import { sweepErrors, sweepKills } from "./faults/sweep.mjs";
import { hasProgram } from "./machine.mjs";
import { bundle } from "./rooms.mjs";

/** @type {import("./contract.mjs").Part} */
export const part = {
  name: "faults",
  title: "Faults",
  run: async ({ quick, only, print }) => {
    const child = bundle("faults/call.mjs");
    const children = {
      writer: bundle("writers/writer.mjs"),
      plainWriter: bundle("writers/plain-writer.mjs"),
    };
    const wanted = scenarios.filter(({ name }) => name.includes(only ?? ""));
    const random =
      only === undefined ? await killAtRandom(children, { kills: quick ? 5 : 1_000, print }) : [];
    if (!hasProgram("strace", ["-V"])) return [notHad("F1"), notHad("F3"), ...random];
    const points = (/** @type {number} */ few) => (quick ? few : Number.POSITIVE_INFINITY);
    return [
      ...(await sweepErrors(child, wanted, { points: points(3), print })),
      ...(await sweepKills(child, wanted, { points: points(2), print })),
      ...(only === undefined ? [await writeShort(child, { limit: points(3), print })] : []),
      ...random,
    ];
  },
};

/** @param {string} figure @returns {import("./contract.mjs").Row} */
function notHad(figure) {
  return { figure, what: "system calls under strace", tried: 0, bad: {}, notHad: "strace is not installed" };
}
