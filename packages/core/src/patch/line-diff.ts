import { diffArrays } from "diff";

/** Lines `oldFrom` to `oldTo` (after the last, 0-based) were replaced by `newFrom` to `newTo`. */
export interface LineChange {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
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
  const old = placesWhere(before, (text) => fresh.has(text));
  const kept = placesWhere(after, (text) => ids.has(text));
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

function placesWhere(lines: readonly string[], holds: (text: string) => boolean): readonly number[] {
  const places: number[] = [];
  for (const [at, text] of lines.entries()) if (holds(text)) places.push(at);
  return places;
}

function moveBy(change: LineChange, lines: number): LineChange {
  return {
    oldFrom: change.oldFrom + lines,
    oldTo: change.oldTo + lines,
    newFrom: change.newFrom + lines,
    newTo: change.newTo + lines,
  };
}
