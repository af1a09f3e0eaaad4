import { collectWords, inventLine } from "../edits.mjs";
import { joinLines } from "../lines.mjs";
import { addsWhatIsNew, isForeign, standAlone } from "../proof.mjs";
import { applyEdits, countsOf, makeChange, printDiff, trueHeader, writeHeader } from "../true-diff.mjs";
import { oneRight, rightOrRefused } from "./outcome.mjs";

/**
 * Diffs that end too early, with the header of the whole hunk. Where the last line is an added one and the header
 * promises two more of them and an old line besides, the diff is visibly cut off, and nobody knows what is
 * missing. Elsewhere only context may be lost, and the literal reading is right; so is a refusal.
 *
 * Beside them hunks that change nothing, and whose lines are not in the file: the marks of the change were lost.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../true-diff.mjs").Change} Change
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 * @typedef {import("../true-diff.mjs").HunkLine} HunkLine
 * @typedef {import("../random.mjs").Random} Random
 */

/** @type {readonly ErrorClass[]} */
export const cutOff = [
  {
    name: "cut_off_after_an_added_line",
    refusal: "the diff ends in an added line, and its header promises more of them",
    make: (random, world) => {
      const change = growLast(random, world.change({ context: [1, 6] }));
      const last = change?.hunks.at(-1);
      if (change === undefined || last === undefined) return undefined;
      const ends = last.lines.flatMap((line, at) => {
        const rest = last.lines.slice(at + 1);
        const added = rest.filter(({ sign }) => sign === "+").length;
        const removed = rest.filter(({ sign }) => sign === "-").length;
        return line.sign === "+" && added >= 2 && removed === 0 && rest.length > added ? [at] : [];
      });
      if (ends.length === 0) return undefined;
      const end = random.pick(ends);
      const line = last.lines[end];
      const half = random.chance(0.6) && line !== undefined && line.text.trim().length > 6;
      const lines = last.lines.slice(0, end + 1);
      if (half && line !== undefined) {
        const stem = line.text.length - line.text.trimStart().length;
        lines[end] = { ...line, text: line.text.slice(0, random.between(stem + 2, line.text.length - 2)) };
      }
      const hunks = [...change.hunks.slice(0, -1), { ...last, lines, header: trueHeader(last) }];
      const diff = printDiff(change, hunks);
      return {
        base: change.base,
        diff: random.chance(0.5) ? diff.slice(0, -1) : diff,
        expect: { kind: "must_refuse" },
      };
    },
  },
  {
    name: "cut_off_without_the_mark",
    refusal: "lines may be missing at the end",
    // Cut within context, within old lines, after an added line with less to come: the literal reading, or none.
    make: (random, world) => {
      const change = world.change({ context: [1, 6] });
      const last = change?.hunks.at(-1);
      if (change === undefined || last === undefined || !standAlone(change, change.hunks)) return undefined;
      const first = last.lines.findIndex(({ sign }) => sign !== " ");
      if (last.lines.length - first < 3) return undefined;
      const end = random.between(first + 1, last.lines.length - 1);
      const lines = last.lines.slice(0, end);
      if (!lines.some(({ sign }) => sign !== "+")) return undefined;
      const cut = { ...last, lines, header: trueHeader(last) };
      const hunks = [...change.hunks.slice(0, -1), cut];
      if (!standAlone(change, hunks) || !addsWhatIsNew(change, hunks) || bearsMark(cut)) return undefined;
      // Cut between the two markers of a missing last newline the diff says that there is one from now on.
      const [lastOld, lastNew] = ["+", "-"].map((but) => lines.findLast(({ sign }) => sign !== but));
      if (lastOld?.unended !== lastNew?.unended) return undefined;
      const truth = joinLines(applyEdits(change.lines, hunks.flatMap(editsOf)));
      return truth === change.base
        ? undefined
        : rightOrRefused({ ...change, truth }, printDiff(change, hunks));
    },
  },
  {
    name: "ends_in_an_added_line",
    // A whole diff whose last line is an added one; its counts are true, too small, or too large by one old or
    // one new line.
    make: (random, world) => {
      const change = world.change({ context: [1, 6] });
      const last = change?.hunks.at(-1);
      if (change === undefined || last === undefined || last.lines.at(-1)?.sign !== " ") return undefined;
      const end = last.lines.findLastIndex(({ sign }) => sign !== " ") + 1;
      const lines = last.lines.slice(0, end);
      if (lines.at(-1)?.sign !== "+" || !lines.some(({ sign }) => sign !== "+")) return undefined;
      const { oldCount, newCount } = countsOf({ ...last, lines });
      const [more, grown] = random.pick([
        [0, 0],
        [0, 0],
        [0, 1],
        [1, 1],
        [-1, -1],
        [0, -1],
        [1, 0],
      ]);
      const header = writeHeader(
        last.oldStart,
        Math.max(1, oldCount + more),
        last.newStart,
        Math.max(1, newCount + grown),
      );
      const hunks = [...change.hunks.slice(0, -1), { ...last, lines, header }];
      if (!standAlone(change, hunks) || !addsWhatIsNew(change, hunks)) return undefined;
      return more > 0 || grown > 0
        ? rightOrRefused(change, printDiff(change, hunks))
        : oneRight(change, printDiff(change, hunks));
    },
  },
  {
    name: "changeless_hunk_not_in_the_file",
    refusal:
      "a hunk changes nothing, and its lines are not in the file: its marks were lost, or it was cut off",
    make: (random, world) => {
      const change = world.change({ context: [1, 5] });
      if (change === undefined) return undefined;
      const hunk = changeless(random, change, true);
      return (
        hunk && {
          base: change.base,
          diff: printDiff(change, sorted([...change.hunks, hunk])),
          expect: { kind: "must_refuse" },
        }
      );
    },
  },
  {
    name: "changeless_diff_not_in_the_file",
    refusal: "the diff changes nothing, and its lines are not in the file",
    make: (random, world) => {
      const change = world.change({ context: [1, 5] });
      const hunk = change && changeless(random, change, true);
      return hunk && { base: change.base, diff: printDiff(change, [hunk]), expect: { kind: "must_refuse" } };
    },
  },
  {
    name: "changeless_hunk_in_the_file",
    // Its lines stand in the file, once or several times; it asks for nothing, so it does not matter where.
    make: (random, world) => {
      const change = world.change({ context: [1, 5], kinds: ["repetitive", "forms"] });
      const hunk = change && changeless(random, change, false);
      return hunk && oneRight(change, printDiff(change, sorted([...change.hunks, hunk])));
    },
  },
];

