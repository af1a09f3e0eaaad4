/**
 * Carries work out and counts how often the event loop came round meanwhile. A count of turns, unlike a time, is the
 * same on a loaded machine.
 */
export async function turnsDuring<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly turns: number }> {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  try {
    const result = await work();
    return { result, turns };
  } finally {
    clearImmediate(next);
  }
}
