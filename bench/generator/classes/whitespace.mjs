import { indentOf, isBlank } from "../lines.mjs";
import { isAnchored, keepsRuns, standOnceLoosely } from "../proof.mjs";
import { printDiff } from "../true-diff.mjs";
import { addsAtDepthOfFile } from "./depth.mjs";
import { oneRight } from "./outcome.mjs";

/**
 * Whitespace that is not the file's. Every case stands in one way even when blanks at the ends of lines, and
 * blank lines, are not counted at all; so the place is sure. The right text is the truth because one uniform
 * rule takes every line of the diff to the file's.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 * @typedef {import("../true-diff.mjs").HunkLine} HunkLine
 */

/** @type {readonly ErrorClass[]} */
export const whitespace = [
  // One indent more or less on every line that is not blank, removed and added ones, too.
  everyLine("indent_shifted", (random, hunks) => {
    const unit = random.pick(["  ", "    ", "\t"]);
    if (random.chance(0.5)) return ({ text }) => (isBlank(text) ? text : unit + text);
    const lines = hunks.flatMap(({ lines }) => lines).filter(({ text }) => !isBlank(text));
    if (!lines.every(({ text }) => text.startsWith(unit))) return undefined;
    return ({ text }) => (isBlank(text) ? text : text.slice(unit.length));
  }),
  // The file is indented with tabs, the diff with so many blanks for each tab; and the reverse.
  everyLine("spaces_for_tabs", (random) => expandTabs(random.pick([2, 4, 8])), withTabs),
  everyLine("tabs_for_spaces", (_random, hunks) => {
    const width = unitOf(hunks);
    return width === undefined ? undefined : compressTabs(width);
  }),
  // Blanks behind context lines that the file does not have, or the reverse. The file's stay.
  {
    name: "trailing_whitespace_in_diff",
    make: (random, world) => {
      const change = world.change({ context: [1, 8] });
      if (change === undefined || !standOnceLoosely(change, change.hunks)) return undefined;
      const blanks = random.pick([" ", "  ", "\t"]);
      const hunks = change.hunks.map((hunk) =>
        mapContext(hunk, (text) => (random.chance(0.5) ? text + blanks : text)),
      );
      const diff = printDiff(change, hunks);
      return diff === printDiff(change) ? undefined : oneRight(change, diff);
    },
  },
  {
    name: "trailing_whitespace_in_file",
    make: (random, world) => {
      const shape = (/** @type {string} */ text) =>
        text.replace(/(\S)\n/g, (all, end) => (random.chance(0.3) ? `${end}  \n` : all));
      const change = world.change({ context: [1, 8], shape });
      if (change === undefined || !standOnceLoosely(change, change.hunks)) return undefined;
      const hunks = change.hunks.map((hunk) => mapContext(hunk, (text) => text.trimEnd()));
      const diff = printDiff(change, hunks);
      return diff === printDiff(change) ? undefined : oneRight(change, diff);
    },
  },
  // Blank context lines left out, or blank lines that the file does not have. Dropped where an insertion would
  // have a blank line that is in doubt right beside it: then it could stand on either side.
  blankLines("blank_lines_missing", (random, lines) => {
    return lines.filter(({ sign, text }) => sign !== " " || !isBlank(text) || random.chance(0.3));
  }),
  blankLines("blank_lines_extra", (random, lines) => {
    return lines.flatMap((line, at) => {
      const between = line.sign === " " && lines[at + 1]?.sign === " ";
      return between && random.chance(0.35) ? [line, blank] : [line];
    });
  }),
];

/**
 * @param {string} name
 * @param {(random: import("../random.mjs").Random, hunks: readonly Hunk[]) => ((line: HunkLine) => string) | undefined} chooser
 * @param {(text: string) => string} [shape]
 * @returns {ErrorClass}
 */
function everyLine(name, chooser, shape) {
  return {
    name,
    make: (random, world) => {
      const change = world.change({ context: [1, 6], ...(shape ? { shape } : {}) });
      if (change === undefined || !standOnceLoosely(change, change.hunks)) return undefined;
      const rewrite = chooser(random, change.hunks);
      if (rewrite === undefined) return undefined;
      const hunks = change.hunks.map((hunk) => ({
        ...hunk,
        lines: hunk.lines.map((line) => ({ ...line, text: rewrite(line) })),
      }));
      const changed = hunks.every((hunk, n) =>
        hunk.lines.some((line, at) => line.sign !== "+" && line.text !== change.hunks[n]?.lines[at]?.text),
      );
      // Added lines that stand at a depth of the file's as they are written might be the file's.
      return changed && !addsAtDepthOfFile(hunks, change.hunks)
        ? oneRight(change, printDiff(change, hunks))
        : undefined;
    },
  };
}

/** @param {string} name @param {(random: import("../random.mjs").Random, lines: readonly HunkLine[]) => HunkLine[]} damage @returns {ErrorClass} */
function blankLines(name, damage) {
  return {
    name,
    make: (random, world) => {
      const change = world.change({ context: [2, 8] });
      if (change === undefined || !standOnceLoosely(change, change.hunks)) return undefined;
      const hunks = change.hunks.map((hunk) => ({ ...hunk, lines: damage(random, hunk.lines) }));
      const same = hunks.every((hunk, n) => hunk.lines.length === change.hunks[n]?.lines.length);
      if (same || !isAnchored(change, hunks) || !keepsRuns(change, hunks)) return undefined;
      return oneRight(change, printDiff(change, hunks));
    },
  };
}

/** @param {Hunk} hunk @param {(text: string) => string} rewrite @returns {Hunk} */
function mapContext(hunk, rewrite) {
  const lines = hunk.lines.map((line) =>
    line.sign === " " && !isBlank(line.text) ? { ...line, text: rewrite(line.text) } : line,
  );
  return { ...hunk, lines };
}

/** @param {string} text */
function withTabs(text) {
  const two = /^ {2}\S/m.test(text);
  return text.replace(/^ +/gm, (blanks) => "\t".repeat(Math.ceil(blanks.length / (two ? 2 : 4))));
}

/** @param {number} width */
function expandTabs(width) {
  return (/** @type {HunkLine} */ { text }) =>
    text.replace(/^\t+/, (tabs) => " ".repeat(width * tabs.length));
}

/** @param {number} width */
function compressTabs(width) {
  return (/** @type {HunkLine} */ { text }) =>
    text.replace(/^ +/, (blanks) => "\t".repeat(blanks.length / width));
}

/** The indentation step of the hunks, where every line keeps to it. @param {readonly Hunk[]} hunks */
function unitOf(hunks) {
  const indents = hunks.flatMap(({ lines }) => lines.map(({ text }) => indentOf(text)));
  if (indents.some((indent) => indent.includes("\t"))) return undefined;
  const widths = indents.map((indent) => indent.length);
  return [4, 2].find((unit) => widths.includes(unit) && widths.every((width) => width % unit === 0));
}

/** @type {HunkLine} */
const blank = { sign: " ", text: "" };
