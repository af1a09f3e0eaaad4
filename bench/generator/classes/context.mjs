import { collectWords, inventLine, mutateLine } from "../edits.mjs";
import { indentOf, isBlank } from "../lines.mjs";
import { addsWhatIsNew, isAnchored, isForeign, keepsRuns, oldLines, standOnce } from "../proof.mjs";
import { printDiff, trueHeader } from "../true-diff.mjs";
import { anyHeader, mustRefuse, oneRight } from "./outcome.mjs";

/**
 * Context that the model skipped, cut, misremembered or made up. Removed and added lines are whole. The right
 * text is sure where every change is still held by undamaged lines that stand in one place (`isAnchored`);
 * everything else is dropped, except where a line could be inserted at several places: that must be refused.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 * @typedef {import("../true-diff.mjs").HunkLine} HunkLine
 * @typedef {import("../true-diff.mjs").Change} Change
 * @typedef {(random: import("../random.mjs").Random, lines: readonly HunkLine[], change: Change) => HunkLine[] | undefined} Damage
 */

/** @type {readonly ErrorClass[]} */
export const context = [
  damaged("context_invented", (random, lines, change) => {
    const at = pickPlace(random, lines, ({ sign }) => sign === " ");
    if (at === undefined) return undefined;
    const text = inventLine(
      random,
      change.lines.map((line) => line.text),
      lines[at]?.text ?? "",
      collectWords([change.base]),
    );
    return isForeign(change, text) ? lines.toSpliced(at, 0, { sign: " ", text }) : undefined;
  }),
  damaged("context_mutated", (random, lines, change) => {
    const at = pickPlace(random, lines, isFullContext);
    const line = at === undefined ? undefined : lines[at];
    if (at === undefined || line === undefined) return undefined;
    const text = mutateLine(random, line.text, collectWords([change.base]));
    return isForeign(change, text) ? lines.with(at, { sign: " ", text }) : undefined;
  }),
  damaged("context_half_quoted", (random, lines, change) => {
    const at = pickPlace(random, lines, (line) => isFullContext(line) && line.text.trim().length >= 12);
    const line = at === undefined ? undefined : lines[at];
    if (at === undefined || line === undefined) return undefined;
    const indent = indentOf(line.text).length;
    const keep = indent + random.between(5, line.text.length - indent - 3);
    const text = line.text.slice(0, keep).trimEnd();
    return isForeign(change, text) ? lines.with(at, { sign: " ", text }) : undefined;
  }),
  damaged("context_skipped", (random, lines) => skip(random, lines, [])),
  // An explicit mark for what was left out.
  damaged("context_elided", (random, lines) => {
    const text = random.pick(["...", "    ...", "// ...", "# ...", "…"]);
    return skip(random, lines, [{ sign: " ", text, ...(random.chance(0.3) ? { bare: true } : {}) }]);
  }),
  // The enclosing line from further up, as if it stood right above.
  damaged("context_of_another_depth", (_random, lines, change) => {
    const first = lines[0];
    if (first?.sign !== " " || first.at === undefined || isBlank(first.text)) return undefined;
    const depth = indentOf(first.text).length;
    for (let at = first.at - 1; at >= 0; at--) {
      const text = change.lines[at]?.text ?? "";
      if (isBlank(text) || indentOf(text).length >= depth) continue;
      return [{ sign: " ", text, at }, ...lines.slice(first.at - at > 1 ? 0 : 1)];
    }
    return undefined;
  }),
  damaged("context_swapped", (random, lines) => {
    const at = pickPlace(random, lines, (line, n) => isFullContext(line) && isFull(lines[n + 1]));
    const [one, other] = at === undefined ? [] : [lines[at], lines[at + 1]];
    if (at === undefined || one === undefined || other === undefined || one.text === other.text)
      return undefined;
    return lines.toSpliced(at, 2, { sign: " ", text: other.text }, { sign: " ", text: one.text });
  }),
  // What is left stands in one way by itself; the numbers are those of the whole hunk, so they are off.
  cut("leading_context_dropped", (random, lines) => lines.slice(random.between(1, leading(lines)))),
  cut("trailing_context_truncated", (random, lines) => {
    return lines.slice(0, lines.length - random.between(1, leading(lines.toReversed())));
  }),
  {
    name: "insertion_left_open",
    // Lines are only added, and the context lines around them do not stand next to each other: nobody can know
    // between which of the lines left out they belong. The line left out is not blank, so it does matter.
    make: (random, world) => {
      const change = world.change({ context: [2, 6], edits: [1, 1] });
      const [hunk] = change?.hunks ?? [];
      if (change === undefined || hunk === undefined || hunk.lines.some(({ sign }) => sign === "-"))
        return undefined;
      const from = hunk.lines.findIndex(({ sign }) => sign === "+");
      const to = hunk.lines.findLastIndex(({ sign }) => sign === "+") + 1;
      if (from < 2 || hunk.lines.length - to < 2) return undefined;
      const [left, right] = random.chance(0.5) ? [from - 1, from] : [to, to + 1];
      if (!isFullContext(/** @type {HunkLine} */ (hunk.lines[left]))) return undefined;
      const lines = hunk.lines.toSpliced(left, right - left);
      if (!lines.every((line) => line.sign === "+" || isFull(line)) || !isOpen(change, lines))
        return undefined;
      return mustRefuse(change, printDiff(change, [{ ...hunk, lines }]));
    },
  },
];

