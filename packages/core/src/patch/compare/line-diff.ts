import { eachLineInSteps } from "../../text/index.js";
import { finish, type Steps } from "../model/steps.js";
import type { LineChange } from "../model/types.js";
import { commonRuns } from "./common-runs.js";
import { keptLines, type LinesInSteps, type SearchOfRuns } from "./kept-lines.js";

/**
 * The changes between two texts, line by line; a changed ending counts. What both begin and end with is
 * passed over without being cut into lines.
 *
 * @param limitMs as for `diffLines`.
 */
export function diffTexts(before: string, after: string, limitMs: number): readonly LineChange[] {
  return finish(diffTextsInSteps(before, after, limitMs));
}

/** The same in steps. Of the larger text no lines are held, but for a text whose lines end with `\r` alone. */
export function* diffTextsInSteps(
  before: string,
  after: string,
  limitMs: number,
): Steps<readonly LineChange[]> {
  if (!newlinesEndLines(before, after)) {
    const [old, fresh] = [yield* linesOf(before), yield* linesOf(after)];
    return yield* diffLinesInSteps(old, fresh, limitMs);
  }
  const head = yield* commonHead(before, after);
  const tail = yield* commonTail(before, after, head);
  const old = linesBetween(before, head, before.length - tail);
  const fresh = linesBetween(after, head, after.length - tail);
  const smaller = before.length < after.length ? "old" : "new";
  const changes = yield* diffMiddle(old, fresh, { smaller, limitMs });
  const above = changes.length === 0 ? 0 : yield* countNewlines(before, head);
  return above === 0 ? changes : changes.map((change) => moveBy(change, above));
}

function newlinesEndLines(...texts: readonly string[]): boolean {
  return texts.every((text) => text.includes("\n") || !text.includes("\r"));
}

/** How many units both texts begin with; whole stretches are compared first, and units in the one that differs. */
export function* unitsAlike(before: string, after: string): Steps<number> {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at + stretch <= shorter && before.slice(at, at + stretch) === after.slice(at, at + stretch)) {
    at += stretch;
    yield;
  }
  while (at < shorter && before.charCodeAt(at) === after.charCodeAt(at)) at += 1;
  return at;
}

/** How many units both texts end with, at most so many. */
export function* unitsAlikeAtEnd(before: string, after: string, most: number): Steps<number> {
  const endOf = (text: string, from: number) => text.slice(text.length - from - stretch, text.length - from);
  let units = 0;
  while (units + stretch <= most && endOf(before, units) === endOf(after, units)) {
    units += stretch;
    yield;
  }
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
function* commonHead(before: string, after: string): Steps<number> {
  const at = yield* unitsAlike(before, after);
  return at === 0 ? 0 : before.lastIndexOf("\n", at - 1) + 1;
}

/** How many units of whole lines both texts end with, behind what they begin with. */
function* commonTail(before: string, after: string, head: number): Steps<number> {
  const units = yield* unitsAlikeAtEnd(before, after, Math.min(before.length, after.length) - head);
  const beginsLine = (text: string) => units === text.length || text[text.length - units - 1] === "\n";
  if (beginsLine(before) && beginsLine(after)) return units;
  const newline = before.indexOf("\n", before.length - units);
  return newline < 0 ? 0 : before.length - newline - 1;
}

/** The lines between two offsets, with their newlines. */
function linesBetween(text: string, from: number, to: number): LinesInSteps {
  return function* (take) {
    let count = 0;
    for (let at = from; at < to; count++) {
      const newline = text.indexOf("\n", at);
      const end = newline < 0 || newline >= to ? to : newline + 1;
      take(text.slice(at, end));
      at = end;
      if (count % stepLines === stepLines - 1) yield;
    }
    return count;
  };
}

/** Cut out and put into a table in a millisecond or two. */
const stepLines = 2_048;

function* countNewlines(text: string, to: number): Steps<number> {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) {
    count += 1;
    if (count % stepLines === 0) yield;
  }
  return count;
}

/** Lines with their endings, so that a changed one is seen. */
function* linesOf(text: string): Steps<readonly string[]> {
  const lines: string[] = [];
  yield* eachLineInSteps(text, (content, ending) => lines.push(content + ending));
  return lines;
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
  return finish(diffLinesInSteps(before, after, limitMs));
}

/** The same in steps. */
function* diffLinesInSteps(
  before: readonly string[],
  after: readonly string[],
  limitMs: number,
): Steps<readonly LineChange[]> {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) if (++head % stepLines === 0) yield;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail))
    if (++tail % stepLines === 0) yield;
  const old = elementsBetween(before, head, before.length - tail);
  const fresh = elementsBetween(after, head, after.length - tail);
  const smaller = before.length < after.length ? "old" : "new";
  const changes = yield* diffMiddle(old, fresh, { smaller, limitMs });
  return head === 0 ? changes : changes.map((change) => moveBy(change, head));
}

function elementsBetween(lines: readonly string[], from: number, to: number): LinesInSteps {
  return function* (take) {
    for (let at = from; at < to; at++) {
      take(lines[at] ?? "");
      if (at % stepLines === stepLines - 1) yield;
    }
    return to - from;
  };
}

/** The changes around the lines that were kept; all of it is one change where none was. */
function* diffMiddle(
  old: LinesInSteps,
  fresh: LinesInSteps,
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
