import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineTable } from "../../../src/patch/model/line-table.js";
import { Deadline, finish } from "../../../src/patch/model/steps.js";
import { type ParsedDiff, parseDiff } from "../../../src/patch/read/parse.js";
import type { LineKind } from "../../../src/patch/read/sections.js";

const numRuns = Number(process.env.HOLDFAST_RUNS ?? 0) || 200;

/** Lines and what each of them is. */
type Labelled = readonly (readonly [line: string, kind: LineKind])[];

const all = (kind: LineKind, ...lines: readonly string[]): Labelled => lines.map((line) => [line, kind]);
const baseLines = new Set(["one", "two", "three", "-", "Index: of the file"]);

function read(diff: string): ParsedDiff {
  const isBaseLine = (text: string) => baseLines.has(text.trimEnd());
  return finish(parseDiff(diff, { isBaseLine, splitReturns: false, deadline: new Deadline(60_000) }));
}

/** What each line of the input was taken for. */
function kindsOf({ account }: ParsedDiff): readonly LineKind[] {
  return account;
}

function leftOutOf({ repairs }: ParsedDiff): readonly string[] {
  return repairs.flatMap(({ kind, detail }) => (kind === "prose_removed" ? [detail] : []));
}

const change = all("hunk", "@@ -1,3 +1,3 @@", " one", "-two", "+TWO", " three");
const names = (n: number) => all("header", `--- a/f${n}.txt`, `+++ b/f${n}.txt`);
const rule = "=".repeat(67);

/** A part of a diff as each tool writes it, for a file of its own. */
const sections: Readonly<Record<string, (n: number) => Labelled>> = {
  plain: (n) => [...names(n), ...change],
  gnu: (n) => [...all("header", `diff -ruN a/f${n}.txt b/f${n}.txt`), ...names(n), ...change],
  git: (n) => [
    ...all("header", `diff --git a/f${n}.txt b/f${n}.txt`, "index 5626abf..d00491f 100644"),
    ...names(n),
    ...change,
  ],
  // Right below a header of git nothing may stand that is none.
  mode: (n) => [
    ...all("header", `diff --git a/f${n}.txt b/f${n}.txt`, "old mode 100644", "new mode 100755"),
    ...all("text", ""),
  ],
  svn: (n) => [
    ...all(
      "header",
      `Index: f${n}.txt`,
      rule,
      `--- f${n}.txt\t(revision 1)`,
      `+++ f${n}.txt\t(working copy)`,
    ),
    ...change,
  ],
  properties: (n) => [
    ...all(
      "header",
      `Index: f${n}.txt`,
      rule,
      `--- f${n}.txt\t(revision 1)`,
      `+++ f${n}.txt\t(working copy)`,
    ),
    ...change,
    ...all("text", ""),
    ...all("text", `Property changes on: f${n}.txt`),
    ...all("header", "_".repeat(67)),
    ...all("text", "Added: svn:eol-style", "## -0,0 +1 ##", "+native", ""),
  ],
  cvs: (n) => [
    ...all("header", `Index: f${n}.txt`, rule, "RCS file: /cvs/f,v", "retrieving revision 1.1"),
    ...all("header", `diff -u -r1.1 f${n}.txt`, `--- f${n}.txt\t1 Jan 2026 00:00:00 -0000\t1.1`),
    ...all("header", `+++ f${n}.txt\t2 Jan 2026 00:00:00 -0000`),
    ...change,
  ],
  bazaar: (n) => [
    ...all("header", `=== modified file 'f${n}.txt'`, `--- old/f${n}.txt\t2026-01-01 00:00:00 +0000`),
    ...all("header", `+++ new/f${n}.txt\t2026-01-02 00:00:00 +0000`),
    ...change,
  ],
  "no newline": (n) => [
    ...names(n),
    ...all(
      "hunk",
      "@@ -1 +1 @@",
      "-one",
      "\\ No newline at end of file",
      "+ONE",
      "\\ Kein Zeilenumbruch am Ende",
    ),
  ],
};

/** What stands around them; each begins with a line that is no context of theirs. */
const texts: readonly Labelled[] = [
  all("text", ""),
  all("text", "", "This makes it loud:", "", "Regards"),
  all("text", "Of the cart", "- a point", "+ another one"),
  all("text", "-- ", "2.39.5", ""),
  all("text", "-- ", "GitLab", ""),
  all("text", "--", "Ann", "+49 30 1234", "-- x", ""),
  all("text", "", "-- ", "cgit 1.2.3-korg"),
];

