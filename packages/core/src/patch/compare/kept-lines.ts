import type { Steps } from "../model/steps.js";
import type { CommonRun } from "./common-runs.js";

/** The lines that a new list kept from an old one: pairs of positions, 0-based, in order. */
export interface KeptLines {
  readonly old: Int32Array;
  readonly fresh: Int32Array;
  readonly oldCount: number;
  readonly newCount: number;
}

/** What two lists of numbers have in common, in order. */
export type SearchOfRuns = (old: Int32Array, fresh: Int32Array) => Steps<readonly CommonRun[]>;

/**
 * Which lines of one list were kept from another, in steps. Only of the lines of the smaller one are any held: of a
 * million others no more than numbers, where they stand on both sides.
 *
 * @param smaller whose lines are held.
 * @param search finds what two lists have in common, given as numbers: the lines that stand on both sides.
 */
export function* keptLines(
  old: Iterable<string>,
  fresh: Iterable<string>,
  { smaller, search }: { readonly smaller: "old" | "new"; readonly search: SearchOfRuns },
): Steps<KeptLines> {
  const ids = new Map<string, number>();
  const held = new Numbers();
  for (const line of smaller === "old" ? old : fresh) {
    const id = ids.get(line) ?? ids.size;
    if (id === ids.size) ids.set(line, id);
    held.push(id);
    if (held.length % stepLines === 0) yield;
  }
  const isOnBoth = new Uint8Array(ids.size);
  const other = { at: new Numbers(), id: new Numbers() };
  let otherCount = 0;
  for (const line of smaller === "old" ? fresh : old) {
    const id = ids.get(line);
    if (id !== undefined) {
      isOnBoth[id] = 1;
      other.at.push(otherCount);
      other.id.push(id);
    }
    otherCount += 1;
    if (otherCount % stepLines === 0) yield;
  }
  // A line that only one side has cannot be kept, and comparing it costs most.
  const both = onBothSides(held.values(), isOnBoth);
  const sides = [both, { at: other.at.values(), id: other.id.values() }] as const;
  const [then, now] = smaller === "old" ? sides : [sides[1], sides[0]];
  const [oldCount, newCount] = smaller === "old" ? [held.length, otherCount] : [otherCount, held.length];
  const runs = then.id.length === 0 ? [] : yield* search(then.id, now.id);
  const kept = { old: new Numbers(), fresh: new Numbers() };
  for (const { oldAt, newAt, length } of runs) {
    for (let at = 0; at < length; at++) {
      kept.old.push(then.at[oldAt + at] ?? 0);
      kept.fresh.push(now.at[newAt + at] ?? 0);
    }
  }
  return { old: kept.old.values(), fresh: kept.fresh.values(), oldCount, newCount };
}

function onBothSides(ids: Int32Array, isOnBoth: Uint8Array) {
  const [at, id] = [new Numbers(), new Numbers()];
  for (let position = 0; position < ids.length; position++) {
    const one = ids[position] ?? 0;
    if (isOnBoth[one] === 1) {
      at.push(position);
      id.push(one);
    }
  }
  return { at: at.values(), id: id.values() };
}

/** Cut out and put into a table in a millisecond or two. */
export const stepLines = 2_048;

/** A list of numbers that grows, four bytes each. */
class Numbers {
  private list = new Int32Array(64);
  length = 0;

  push(value: number): void {
    if (this.length === this.list.length) {
      const longer = new Int32Array(this.length * 2);
      longer.set(this.list);
      this.list = longer;
    }
    this.list[this.length] = value;
    this.length += 1;
  }

  values(): Int32Array {
    return this.list.subarray(0, this.length);
  }
}
