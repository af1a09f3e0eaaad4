import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundedRuns } from "../../../src/patch/compare/carry-endings.js";
import { carryEndings, finish } from "../../../src/patch/index.js";

const runsOf = (old: readonly number[], fresh: readonly number[], mostWork?: number) =>
  finish(boundedRuns(Int32Array.from(old), Int32Array.from(fresh), mostWork));

/** So little that the search gives up at its first look at the work done. */
const none = -1;

/** Each number once, in an order that hardly any other multiplier gives: comparing two of them is much work. */
const shuffled = (count: number, by: number) => Array.from({ length: count }, (_, at) => (at * by) % count);

describe("where comparing is too much work", () => {
  it("the beginning and the end are kept", () => {
    const [then, now] = [shuffled(4_001, 17), shuffled(4_001, 1_031)];
    const head = [-1, -2, -3];
    const tail = [-4, -5];
    const runs = runsOf([...head, ...then, ...tail], [...head, ...now, ...tail], none);
    expect(runs[0]).toEqual({ oldAt: 0, newAt: 0, length: 4 });
    expect(runs.at(-1)).toMatchObject({ oldAt: 4_004, newAt: 4_004, length: 2 });
  });

  it("so is what stands around a line that both have once", () => {
    const many = Array.from({ length: 4_000 }, (_, at) => at % 2);
    const turned = many.map((number) => 1 - number);
    const runs = runsOf([...many, 7, 8, 7, 9, ...many], [...turned, 7, 8, 7, 9, 5, ...turned], none);
    expect(runs).toContainEqual({ oldAt: 4_000, newAt: 4_000, length: 4 });
  });

  it("what is kept is in order and the same on both sides", () => {
    const list = fc.array(fc.nat(30), { maxLength: 60 });
    const rows = fc.tuple(list, list).map(([one, other]) => {
      // The search looks at its work only after a good deal of it.
      const [then, now] = [shuffled(4_001, 17), shuffled(4_001, 1_031)].map((middle) =>
        middle.map((number) => number + 100),
      ) as [number[], number[]]; // `map` of a pair is a pair.
      return [
        [...one, ...then, ...other],
        [...other, ...now, ...one],
      ] as const;
    });
    fc.assert(
      fc.property(rows, ([old, fresh]) => {
        let [oldEnd, newEnd] = [0, 0];
        for (const { oldAt, newAt, length } of runsOf(old, fresh, none)) {
          expect(oldAt).toBeGreaterThanOrEqual(oldEnd);
          expect(newAt).toBeGreaterThanOrEqual(newEnd);
          expect(old.slice(oldAt, oldAt + length)).toEqual(fresh.slice(newAt, newAt + length));
          [oldEnd, newEnd] = [oldAt + length, newAt + length];
        }
      }),
      { numRuns: 5 },
    );
  });
});

describe("a large shuffle below lines that stay", () => {
  const count = 8_009;
  const head = Array.from({ length: 100 }, (_, at) => `head ${at}`);
  const tail = Array.from({ length: 100 }, (_, at) => `tail ${at}`);
  const linesOf = (by: number) => shuffled(count, by).map((number) => `line ${number}`);
  const before = [
    ...head.map((line) => `${line}\r\n`),
    ...linesOf(1).map((line) => `${line}\n`),
    ...tail.map((line) => `${line}\r\n`),
  ].join("");
  const content = [...head, ...linesOf(7_919), ...tail].map((line) => `${line}\n`).join("");

  it("moves no ending of the lines that stay, and gives none of theirs to the others", () => {
    const carried = finish(carryEndings(before, content));
    expect(carried.replaceAll("\r\n", "\n")).toBe(content);
    const withReturn = carried.split("\n").flatMap((line, at) => (line.endsWith("\r") ? [at] : []));
    const stay = (from: number) => Array.from({ length: 100 }, (_, at) => from + at);
    expect(withReturn).toEqual([...stay(0), ...stay(100 + count)]);
  });
});