/** Whether a header promises what makes a hunk look cut off, in the widest reading of it. @param {Hunk} hunk */
export function bearsMark(hunk) {
  const [, old, fresh] =
    /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(hunk.header ?? trueHeader(hunk)) ?? [];
  const { oldCount, newCount } = countsOf(hunk);
  return hunk.lines.at(-1)?.sign === "+" && Number(old ?? 1) > oldCount && Number(fresh ?? 1) >= newCount + 2;
}

/** The last run of additions becomes at least four lines long. @param {Random} random @param {Change | undefined} change */
function growLast(random, change) {
  const last = change?.edits.at(-1);
  if (change === undefined || last === undefined || last.add.length === 0) return undefined;
  const known = change.lines.map(({ text }) => text);
  const words = collectWords([change.base]);
  const near = last.add.at(-1) ?? "";
  const more = Array.from({ length: random.between(3, 6) }, () => inventLine(random, known, near, words));
  const edits = [...change.edits.slice(0, -1), { ...last, add: [...last.add, ...more] }];
  return makeChange({ path: change.path, base: change.base, edits, context: Math.max(1, change.context) });
}

/** Context only, or a line for itself again, away from the changes. @param {Random} random @param {Change} change @param {boolean} foreign @returns {Hunk | undefined} */
function changeless(random, change, foreign) {
  const at = random.below(change.lines.length);
  const length = random.between(2, 5);
  const taken = change.hunks.some(
    ({ oldStart, lines }) => at + length + 3 > oldStart && at < oldStart + lines.length + 3,
  );
  if (taken || at + length > change.lines.length) return undefined;
  /** @type {HunkLine[]} */
  const lines = change.lines.slice(at, at + length).map(({ text }, n) => ({ sign: " ", text, at: at + n }));
  if (lines.some(({ text }) => text.trim() === "")) return undefined;
  const place = random.below(length);
  if (foreign) {
    const text = inventLine(
      random,
      change.lines.map((line) => line.text),
      lines[place]?.text ?? "",
      collectWords([change.base]),
    );
    if (!isForeign(change, text)) return undefined;
    lines[place] = { sign: " ", text };
  }
  const middle = /** @type {HunkLine} */ (lines[place]);
  if (random.chance(0.4)) lines.splice(place, 1, { ...middle, sign: "-" }, { ...middle, sign: "+" });
  const count = lines.filter(({ sign }) => sign !== "+").length;
  const header = random.pick(["@@", writeHeader(at, count, at, count)]);
  return { oldStart: at, newStart: at, lines, header };
}

/** @param {readonly Hunk[]} hunks */
function sorted(hunks) {
  return [...hunks].sort((one, other) => one.oldStart - other.oldStart);
}

/** The edits that a hunk is by its letters, where its old lines stand where they were taken from. @param {Hunk} hunk @returns {import("../texts.mjs").Edit[]} */
function editsOf(hunk) {
  /** @type {{ at: number, del: number, add: string[] }[]} */
  const edits = [];
  let at = hunk.oldStart;
  let open = false;
  for (const { sign, text } of hunk.lines) {
    if (sign === " ") {
      at++;
      open = false;
      continue;
    }
    if (!open) edits.push({ at, del: 0, add: [] });
    open = true;
    const edit = /** @type {{ at: number, del: number, add: string[] }} */ (edits.at(-1));
    if (sign === "-") {
      edit.del++;
      at++;
    } else edit.add.push(text);
  }
  return edits;
}
