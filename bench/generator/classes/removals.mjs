import { collectWords, inventLine, mutateLine } from "../edits.mjs";
import { isBlank } from "../lines.mjs";
import { isForeign, placesOf, runsOf, standsMade } from "../proof.mjs";
import { printDiff } from "../true-diff.mjs";
import { mustRefuse } from "./outcome.mjs";

/**
 * Lines to be removed that the file does not have, or that the model forgot. All must be refused: what a diff
 * removes is a statement about the file, and where it is false nobody knows what the model wanted gone.
 *
 * Left out: hunks whose added lines stand in the file somewhere, since they may be read as made already; and a
 * removal forgotten at the edge of a run (`a -b [-c] +D e`). By its letters it is the diff of
 * another text (c stays, a context line was skipped), and no reader can tell the two apart.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 * @typedef {import("../true-diff.mjs").HunkLine} HunkLine
 * @typedef {import("../true-diff.mjs").Change} Change
 */

/** @type {readonly ErrorClass[]} */
export const removals = [
  // A line that stands nowhere in the file, blanks and punctuation aside, is to be removed as well.
  refused("removal_invented", (random, hunk, change) => {
    const run = random.pick(runsOf(hunk));
    const at = random.between(run.from, run.to);
    const near = hunk.lines[Math.min(at, hunk.lines.length - 1)]?.text ?? "";
    const text = inventLine(
      random,
      change.lines.map((line) => line.text),
      near,
      collectWords([change.base]),
    );
    return isForeign(change, text) && isFreshText(hunk, text)
      ? hunk.lines.toSpliced(at, 0, { sign: "-", text })
      : undefined;
  }),
  // One word of a removed line is another one.
  refused("removal_mutated", (random, hunk, change) => {
    const at = pickRemoval(random, hunk);
    const line = at === undefined ? undefined : hunk.lines[at];
    if (at === undefined || line === undefined) return undefined;
    const text = mutateLine(random, line.text, collectWords([change.base]));
    return isForeign(change, text) && isFreshText(hunk, text)
      ? hunk.lines.with(at, { ...line, text })
      : undefined;
  }),
  // A removed line is quoted to the half.
  refused("removal_half_quoted", (random, hunk, change) => {
    const at = pickRemoval(random, hunk, 14);
    const line = at === undefined ? undefined : hunk.lines[at];
    if (at === undefined || line === undefined) return undefined;
    const trimmed = line.text.trimEnd();
    const text = trimmed.slice(0, trimmed.length - random.between(3, 6)).trimEnd();
    return isForeign(change, text) && isFreshText(hunk, text)
      ? hunk.lines.with(at, { ...line, text })
      : undefined;
  }),
  // The middle one of three removed lines is missing: it may have to go or to stay. The two that are left
  // stand together nowhere.
  refused("removal_forgotten_inside", (_random, hunk, change) => {
    const at = hunk.lines.findIndex((_, n) => [0, 1, 2].every((more) => isRemoval(hunk.lines[n + more])));
    const [one, gone, other] = hunk.lines.slice(at, at + 3).map(({ text }) => text.trim());
    if (at < 0 || !gone || one === undefined || other === undefined) return undefined;
    const base = change.lines.map(({ text }) => text.trim());
    return placesOf(base, [one, other]).length > 0 ? undefined : hunk.lines.toSpliced(at + 1, 1);
  }),
  // All removals of a run are missing, so that its lines are only added, between context lines that do not
  // stand next to each other: they may replace what stands there, or stand above or below it.
  refused("removals_forgotten", (random, hunk, change) => {
    const runs = runsOf(hunk).filter(({ from, to }) => {
      const run = hunk.lines.slice(from, to);
      const held = hunk.lines[from - 1]?.sign === " " && hunk.lines[to]?.sign === " ";
      return held && run.some(isRemoval) && run.some(({ sign, text }) => sign === "+" && !isBlank(text));
    });
    if (runs.length === 0) return undefined;
    const { from, to } = random.pick(runs);
    const gone = hunk.lines.slice(from, to).filter(isRemoval);
    const lines = hunk.lines.filter((line) => !gone.includes(line));
    const edges = [hunk.lines[from - 1]?.text.trim() ?? "", hunk.lines[to]?.text.trim() ?? ""];
    if (!gone.some(({ text }) => !isBlank(text)) || edges.includes("")) return undefined;
    return placesOf(
      change.lines.map(({ text }) => text.trim()),
      edges,
    ).length > 0
      ? undefined
      : lines;
  }),
];

/** @param {string} name @param {(random: import("../random.mjs").Random, hunk: Hunk, change: Change) => HunkLine[] | undefined} damage @returns {ErrorClass} */
function refused(name, damage) {
  return {
    name,
    make: (random, world) => {
      const change = world.change({ context: [1, 6] });
      if (change === undefined) return undefined;
      const hit = random.pick(change.hunks);
      const lines = damage(random, hit, change);
      if (lines === undefined || standsMade(change, { ...hit, lines })) return undefined;
      const hunks = change.hunks.map((hunk) => (hunk === hit ? { ...hunk, lines } : hunk));
      return mustRefuse(change, printDiff(change, hunks));
    },
  };
}

/** @param {import("../random.mjs").Random} random @param {Hunk} hunk */
function pickRemoval(random, { lines }, least = 2) {
  const places = lines.flatMap((line, at) =>
    isRemoval(line) && line.text.trim().length >= least ? [at] : [],
  );
  return places.length === 0 ? undefined : random.pick(places);
}

/** The hunk does not add the same line: then it would say that the change was made already. @param {Hunk} hunk @param {string} text */
function isFreshText({ lines }, text) {
  return !lines.some((line) => line.sign === "+" && line.text.trim() === text.trim());
}

/** @param {HunkLine | undefined} line */
function isRemoval(line) {
  return line?.sign === "-";
}