const mixtures = fc
  .array(
    fc.record({
      form: fc.constantFrom(...Object.keys(sections)),
      text: fc.option(fc.constantFrom(...texts), { freq: 2 }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.flatMap(({ form, text }, n) => [...(sections[form]?.(n) ?? []), ...(text ?? [])]));

describe("the account of lines", () => {
  it("has each line of a mixture once, as what it is, and all text is told once", () => {
    fc.assert(
      fc.property(mixtures, fc.constantFrom("\n", "\r\n"), (labelled, ending) => {
        const diff = labelled.map(([line]) => line + ending).join("");
        const parsed = read(diff);
        expect(parsed.flaw, diff).toBeUndefined();
        expect(kindsOf(parsed), diff).toEqual(labelled.map(([, kind]) => kind));
        const told = labelled.filter(([line, kind]) => kind === "text" && line.trim() !== "");
        const [first] = told;
        expect(leftOutOf(parsed)).toHaveLength(first === undefined ? 0 : 1);
        if (first === undefined) return;
        const count = told.length === 1 ? "1 line" : `${told.length} lines`;
        expect(leftOutOf(parsed)[0]).toContain(`${count} around the diff, "${first[0].trim()}"`);
      }),
      { numRuns },
    );
  });

  it("says that the diff without its text is the same diff", () => {
    fc.assert(
      fc.property(mixtures, (labelled) => {
        const lines = (kept: Labelled) => kept.map(([line]) => `${line}\n`).join("");
        const hunks = (diff: string) =>
          read(diff).hunks.map(({ number, lines: all }) => ({ number, all: [...all] }));
        expect(hunks(lines(labelled))).toEqual(hunks(lines(labelled.filter(([, kind]) => kind !== "text"))));
      }),
      { numRuns },
    );
  });

  const parts = [
    "@@ -1,3 +1,3 @@",
    "@@",
    "--- a/f",
    "+++ b/f",
    "diff --git a/f b/f",
    "-- ",
    "Index: f",
    rule,
    " one",
  ];
  const more = [
    "-two",
    "+x",
    "",
    "words",
    "*** Begin Patch",
    "*** Update File: f",
    "*** End Patch",
    "*** End of File",
  ];
  const blocks = [
    "<<<<<<< SEARCH",
    "=======",
    ">>>>>>> REPLACE",
    "```",
    "GIT binary patch",
    "\\ No newline",
    "_".repeat(67),
  ];
  it("has no gap, whatever the lines", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts, ...more, ...blocks), { maxLength: 25 }), (lines) => {
        const diff = lines.map((line) => `${line}\n`).join("");
        const parsed = read(diff);
        if (parsed.flaw !== undefined) return;
        expect(kindsOf(parsed), diff).toHaveLength(new LineTable(diff).count);
      }),
      { numRuns: numRuns * 5 },
    );
  });
});

describe("where a hunk ends", () => {
  const header = "--- a/f\n+++ b/f\n";
  const counted = "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";
  it.each([
    { what: "dashes that the file has as a line, alone", tail: "-- \n", removed: ["two", "- "] },
    { what: "dashes that the file has, and a version behind them", tail: "-- \n2.39.5\n", removed: ["two"] },
    { what: "two dashes alone, and a name behind them", tail: "--\nAnn\n", removed: ["two"] },
    { what: "a blank line, dashes and a name", tail: "\n-- \nGitLab\n\n", removed: ["two"] },
    {
      what: "a line of the file behind a blank one: the counts are too small",
      tail: "\n-one\n",
      removed: ["two", "one"],
    },
    {
      what: "a line that the file does not have, with a sign",
      tail: "-three of them\n",
      removed: ["two", "three of them"],
    },
    {
      what: "words, and a list that the file does not have",
      tail: "\nWhy:\n- it is loud\n",
      removed: ["two"],
    },
  ])("with its counts, or behind them: $what", ({ tail, removed }) => {
    const [hunk] = read(`${header}${counted}${tail}`).hunks;
    expect(hunk?.lines.flatMap(({ kind, text }) => (kind === "removed" ? [text] : []))).toEqual(removed);
  });
});
