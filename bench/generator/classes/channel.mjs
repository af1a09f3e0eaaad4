import { loosen } from "../lines.mjs";
import { standOnce, standOnceLoosely } from "../proof.mjs";
import { printDiff } from "../true-diff.mjs";
import { oneRight } from "./outcome.mjs";

/**
 * What a channel does to a diff: one rule, applied to the whole of it, that can be taken back in one way.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 * @typedef {import("../true-diff.mjs").HunkLine} HunkLine
 */

/** @type {readonly ErrorClass[]} */
export const channel = [
  // The text has no entity of its own, and lines of it are quoted with entities: so these are the channel's, in
  // added lines, too. In the second class only context lines are encoded.
  rewritten("html_entities", (_random, line) => encodeEntities(line.text), hasNoEntities),
  rewritten(
    "html_entities_in_context",
    (_random, line) => (line.sign === " " ? encodeEntities(line.text) : line.text),
    hasNoEntities,
  ),
  // Context is quoted with other quotes, dashes and blanks than the file has. Removed and added lines are
  // whole; the file's punctuation stays.
  rewritten(
    "smart_punctuation_in_diff",
    (_random, line) => (line.sign === " " ? makeSmart(line.text) : line.text),
    (text) => /["'-]/.test(text),
  ),
  {
    name: "smart_punctuation_in_file",
    make: (_random, world) => {
      const change = world.change({ context: [1, 6], shape: makeSmart });
      if (change === undefined || !standOnceLoosely(change, change.hunks)) return undefined;
      const hunks = change.hunks.map((hunk) =>
        mapLines(hunk, (line) => (line.sign === " " ? loosenInside(line.text) : line.text)),
      );
      const diff = printDiff(change, hunks);
      return diff === printDiff(change) ? undefined : oneRight(change, diff);
    },
  },
  // Every line carries the number that a read tool showed in front of it; added ones count on.
  {
    name: "line_numbers_pasted",
    make: (random, world) => {
      const change = world.change({ context: [1, 5], merge: false });
      if (change === undefined || !standOnce(change, change.hunks)) return undefined;
      const write = random.pick([
        (/** @type {number} */ n) => `${String(n).padStart(5)}| `,
        (/** @type {number} */ n) => `${n}: `,
        (/** @type {number} */ n) => `${String(n).padStart(6)}\t`,
      ]);
      return oneRight(
        change,
        printDiff(
          change,
          change.hunks.map((hunk) => pasteNumbers(hunk, write)),
        ),
      );
    },
  },
  // Escaped once too often: no real newline is left, so every \n in it is one. Texts with a backslash of
  // their own come back as well, because all of them are doubled.
  {
    name: "escaped_twice",
    make: (_random, world) => {
      const change = world.change({ context: [1, 5] });
      return change && oneRight(change, JSON.stringify(printDiff(change)).slice(1, -1));
    },
  },
];

/** @param {string} name @param {(random: import("../random.mjs").Random, line: HunkLine) => string} rewrite @param {(text: string) => boolean} applies @returns {ErrorClass} */
function rewritten(name, rewrite, applies) {
  return {
    name,
    make: (random, world) => {
      const change = world.change({ context: [1, 6] });
      if (change === undefined || !applies(change.base + change.truth)) return undefined;
      if (!standOnceLoosely(change, change.hunks)) return undefined;
      const hunks = change.hunks.map((hunk) => mapLines(hunk, (line) => rewrite(random, line)));
      const shows = hunks.some((hunk, n) =>
        hunk.lines.some((line, at) => line.sign !== "+" && line.text !== change.hunks[n]?.lines[at]?.text),
      );
      return shows ? oneRight(change, printDiff(change, hunks)) : undefined;
    },
  };
}

/** @param {Hunk} hunk @param {(line: HunkLine) => string} rewrite @returns {Hunk} */
function mapLines(hunk, rewrite) {
  return { ...hunk, lines: hunk.lines.map((line) => ({ ...line, text: rewrite(line) })) };
}

/** @param {Hunk} hunk @param {(n: number) => string} write @returns {Hunk} */
function pasteNumbers(hunk, write) {
  let [old, fresh] = [hunk.oldStart, hunk.newStart];
  return mapLines(hunk, ({ sign, text }) => {
    if (sign !== "+") old++;
    if (sign !== "-") fresh++;
    return write(sign === "+" ? fresh : old) + text;
  });
}

/** @param {string} text */
function encodeEntities(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** @param {string} text */
function hasNoEntities(text) {
  return !/&#?\w+;/.test(text);
}

/** @param {string} text */
function makeSmart(text) {
  return text
    .replace(/(^|[\s([{=,:])"/gm, "$1\u201c")
    .replace(/"/g, "\u201d")
    .replace(/(\w)'(\w)/g, "$1\u2019$2")
    .replace(/ - /g, " \u2013 ");
}

/** Straight punctuation, everything else as it is. @param {string} text */
function loosenInside(text) {
  const [start, end] = [text.length - text.trimStart().length, text.trimEnd().length];
  return text.slice(0, start) + loosen(text) + text.slice(Math.max(end, start));
}
