/**
 * The bound of a wait for work that may hang, in milliseconds: no judgement of the machine, which may be many times slower
 * than ours. Vitest's own bound of a test lies above it (`vitest.config.ts`).
 */
export const hangMs = 120_000;

/** Waits until it is so. @param seen what to say of what there is instead, after `hangMs` */
export async function until(isSo: () => unknown, seen: () => string = () => ""): Promise<void> {
  const end = performance.now() + hangMs;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`it never came to that: ${isSo}\n${seen()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
