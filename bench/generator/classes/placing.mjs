import { joinLines, loosen } from "../lines.mjs";
import { addsWhatIsNew, oldLines, placesOf, standAlone } from "../proof.mjs";
import { applyEdits, makeChange, printDiff, trueHeader } from "../true-diff.mjs";
import { mustRefuse, oneRight } from "./outcome.mjs";

/**
 * The order of hunks, hunks that meet, and texts in which a hunk fits twice.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../true-diff.mjs").Change} Change
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 * @typedef {import("../random.mjs").Random} Random
 */

/** @type {readonly ErrorClass[]} */
export const placing = [
  {
    name: "hunks_out_of_order",
    // Numbers are true, and each hunk stands in one place by itself: their order says nothing.
    make: (random, world) => {
      const change = world.change({ context: [1, 5], edits: [3, 7] });
      if (change === undefined || change.hunks.length < 2 || !standAlone(change, change.hunks))
        return undefined;
      const hunks = random.shuffle(change.hunks);
      return hunks.every((hunk, at) => hunk === change.hunks[at])
        ? undefined
        : oneRight(change, printDiff(change, hunks));
    },
  },
  {
    name: "hunk_repeated",
    // The same hunk to the letter, numbers included: it says the same thing twice.
    make: (random, world) => {
      const change = world.change({ context: [1, 5] });
      if (change === undefined || !standAlone(change, change.hunks)) return undefined;
      const again = random.pick(change.hunks);
      return oneRight(
        change,
        printDiff(
          change,
          change.hunks.flatMap((hunk) => (hunk === again ? [hunk, hunk] : [hunk])),
        ),
      );
    },
  },
  {
    name: "hunks_share_context",
    // Two hunks quote the same lines between them as context. Each is true of the file as it is.
    make: (_random, world) => {
      const change = world.change({ context: [2, 5], edits: [2, 6], merge: false });
      if (change === undefined || !standAlone(change, change.hunks)) return undefined;
      return change.hunks.some((hunk, at) => sharesContextOnly(hunk, change.hunks[at + 1])) &&
        change.hunks.every((hunk, at) => !reachesChange(hunk, change.hunks[at + 1]))
        ? oneRight(change, printDiff(change))
        : undefined;
    },
  },
  {
    name: "hunks_contradict",
    // Two hunks make different things of the same line.
    make: (_random, world) => {
      const change = world.change({ context: [1, 4] });
      const twice = change?.hunks.find(
        ({ lines }) =>
          lines.some(({ sign }) => sign === "-") &&
          lines.some(({ sign, text }) => sign === "+" && text.trim() !== ""),
      );
      if (change === undefined || twice === undefined) return undefined;
      const last = twice.lines.findLastIndex(({ sign, text }) => sign === "+" && text.trim() !== "");
      const other = {
        ...twice,
        lines: twice.lines.map((line, at) => (at === last ? { ...line, text: `${line.text} 2` } : line)),
      };
      const hunks = change.hunks.flatMap((hunk) => (hunk === twice ? [hunk, other] : [hunk]));
      return mustRefuse(change, printDiff(change, hunks));
    },
  },
  {
    name: "copies_without_number",
    // The old lines stand in two or more places, the results differ, and no number hits one of the places.
    make: (random, world) => {
      const copied = copyOf(random, world.change({ context: [0, 3], edits: [1, 2] }));
      if (copied === undefined) return undefined;
      const { change, hunk, places } = copied;
      const starts = new Set(places);
      const off = hunk.oldStart + random.between(1, 40);
      if (starts.has(off)) return undefined;
      const wrong = trueHeader({ ...hunk, oldStart: off, newStart: off });
      return mustRefuse(
        change,
        printDiff(change, [{ ...hunk, header: random.pick(["@@", "@@ ... @@", wrong]) }]),
      );
    },
  },
  {
    name: "copies_with_number",
    // The same, but the number names one of the places exactly.
    make: (random, world) => {
      const copied = copyOf(random, world.change({ context: [0, 3], edits: [1, 2] }));
      return copied && oneRight(copied.change, printDiff(copied.change, [copied.hunk]));
    },
  },
  {
    name: "copies_under_a_section",
    // Sections with the same body, each with a name of its own, and the header names one instead of a number:
    // the copy that is meant is the one under that name.
    make: (random) => {
      const { base, truth, diff } = makeSections(random);
      return { base, diff, expect: { kind: "one_right_text", text: truth } };
    },
  },
];