/** @param {string} name @param {Damage} damage @returns {ErrorClass} */
function damaged(name, damage) {
  return {
    name,
    make: (random, world) => {
      const change = world.change({ context: [2, 8] });
      if (change === undefined) return undefined;
      const hit = new Set(random.some(change.hunks));
      const hunks = change.hunks.map((hunk) => {
        const lines = hit.has(hunk) ? damage(random, hunk.lines, change) : undefined;
        return lines === undefined ? hunk : { ...hunk, lines, header: anyHeader(random, hunk) };
      });
      if (hunks.every((hunk, at) => hunk === change.hunks[at])) return undefined;
      const sure = isAnchored(change, hunks) && keepsRuns(change, hunks) && addsWhatIsNew(change, hunks);
      return sure ? oneRight(change, printDiff(change, hunks)) : undefined;
    },
  };
}

/** @param {string} name @param {(random: import("../random.mjs").Random, lines: readonly HunkLine[]) => HunkLine[]} damage @returns {ErrorClass} */
function cut(name, damage) {
  return {
    name,
    make: (random, world) => {
      const change = world.change({ context: [1, 6] });
      if (change === undefined) return undefined;
      const hunks = change.hunks.map((hunk) => {
        const lines = damage(random, hunk.lines);
        const kept = lines.some(({ sign }) => sign !== "+") && changes(lines) === changes(hunk.lines);
        return kept ? { ...hunk, lines, header: trueHeader(hunk) } : hunk;
      });
      if (hunks.every((hunk, at) => hunk === change.hunks[at])) return undefined;
      const sure = standOnce(change, hunks) && addsWhatIsNew(change, hunks);
      return sure ? oneRight(change, printDiff(change, hunks)) : undefined;
    },
  };
}

/** @param {readonly HunkLine[]} lines */
function changes(lines) {
  return lines.filter(({ sign }) => sign !== " ").length;
}

/** How many context lines stand first. @param {readonly HunkLine[]} lines */
function leading(lines) {
  return Math.max(
    1,
    lines.findIndex(({ sign }) => sign !== " "),
  );
}

/** Leaves out one to four neighbouring context lines that are not at the hunk's edge. @param {import("../random.mjs").Random} random @param {readonly HunkLine[]} lines @param {readonly HunkLine[]} mark @returns {HunkLine[] | undefined} */
function skip(random, lines, mark) {
  const inner = (/** @type {HunkLine | undefined} */ line, /** @type {number} */ at) =>
    line?.sign === " " && at > 0 && at < lines.length - 1;
  const from = pickPlace(random, lines, (line, at) => inner(line, at) && isFull(line));
  if (from === undefined) return undefined;
  let to = from + 1;
  while (to - from < 4 && inner(lines[to], to) && random.chance(0.5)) to++;
  return lines.toSpliced(from, to - from, ...mark);
}

/**
 * The remaining context lines stand in the file in this order only, each once; and what the hunk makes of them does not
 * stand there: a line left out that is equal to the one added would make it a change made already.
 *
 * @param {Change} change @param {readonly HunkLine[]} lines
 */
function isOpen(change, lines) {
  const texts = oldLines({ oldStart: 0, newStart: 0, lines }).map(({ text }) => text.trim());
  const file = change.lines.map(({ text }) => text.trim());
  const made = lines.map(({ text }) => text.trim());
  const standsMade = file.some((_, at) => made.every((text, n) => file[at + n] === text));
  return !standsMade && texts.every((text) => file.filter((line) => line === text).length === 1);
}

/** @param {import("../random.mjs").Random} random @param {readonly HunkLine[]} lines @param {(line: HunkLine, at: number) => boolean} fits */
function pickPlace(random, lines, fits) {
  const places = lines.flatMap((line, at) => (fits(line, at) ? [at] : []));
  return places.length === 0 ? undefined : random.pick(places);
}

/** @param {HunkLine} line */
function isFullContext(line) {
  return line.sign === " " && isFull(line);
}

/** @param {HunkLine | undefined} line */
function isFull(line) {
  return line?.sign === " " && !isBlank(line.text);
}
