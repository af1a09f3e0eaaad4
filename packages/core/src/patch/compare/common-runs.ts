import type { Steps } from "../model/steps.js";

/** A run of numbers that two lists have in common: where it begins in each, and how long it is. */
export interface CommonRun {
  readonly oldAt: number;
  readonly newAt: number;
  readonly length: number;
}

/** Milliseconds of the search alone, without what others do between two steps; or its work, the same on each machine. */
interface SearchLimit {
  readonly most: number;
  /** Of work, a diagonal or a number looked at counts 1. */
  readonly of: "ms" | "work";
}

/**
 * What two lists of numbers have in common, in order, as long as can be: the greedy search of Myers ("An O(ND)
 * Difference Algorithm", 1986), in steps. A path ends on a diagonal, old position minus new one; with each round it may
 * leave out one more number of either list, and then takes all that both have there.
 *
 * @returns undefined where the limit was not enough.
 */
export function* commonRuns(
  old: Int32Array,
  fresh: Int32Array,
  limit: SearchLimit,
): Steps<readonly CommonRun[] | undefined> {
  const paths = new Paths(old, fresh);
  if (paths.begin()) return paths.runsTo(0);
  let left = limit.most;
  let since = Date.now();
  for (let round = 1; ; round++) {
    const lowest = 2 * Math.max(0, round - fresh.length) - round;
    const highest = round - 2 * Math.max(0, round - old.length);
    for (let diagonal = lowest; diagonal <= highest; diagonal += 2) {
      if (paths.extend(diagonal)) return paths.runsTo(diagonal);
      if (paths.work < stepWork) continue;
      left -= limit.of === "ms" ? Date.now() - since : paths.work;
      paths.work = 0;
      if (left < 0) return undefined;
      yield;
      since = Date.now();
    }
  }
}

/** Diagonals and numbers looked at: in about a millisecond. */
const stepWork = 1 << 15;

/** The furthest path on each diagonal, and the runs that it took. */
class Paths {
  work = 0;
  /** By diagonal: one more than the old position that was reached; 0 where no path ends. */
  private readonly reached: Int32Array;
  /** By diagonal: one more than the index of the path's last run; 0 for a path without. */
  private readonly lastRun: Int32Array;
  private readonly middle: number;
  private readonly runs: (CommonRun & { readonly before: number })[] = [];

  constructor(
    private readonly old: Int32Array,
    private readonly fresh: Int32Array,
  ) {
    this.middle = fresh.length + 1;
    this.reached = new Int32Array(old.length + fresh.length + 3);
    this.lastRun = new Int32Array(this.reached.length);
  }

  /** The round in which nothing is left out. @returns as `extend`. */
  begin(): boolean {
    return this.goOn(0, 0, 0);
  }

  /**
   * The next round on one diagonal: from the neighbour that came further; where both did, a number of the old list is
   * left out first.
   *
   * @returns whether its path comes to the end of both lists.
   */
  extend(diagonal: number): boolean {
    const at = this.middle + diagonal;
    const [below, above] = [this.reached[at - 1] ?? 0, this.reached[at + 1] ?? 0];
    const removes = below > 0 && below <= this.old.length;
    const adds = above > 0 && above - 1 - diagonal <= this.fresh.length;
    this.work += 1;
    if (adds && !(removes && below >= above))
      return this.goOn(diagonal, above - 1, this.lastRun[at + 1] ?? 0);
    if (removes) return this.goOn(diagonal, below, this.lastRun[at - 1] ?? 0);
    this.reached[at] = 0;
    return false;
  }

  /** The runs of the path on a diagonal, in order. */
  runsTo(diagonal: number): readonly CommonRun[] {
    const runs: CommonRun[] = [];
    for (let next = this.lastRun[this.middle + diagonal] ?? 0; next > 0; ) {
      const run = this.runs[next - 1];
      if (run === undefined) break;
      runs.push({ oldAt: run.oldAt, newAt: run.newAt, length: run.length });
      next = run.before;
    }
    return runs.reverse();
  }

  private goOn(diagonal: number, oldAt: number, before: number): boolean {
    const { old, fresh } = this;
    const newAt = oldAt - diagonal;
    let length = 0;
    while (
      oldAt + length < old.length &&
      newAt + length < fresh.length &&
      old[oldAt + length] === fresh[newAt + length]
    )
      length += 1;
    this.work += length;
    const at = this.middle + diagonal;
    this.lastRun[at] = length === 0 ? before : this.runs.push({ oldAt, newAt, length, before });
    this.reached[at] = oldAt + length + 1;
    return oldAt + length === old.length && newAt + length === fresh.length;
  }
}