/**
 * A change of one hunk in a text into which a copy of its surroundings was put, so that the hunk's old lines
 * stand in several places, and a change at one of them is not the same as at another.
 * @param {Random} random @param {Change | undefined} change
 */
function copyOf(random, change) {
  const [hunk] = change?.hunks ?? [];
  if (change === undefined || hunk === undefined || change.hunks.length > 1) return undefined;
  const count = oldLines(hunk).length;
  const from = Math.max(0, hunk.oldStart - random.between(0, 4));
  const to = Math.min(change.lines.length, hunk.oldStart + count + random.between(0, 4));
  if (count === 0 || change.lines.at(-1)?.eol === "") return undefined;
  const gap = random.between(to, change.lines.length);
  const base = joinLines([
    ...change.lines.slice(0, gap),
    ...change.lines.slice(from, to),
    ...change.lines.slice(gap),
  ]);
  const shift = random.chance(0.5) ? gap - from : 0;
  const edits = change.edits.map((edit) => ({ ...edit, at: edit.at + shift }));
  const copied = makeChange({ path: change.path, base, edits, context: change.context });
  const [first] = copied?.hunks ?? [];
  if (
    copied === undefined ||
    first === undefined ||
    copied.hunks.length > 1 ||
    !addsWhatIsNew(copied, [first])
  )
    return undefined;
  const block = oldLines(first).map(({ text }) => loosen(text));
  if (oldLines(first).length !== count || block.every((text) => text === "")) return undefined;
  const places = placesOf(
    copied.lines.map(({ text }) => text),
    oldLines(first).map(({ text }) => text),
  );
  return hasSeveralResults(copied, first, places) ? { change: copied, hunk: first, places } : undefined;
}

/** @param {Change} change @param {Hunk} hunk @param {readonly number[]} places */
function hasSeveralResults({ lines, edits }, hunk, places) {
  const results = places.map((place) => {
    const moved = edits.map((edit) => ({ ...edit, at: edit.at + place - hunk.oldStart }));
    return joinLines(applyEdits(lines, moved));
  });
  return places.length > 1 && new Set(results).size === places.length;
}

/** @param {Random} random */
function makeSections(random) {
  const names = random.shuffle(["class Reader:", "class Writer:", "class Index:", "class Cache:"]);
  const body = [
    "    def open(self):",
    "        self.count = 0",
    "        return self",
    "",
    "    def close(self):",
    "        pass",
    "",
  ];
  const base = names
    .flatMap((name) => [name, ...body])
    .map((line) => `${line}\n`)
    .join("");
  const name = random.pick(names);
  const at = names.indexOf(name) * (body.length + 1);
  const edit = random.pick([
    { at: at + 2, del: 1, add: ["        self.count = 1"] },
    { at: at + 6, del: 1, add: ["        self.count = None"] },
    { at: at + 1, del: 0, add: ["    limit = 3"] },
    { at: at + 3, del: 0, add: ["        self.ready = True"] },
  ]);
  const plain = edit.at === at + 1;
  const change = makeChange({ path: "src/parts.py", base, edits: [edit], context: plain ? 0 : 1 });
  const [hunk] = change?.hunks ?? [];
  if (change === undefined || hunk === undefined) throw new Error("the sections have no change");
  const header = random.pick([`@@ ${name}`, `@@ ${name} @@`]);
  return { base, truth: change.truth, diff: printDiff(change, [{ ...hunk, header }]) };
}

/** @param {Hunk} hunk */
function endOf(hunk) {
  return hunk.oldStart + oldLines(hunk).length;
}

/** @param {Hunk} hunk @param {Hunk | undefined} next */
function sharesContextOnly(hunk, next) {
  return next !== undefined && endOf(hunk) > next.oldStart;
}

/** One hunk quotes as context what the other changes. @param {Hunk} hunk @param {Hunk | undefined} next */
function reachesChange(hunk, next) {
  if (next === undefined) return false;
  const changed = (/** @type {Hunk} */ { lines }) => lines.filter(({ sign }) => sign !== " ");
  const lastChange = lastOld(hunk);
  const firstChange = next.oldStart + next.lines.findIndex(({ sign }) => sign !== " ");
  return changed(next).length > 0 && (endOf(hunk) > firstChange || next.oldStart <= lastChange);
}

/** The last old line that the hunk removes or stands behind with an addition. @param {Hunk} hunk */
function lastOld(hunk) {
  let old = hunk.oldStart;
  let last = hunk.oldStart - 1;
  for (const { sign } of hunk.lines) {
    if (sign !== "+") old++;
    if (sign !== " ") last = old - 1;
  }
  return last;
}
