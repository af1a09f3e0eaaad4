import { diffArrays } from "diff";
import { splitLines } from "../../text/index.js";
import type { LineChange } from "../model/types.js";

/**
 * The changes between two texts, line by line; a changed ending counts. What both begin and end with is
 * passed over without being cut into lines.
 *
 * @param limitMs as for `diffLines`.
 */
export function diffTexts(before: string, after: string, limitMs: number): readonly LineChange[] {
  const newlinesEndLines = [before, after].every((text) => text.includes("\n") || !text.includes("\r"));
  if (!newlinesEndLines) return diffLines(linesOf(before), linesOf(after), limitMs);
  const head = commonHead(before, after);
  const tail = commonTail(before, after, head);
  const middle = (text: string) =>
    text
      .slice(head, text.length - tail)
      .split(/(?<=\n)/)
      .filter((line) => line !== "");
  const changes = diffLines(middle(before), middle(after), limitMs);
  const above = changes.length === 0 ? 0 : countNewlines(before, head);
  return above === 0 ? changes : changes.map((change) => moveBy(change, above));
}

/** How many units of whole lines both texts begin with. */
function commonHead(before: string, after: string): number {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at < shorter && before.charCodeAt(at) === after.charCodeAt(at)) at += 1;
  return at === 0 ? 0 : before.lastIndexOf("\n", at - 1) + 1;
}

/** How many units of whole lines both texts end with, behind what they begin with. */
function commonTail(before: string, after: string, head: number): number {
  const shorter = Math.min(before.length, after.length) - head;
  let units = 0;
  while (
    units < shorter &&
    before.charCodeAt(before.length - 1 - units) === after.charCodeAt(after.length - 1 - units)
  )
    units += 1;
  const newline = before.indexOf("\n", before.length - units);
  return newline < 0 ? 0 : before.length - newline - 1;
}

function countNewlines(text: string, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Lines with their endings, so that a changed one is seen. */
function linesOf(text: string): readonly string[] {
  const { contents, endings } = splitLines(text);
  return contents.map((line, at) => line + (endings[at] ?? ""));
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
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const whole = { oldFrom: head, oldTo: before.length - tail, newFrom: head, newTo: after.length - tail };
  if (whole.oldFrom === whole.oldTo && whole.newFrom === whole.newTo) return [];
  if (whole.oldFrom === whole.oldTo || whole.newFrom === whole.newTo) return [whole];
  const middle = diffMiddle(before.slice(head, whole.oldTo), after.slice(head, whole.newTo), limitMs);
  return middle?.map((change) => moveBy(change, head)) ?? [whole];
}

function diffMiddle(
  before: readonly string[],
  after: readonly string[],
  limitMs: number,
): readonly LineChange[] | undefined {
  const ids = new Map<string, number>();
  for (const text of before) if (!ids.has(text)) ids.set(text, ids.size);
  const fresh = new Set(after);
  // A line that only one side has cannot be kept, and comparing it costs most.
  const old = positionsWhere(before, (text) => fresh.has(text));
  const kept = positionsWhere(after, (text) => ids.has(text));
  if (old.length === 0 || kept.length === 0) return undefined;
  const idOf = (text: string | undefined) => ids.get(text ?? "") ?? -1;
  const parts = diffArrays(
    old.map((at) => idOf(before[at])),
    kept.map((at) => idOf(after[at])),
    { timeout: limitMs },
  );
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

function positionsWhere(lines: readonly string[], matches: (text: string) => boolean): readonly number[] {
  const positions: number[] = [];
  for (const [at, text] of lines.entries()) if (matches(text)) positions.push(at);
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
