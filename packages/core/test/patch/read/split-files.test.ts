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
      { path: "new", action: "create", isLink: false, before: null, after: "n\n" },
      { path: "old", action: "delete", isLink: false, before: "a\nb\n", after: "" },
      { path: "from", action: "rename", to: "sub/to", before: "a\nb\n", after: "a\nB\n" },
      { path: "p", action: "rename", to: "q" },
    ],
  },
  {
    name: "git: an empty executable file, and then another file without a line of git's",
    diff: text("diff --git a/x b/x", "new file mode 100755", "index 0000000..e69de29").concat(
      "--- a/y\n+++ b/y\n",
      hunk,
    ),
    files: [
      { path: "x", action: "create", isLink: false, before: null, after: "" },
      { path: "y", action: "update", before: "a\nb\n", after: "a\nB\n" },
    ],
  },
  {
    name: "V4A: marks with blanks around them",
    diff: text(
      "  *** Begin Patch ",
      " *** Update File: m ",
      "\t*** Move to: n",
      "@@",
      " a",
      "-b",
      "+B",
      "*** End of File ",
      " *** End Patch ",
      "",
      "Done.",
    ),
    files: [{ path: "m", action: "rename", to: "n", before: "a\nb\n", after: "a\nB\n" }],
  },
  {
    name: "V4A: the lines of a patch in a file that has them",
    diff: text(
      "*** Begin Patch",
      "*** Update File: x",
      "@@",
      " *** Begin Patch",
      "-*** Add File: a",
      "+*** Add File: b",
      " *** End Patch",
      "*** End Patch",
    ),
    files: [
      {
        path: "x",
        action: "update",
        before: "*** Begin Patch\n*** Add File: a\n*** End Patch\n",
        after: "*** Begin Patch\n*** Add File: b\n*** End Patch\n",
      },
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
      "*** Delete File: e",
      "-a",
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
      { path: "e", action: "delete", before: "a\n", after: "" },
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
      "**Makefile**",
      "<<<<<<< SEARCH",
      "b",
      "=======",
      "B",
      ">>>>>>> REPLACE",
    ),
    files: [
      { path: "src/x.ts", action: "update", before: "a\nb\n", after: "a\nB\n" },
      { path: "src/y.ts", action: "update", before: "c\n", after: "C\n" },
      { path: "Makefile", action: "update", before: "b\n", after: "B\n" },
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

const update = "*** Update File: x\n@@\n-b\n+B\n";
const git = (...lines: readonly string[]) => text("diff --git a/x b/x", ...lines);
const target = text("@@ -0,0 +1 @@", "+y", "\\ No newline at end of file");
const block = text("x.ts", "<<<<<<< SEARCH", "b", "=======", "B", ">>>>>>> REPLACE");

/** Diffs of which a part would be lost, and what the refusal quotes or says of that part. */
const lost: readonly (readonly [string, string])[] = [
  [`*** Begin Patch\n*** Create File: n\n+hi\n${update}*** End Patch\n`, "*** Create File: n"],
  [`*** Begin Patch\nOf the cart:\n${update}*** End Patch\n`, "Of the cart:"],
  [`*** Begin Patch\n${update}*** End Patch\n*** Remove File: y\n`, "*** Remove File: y"],
  [`*** Begin Patch\n${update}*** Move to: y\n*** End Patch\n`, "*** Move to: y"],
  [`*** Begin Patch\n*** Add File: n\n+hi\n*** Move to: y\n*** End Patch\n`, "*** Move to: y"],
  [`*** Begin Patch\n${update}*** End Patch\n--- a/y\n+++ b/y\n${hunk}`, "--- a/y"],
  [`*** Begin Patch\n${update}*** End Patch\n${block}`, "<<<<<<< SEARCH"],
  [`${block}*** Delete File: y\n`, "*** Delete File: y"],
  [`${block}--- a/y\n+++ b/y\n${hunk}`, "--- a/y"],
  [`${block}${block.replace("SEARCH", "ORIGINAL")}`, "<<<<<<< ORIGINAL"],
  [`${block}Now the same in y.ts:\n${block.replace("x.ts\n", "")}`, '"x.ts" or for "y.ts"'],
  [`${git("new mod 100755")}--- a/x\n+++ b/x\n${hunk}`, "new mod 100755"],
  [`${git()}--- a/x\n+++ b/x\n${hunk}${git()}--- a/y\n+++ b/y\n-b\n+B\n`, "-b"],
  [text("diff --git a/x b/y", "similarity index 100%"), "`rename from`"],
  [text("diff --git a/x b/y", "rename to y"), "`rename from`"],
  [text("diff --git b/x y", "old mode 100644", "new mode 100755"), "two names"],
  [`\`\`\`diff\n--- a/x\n+++ b/x\n${hunk}\`\`\`\n*** Delete File: y\n`, "*** Delete File: y"],
  [git("new file mode 120000", "--- /dev/null", "+++ b/x") + target, '"x" is about a symbolic link'],
  [git("index 1234567..89abcde 120000", "--- a/x", "+++ b/x") + hunk, '"x" is about a symbolic link'],
  [git("deleted file mode 100644") + git("new file mode 120000"), '"x" is about a symbolic link'],
  [git("deleted file mode 120000") + git("new file mode 100644"), '"x" is about a symbolic link'],
  [git("index 1234567..89abcde 160000", "--- a/x", "+++ b/x") + hunk, '"x" is about a submodule'],
  [git("deleted file mode 160000"), '"x" is about a submodule'],
  [git("new file mode 040000"), "what is no file (mode 040000)"],
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

  it.each(lost)("refuses what it would lose: %j", (diff, says) => {
    const split = splitByFile(diff);
    expect(split).toMatchObject({ kind: "refusal", code: "invalid_diff" });
    expect(split.kind === "refusal" ? split.message : "").toContain(says);
    expect(split.kind === "refusal" ? split.message : "").toMatch(/^Invalid Diff: (?!The provided)/);
  });

  for (const { name, diff, says } of refused) {
    it(`refuses ${name}`, () => {
      const split = splitByFile(diff);
      expect(split).toMatchObject({ kind: "refusal", code: "invalid_diff" });
      expect(split.kind === "refusal" ? split.message : "").toContain(says);
    });
  }
});
