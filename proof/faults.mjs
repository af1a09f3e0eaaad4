import { killAtRandom } from "./faults/random-kills.mjs";
import { writeShort } from "./faults/short-writes.mjs";
import { sweepErrors, sweepKills } from "./faults/sweep.mjs";
import { hasProgram } from "./machine.mjs";
import { bundle } from "./rooms.mjs";

/** @type {import("./contract.mjs").Part} */
export const part = {
  name: "faults",
  title: "Faults",
  run: async ({ quick, print }) => {
    const child = bundle("faults/call.mjs");
    const children = {
      writer: bundle("writers/writer.mjs"),
      plainWriter: bundle("writers/plain-writer.mjs"),
    };
    const random = await killAtRandom(children, { kills: quick ? 5 : 1_000, print });
    if (!hasProgram("strace", ["-V"])) return [notHad("F1"), notHad("F3"), ...random];
    return [
      ...(await sweepErrors(child, { points: quick ? 3 : Number.POSITIVE_INFINITY, print })),
      ...(await sweepKills(child, { points: quick ? 2 : Number.POSITIVE_INFINITY, print })),
      await writeShort(child, { limit: quick ? 3 : Number.POSITIVE_INFINITY, print }),
      ...random,
    ];
  },
};

/** @param {string} figure @returns {import("./contract.mjs").Row} */
function notHad(figure) {
  return { figure, what: "system calls under strace", tried: 0, bad: {}, notHad: "strace is not installed" };
}
