/**
 * Runs jobs at the same time, at most so many at once; they begin in their order.
 *
 * @param run gets what resolves once all jobs before this one have ended. Its place is free for another from then on.
 */
export async function sideBySide<Job, Result>(
  jobs: readonly Job[],
  most: number,
  run: (job: Job, earlier: () => Promise<void>) => Promise<Result>,
): Promise<readonly Result[]> {
  let free = most;
  const waiting: (() => void)[] = [];
  const leave = () => {
    free += 1;
    waiting.shift()?.();
  };
  const results: Promise<Result>[] = [];
  for (const job of jobs) {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    free -= 1;
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
    results.push(run(job, earlier).finally(leaveOnce));
  }
  return Promise.all(results);
}
