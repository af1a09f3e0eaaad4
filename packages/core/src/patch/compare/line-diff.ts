import { eachLine } from "../../text/index.js";
import { finish, type Steps } from "../model/steps.js";
import type { LineChange } from "../model/types.js";
import { commonRuns } from "./common-runs.js";
import { keptLines, type SearchOfRuns, stepLines } from "./kept-lines.js";

/**
 * The changes between two texts, line by line; a changed ending counts. What both begin and end with is
 * passed over without being cut into lines.
 *
 * @param limitMs as for `diffLines`.
 */
export function diffTexts(before: string, after: string, limitMs: number): readonly LineChange[] {
  return finish(diffSteps(before, after, limitMs));
}

/** The same in steps. Of the larger text no lines are held, but for a text whose lines end with `\r` alone. */
export function* diffSteps(before: string, after: string, limitMs: number): Steps<readonly LineChange[]> {
  if (!newlinesEndLines(before, after)) {
    const [old, fresh] = [linesOf(before), linesOf(after)];
    return yield* diffLists(old, fresh, limitMs);
  }
  const head = commonHead(before, after);
  const tail = commonTail(before, after, head);
  const old = linesBetween(before, head, before.length - tail);
  const fresh = linesBetween(after, head, after.length - tail);
  const smaller = before.length < after.length ? "old" : "new";
  const changes = yield* diffMiddle(old, fresh, { smaller, limitMs });
  const above = changes.length === 0 ? 0 : countNewlines(before, head);
  return above === 0 ? changes : changes.map((change) => moveBy(change, above));
}

function newlinesEndLines(...texts: readonly string[]): boolean {
  return texts.every((text) => text.includes("\n") || !text.includes("\r"));
}

/** How many units both texts begin with; whole stretches are compared first, and units in the one that differs. */
export function unitsAlike(before: string, after: string): number {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at + stretch <= shorter && before.slice(at, at + stretch) === after.slice(at, at + stretch))
    at += stretch;
  while (at < shorter && before.charCodeAt(at) === after.charCodeAt(at)) at += 1;
  return at;
}

/** How many units both texts end with, at most so many. */
export function unitsAlikeAtEnd(before: string, after: string, most: number): number {
  const endOf = (text: string, from: number) => text.slice(text.length - from - stretch, text.length - from);
  let units = 0;
  while (units + stretch <= most && endOf(before, units) === endOf(after, units)) units += stretch;
  while (
    units < most &&
    before.charCodeAt(before.length - 1 - units) === after.charCodeAt(after.length - 1 - units)
  )
    units += 1;
  return units;
}

/** In UTF-16 units. */
const stretch = 1 << 15;

/** How many units of whole lines both texts begin with. */
function commonHead(before: string, after: string): number {
  const at = unitsAlike(before, after);
  return at === 0 ? 0 : before.lastIndexOf("\n", at - 1) + 1;
}

/** How many units of whole lines both texts end with, behind what they begin with. */
function commonTail(before: string, after: string, head: number): number {
  const units = unitsAlikeAtEnd(before, after, Math.min(before.length, after.length) - head);
  const beginsLine = (text: string) => units === text.length || text[text.length - units - 1] === "\n";
  if (beginsLine(before) && beginsLine(after)) return units;
  const newline = before.indexOf("\n", before.length - units);
  return newline < 0 ? 0 : before.length - newline - 1;
}

/** The lines between two offsets, with their newlines. */
function* linesBetween(text: string, from: number, to: number): Generator<string, void, void> {
  for (let at = from; at < to; ) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 || newline >= to ? to : newline + 1;
    yield text.slice(at, end);
    at = end;
  }
}

function countNewlines(text: string, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Lines with their endings, so that a changed one is seen. */
function linesOf(text: string): readonly string[] {
  return Array.from(eachLine(text), ({ content, ending }) => content + ending);
}

/**
 * The changes between two lists of lines, in order. Quick where they begin and end alike; where comparing
 * the rest takes longer than `limitMs`, the rest is one change, which is true if not short.
 */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  limitMs: number,
): readonly LineChange[] {
  return finish(diffLists(before, after, limitMs));
}

/** The same in steps. */
function* diffLists(
  before: readonly string[],
  after: readonly string[],
  limitMs: number,
): Steps<readonly LineChange[]> {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const old = before.slice(head, before.length - tail);
  const fresh = after.slice(head, after.length - tail);
  const smaller = before.length < after.length ? "old" : "new";
  // Nothing can be kept where one side has no line left, or both have one: that of most places of an edit.
  const isOneChange = old.length === 0 || fresh.length === 0 || (old.length === 1 && fresh.length === 1);
  const changes = isOneChange
    ? wholeChange(old.length, fresh.length)
    : yield* diffMiddle(old, fresh, { smaller, limitMs });
  return head === 0 ? changes : changes.map((change) => moveBy(change, head));
}

function wholeChange(oldTo: number, newTo: number): readonly LineChange[] {
  return oldTo === 0 && newTo === 0 ? [] : [{ oldFrom: 0, oldTo, newFrom: 0, newTo }];
}

/** The changes around the lines that were kept; all of it is one change where none was. */
function* diffMiddle(
  old: Iterable<string>,
  fresh: Iterable<string>,
  { smaller, limitMs }: { readonly smaller: "old" | "new"; readonly limitMs: number },
): Steps<readonly LineChange[]> {
  const search: SearchOfRuns = function* (then, now) {
    return (yield* commonRuns(then, now, { most: limitMs, of: "ms" })) ?? [];
  };
  const kept = yield* keptLines(old, fresh, { smaller, search });
  const changes: LineChange[] = [];
  let [oldFrom, newFrom] = [0, 0];
  const closeAt = (oldTo: number, newTo: number) => {
    if (oldTo > oldFrom || newTo > newFrom) changes.push({ oldFrom, oldTo, newFrom, newTo });
  };
  for (let at = 0; at < kept.old.length; at++) {
    const [oldTo, newTo] = [kept.old[at] ?? 0, kept.fresh[at] ?? 0];
    closeAt(oldTo, newTo);
    [oldFrom, newFrom] = [oldTo + 1, newTo + 1];
    if (at % stepLines === stepLines - 1) yield;
  }
  closeAt(kept.oldCount, kept.newCount);
  return changes;
}

function moveBy(change: LineChange, lines: number): LineChange {
  return {
    oldFrom: change.oldFrom + lines,
    oldTo: change.oldTo + lines,
    newFrom: change.newFrom + lines,
    newTo: change.newTo + lines,
  };
}
