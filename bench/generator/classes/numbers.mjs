import { standOnce } from "../proof.mjs";
import { countsOf, printDiff, trueHeader, writeHeader } from "../true-diff.mjs";
import { oneRight } from "./outcome.mjs";

/**
 * What stands between the two `@@`. The lines of the hunks are untouched, so the right text is sure where
 * they stand in one way only, or where every start line is still right. Diffs for which neither holds are
 * dropped: `ambiguity.mjs` has the cases in which a careful reader must refuse.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 * @typedef {(random: import("../random.mjs").Random, hunk: Hunk, change: import("../true-diff.mjs").Change) => string | undefined} NewHeader
 */

/** @type {readonly ErrorClass[]} */
export const numbers = [
  {
    name: "intact",
    // Nothing is damaged; 0 to 10 lines of context.
    make: (_random, world) => {
      const change = world.change({ context: [0, 10] });
      return change === undefined || change.base.includes("\r")
        ? undefined
        : oneRight(change, printDiff(change));
    },
  },
  // Start lines are right, and what a hunk holds ends where the next header begins.
  headers("counts_wrong", (random, hunk) => {
    const { oldCount, newCount } = countsOf(hunk);
    return trueStart(hunk, oldCount + offset(random, 4), newCount + offset(random, 4));
  }),
  // As above; engines that believe the counts cut the hunk off.
  headers("counts_too_small", (random, hunk) => {
    const { oldCount, newCount } = countsOf(hunk);
    if (oldCount < 2) return undefined;
    const less = random.between(1, oldCount - 1);
    return trueStart(hunk, oldCount - less, Math.max(1, newCount - less));
  }),
  // Only for hunks that stand in one way.
  headers("lines_off_by_few", (random, hunk) => moved(hunk, offset(random, 5)), { unique: true }),
  headers("lines_off_by_thousands", (random, hunk) => moved(hunk, random.between(1_000, 9_000)), {
    unique: true,
  }),
  headers(
    "numbers_all_off",
    (random) => {
      const any = () => random.between(1, random.pick([9, 90, 900]));
      return `@@ -${any()},${any()} +${any()},${any()} @@`;
    },
    { unique: true },
  ),
  headers("header_bare", () => "@@", { unique: true }),
  headers("header_dots", () => "@@ ... @@", { unique: true }),
  headers("header_zero", () => "@@ -0,0 +0,0 @@", { unique: true }),
  // `@@ -2 +2 @@`: one line by its letters, whatever the hunk holds.
  headers("header_starts_only", (_random, hunk) => `@@ -${hunk.oldStart + 1} +${hunk.newStart + 1} @@`),
  // A line that stands above the hunk, instead of numbers: it can but agree with the one place.
  headers(
    "header_section",
    (random, hunk, change) => {
      const name = sectionAbove(change, hunk);
      return name === undefined ? undefined : `@@ ${name}${random.chance(0.5) ? " @@" : ""}`;
    },
    { unique: true },
  ),
  // Git's own habit: true numbers, and the section behind them.
  headers("header_numbers_and_section", (_random, hunk, change) => {
    const name = sectionAbove(change, hunk);
    return name === undefined ? undefined : `${trueHeader(hunk)} ${name}`;
  }),
];

/** @param {string} name @param {NewHeader} write @param {{ unique?: boolean }} [proof] @returns {ErrorClass} */
function headers(name, write, { unique = false } = {}) {
  return {
    name,
    make: (random, world) => {
      const change = world.change({ context: [1, 10] });
      if (change === undefined || change.hunks.some((hunk) => countsOf(hunk).oldCount === 0))
        return undefined;
      if (unique && !standOnce(change, change.hunks)) return undefined;
      const hunks = change.hunks.map((hunk) => ({
        ...hunk,
        header: write(random, hunk, change) ?? trueHeader(hunk),
      }));
      if (hunks.every((hunk) => hunk.header === trueHeader(hunk))) return undefined;
      return oneRight(change, printDiff(change, hunks));
    },
  };
}

/** @param {Hunk} hunk @param {number} oldCount @param {number} newCount */
function trueStart(hunk, oldCount, newCount) {
  return writeHeader(hunk.oldStart, Math.max(1, oldCount), hunk.newStart, Math.max(1, newCount));
}

/** @param {Hunk} hunk @param {number} by */
function moved(hunk, by) {
  const { oldCount, newCount } = countsOf(hunk);
  return writeHeader(Math.max(0, hunk.oldStart + by), oldCount, Math.max(0, hunk.newStart + by), newCount);
}

/** @param {import("../random.mjs").Random} random @param {number} most */
function offset(random, most) {
  return random.between(1, most) * (random.chance(0.5) ? 1 : -1);
}

/** @param {import("../true-diff.mjs").Change} change @param {Hunk} hunk */
function sectionAbove(change, hunk) {
  for (let at = hunk.oldStart - 1; at >= 0; at--) {
    const text = change.lines[at]?.text ?? "";
    if (/^[A-Za-z][^@]{3,60}$/.test(text)) return text;
  }
  return undefined;
}
