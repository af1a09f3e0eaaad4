import { indentOf, isBlank } from "../lines.mjs";
import { runsOf, standOnceLoosely } from "../proof.mjs";
import { printDiff } from "../true-diff.mjs";
import { oneRight, rightOrRefused } from "./outcome.mjs";

/**
 * Old lines at another depth than the file's, in all of a hunk by one rule, and added lines that stand at the
 * file's depth already, or do not. Every case stands in one way when blanks at the ends of lines do not count.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 * @typedef {import("../true-diff.mjs").HunkLine} HunkLine
 * @typedef {import("../true-diff.mjs").Change} Change
 * @typedef {import("../random.mjs").Random} Random
 */

/** @type {readonly ErrorClass[]} */
export const depth = [
  {
    name: "old_lines_moved_added_lines_not",
    // The added lines are as deep as the file's lines beside them. Moved with the others they would be deeper than
    // both neighbours with nothing to open a block, or shallower than both: so they are not.
    make: (random, world) => {
      const change = world.change({ context: [2, 6], kinds: wide });
      if (change === undefined || !standOnceLoosely(change, change.hunks)) return undefined;
      const move = pickMove(random, change.hunks);
      if (move === undefined) return undefined;
      const hunks = change.hunks.map((hunk) => mapOld(hunk, move));
      const sure = hunks.every((hunk, n) => isOutOfPlace(hunk, /** @type {Hunk} */ (change.hunks[n])));
      return sure ? oneRight(change, printDiff(change, hunks)) : undefined;
    },
  },
  {
    name: "old_lines_in_blanks_added_lines_in_tabs",
    make: (random, world) =>
      otherIndent(
        random,
        world,
        withTabs,
        "\t",
        (width) => (text) => text.replace(/^\t+/, (tabs) => " ".repeat(width * tabs.length)),
      ),
  },
  {
    name: "old_lines_in_tabs_added_lines_in_blanks",
    make: (random, world) =>
      otherIndent(
        random,
        world,
        withBlanks,
        " ",
        (width) => (text) => text.replace(/^ +/, (blanks) => "\t".repeat(Math.ceil(blanks.length / width))),
      ),
  },
  {
    name: "block_dedented",
    // The whole hunk is moved to the margin, added lines, too, as a block is quoted out of its surroundings. Where they
    // come to stand at a depth that the file has there, they might be the file's: such are left out.
    make: (_random, world) => {
      const change = world.change({ context: [1, 6], kinds: wide });
      if (change === undefined || !standOnceLoosely(change, change.hunks)) return undefined;
      const hunks = change.hunks.map((hunk) => {
        const least = Math.min(
          ...hunk.lines.filter(({ text }) => !isBlank(text)).map(({ text }) => indentOf(text).length),
        );
        return mapAll(hunk, (text) => (isBlank(text) ? text : text.slice(least)));
      });
      const moves = hunks.map((hunk, n) => moveOf(hunk, /** @type {Hunk} */ (change.hunks[n])));
      // One column may be a lost sign, which is another class.
      if (moves.some((move) => move < 2) || new Set(moves).size > 1) return undefined;
      if (addsAtDepthOfFile(hunks, change.hunks)) return undefined;
      if (change.hunks.some(({ lines }) => lines.some(({ text }) => /^ +\t|^\t+ /.test(text))))
        return undefined;
      return oneRight(change, printDiff(change, hunks));
    },
  },
  {
    name: "margin_of_one_column",
    refusal: "the blank of the margin may be the missing sign of a context line",
    // Comments with a star behind one blank. Context may have lost its sign, or all lines one column: the depth of
    // the added lines shows which, and the right text is the truth in both.
    make: (random, world) => {
      const change = world.change({ context: [1, 3], shape: starred, kinds: ["forms", "packages"] });
      if (change === undefined || !standOnceLoosely(change, change.hunks)) return undefined;
      const inside = change.hunks.every(({ lines }) => lines.every(({ text }) => /^ [*]/.test(text)));
      if (!inside) return undefined;
      const signs = random.chance(0.5);
      const hunks = change.hunks.map((hunk) => ({
        ...hunk,
        lines: hunk.lines.map((line) =>
          signs
            ? line.sign === " "
              ? { ...line, bare: true }
              : line
            : { ...line, text: line.text.slice(1) },
        ),
      }));
      return rightOrRefused(change, printDiff(change, hunks));
    },
  },
];

