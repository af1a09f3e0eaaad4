/** The places that one hunk may take: all of the same shape, its change a fixed way below its start. */
export interface Candidate {
  /** Ascending. */
  readonly starts: ArrayLike<number>;
  /** Lines `start + coreFrom` to `start + coreTo` are what the hunk changes; equal for a pure insertion. */
  readonly coreFrom: number;
  readonly coreTo: number;
}

/** For each hunk the first and the last place it has in any assignment that keeps the order of the diff. */
export interface Assignments {
  readonly earliest: readonly number[];
  readonly latest: readonly number[];
}

/**
 * Places all hunks together, in the order of the diff, so that no two change the same line or insert at the
 * same point. Every place of a hunk between its earliest and its latest takes part in some assignment,
 * therefore there is exactly one where the two agree for all hunks.
 *
 * @returns undefined where no assignment exists. Cost: a binary search for each hunk.
 */
export function assignInOrder(candidates: readonly Candidate[]): Assignments | undefined {
  const earliest: number[] = [];
  let from = 0;
  let gapAt = -1;
  for (const candidate of candidates) {
    const isGap = candidate.coreFrom === candidate.coreTo;
    const least = isGap && gapAt === from ? from + 1 : from;
    const start = firstFrom(candidate.starts, least - candidate.coreFrom);
    if (start === undefined) return undefined;
    earliest.push(start);
    from = start + candidate.coreTo;
    gapAt = isGap ? from : -1;
  }
  return { earliest, latest: assignLatest(candidates) };
}

/** The same from the end; an assignment is known to exist. */
function assignLatest(candidates: readonly Candidate[]): readonly number[] {
  const latest: number[] = [];
  let to = Number.POSITIVE_INFINITY;
  let gapAt = -1;
  for (const candidate of candidates.toReversed()) {
    const isGap = candidate.coreFrom === candidate.coreTo;
    const most = isGap && gapAt === to ? to - 1 : to;
    const start = lastUpTo(candidate.starts, most - candidate.coreTo) ?? 0;
    latest.push(start);
    to = start + candidate.coreFrom;
    gapAt = isGap ? to : -1;
  }
  return latest.reverse();
}

/** The index of a hunk whose change collides with another's, whatever their order; undefined if none does. */
export function findCollision(
  candidates: readonly Candidate[],
  starts: readonly number[],
): number | undefined {
  const cores = candidates
    .map(({ coreFrom, coreTo }, at) => ({
      at,
      from: (starts[at] ?? 0) + coreFrom,
      to: (starts[at] ?? 0) + coreTo,
    }))
    .sort((one, other) => one.from - other.from || one.to - other.to);
  const collision = cores.find((core, n) => {
    const before = cores[n - 1];
    if (before === undefined) return false;
    const bothGaps = before.from === before.to && core.from === core.to;
    return core.from < before.to || (core.from === before.to && bothGaps);
  });
  return collision?.at;
}

/** Whether an ascending list holds a value. */
export function holds(ascending: ArrayLike<number>, value: number): boolean {
  return firstFrom(ascending, value) === value;
}

/** The first value of an ascending list that is not below `least`. */
export function firstFrom(ascending: ArrayLike<number>, least: number): number | undefined {
  return ascending[countBelow(ascending, least)];
}

/** The last value of an ascending list that is not above `most`. */
export function lastUpTo(ascending: ArrayLike<number>, most: number): number | undefined {
  return ascending[countBelow(ascending, most + 1) - 1];
}

function countBelow(ascending: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
