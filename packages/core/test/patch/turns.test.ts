import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { applySteps } from "../../src/patch/apply/apply-diff.js";
import {
  applyDiff,
  applyDiffInTurns,
  applyStrictly,
  type PatchRequest,
  splitByFile,
  splitByFileInTurns,
} from "../../src/patch/index.js";
import { LineIndex } from "../../src/patch/model/base-text.js";
import { LineTable } from "../../src/patch/model/line-table.js";
import { Deadline, finishInTurns, type Steps } from "../../src/patch/model/steps.js";
import { splitSteps } from "../../src/patch/read/split-files.js";

const lineCount = 10_000;
const hunkCount = 1_000;

const text = Array.from({ length: lineCount }, (_, at) => `line ${at} of the file\n`).join("");

/** One changed line in ten, between two lines of context. */
function diffOf(header: (at: number) => string, word = "line"): string {
  const line = (at: number) => `${word} ${at} of the file`;
  const hunks = Array.from({ length: hunkCount }, (_, hunk) => {
    const at = 10 * hunk + 5;
    return `${header(at)}\n ${line(at - 1)}\n-${line(at)}\n+changed ${at}\n ${line(at + 1)}\n`;
  });
  return hunks.join("");
}

const cases: readonly { readonly name: string; readonly diff: string }[] = [
  { name: "numbers that are true", diff: diffOf((at) => `@@ -${at},3 +${at},3 @@`) },
  { name: "no numbers", diff: diffOf(() => "@@") },
  {
    name: "one hunk that does not fit",
    diff: diffOf((at) => (at === 505 ? "@@ -506,3 +506,3 @@\n lost" : `@@ -${at},3 +${at},3 @@`)),
  },
];

describe("a large diff", () => {
  it.each(cases)("comes to the same in turns, with $name", async ({ diff }) => {
    const request: PatchRequest = { base: text, diff, limitMs: 600_000 };
    const outcome = await applyDiffInTurns(request, () => new Promise((resolve) => setImmediate(resolve)));
    expect(isDeepStrictEqual(outcome, applyDiff(request))).toBe(true);
  });

  it.each(cases)("is applied in many steps, each with one batch at most, with $name", ({ diff }) => {
    let batches = 0;
    const most = { batches: 0, characters: 0 };
    const applier: PatchRequest["applier"] = (given, corrected) => {
      batches += 1;
      most.characters = Math.max(most.characters, given.length + corrected.length);
      return applyStrictly(given, corrected);
    };
    const steps = applySteps({ base: text, diff, applier }, new Deadline(600_000));
    let count = 0;
    for (; steps.next().done !== true; count += 1) {
      most.batches = Math.max(most.batches, batches);
      batches = 0;
    }
    expect(count).toBeGreaterThan(hunkCount / 200);
    expect(most.batches).toBeLessThanOrEqual(1);
    expect(most.characters).toBeLessThan(500_000);
  });

  it("pauses once for each turn that it has worked, and not at all before", async () => {
    let pauses = 0;
    function* work(steps: number): Steps<number> {
      for (let at = 0; at < steps; at++) {
        // A step that takes longer than a turn, whatever the machine.
        for (const end = Date.now() + 6; Date.now() < end; );
        yield;
      }
      return steps;
    }
    const pause = async () => {
      pauses += 1;
    };
    expect(await finishInTurns(work(5), new Deadline(600_000), pause)).toBe(5);
    expect(pauses).toBe(5);
    expect(await finishInTurns(work(0), new Deadline(600_000), pause)).toBe(0);
    expect(pauses).toBe(5);
  });

  it("is split by file in many steps, and comes to the same in turns", async () => {
    const files = Array.from({ length: 500 }, (_, at) => `--- a/f${at}\n+++ b/f${at}\n@@ -1 +1 @@\n-a\n+b\n`);
    const diff = `--- a/large\n+++ b/large\n${cases[0]?.diff ?? ""}${files.join("")}`;
    const pause = () => new Promise((resolve) => setImmediate(resolve));
    const whole = splitByFile(diff, 600_000);
    expect(whole.kind === "files" && whole.files.length).toBe(501);
    expect(isDeepStrictEqual(await splitByFileInTurns(diff, pause, 600_000), whole)).toBe(true);
    expect(stepsOf(splitSteps(diff, new Deadline(600_000)))).toBeGreaterThan(3);
  });

  it("has its lines numbered in more steps the larger it is", () => {
    const large = text.repeat(5);
    const half = large.slice(0, large.length / 2);
    const index = (lines: LineTable) => {
      const made = new LineIndex(lines, "exact");
      made.expect(Array.from({ length: lines.count }, (_, at) => lines.line(at)));
      return made.prepare();
    };
    expect(stepsOf(index(new LineTable(large)))).toBeGreaterThan(1.5 * stepsOf(index(new LineTable(half))));
  });
});

function stepsOf(steps: Steps<unknown>): number {
  let count = 0;
  while (steps.next().done !== true) count += 1;
  return count;
}
