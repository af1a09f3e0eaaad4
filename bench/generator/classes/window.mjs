import { indentOf, isBlank, joinLines, loosen } from "../lines.mjs";
import { addsWhatIsNew } from "../proof.mjs";
import { printDiff } from "../true-diff.mjs";
import { changeBody, makeTwins, numberOfNone, resultsDiffer, standsAt } from "../twins.mjs";
import { anyHeader, headerAt, oneRight, printFor, rightOrRefused } from "./outcome.mjs";

/**
 * Hunks with as many old lines as one window of the file has, some of them misquoted: at another depth, in
 * another case, with other quotes or dashes, cut short. Every window of the file is tried with the widest
 * likeness there is (letters and digits only, cut short or not); the label holds where one window is left.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../contract.mjs").Draft} Draft
 * @typedef {import("../random.mjs").Random} Random
 * @typedef {import("../true-diff.mjs").Change} Change
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 * @typedef {import("../true-diff.mjs").HunkLine} HunkLine
 * @typedef {(random: Random, text: string) => string} Misquote
 */

/** @type {readonly ErrorClass[]} */
export const windows = [
  windowed("window_context_of_another_depth", (random) => moveDepth(random), { besideExact: true }),
  windowed("window_context_misquoted", (random) =>
    random.pick([otherCase, otherQuotes, otherPunctuation, cutShort]),
  ),
  {
    ...windowed("window_depth_beside_an_addition", (random) => moveDepth(random), { besideExact: false }),
    refusal: "a line beside the added ones has another depth, so theirs is not known",
  },
  {
    ...windowed(
      "window_context_misquoted_mostly",
      (random) => random.pick([otherCase, otherQuotes, cutShort]),
      { most: true },
    ),
    refusal: "more than half of the context is not the file's",
  },
  {
    name: "window_removed_in_typographic_punctuation",
    // The file has none of it, so these are the channel's; added lines keep what they say.
    make: (random, world) => smartRemovals(random, world, false),
  },
  {
    name: "window_removed_in_typographic_punctuation_of_the_file",
    refusal: "the file has such punctuation itself, so the removed line may be another one",
    make: (random, world) => smartRemovals(random, world, true),
  },
  {
    name: "window_removed_line_misquoted",
    refusal: "what a diff removes is a statement about the file, and it is not true",
    make: (random, world) => {
      const change = world.change({ context: [1, 5] });
      if (change === undefined) return undefined;
      const hit = random.pick(change.hunks);
      const at = hit.lines.findIndex(({ sign, text }) => sign === "-" && text.trim().length > 8);
      const line = hit.lines[at];
      if (line === undefined) return undefined;
      const text = random.pick([otherCase, cutShort, moveDepth(random)])(random, line.text);
      const hunk = { ...hit, lines: hit.lines.with(at, { ...line, text }) };
      const hunks = change.hunks.map((one) => (one === hit ? hunk : one));
      if (text === line.text || !areWindowsSure(change, hunks)) return undefined;
      return rightOrRefused(change, printDiff(change, hunks));
    },
  },
  {
    name: "window_at_two_copies",
    refusal: "the misquoted context fits several windows alike",
    make: (random) => {
      const twins = makeTwins(random, { gap: random.pick([0, 0, 30, 460, 610]) });
      const { hunk, edit } = changeBody(random, twins, random.below(twins.sections.length), {
        context: random.between(2, 4),
      });
      const places = standsAt(twins, hunk);
      const misquote = random.pick([otherCase, otherQuotes, cutShort, moveDepth(random)]);
      const damaged = damageSome(random, hunk, misquote, false);
      const number = numberOfNone(random, places, twins.lines.length);
      if (damaged === undefined || number === undefined || places.length < 2) return undefined;
      if (!resultsDiffer(twins, hunk, edit, places) || standsAt(twins, damaged).length > 0) return undefined;
      const diff = printFor(twins, [{ ...damaged, header: random.pick(["@@", headerAt(hunk, number)]) }]);
      return { base: joinLines(twins.lines), diff, expect: { kind: "must_refuse" } };
    },
  },
];

/**
 * @param {string} name @param {(random: Random) => Misquote} choose
 * @param {{ readonly besideExact?: boolean, readonly most?: boolean }} [how] `besideExact`: whether every added
 *   line has only lines beside it that are exact; left out, it does not matter
 * @returns {ErrorClass}
 */
function windowed(name, choose, { besideExact, most = false } = {}) {
  return {
    name,
    make: (random, world) => {
      const change = world.change({ context: [2, 8] });
      if (change === undefined) return undefined;
      const misquote = choose(random);
      const hit = new Set(random.some(change.hunks));
      const hunks = change.hunks.map((hunk) => {
        const damaged = hit.has(hunk)
          ? damageSome(random, hunk, misquote, most, besideExact === true)
          : undefined;
        return damaged === undefined ? hunk : { ...damaged, header: anyHeader(random, hunk) };
      });
      const damaged = hunks.filter((hunk, at) => hunk !== change.hunks[at]);
      if (damaged.length === 0 || !areWindowsSure(change, hunks) || !addsWhatIsNew(change, hunks))
        return undefined;
      if (besideExact === false && damaged.every((hunk) => standsBesideExact(hunk))) return undefined;
      const diff = printDiff(change, hunks);
      return besideExact === false || most ? rightOrRefused(change, diff) : oneRight(change, diff);
    },
  };
}

