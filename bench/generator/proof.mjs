import { isBlank, loosen } from "./lines.mjs";

/**
 * Proofs that a damaged diff still has one reading. They are brute force on purpose and share nothing with
 * the engine: a label must not depend on what it judges.
 *
 * @typedef {import("./true-diff.mjs").Change} Change
 * @typedef {import("./true-diff.mjs").Hunk} Hunk
 * @typedef {import("./true-diff.mjs").HunkLine} HunkLine
 */

/**
 * The old lines of the hunks, as written, stand in the text in exactly one way, in order.
 * @param {Change} change @param {readonly Hunk[]} hunks
 */
export function standOnce(change, hunks) {
  const base = change.lines.map(({ text }) => text);
  return (
    countPlacements(
      base,
      hunks.map((hunk) => blockOf(hunk, (text) => text, false)),
    ) === 1
  );
}

/**
 * The same when neither blanks at the ends of lines, nor blank lines, nor kinds of punctuation count. What
 * stands once like this has one reading however whitespace was damaged.
 * @param {Change} change @param {readonly Hunk[]} hunks
 */
export function standOnceLoosely(change, hunks) {
  const base = change.lines.map(({ text }) => loosen(text)).filter((text) => text !== "");
  return (
    countPlacements(
      base,
      hunks.map((hunk) => blockOf(hunk, loosen, true)),
    ) === 1
  );
}

/** Every hunk for itself stands once, loosely. @param {Change} change @param {readonly Hunk[]} hunks */
export function standAlone(change, hunks) {
  return hunks.every((hunk) => standOnceLoosely(change, [hunk]));
}

/**
 * Every run of changes is held by what is left of its hunk: removed lines, with the true context right beside
 * them, stand in the text once; lines that are only added have their true neighbours beside them (or one, at
 * the hunk's edge), and these stand together once. Damaged lines hold nothing.
 * @param {Change} change @param {readonly Hunk[]} hunks
 */
export function isAnchored(change, hunks) {
  const base = change.lines.map(({ text }) => loosen(text));
  return hunks.every((hunk) => runsOf(hunk).every((run) => isHeld(base, hunk, run)));
}

/**
 * The damage left every run of changes for itself. Where all context between two runs is gone, added lines of
 * the one meet removed lines of the other, and nobody can see on which side of the lost line they belong.
 * @param {Change} change @param {readonly Hunk[]} hunks
 */
export function keepsRuns(change, hunks) {
  return hunks.every((hunk, at) => {
    const before = change.hunks[at];
    return before !== undefined && runsOf(hunk).length === runsOf(before).length;
  });
}

/**
 * No hunk that only adds lines stands in the text already: such a diff may also be read as applied, and the
 * laws leave it out.
 * @param {Change} change @param {readonly Hunk[]} hunks
 */
export function addsWhatIsNew(change, hunks) {
  const base = change.lines.map(({ text }) => loosen(text)).filter((text) => text !== "");
  return hunks.every((hunk) => {
    if (hunk.lines.some(({ sign }) => sign === "-") || !hunk.lines.some(({ sign }) => sign === "+"))
      return true;
    const block = hunk.lines.map(({ text }) => loosen(text)).filter((text) => text !== "");
    return block.length > 0 && placesOf(base, block).length === 0;
  });
}

/** The hunk adds lines, and with its context they stand in the text already. @param {Change} change @param {Hunk} hunk */
export function standsMade(change, { lines }) {
  const base = change.lines.map(({ text }) => loosen(text)).filter((text) => text !== "");
  const fresh = lines.filter(({ sign, text }) => sign !== "-" && loosen(text) !== "");
  const adds = fresh.some(({ sign }) => sign === "+");
  return (
    adds &&
    placesOf(
      base,
      fresh.map(({ text }) => loosen(text)),
    ).length > 0
  );
}

/** No line of the text is like this one. @param {Change} change @param {string} text */
export function isForeign(change, text) {
  const wanted = loosen(text);
  return !isBlank(text) && !change.lines.some((line) => loosen(line.text) === wanted);
}

/** @param {Hunk} hunk */
export function oldLines({ lines }) {
  return lines.filter(({ sign }) => sign !== "+");
}

