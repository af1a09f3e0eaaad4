import { countEndings, eachLine, type LineEnding, mostOften } from "../../text/index.js";
import type { Steps } from "../model/steps.js";
import { type CommonRun, commonRuns } from "./common-runs.js";
import { type KeptLines, keptLines } from "./kept-lines.js";

/**
 * Gives a new text the line endings of the one it replaces. Models write `\n`; a file that has others keeps
 * them: a kept line its own, a new line that of the line it replaces or stands beside. Whether the text ends with a newline is as
 * `content` says.
 *
 * @returns `content` as it is where it has a `\r` itself, or where the old text has only `\n`.
 */
export function* carryEndings(before: string, content: string): Steps<string> {
  if (content.includes("\r") || !before.includes("\r")) return content;
  const counts = countEndings(before);
  const kinds = [...counts.keys()].filter((ending) => ending !== "");
  const common = mostOften(counts);
  // A text without any newline whose lone `\r` are content has no endings to carry.
  if (kinds.length <= 1) return common === "\n" ? content : content.replaceAll("\n", common);
  const carried = carriedEndings(before, yield* matchLines(before, content));
  let beside: LineEnding = carried.find((ending) => ending !== undefined) ?? common;
  const parts: string[] = [];
  let at = 0;
  for (const line of eachLine(content)) {
    beside = carried[at] ?? beside;
    parts.push(line.content, line.ending === "" ? "" : beside);
    at += 1;
  }
  return parts.join("");
}

/**
 * Of each new line the ending of the old one that it was kept from or stands in the place of, if there is one and that
 * has an ending. Between two kept lines the first new one stands in the place of the first old one, and so on.
 */
function carriedEndings(before: string, kept: KeptLines): readonly (LineEnding | undefined)[] {
  const carried = new Array<LineEnding | undefined>(kept.newCount).fill(undefined);
  let [line, next, place] = [0, 0, 0];
  for (const { ending } of eachLine(before)) {
    const nextKept = kept.fresh[next] ?? kept.newCount;
    if (line === kept.old[next]) {
      place = nextKept;
      next += 1;
    }
    if (place < (kept.fresh[next] ?? kept.newCount)) carried[place++] = ending || undefined;
    line += 1;
  }
  return carried;
}

/** The lines without their terminators that the new text kept from the old one. */
function matchLines(before: string, content: string): Steps<KeptLines> {
  const smaller = before.length < content.length ? "old" : "new";
  return keptLines(contentsOf(before), contentsOf(content), { smaller, search: boundedRuns });
}

function* contentsOf(text: string): Generator<string, void, void> {
  for (const { content } of eachLine(text)) yield content;
}

/**
 * What two lists have in common, with a bound on the work that is the same on each machine. What both begin and end
 * with is always found. Of the rest it is the longest there is; where finding that is too much work, it is what goes by
 * the numbers that each list has once ("patience diff", Bram Cohen).
 *
 * Example: old `1 2 9 3 9 4 5`, new `1 9 4 9 3 2 5`. Common are `1` at the beginning and `5` at the end. Between them 2,
 * 3 and 4 stand once in each, in no common order but each by itself: one of them is kept, with equal neighbours.
 */
export function* boundedRuns(
  old: Int32Array,
  fresh: Int32Array,
  mostWork = usualWork,
): Steps<readonly CommonRun[]> {
  const head = alike(old, fresh, (list, at) => list[at]);
  const [oldRest, freshRest] = [old.subarray(head), fresh.subarray(head)];
  const tail = alike(oldRest, freshRest, (list, at) => list[list.length - 1 - at]);
  const oldMiddle = oldRest.subarray(0, oldRest.length - tail);
  const freshMiddle = freshRest.subarray(0, freshRest.length - tail);
  const between =
    (yield* commonRuns(oldMiddle, freshMiddle, { most: mostWork, of: "work" })) ??
    runsAroundSingles(oldMiddle, freshMiddle);
  const runs = between.map(({ oldAt, newAt, length }) => ({
    oldAt: oldAt + head,
    newAt: newAt + head,
    length,
  }));
  if (head > 0) runs.unshift({ oldAt: 0, newAt: 0, length: head });
  if (tail > 0) runs.push({ oldAt: old.length - tail, newAt: fresh.length - tail, length: tail });
  return runs;
}

/** About half a second of work. */
const usualWork = 1 << 24;

/** How many numbers of two lists are the same from one end on. */
function alike(
  old: Int32Array,
  fresh: Int32Array,
  numberAt: (list: Int32Array, at: number) => number | undefined,
): number {
  const shorter = Math.min(old.length, fresh.length);
  let at = 0;
  while (at < shorter && numberAt(old, at) === numberAt(fresh, at)) at += 1;
  return at;
}

/** The runs around the numbers that each list has once, of these as many as stand in the same order. */
function runsAroundSingles(old: Int32Array, fresh: Int32Array): readonly CommonRun[] {
  const rising = longestRising(onceInBoth(old, fresh));
  const runs: CommonRun[] = [];
  let [oldEnd, newEnd] = [0, 0];
  for (const single of rising) {
    // The run before may hold this one: an equal number that each list has once is at the same place.
    if (single.old < oldEnd) continue;
    let [oldAt, newAt] = [single.old, single.fresh];
    while (oldAt > oldEnd && newAt > newEnd && old[oldAt - 1] === fresh[newAt - 1]) {
      oldAt -= 1;
      newAt -= 1;
    }
    [oldEnd, newEnd] = [single.old + 1, single.fresh + 1];
    while (oldEnd < old.length && newEnd < fresh.length && old[oldEnd] === fresh[newEnd]) {
      oldEnd += 1;
      newEnd += 1;
    }
    runs.push({ oldAt, newAt, length: oldEnd - oldAt });
  }
  return runs;
}

/** Where a number stands in both lists. */
interface SingleInBoth {
  readonly old: number;
  readonly fresh: number;
}

/** The numbers that each of two lists has once, in the order of the old one. */
function onceInBoth(old: Int32Array, fresh: Int32Array): readonly SingleInBoth[] {
  const places = placesOfSingles(fresh);
  const singles: SingleInBoth[] = [];
  for (const [id, at] of placesOfSingles(old)) {
    const place = places.get(id);
    if (at !== several && place !== undefined && place !== several) singles.push({ old: at, fresh: place });
  }
  return singles;
}

/** By number, in the order of their first places: where it stands, or `several`. */
function placesOfSingles(list: Int32Array): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  for (let at = 0; at < list.length; at++) {
    const id = list[at] ?? 0;
    places.set(id, places.has(id) ? several : at);
  }
  return places;
}

const several = -1;

/** Of pairs in the order of the old list as many as possible that stand in the same order in the new one. */
function longestRising(singles: readonly SingleInBoth[]): readonly SingleInBoth[] {
  /** By length: the index of the pair with which a row of that length ends earliest in the new list. */
  const ends: number[] = [];
  const before = new Int32Array(singles.length);
  const placeOf = (index: number | undefined) => singles[index ?? -1]?.fresh ?? -1;
  for (const [index, { fresh }] of singles.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (placeOf(ends[middle]) < fresh) low = middle + 1;
      else high = middle;
    }
    before[index] = ends[low - 1] ?? none;
    ends[low] = index;
  }
  const rising: SingleInBoth[] = [];
  for (let index = ends.at(-1) ?? none; index !== none; index = before[index] ?? none) {
    const single = singles[index];
    if (single !== undefined) rising.push(single);
  }
  return rising.reverse();
}

const none = -1;
