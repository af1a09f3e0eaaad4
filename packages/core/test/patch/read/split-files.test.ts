import { describe, expect, it } from "vitest";
import { applyDiff, type FileDiff, splitByFile } from "../../../src/patch/index.js";
import { text } from "../check.js";

/** What a diff of several files asks, and what its parts make of the files. */
interface SplitCase {
  readonly name: string;
  readonly diff: string;
  readonly files: readonly (Omit<FileDiff, "diff"> & {
    /** The file's text, and what its part of the diff makes of it; absent where it has no lines. */
    readonly before?: string | null;
    readonly after?: string;
  })[];
}

const hunk = text("@@ -1,2 +1,2 @@", " a", "-b", "+B");

const cases: readonly SplitCase[] = [
  {
    name: "two files of a plain diff",
    diff: `--- a/x\n+++ b/x\n${hunk}--- a/y\n+++ b/y\n${hunk}`,
    files: [
      { path: "x", action: "update", before: "a\nb\n", after: "a\nB\n" },
      { path: "y", action: "update", before: "a\nb\n", after: "a\nB\n" },
    ],
  },
  {
    name: "git: a creation, a deletion, a rename with lines, a pure rename",
    diff: text(
      "diff --git a/new b/new",
      "new file mode 100644",
      "--- /dev/null",
      "+++ b/new",
      "@@ -0,0 +1 @@",
      "+n",
      "diff --git a/old b/old",
      "deleted file mode 100644",
      "--- a/old",
      "+++ /dev/null",
      "@@ -1,2 +0,0 @@",
      "-a",
      "-b",
      "diff --git a/from b/sub/to",
      "similarity index 90%",
      "rename from from",
      "rename to sub/to",
      "--- a/from",
      "+++ b/sub/to",
    ).concat(hunk, text("diff --git a/p b/q", "similarity index 100%", "rename from p", "rename to q")),
    files: [
      { path: "new", action: "create", before: null, after: "n\n" },
      { path: "old", action: "delete", before: "a\nb\n", after: "" },
      { path: "from", action: "rename", to: "sub/to", before: "a\nb\n", after: "a\nB\n" },
      { path: "p", action: "rename", to: "q" },
    ],
  },
  {
    name: "git: a mode alone, and then another file without a line of git's",
    diff: text("diff --git a/x b/x", "old mode 100644", "new mode 100755").concat("--- a/y\n+++ b/y\n", hunk),
    files: [
      { path: "x", action: "update", mode: "100755" },
      { path: "y", action: "update", before: "a\nb\n", after: "a\nB\n" },
    ],
  },
  {
    name: "V4A: update, add, delete, move",
    diff: text(
      "*** Begin Patch",
      "*** Update File: x",
      "@@",
      " a",
      "-b",
      "+B",
      "*** Add File: n",
      "+one",
      "+two",
      "*** Delete File: d",
      "*** Update File: m",
      "*** Move to: sub/m",
      "@@",
      "-b",
      "+B",
      "*** End Patch",
    ),
    files: [
      { path: "x", action: "update", before: "a\nb\n", after: "a\nB\n" },
      { path: "n", action: "create", before: null, after: "one\ntwo\n" },
      { path: "d", action: "delete" },
      { path: "m", action: "rename", to: "sub/m", before: "a\nb\n", after: "a\nB\n" },
    ],
  },
  {
    name: "one file in two sections",
    diff: `--- a/x\n+++ b/x\n${hunk}--- a/y\n+++ b/y\n${hunk}--- a/x\n+++ b/x\n@@ -4 +4 @@\n-d\n+D\n`,
    files: [
      { path: "x", action: "update", before: "a\nb\nc\nd\n", after: "a\nB\nc\nD\n" },
      { path: "y", action: "update", before: "a\nb\n", after: "a\nB\n" },
    ],
  },
  {
    name: "SEARCH/REPLACE blocks under file names",
    diff: text(
      "src/x.ts",
      "```ts",
      "<<<<<<< SEARCH",
      "b",
      "=======",
      "B",
      ">>>>>>> REPLACE",
      "```",
      "src/y.ts",
      "<<<<<<< SEARCH",
      "c",
      "=======",
      "C",
      ">>>>>>> REPLACE",
    ),
    files: [
      { path: "src/x.ts", action: "update", before: "a\nb\n", after: "a\nB\n" },
      { path: "src/y.ts", action: "update", before: "c\n", after: "C\n" },
    ],
  },
];

const refused = [
  { name: "nothing", diff: "hello\n", says: "names no file" },
  { name: "a hunk without a file", diff: hunk, says: "names no file" },
  {
    name: "a copy",
    diff: text("diff --git a/x b/y", "copy from x", "copy to y"),
    says: 'copies a file to "y"',
  },
  {
    name: "a file that is updated and deleted",
    diff: text("*** Begin Patch", "*** Update File: x", "-b", "+B", "*** Delete File: x", "*** End Patch"),
    says: '"x" twice, to update and to delete it',
  },
];

describe("splitting a diff by file", () => {
  for (const { name, diff, files } of cases) {
    it(name, () => {
      const split = splitByFile(diff);
      expect(split.kind === "files" ? split.files.map(({ diff: _, ...file }) => file) : split).toEqual(
        files.map(({ before: _, after: __, ...file }) => file),
      );
      if (split.kind !== "files") return;
      for (const [at, { before, after }] of files.entries()) {
        const part = split.files[at]?.diff ?? "";
        if (after === undefined) expect(part).toBe("");
        else expect(applyDiff({ base: before ?? null, diff: part })).toMatchObject({ text: after });
      }
    });
  }

  for (const { name, diff, says } of refused) {
    it(`refuses ${name}`, () => {
      const split = splitByFile(diff);
      expect(split).toMatchObject({ kind: "refusal", code: "invalid_diff" });
      expect(split.kind === "refusal" ? split.message : "").toContain(says);
    });
  }
});
