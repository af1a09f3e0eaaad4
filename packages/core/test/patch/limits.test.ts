import { describe, expect, it } from "vitest";
import { applyDiff } from "../../src/patch/index.js";

/** Each must end, in whatever way, when its time is up; the slack is for a busy machine, not for the engine. */
const limitMs = 500;
const slackMs = 30_000;
const peakMiB = 1_536;
/** What the process took before: it may have run other files. KiB. */
const before = process.resourceUsage().maxRSS;

const repeat = (text: string, count: number) => text.repeat(count);
const many = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join("");
const lines = (count: number) => many(count, (at) => `line ${at}\n`);
const diffOf = (count: number) => many(count, (at) => `@@ -${at},1 +${at},1 @@\n-a${at}\n+b${at}\n`);

interface Evil {
  readonly name: string;
  readonly base: () => string;
  readonly diff: () => string;
}

const evils: readonly Evil[] = [
  {
    name: "100,000 hunks without numbers",
    base: () => lines(100_000),
    diff: () => many(100_000, (at) => `@@\n-line ${at}\n+x\n`),
  },
  {
    name: "100,000 hunks of another file",
    base: () => lines(100_000),
    diff: () => many(100_000, (at) => `@@\n other ${at}\n-another ${at}\n+x\n`),
  },
  {
    name: "100,000 equal hunks that fit everywhere",
    base: () => repeat("x\n", 100_000),
    diff: () => repeat("@@\n x\n x\n-x\n+y\n x\n", 100_000),
  },
  {
    name: "10,000 different hunks that all nearly fit everywhere",
    base: () => repeat("a\nb\n", 50_000),
    diff: () => many(10_000, (at) => `@@\n${many(17, (bit) => ((at >> bit) & 1 ? " a\n" : " b\n"))}-a\n+y\n`),
  },
  { name: "a million @@", base: () => lines(1_000), diff: () => repeat("@@\n", 1_000_000) },
  {
    name: "50,000 headings that name lines",
    base: () => lines(50_000),
    diff: () => many(50_000, (at) => `@@ li${at}\n line ${at}\n+x\n`),
  },
  {
    name: "50 MB of context that is not there",
    base: () => lines(10),
    diff: () =>
      `@@ -1 +1 @@\n${many(500_000, (at) => ` ${String(at).padStart(98, "x")}\n`)}-line 3\n+three\n`,
  },
  {
    name: "50 MB added by one hunk",
    base: () => lines(10),
    diff: () => `@@ -5,2 +5,2 @@\n line 5\n${repeat(`+${repeat("y", 98)}\n`, 500_000)} line 6\n`,
  },
  { name: "a line of 50 MB", base: () => "a\n", diff: () => `@@\n-${repeat("a", 50_000_000)}\n+b\n` },
  {
    name: "a line of 50 MB of blanks",
    base: () => "a\n",
    diff: () => `@@\n${repeat(" ", 50_000_000)}\n-a\n+b\n`,
  },
  { name: "a line of 50 MB of @", base: () => "a\n", diff: () => repeat("@", 50_000_000) },
  {
    name: "a diff of a diff, as context",
    base: () => diffOf(50_000),
    diff: () => `@@\n ${diffOf(50_000).replaceAll("\n", "\n ")}\n+x\n`,
  },
  { name: "a diff of itself", base: () => diffOf(50_000), diff: () => diffOf(50_000) },
  {
    name: "file headers in one hunk",
    base: () => "a\n",
    diff: () => `@@ -1,1 +1,1 @@\n${repeat("--- a\n+++ b\n@@x\n", 300_000)}`,
  },
  { name: "fences without end", base: () => "a\n", diff: () => repeat("```\n", 450_000) },
  { name: "NUL lines", base: () => repeat("\0\n", 100_000), diff: () => repeat("@@\n-\0\n+b\n", 50_000) },
  {
    name: "lone surrogates",
    base: () => repeat("\ud800\n", 100_000),
    diff: () => repeat("@@\n-\ud800\n+\udc00\n", 50_000),
  },
  {
    name: "a creation over a large file",
    base: () => lines(100_000),
    diff: () => `@@ -0,0 +1,100000 @@\n${many(100_000, (at) => `+new ${at}\n`)}`,
  },
  {
    name: "a million lines with entities",
    base: () => lines(1_000),
    diff: () => `@@\n${repeat(" &lt;&amp;&gt;\n", 1_000_000)}+x\n`,
  },
  {
    name: "SEARCH/REPLACE blocks that are hard to compare",
    base: () => lines(10),
    diff: () =>
      many(
        60,
        (block) =>
          `<<<<<<< SEARCH\n${many(3_000, (at) => `w${(at * 7_919 + block) % 3_001}\n`)}=======\n${many(3_000, (at) => `w${(at * 104_729) % 3_001}\n`)}>>>>>>> REPLACE\n`,
      ),
  },
  {
    name: "a hunk of 100,000 insertions with damaged context",
    base: () => lines(200_000),
    diff: () => `@@\n${many(100_000, (at) => ` line ${2 * at}\n+x\n made up ${at}\n`)}`,
  },
  {
    name: "a tail removed line by line from a file without final newline",
    base: () => lines(100_000).slice(0, -1),
    diff: () => many(50_000, (at) => `@@ -${50_001 + at},1 +50000,0 @@\n-line ${50_000 + at}\n`),
  },
];

describe("the time limit", () => {
  it.each(evils)(
    "holds for $name",
    ({ base, diff }) => {
      const request = { base: base(), diff: diff(), limitMs };
      const start = performance.now();
      const outcome = applyDiff(request);
      expect(["success", "refusal"]).toContain(outcome.kind);
      if (outcome.kind === "refusal") expect(outcome.code).not.toBe("internal_error");
      expect(performance.now() - start).toBeLessThan(limitMs + slackMs);
    },
    120_000,
  );

  it("is kept in bounded memory", () => {
    expect((process.resourceUsage().maxRSS - before) / 1_024).toBeLessThan(peakMiB);
  });
});