/**
 * The file is indented with one character, all old lines with the other, the added ones as the file is.
 * @param {Random} random @param {import("../contract.mjs").World} world @param {(text: string) => string} shape
 * @param {string} char the file's @param {(width: number) => (text: string) => string} write
 */
function otherIndent(random, world, shape, char, write) {
  const change = world.change({ context: [1, 5], shape, kinds: wide });
  if (change === undefined || !standOnceLoosely(change, change.hunks)) return undefined;
  const width = random.pick(char === "\t" ? [2, 4, 8] : [2, 4]);
  const move = write(width);
  const hunks = change.hunks.map((hunk) => mapOld(hunk, move));
  const lines = hunks.flatMap((hunk) => hunk.lines.filter(({ text }) => !isBlank(text)));
  const added = lines.filter(({ sign }) => sign === "+");
  const indents = hunks.every((hunk) => {
    const old = hunk.lines.filter(({ sign, text }) => sign !== "+" && !isBlank(text));
    const even = change.lines.every(({ text }) => char === "\t" || indentOf(text).length % width === 0);
    return (
      even &&
      old.every(({ text }) => !indentOf(text).includes(char)) &&
      old.some(({ text }) => indentOf(text) !== "")
    );
  });
  if (!indents || added.length === 0 || added.some(({ text }) => !text.startsWith(char))) return undefined;
  return oneRight(change, printDiff(change, hunks));
}

/** One move for all old lines that leaves none of them without its blanks. @param {Random} random @param {readonly Hunk[]} hunks */
function pickMove(random, hunks) {
  const old = hunks.flatMap(({ lines }) => lines.filter(({ sign, text }) => sign !== "+" && !isBlank(text)));
  if (old.some(({ text }) => indentOf(text).includes("\t"))) return undefined;
  const by = random.pick([2, 4, 4, 4, 8]);
  if (random.chance(0.4))
    return (/** @type {string} */ text) => (isBlank(text) ? text : " ".repeat(by) + text);
  if (old.some(({ text }) => indentOf(text).length < by)) return undefined;
  return (/** @type {string} */ text) => (isBlank(text) ? text : text.slice(by));
}

/**
 * Every run of added lines is deeper than both its neighbours as the hunk has them, with nothing above that opens
 * a block, a list or a statement; or it replaces as many lines, each of them as deep as the file has it and
 * beginning with the same word. In the file it stands as deep as a neighbour.
 * @param {Hunk} hunk @param {Hunk} truth
 */
function isOutOfPlace(hunk, truth) {
  return runsOf(hunk).every(({ from, to }) => {
    const run = hunk.lines.slice(from, to);
    const added = run.filter(({ sign }) => sign === "+");
    const removed = truth.lines.slice(from, to).filter(({ sign }) => sign === "-");
    if (added.some(({ text }) => isBlank(text))) return false;
    const moved = removed.length > 0 && removed[0]?.text !== run[0]?.text;
    if (moved && added.length === removed.length && added.every((line, n) => isVariant(line, removed[n])))
      return true;
    const [up, down] = [hunk.lines[from - 1], hunk.lines[to]];
    if (added.length === 0 || removed.length > 0 || up === undefined || down === undefined) return false;
    if (
      isBlank(up.text) ||
      isBlank(down.text) ||
      opens.test(up.text) ||
      added.some(({ text }) => goesOn.test(text))
    )
      return false;
    const least = Math.min(...added.map(width));
    const real = [truth.lines[from - 1], truth.lines[to]].map(width);
    return least > Math.max(width(up), width(down)) && added.every((line) => real.includes(width(line)));
  });
}

