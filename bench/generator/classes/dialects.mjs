import { standOnce } from "../proof.mjs";
import { printHunk } from "../true-diff.mjs";
import { oneRight } from "./outcome.mjs";

/**
 * The same change in another notation. Neither has numbers, so each case stands in one way by its lines.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../true-diff.mjs").Change} Change
 */

/** @type {readonly ErrorClass[]} */
export const dialects = [
  written("v4a_envelope", (change) => {
    const body = change.hunks.flatMap((hunk) => printHunk({ ...hunk, header: "@@" }));
    return ["*** Begin Patch", `*** Update File: ${change.path}`, ...body, "*** End Patch"];
  }),
  written("search_replace", (change) => [
    change.path,
    ...change.hunks.flatMap(({ lines }) => {
      const side = (/** @type {string} */ left) =>
        lines.filter(({ sign }) => sign !== left).map(({ text }) => text);
      return ["<<<<<<< SEARCH", ...side("+"), "=======", ...side("-"), ">>>>>>> REPLACE"];
    }),
  ]),
];

/** @param {string} name @param {(change: Change) => string[]} write @returns {ErrorClass} */
function written(name, write) {
  return {
    name,
    make: (_random, world) => {
      const change = world.change({ context: [1, 5] });
      if (change === undefined || !change.base.endsWith("\n") || !standOnce(change, change.hunks))
        return undefined;
      if (marks.test(change.base) || marks.test(change.truth)) return undefined;
      return oneRight(change, `${write(change).join("\n")}\n`);
    },
  };
}

const marks = /^(\*\*\* |<{5}|={5}|>{5})/m;
