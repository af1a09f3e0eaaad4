import { diffArrays } from "diff";
import fc from "fast-check";
import { expect, test } from "vitest";
import { commonRuns } from "../../../src/patch/compare/common-runs.js";
import {
  carryEndings,
  describeShown,
  describeShownInTurns,
  describeSteps,
  diffSteps,
  finish,
} from "../../../src/patch/index.js";

const lineCount = 20_000;
const lines = Array.from({ length: lineCount }, (_, at) => `line ${at} of the file\n`);
const before = lines.join("");
const after = lines.map((line, at) => (at % 2_000 === 5 ? `changed ${line}` : line)).join("");
/** So that no machine is too slow for the whole comparison. */
const options = { context: 1, maxLines: 1_000, limitMs: 600_000 };

test("a description for which there is no room is made with half the lines, and half of these", async () => {
  const asked: number[] = [];
  const fits = (text: string) => {
    asked.push(text.split("\n").length);
    return text.length < 700;
  };
  const halved = await describeShownInTurns(
    before,
    after,
    { ...options, maxLines: 40, fits },
    async () => {},
  );
  expect(halved).toEqual(describeShown(before, after, { ...options, maxLines: 20 }));
  // The last line says how many are missing.
  expect(asked).toEqual([41, 21]);
  const least = describeShown(before, after, { ...options, maxLines: 40, fits: () => false });
  expect(least).toEqual(describeShown(before, after, { ...options, maxLines: 1 }));
});

/** Lines that stand everywhere else in the other text, so that comparing them is all there is to do. */
const shuffled = (by: number) =>
  Array.from({ length: 3_000 }, (_, at) => `line ${(at * by) % 50} of the file\n`).join("");

test.each([
  ["two texts are compared", () => diffSteps(shuffled(17), shuffled(31), options.limitMs)],
  ["a difference is described", () => describeSteps(shuffled(17), shuffled(31), options)],
  [
    "line endings are carried",
    () => carryEndings(shuffled(17).replaceAll("7 of the file\n", "7 of the file\r\n"), shuffled(31)),
  ],
] as const)("%s in steps, the search for what they have in common, too", (_, begin) => {
  const work = begin();
  let steps = 0;
  while (work.next().done !== true) steps += 1;
  // What is before the search and behind it has none of its own: the texts are small.
  expect(steps).toBeGreaterThan(20);
});

const long = { most: 600_000, of: "ms" } as const;

test("the search for what two lists have in common ends after its time, and others' time is not counted", () => {
  const [old, fresh] = [17, 31].map((by) => Int32Array.from({ length: 3_000 }, (_, at) => (at * by) % 50));
  if (old === undefined || fresh === undefined) throw new Error("two lists");
  const short = commonRuns(old, fresh, { most: -1, of: "ms" });
  expect(finish(short)).toBeUndefined();
  const runs = finish(commonRuns(old, fresh, long)) ?? [];
  expect(runs.length).toBeGreaterThan(0);
  for (const { oldAt, newAt, length } of runs)
    expect(old.subarray(oldAt, oldAt + length)).toEqual(fresh.subarray(newAt, newAt + length));
});

test("is as long as jsdiff finds it", () => {
  const list = fc.array(fc.nat(4), { maxLength: 30 });
  fc.assert(
    fc.property(list, list, (old, fresh) => {
      const kept = diffArrays([...old], [...fresh]).filter(({ added, removed }) => !added && !removed);
      const length = kept.reduce((sum, { value }) => sum + value.length, 0);
      const runs = finish(commonRuns(Int32Array.from(old), Int32Array.from(fresh), long)) ?? [];
      expect(runs.reduce((sum, run) => sum + run.length, 0)).toBe(length);
      for (const { oldAt, newAt, length: run } of runs)
        expect(old.slice(oldAt, oldAt + run)).toEqual(fresh.slice(newAt, newAt + run));
    }),
  );
});