/**
 * Whether the added lines of a run stand, as written, as deep as lines that the file has beside them (or anywhere in
 * the hunk), and no line of the diff there does. Such lines are at the file's depth already, and are not moved.
 * @param {readonly Hunk[]} hunks @param {readonly Hunk[]} truths
 */
export function addsAtDepthOfFile(hunks, truths) {
  return hunks.some((hunk, n) => {
    const truth = /** @type {Hunk} */ (truths[n]);
    const old = hunk.lines.flatMap(({ sign, text }, at) => (sign !== "+" && !isBlank(text) ? [at] : []));
    return runsOf(hunk).some(({ from, to }) => {
      const added = hunk.lines.slice(from, to).filter(({ sign, text }) => sign === "+" && !isBlank(text));
      const above = old.findLast((at) => at < from);
      const below = old.find((at) => at >= to);
      const beside = old.filter((at) => at === above || at === below || (at >= from && at < to));
      return added.length > 0 && [beside, old].some((some) => isOnlyIn(added, some, hunk, truth));
    });
  });
}

/** @param {readonly HunkLine[]} added @param {readonly number[]} places @param {Hunk} hunk @param {Hunk} truth */
function isOnlyIn(added, places, hunk, truth) {
  const [written, real] = [hunk, truth].map(
    ({ lines }) => new Set(places.map((at) => indentOf(lines[at]?.text ?? ""))),
  );
  const depths = added.map(({ text }) => indentOf(text));
  return depths.every((depth) => real?.has(depth)) && !depths.some((depth) => written?.has(depth));
}

/** The same line with other words further on. @param {HunkLine} added @param {HunkLine | undefined} removed */
function isVariant(added, removed) {
  const first = (/** @type {string} */ text) => /^[ \t]*[^\s(]+/.exec(text)?.[0];
  return removed !== undefined && first(added.text) === first(removed.text);
}

/** Lines under which something deeper may stand, and lines that go on with the one above. */
const opens = /[:{([,>=|&+]\s*$|=>\s*$|^\s*([-*+]|\d+[.])\s/;
const goesOn = /^\s*[.?|&+*/=:)\]}-]/;

/** @param {HunkLine | undefined} line */
function width(line) {
  return indentOf(line?.text ?? "").length;
}

/** By how many columns a hunk was moved. @param {Hunk} hunk @param {Hunk} truth */
function moveOf(hunk, truth) {
  const at = hunk.lines.findIndex(({ text }) => !isBlank(text));
  return width(truth.lines[at]) - width(hunk.lines[at]);
}

/** @param {Hunk} hunk @param {(text: string) => string} move @returns {Hunk} */
function mapOld(hunk, move) {
  return {
    ...hunk,
    lines: hunk.lines.map((line) => (line.sign === "+" ? line : { ...line, text: move(line.text) })),
  };
}

/** @param {Hunk} hunk @param {(text: string) => string} move @returns {Hunk} */
function mapAll(hunk, move) {
  return { ...hunk, lines: hunk.lines.map((line) => ({ ...line, text: move(line.text) })) };
}

/** @param {string} text */
function withTabs(text) {
  const two = /^ {2}\S/m.test(text);
  return text.replace(/^ +/gm, (blanks) => "\t".repeat(Math.ceil(blanks.length / (two ? 2 : 4))));
}

/** @param {string} text */
function withBlanks(text) {
  return text.replace(/^\t+/gm, (tabs) => "  ".repeat(tabs.length));
}

/** Every line becomes one of a long comment. @param {string} text */
function starred(text) {
  const lines = text.replace(/\r/g, "").trimEnd().split("\n");
  return lines.map((line) => (line.trim() === "" ? " *\n" : ` * ${line.trim()}\n`)).join("");
}

const wide = /** @type {const} */ (["packages", "forms", "repetitive"]);
