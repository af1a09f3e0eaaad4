/** The candidate positions of one hunk. Its change is a fixed number of lines below each start. */
export interface Candidate {
  /** Ascending. */
  readonly starts: ArrayLike<number>;
  /** Lines `start + coreFrom` to `start + coreTo` are what the hunk changes; equal for a pure insertion. */
  readonly coreFrom: number;
  readonly coreTo: number;
}

/** For each hunk its first and its last start in any assignment that keeps the order of the diff. */
export interface Assignments {
  readonly earliest: readonly number[];
  readonly latest: readonly number[];
}

/**
 * Assigns every hunk one of its candidate starts, in the order of the diff, so that no two hunks change the same
 * line or insert at the same point. The earliest assignment takes for each hunk, from the first one on, the first
 * start below the change before it; the latest does the same from the end.
 *
 * Why that proves uniqueness: in any assignment each hunk is at its earliest start or below (by induction, since
 * the change before it ends there or below), and at its latest or above. Both are assignments themselves.
 * Therefore there is exactly one assignment where the two agree for all hunks, and more than one where they
 * differ for any.
 *
 *     file    diff   result
 *     1 k=1   @@     1 k=1
 *     2 a     -a     2 A
 *     3 k=1   +A     3 k=2
 *             @@
 *             -k=1
 *             +k=2
 *
 * Candidates, 0-based: hunk 1 at 1, hunk 2 at 0 and 2. Earliest: hunk 1 takes 1 and ends before line 2, hunk 2
 * takes the first start from 2 on, which is 2. Latest: hunk 2 takes 2, hunk 1 must end at 2 or above, so it takes
 * 1. They agree: 1, 2.
 *
 *     file    diff   result
 *     1 a     @@     ambiguous 2, 3
 *     2 k=1   -a
 *     3 k=1   +A
 *             @@
 *             -k=1
 *             +k=2
 *
 * Earliest: 0, 1. Latest: 0, 2. They differ for hunk 2, so that no position of it is proved.
 *
 * @returns undefined where no assignment exists. Cost: a binary search for each hunk.
 */
export function assignInOrder(candidates: readonly Candidate[]): Assignments | undefined {
  const earliest: number[] = [];
  let from = 0;
  let insertionAt = -1;
  for (const candidate of candidates) {
    const isInsertion = candidate.coreFrom === candidate.coreTo;
    const least = isInsertion && insertionAt === from ? from + 1 : from;
    const start = firstAtLeast(candidate.starts, least - candidate.coreFrom);
    if (start === undefined) return undefined;
    earliest.push(start);
    from = start + candidate.coreTo;
    insertionAt = isInsertion ? from : -1;
  }
  return { earliest, latest: assignLatest(candidates) };
}

/** The same from the end; an assignment is known to exist. */
function assignLatest(candidates: readonly Candidate[]): readonly number[] {
  const latest: number[] = [];
  let to = Number.POSITIVE_INFINITY;
  let insertionAt = -1;
  for (const candidate of candidates.toReversed()) {
    const isInsertion = candidate.coreFrom === candidate.coreTo;
    const most = isInsertion && insertionAt === to ? to - 1 : to;
    const start = lastAtMost(candidate.starts, most - candidate.coreTo) ?? 0;
    latest.push(start);
    to = start + candidate.coreFrom;
    insertionAt = isInsertion ? to : -1;
  }
  return latest.reverse();
}

/** The index of a hunk whose change collides with another's, whatever their order; undefined if none does. */
export function findCollision(
  candidates: readonly Candidate[],
  starts: readonly number[],
): number | undefined {
  const fixed = candidates.map(({ coreFrom, coreTo }, at) => {
    const start = starts[at] ?? 0;
    return { at, starts: [0], coreFrom: start + coreFrom, coreTo: start + coreTo };
  });
  const ordered = fixed.toSorted((one, other) => one.coreFrom - other.coreFrom || one.coreTo - other.coreTo);
  const collides = (one: Candidate, n: number) =>
    assignInOrder([...ordered.slice(Math.max(0, n - 1), n), one]) === undefined;
  return ordered.find(collides)?.at;
}

/** Whether an ascending list contains a value. */
export function includesSorted(ascending: ArrayLike<number>, value: number): boolean {
  return firstAtLeast(ascending, value) === value;
}

/** The first value of an ascending list that is not below `least`. */
export function firstAtLeast(ascending: ArrayLike<number>, least: number): number | undefined {
  return ascending[countBelow(ascending, least)];
}

/** The last value of an ascending list that is not above `most`. */
function lastAtMost(ascending: ArrayLike<number>, most: number): number | undefined {
  return ascending[countBelow(ascending, most + 1) - 1];
}

/** The one value of an ascending list that is nearest to another, or the two that are equally near. */
export function nearestTo(ascending: ArrayLike<number>, wanted: number): readonly number[] {
  const at = countBelow(ascending, wanted);
  const near = [ascending[at - 1], ascending[at]].filter((one) => one !== undefined);
  const least = Math.min(...near.map((one) => Math.abs(one - wanted)));
  return near.filter((one) => Math.abs(one - wanted) === least);
}

/** How many values of an ascending list are below a limit. */
export function countBelow(ascending: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
