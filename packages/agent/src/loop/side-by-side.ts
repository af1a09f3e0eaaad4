/** One of so many places at which jobs go on at once. */
export interface Place {
  /** Gives it up, and resolves once all jobs before this one have ended. */
  readonly earlier: () => Promise<void>;
  /** Takes one again, where it was given up and the job is not over after all. */
  readonly again: () => Promise<void>;
}

/** Runs jobs at the same time, at most so many at once; they begin in their order. */
export async function sideBySide<Job, Result>(
  jobs: readonly Job[],
  most: number,
  run: (job: Job, place: Place) => Promise<Result>,
): Promise<readonly Result[]> {
  let free = most;
  const waiting: (() => void)[] = [];
  const enter = async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  // A place goes to who waits for it: nobody else takes it meanwhile.
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const results: Promise<Result>[] = [];
  for (const job of jobs) {
    await enter();
    const before = Promise.allSettled([...results]);
    let isIn = true;
    const leaveOnce = () => {
      if (isIn) leave();
      isIn = false;
    };
    const earlier = async () => {
      leaveOnce();
      await before;
    };
    const again = async () => {
      if (!isIn) await enter();
      isIn = true;
    };
    results.push(run(job, { earlier, again }).finally(leaveOnce));
  }
  return Promise.all(results);
}
