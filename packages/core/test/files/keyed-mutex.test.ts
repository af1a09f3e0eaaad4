import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arrivals } from "../../src/files/access/session.js";
import { KeyedMutex } from "../../src/files/index.js";

const keys = ["a", "b", "c"] as const;

interface Asked {
  readonly keys: readonly string[];
  readonly shared: boolean;
  /** Leaves the queues when so many others are done; stays without it. */
  readonly leavesAfter: number | undefined;
}

const asked: fc.Arbitrary<Asked> = fc.record({
  keys: fc.uniqueArray(fc.constantFrom(...keys), { minLength: 1 }),
  shared: fc.boolean(),
  leavesAfter: fc.option(fc.nat(5), { nil: undefined }),
});

const soon = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Lets all of them wait at once, and notes who held a key together with whom, and in which order. */
async function runAll(all: readonly Asked[]) {
  const mutex = new KeyedMutex();
  const holding = new Map<number, Asked>();
  const entered: number[] = [];
  const clashes: string[] = [];
  let done = 0;
  const leaving = all.map(() => new AbortController());
  const leave = () => {
    for (const [at, { leavesAfter }] of all.entries()) if (leavesAfter === done) leaving[at]?.abort();
  };
  leave();
  const results = await Promise.all(
    all.map((one, at) => {
      const work = async () => {
        for (const [other, held] of holding) {
          const isShared = held.shared && one.shared;
          if (!isShared && held.keys.some((key) => one.keys.includes(key)))
            clashes.push(`${other} and ${at}`);
        }
        holding.set(at, one);
        entered.push(at);
        await soon();
        holding.delete(at);
        done += 1;
        leave();
        return at;
      };
      return mutex.run(one.keys, work, { shared: one.shared, signal: leaving[at]?.signal });
    }),
  );
  return { clashes, entered, results };
}

describe("a keyed mutex", () => {
  it("ends for everybody, whoever leaves, and lets in nobody who excludes another", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { maxLength: 12 }), async (all) => {
        const { clashes, entered, results } = await runAll(all);
        expect(clashes).toEqual([]);
        for (const [at, { leavesAfter }] of all.entries()) {
          const isIn = entered.includes(at);
          expect(results[at]).toBe(isIn ? at : undefined);
          if (!isIn) expect(leavesAfter).toBeDefined();
        }
      }),
    );
  });

  it("lets those who exclude each other pass in the order in which they came", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { maxLength: 12 }), async (all) => {
        const { entered } = await runAll(all);
        for (const [at, one] of entered.entries()) {
          for (const later of entered.slice(at + 1)) {
            const [mine, theirs] = [all[one], all[later]];
            const excludes =
              mine !== undefined &&
              theirs !== undefined &&
              !(mine.shared && theirs.shared) &&
              mine.keys.some((key) => theirs.keys.includes(key));
            if (excludes) expect(one).toBeLessThan(later);
          }
        }
      }),
    );
  });

  it("lets readers of a key pass side by side, but not past a writer who came before", async () => {
    const mutex = new KeyedMutex();
    const first = await mutex.acquire(["a"], { shared: true });
    const second = await mutex.acquire(["a"], { shared: true });
    const writer = mutex.acquire(["a"]);
    let isLate = true;
    const late = mutex.acquire(["a"], { shared: true }).then((release) => {
      isLate = false;
      return release;
    });
    first?.();
    await soon();
    expect(isLate).toBe(true);
    second?.();
    (await writer)?.();
    (await late)?.();
    expect(isLate).toBe(false);
  });

  it("lets those behind pass when a waiter in between leaves", async () => {
    const mutex = new KeyedMutex();
    const holder = await mutex.acquire(["a"], { shared: true });
    const leaving = new AbortController();
    const writer = mutex.acquire(["a"], { signal: leaving.signal });
    const reader = mutex.acquire(["a"], { shared: true });
    leaving.abort();
    expect(await writer).toBeUndefined();
    expect(await reader).toBeDefined();
    holder?.();
  });

  it("gives the keys back when the work throws", async () => {
    const mutex = new KeyedMutex();
    const broken = mutex.run(["a"], () => Promise.reject(new Error("broken")));
    await expect(broken).rejects.toThrow("broken");
    expect(await mutex.run(["a"], async () => "next")).toBe("next");
  });
});

describe("tickets of arrival", () => {
  it("let everybody pass in order, however long finding out takes each of them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(4), { minLength: 1, maxLength: 10 }), async (waits) => {
        const arrivals = new Arrivals();
        const order: number[] = [];
        await Promise.all(
          waits.map(async (wait, at) => {
            const ticket = arrivals.take();
            for (let step = 0; step < wait; step++) await soon();
            // Who finds out that it touches nothing is done without waiting.
            if (wait === 4) return ticket.done();
            await ticket.turn();
            order.push(at);
            ticket.done();
          }),
        );
        expect(order).toEqual(order.toSorted((one, other) => one - other));
        expect(order).toHaveLength(waits.filter((wait) => wait !== 4).length);
      }),
    );
  });
});