/** The maximal stretches of changed lines, as half-open ranges of `lines`. @param {Hunk} hunk */
export function runsOf({ lines }) {
  const runs = [];
  for (let at = 0; at < lines.length; at++) {
    if (lines[at]?.sign === " ") continue;
    const from = at;
    while (at < lines.length && lines[at]?.sign !== " ") at++;
    runs.push({ from, to: at });
  }
  return runs;
}

/** @param {readonly string[]} base @param {readonly string[]} block */
export function placesOf(base, block) {
  const places = [];
  for (let at = 0; at + block.length <= base.length; at++) {
    let n = 0;
    while (n < block.length && base[at + n] === block[n]) n++;
    if (n === block.length) places.push(at);
  }
  return places;
}

/**
 * A hunk's old lines, and how many of them stand before its first change and behind its last.
 * @typedef {{ readonly keys: readonly string[], readonly lead: number, readonly trail: number }} Block
 * @param {Hunk} hunk @param {(text: string) => string} keyOf @param {boolean} skipsBlank @returns {Block}
 */
function blockOf({ lines }, keyOf, skipsBlank) {
  const kept = lines.filter(({ sign, text }) => sign === "+" || !skipsBlank || keyOf(text) !== "");
  const first = kept.findIndex(({ sign }) => sign !== " ");
  const last = kept.findLastIndex(({ sign }) => sign !== " ");
  const keys = kept.filter(({ sign }) => sign !== "+").map(({ text }) => keyOf(text));
  return { keys, lead: Math.max(0, first), trail: kept.length - 1 - Math.max(last, first) };
}

/**
 * In how many ways the blocks stand in order; 2 means "several". What they change is disjoint, but they may
 * share context, as the hunks of models do.
 * @param {readonly string[]} base @param {readonly Block[]} blocks
 */
function countPlacements(base, blocks) {
  if (blocks.some(({ keys }) => keys.length === 0)) return 2;
  /** Ways to place the blocks so far so that what they change ends at or before each line. */
  let ways = Array.from({ length: base.length + 1 }, () => 1);
  for (const { keys, lead, trail } of blocks) {
    const next = Array.from({ length: base.length + 1 }, () => 0);
    for (const start of placesOf(base, keys)) {
      const end = start + keys.length - trail;
      next[end] = Math.min(2, (next[end] ?? 0) + (ways[start + lead] ?? 0));
    }
    for (let end = 1; end <= base.length; end++)
      next[end] = Math.min(2, (next[end] ?? 0) + (next[end - 1] ?? 0));
    ways = next;
  }
  return ways[base.length] ?? 0;
}

/** @param {readonly string[]} base @param {Hunk} hunk @param {{ from: number, to: number }} run */
function isHeld(base, hunk, { from, to }) {
  const removed = hunk.lines.slice(from, to).filter(({ sign }) => sign === "-");
  const before = hunk.lines.slice(Math.max(0, from - 2), from);
  const after = hunk.lines.slice(to, to + 2);
  const block = [...touching(before.reverse(), removed[0]?.at ?? after[0]?.at, -1).reverse(), ...removed];
  if (removed.length > 0) {
    block.push(...touching(after, removed.at(-1)?.at, 1));
  } else {
    const point = hunk.lines[from]?.at;
    if (before.length > 0 && before[0]?.at !== (point ?? 0) - 1) return false;
    if (after.length > 0 && after[0]?.at !== point) return false;
    block.push(...(after.length > 0 ? touching(after, (point ?? 0) - 1, 1) : chain(before)));
  }
  const keys = block.map(({ text }) => loosen(text));
  return keys.some((key) => key !== "") && placesOf(base, keys).length === 1;
}

/** The lines that truly follow each other from `at` on, in one direction. @param {readonly HunkLine[]} lines @param {number | undefined} at @param {1 | -1} step */
function touching(lines, at, step) {
  const out = [];
  let last = at;
  for (const line of lines) {
    if (last === undefined || line.at !== last + step) break;
    out.push(line);
    last = line.at;
  }
  return out;
}

/** The nearest lines before an insertion at the end of a hunk, last one first. @param {readonly HunkLine[]} before */
function chain(before) {
  const [nearest] = before;
  if (nearest?.at === undefined) return [];
  return [nearest, ...touching(before.slice(1), nearest.at, -1)].reverse();
}
