import { diffArrays } from "diff";
import { splitLinesInSteps } from "../../text/index.js";
import { finish, mapInSteps, type Steps } from "../model/steps.js";
import type { LineChange } from "../model/types.js";

/**
 * The changes between two texts, line by line; a changed ending counts. What both begin and end with is
 * passed over without being cut into lines.
 *
 * @param limitMs as for `diffLines`.
 */
export function diffTexts(before: string, after: string, limitMs: number): readonly LineChange[] {
  return finish(diffTextsInSteps(before, after, limitMs));
}

/** The same in steps; one of them, the comparing itself, may take `limitMs`. */
export function* diffTextsInSteps(
  before: string,
  after: string,
  limitMs: number,
): Steps<readonly LineChange[]> {
  const newlinesEndLines = [before, after].every((text) => text.includes("\n") || !text.includes("\r"));
  if (!newlinesEndLines) {
    const [old, fresh] = [yield* linesOf(before), yield* linesOf(after)];
    return yield* diffLinesInSteps(old, fresh, limitMs);
  }
  const head = yield* commonHead(before, after);
  const tail = yield* commonTail(before, after, head);
  const old = yield* linesBetween(before, head, before.length - tail);
  const fresh = yield* linesBetween(after, head, after.length - tail);
  const changes = yield* diffLinesInSteps(old, fresh, limitMs);
  const above = changes.length === 0 ? 0 : yield* countNewlines(before, head);
  return above === 0 ? changes : changes.map((change) => moveBy(change, above));
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
  const newline = before.indexOf("\n", before.length - units);
  return newline < 0 ? 0 : before.length - newline - 1;
}

/** The lines between two offsets, with their newlines. */
function* linesBetween(text: string, from: number, to: number): Steps<readonly string[]> {
  const lines: string[] = [];
  for (let at = from; at < to; ) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 || newline >= to ? to : newline + 1;
    lines.push(text.slice(at, end));
    at = end;
    if (lines.length % stepLines === 0) yield;
  }
  return lines;
}

/** Cut out, or put into a table, in some milliseconds. */
const stepLines = 8_192;

function* countNewlines(text: string, to: number): Steps<number> {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) {
    count += 1;
    if (count % stepLines === 0) yield;
  }
  return count;
}

/** Lines with their endings, so that a changed one is seen. */
export function* linesOf(text: string): Steps<readonly string[]> {
  const { contents, endings } = yield* splitLinesInSteps(text);
  return yield* mapInSteps(contents, (line, at) => line + (endings[at] ?? ""), stepLines);
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

/** The same in steps; one of them, the comparing itself, may take `limitMs`. */
export function* diffLinesInSteps(
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
  const whole = { oldFrom: head, oldTo: before.length - tail, newFrom: head, newTo: after.length - tail };
  if (whole.oldFrom === whole.oldTo && whole.newFrom === whole.newTo) return [];
  if (whole.oldFrom === whole.oldTo || whole.newFrom === whole.newTo) return [whole];
  const middle = yield* diffMiddle(before.slice(head, whole.oldTo), after.slice(head, whole.newTo), limitMs);
  return middle?.map((change) => moveBy(change, head)) ?? [whole];
}

function* diffMiddle(
  before: readonly string[],
  after: readonly string[],
  limitMs: number,
): Steps<readonly LineChange[] | undefined> {
  const ids = yield* numbered(before);
  const fresh = yield* numbered(after);
  // A line that only one side has cannot be kept, and comparing it costs most.
  const old = yield* positionsWhere(before, (text) => fresh.has(text));
  const kept = yield* positionsWhere(after, (text) => ids.has(text));
  if (old.length === 0 || kept.length === 0) return undefined;
  const idOf = (text: string | undefined) => ids.get(text ?? "") ?? -1;
  const oldIds = yield* mapInSteps(old, (at) => idOf(before[at]), stepLines);
  const keptIds = yield* mapInSteps(kept, (at) => idOf(after[at]), stepLines);
  yield;
  const parts = diffArrays([...oldIds], [...keptIds], { timeout: limitMs });
  yield;
  if (parts === undefined) return undefined;
  const changes: LineChange[] = [];
  let [oldDone, newDone, oldAt, newAt] = [0, 0, 0, 0];
  const closeAt = (oldTo: number, newTo: number) => {
    if (oldTo > oldDone || newTo > newDone)
      changes.push({ oldFrom: oldDone, oldTo, newFrom: newDone, newTo });
  };
  for (const part of parts) {
    for (let n = 0; n < part.value.length && !part.added && !part.removed; n++) {
      const [oldTo, newTo] = [old[oldAt + n] ?? 0, kept[newAt + n] ?? 0];
      closeAt(oldTo, newTo);
      [oldDone, newDone] = [oldTo + 1, newTo + 1];
    }
    if (!part.added) oldAt += part.value.length;
    if (!part.removed) newAt += part.value.length;
  }
  closeAt(before.length, after.length);
  return changes;
}

/** Equal lines have one number. */
function* numbered(lines: readonly string[]): Steps<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  for (const [at, text] of lines.entries()) {
    if (!ids.has(text)) ids.set(text, ids.size);
    if (at % stepLines === stepLines - 1) yield;
  }
  return ids;
}

function* positionsWhere(
  lines: readonly string[],
  matches: (text: string) => boolean,
): Steps<readonly number[]> {
  const positions: number[] = [];
  for (const [at, text] of lines.entries()) {
    if (matches(text)) positions.push(at);
    if (at % stepLines === stepLines - 1) yield;
  }
  return positions;
}

function moveBy(change: LineChange, lines: number): LineChange {
  return {
    oldFrom: change.oldFrom + lines,
    oldTo: change.oldTo + lines,
    newFrom: change.newFrom + lines,
    newTo: change.newTo + lines,
  };
}