/** Up to half of the non-blank context misquoted, or more than half. @param {Random} random @param {Hunk} hunk @param {Misquote} misquote @param {boolean} most @returns {Hunk | undefined} */
function damageSome(random, hunk, misquote, most, besideExact = false) {
  const full = hunk.lines.flatMap(({ sign, text }, at) => (sign === " " && !isBlank(text) ? [at] : []));
  const apart = full.filter(
    (at) => !besideExact || ![at - 1, at + 1].some((n) => hunk.lines[n]?.sign === "+"),
  );
  const half = Math.floor(full.length / 2);
  const count = most ? random.between(half + 1, full.length) : random.between(1, half);
  const chosen = new Set(random.shuffle(apart).slice(0, count));
  if (half === 0 || chosen.size === 0 || (most && chosen.size <= half)) return undefined;
  let changed = 0;
  const lines = hunk.lines.map((line, at) => {
    if (!chosen.has(at)) return line;
    const text = misquote(random, line.text);
    if (text !== line.text) changed++;
    return text === line.text ? line : { sign: line.sign, text };
  });
  return changed === 0 || (most && changed <= half) ? undefined : { ...hunk, lines };
}

/** Whether no added line has a misquoted line beside it. @param {Hunk} hunk */
function standsBesideExact({ lines }) {
  return lines.every(
    ({ sign }, at) =>
      sign !== "+" || [at - 1, at + 1].every((n) => lines[n]?.sign !== " " || lines[n]?.at !== undefined),
  );
}

/**
 * For every hunk by itself one window of the file is like its old lines, in the widest sense, and it is the true
 * one.
 * @param {Change} change @param {readonly Hunk[]} hunks
 */
function areWindowsSure(change, hunks) {
  const base = change.lines.map(({ text }) => ({ text, key: keyOf(text) }));
  return hunks.every((hunk) => {
    const old = hunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => ({ text, key: keyOf(text) }));
    const places = [];
    for (let at = 0; at + old.length <= base.length; at++) {
      if (old.every((line, n) => isLike(line, /** @type {{ text: string, key: string }} */ (base[at + n]))))
        places.push(at);
    }
    return places.length === 1 && places[0] === hunk.oldStart && old.some(({ key }) => key.length > 2);
  });
}

/** @param {{ text: string, key: string }} own @param {{ text: string, key: string }} real */
function isLike(own, real) {
  if (own.key === "" || real.key === "")
    return own.key === real.key && isBlank(own.text) === isBlank(real.text);
  return own.key === real.key || real.key.startsWith(own.key) || own.key.startsWith(real.key);
}

/** Letters and digits only. @param {string} text */
function keyOf(text) {
  return loosen(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** @param {Random} random @param {import("../contract.mjs").World} world @param {boolean} inFile @returns {Draft | undefined} */
function smartRemovals(random, world, inFile) {
  const shape = inFile
    ? (/** @type {string} */ text) => `${text.replace(/\r/g, "").trimEnd()}\na “last” line\n`
    : undefined;
  const change = world.change({ context: [1, 5], ...(shape ? { shape } : {}) });
  if (change === undefined || smart.test(change.base) !== inFile || (!inFile && smart.test(change.truth)))
    return undefined;
  const withContext = random.chance(0.5);
  const hunks = change.hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) =>
      line.sign === "-" || (withContext && line.sign === " ")
        ? { ...line, text: makeSmart(line.text) }
        : line,
    ),
  }));
  const hit = hunks.some((hunk, n) =>
    hunk.lines.some((line, at) => line.sign === "-" && line.text !== change.hunks[n]?.lines[at]?.text),
  );
  // A removed line that the diff adds again with other punctuation would be a change of punctuation.
  const swaps = hunks.some(({ lines }) => {
    const added = new Set(lines.filter(({ sign }) => sign === "+").map(({ text }) => loosen(text)));
    return lines.some(({ sign, text }) => sign === "-" && added.has(loosen(text)));
  });
  if (!hit || swaps || !areWindowsSure(change, hunks)) return undefined;
  return inFile
    ? rightOrRefused(change, printDiff(change, hunks))
    : oneRight(change, printDiff(change, hunks));
}

/** @param {Random} random @returns {Misquote} */
function moveDepth(random) {
  const by = random.pick([2, 4, 4, 8]);
  return (_random, text) => {
    const indent = indentOf(text);
    if (indent.includes("\t")) return by < 4 ? `\t${text}` : text.slice(1);
    return indent.length >= by && by !== 2 ? text.slice(by) : " ".repeat(by) + text;
  };
}

/** @type {Misquote} */
const otherCase = (random, text) => {
  const letters = [...text.matchAll(/[a-zA-Z]{3,}/g)];
  if (letters.length === 0) return text;
  const { 0: word, index } = random.pick(letters);
  const changed = random.pick([
    word.toUpperCase(),
    word.toLowerCase(),
    word.charAt(0).toUpperCase() + word.slice(1),
  ]);
  return text.slice(0, index) + changed + text.slice(index + word.length);
};

/** @type {Misquote} */
const otherQuotes = (random, text) => {
  if (text.includes('"')) return text.replaceAll('"', random.pick(["'", "`"]));
  return text.includes("'") ? text.replaceAll("'", '"') : text;
};

/** @type {Misquote} */
const otherPunctuation = (_random, text) => {
  if (/[;,.:]$/.test(text)) return text.slice(0, -1);
  return /\w$/.test(text) ? `${text};` : text;
};

/** @type {Misquote} */
const cutShort = (random, text) => {
  const from = indentOf(text).length + 6;
  const to = text.trimEnd().length - 2;
  return to <= from ? text : text.slice(0, random.between(from, to)).trimEnd();
};

/** @param {string} text */
function makeSmart(text) {
  return text
    .replace(/(^|[\s([{=,:])"/g, "$1\u201c")
    .replace(/"/g, "\u201d")
    .replace(/(\w)'(\w)/g, "$1\u2019$2")
    .replace(/ - /g, " \u2013 ");
}

const smart = /[\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u00a0]/;
