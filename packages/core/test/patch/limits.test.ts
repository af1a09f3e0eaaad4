import { describe, expect, it } from "vitest";
import { applyDiff } from "../../src/patch/index.js";

/** One of each kind of flood, small. `npm run proof -- floods` has them all, large. */
const many = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join("");
const lines = (count: number) => many(count, (at) => `line ${at}\n`);

const floods: readonly (readonly [name: string, base: string, diff: string])[] = [
  ["100,000 hunks without numbers", lines(100_000), many(100_000, (at) => `@@\n-line ${at}\n+x\n`)],
  [
    "100,000 equal hunks that fit everywhere",
    "x\n".repeat(100_000),
    "@@\n x\n x\n-x\n+y\n x\n".repeat(100_000),
  ],
  [
    "different hunks that all nearly fit everywhere",
    "a\nb\n".repeat(5_000),
    many(1_000, (at) => `@@\n${many(17, (bit) => ((at >> bit) & 1 ? " a\n" : " b\n"))}-a\n+y\n`),
  ],
  ["a line of 1 MB of blanks", "a\n", `@@\n${" ".repeat(1_000_000)}\n-a\n+b\n`],
  [
    "a hunk of 10,000 insertions with damaged context",
    lines(20_000),
    `@@\n${many(10_000, (at) => ` line ${2 * at}\n+x\n made up ${at}\n`)}`,
  ],
];

describe("the time limit", () => {
  it.each(floods)("ends the work on %s", (_, base, diff) => {
    const outcome = applyDiff({ base, diff, limitMs: 100 });
    expect(["success", "refusal"]).toContain(outcome.kind);
    expect(outcome.code).not.toBe("internal_error");
  });
});
