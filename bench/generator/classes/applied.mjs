import { joinLines, loosen } from "../lines.mjs";
import { oldLines, placesOf } from "../proof.mjs";
import { applyEdits, printDiff } from "../true-diff.mjs";

/**
 * Diffs whose change, or part of it, has been made already. A hunk is known as made where its new lines stand
 * in the text once and its old lines do not stand there; other cases are dropped.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../true-diff.mjs").Change} Change
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 */

/** @type {readonly ErrorClass[]} */
export const applied = [
  {
    name: "already_applied",
    make: (_random, world) => {
      const change = world.change({ context: [1, 5] });
      if (change === undefined || !change.hunks.every((hunk) => isMade(change.truth, hunk))) return undefined;
      const made = change.hunks.map((_, at) => at + 1);
      return { base: change.truth, diff: printDiff(change), made, expect: { kind: "already_applied" } };
    },
  },
  {
    name: "already_applied_in_part",
    // What is still to be made stands in one place only: the right text is the truth.
    make: (random, world) => {
      const change = world.change({ context: [1, 5], edits: [2, 6], merge: false });
      if (change === undefined || change.hunks.length < 2) return undefined;
      const made = new Set(random.some(change.hunks));
      if (made.size === change.hunks.length) return undefined;
      const base = joinLines(
        applyEdits(
          change.lines,
          change.edits.filter((_, at) => made.has(/** @type {Hunk} */ (change.hunks[at]))),
        ),
      );
      const sure = change.hunks.every((hunk) => (made.has(hunk) ? isMade(base, hunk) : isOpen(base, hunk)));
      const numbers = change.hunks.flatMap((hunk, at) => (made.has(hunk) ? [at + 1] : []));
      return sure
        ? {
            base,
            diff: printDiff(change),
            made: numbers,
            expect: { kind: "one_right_text", text: change.truth },
          }
        : undefined;
    },
  },
];

/** @param {string} text @param {Hunk} hunk */
function isMade(text, hunk) {
  const keys = keysOf(text);
  const fresh = hunk.lines
    .filter(({ sign }) => sign !== "-")
    .map((line) => loosen(line.text))
    .filter(Boolean);
  return hasEdges(hunk) && countOf(keys, fresh) === 1 && countOf(keys, oldKeys(hunk)) === 0;
}

/** @param {string} text @param {Hunk} hunk */
function isOpen(text, hunk) {
  const keys = keysOf(text);
  const fresh = hunk.lines
    .filter(({ sign }) => sign !== "-")
    .map((line) => loosen(line.text))
    .filter(Boolean);
  return hasEdges(hunk) && countOf(keys, oldKeys(hunk)) === 1 && countOf(keys, fresh) === 0;
}

/** Context on both sides: without it a deletion that was made could not be seen. @param {Hunk} hunk */
function hasEdges({ lines }) {
  const full = (/** @type {import("../true-diff.mjs").HunkLine | undefined} */ line) =>
    line?.sign === " " && line.text.trim() !== "";
  return full(lines[0]) && full(lines.at(-1));
}

/** @param {Hunk} hunk */
function oldKeys(hunk) {
  return oldLines(hunk)
    .map((line) => loosen(line.text))
    .filter(Boolean);
}

/** @param {string} text */
function keysOf(text) {
  return text.split("\n").map(loosen).filter(Boolean);
}

/** @param {readonly string[]} keys @param {readonly string[]} block */
function countOf(keys, block) {
  return block.length === 0 ? 2 : placesOf(keys, block).length;
}
