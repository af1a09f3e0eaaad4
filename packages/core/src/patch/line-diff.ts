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
  const intern = (text: string) => {
    const id = ids.get(text) ?? ids.size;
    ids.set(text, id);
    return id;
  };
  const parts = diffArrays(before.map(intern), after.map(intern), { timeout: limitMs });
  if (parts === undefined) return undefined;
  const changes: LineChange[] = [];
  let oldAt = 0;
  let newAt = 0;
  let open: { oldFrom: number; newFrom: number } | undefined;
  const close = () => {
    if (open !== undefined) changes.push({ ...open, oldTo: oldAt, newTo: newAt });
    open = undefined;
  };
  for (const part of parts) {
    const count = part.value.length;
    if (!part.added && !part.removed) close();
    else open ??= { oldFrom: oldAt, newFrom: newAt };
    if (!part.added) oldAt += count;
    if (!part.removed) newAt += count;
  }
  close();
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
