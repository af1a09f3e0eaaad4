import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  assignInOrder,
  type Candidate,
  findCollision,
  includesSorted,
  nearestTo,
} from "../../../src/patch/locate/assign.js";

/** What a hunk changes at one of its starts. */
interface Change {
  readonly start: number;
  readonly from: number;
  readonly to: number;
}

const ascending = fc
  .uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 4 })
  .map((all) => all.sort((a, b) => a - b));
const candidate: fc.Arbitrary<Candidate> = fc
  .tuple(ascending, fc.nat(2), fc.nat(2))
  .map(([starts, coreFrom, length]) => ({ starts, coreFrom, coreTo: coreFrom + length }));

function changeAt({ coreFrom, coreTo }: Candidate, start: number): Change {
  return { start, from: start + coreFrom, to: start + coreTo };
}

const isInsertion = ({ from, to }: Change) => from === to;

/** Whether two changes can be made in this order: the second one below the first, and not two insertions at one point. */
function isBelow(one: Change, other: Change): boolean {
  return other.from >= one.to && !(isInsertion(one) && isInsertion(other) && one.from === other.from);
}

/** Every way to give each hunk a start, all changes one below the other. */
function everyWay(candidates: readonly Candidate[]): readonly (readonly Change[])[] {
  return candidates.reduce<readonly (readonly Change[])[]>(
    (ways, one) =>
      ways.flatMap((way) =>
        Array.from(one.starts, (start) => changeAt(one, start)).flatMap((change) => {
          const last = way.at(-1);
          return last === undefined || isBelow(last, change) ? [[...way, change]] : [];
        }),
      ),
    [[]],
  );
}

describe("the assignment of hunks to starts", () => {
  it("is the first and the last start of each hunk in any way that keeps their order", () => {
    const law = fc.property(fc.array(candidate, { minLength: 1, maxLength: 4 }), (candidates) => {
      const ways = everyWay(candidates);
      const starts = candidates.map((_, at) => ways.map((way) => way[at]?.start ?? 0));
      const expected = {
        earliest: starts.map((all) => Math.min(...all)),
        latest: starts.map((all) => Math.max(...all)),
      };
      expect(assignInOrder(candidates)).toEqual(ways.length === 0 ? undefined : expected);
    });
    fc.assert(law, { numRuns: 2_000 });
  });

  it("finds a hunk that collides with another one, whatever their order, and none if none does", () => {
    const law = fc.property(
      fc.array(candidate, { maxLength: 4 }),
      fc.array(fc.nat(6)),
      (candidates, picks) => {
        const starts = candidates.map((_, at) => picks[at] ?? at);
        const changes = candidates.map((one, at) => changeAt(one, starts[at] ?? 0));
        const collides = (one: Change) =>
          changes.some((other) => other !== one && !isBelow(one, other) && !isBelow(other, one));
        const found = findCollision(candidates, starts);
        if (found === undefined) expect(changes.filter(collides)).toEqual([]);
        else expect(changes.filter(collides)).toContain(changes[found]);
      },
    );
    fc.assert(law, { numRuns: 2_000 });
  });

  it("names the nearest start, or two that are equally near", () => {
    const law = fc.property(ascending, fc.integer({ min: -1, max: 7 }), (starts, wanted) => {
      const least = Math.min(...starts.map((start) => Math.abs(start - wanted)));
      expect(nearestTo(starts, wanted)).toEqual(starts.filter((start) => Math.abs(start - wanted) === least));
      expect(includesSorted(starts, wanted)).toBe(starts.includes(wanted));
    });
    fc.assert(law, { numRuns: 500 });
  });
});
