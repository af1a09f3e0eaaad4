import { describe, it } from "vitest";
import { check, type PatchCase, text } from "../check.js";

const base = text("one", "two", "three", "four", "five");
const changed = text("one", "two", "THREE", "four", "five");
const hunk = text("@@ -2,3 +2,3 @@", " two", "-three", "+THREE", " four");
const header = text("--- a/f.txt", "+++ b/f.txt");

const accepted: readonly PatchCase[] = [
  { name: "a plain diff", base, diff: header + hunk, text: changed, repairs: [] },
  { name: "no file header", base, diff: hunk, text: changed, repairs: [] },
  {
    name: "a header with another path",
    base,
    path: "src/f.txt",
    diff: header + hunk,
    text: changed,
    repairs: [],
  },
  {
    name: "a header with another name",
    base,
    path: "src/g.txt",
    diff: header + hunk,
    text: changed,
    repairs: ["header_mended"],
  },
  {
    name: "git headers",
    base,
    diff: `diff --git a/f.txt b/f.txt\nindex 83db48f..bf269f4 100644\n${header}${hunk}`,
    text: changed,
    repairs: [],
  },
  {
    name: "a mail with its signature",
    base,
    diff: `From 1234 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\n---\n f.txt | 2 +-\n\n${header}${hunk}-- \n2.39.2\n\n`,
    text: changed,
    repairs: ["prose_removed"],
  },
  {
    name: "a Markdown fence and prose",
    base,
    diff: `Here you are:\n\n\`\`\`diff\n${header}${hunk}\`\`\`\n\nIt changes three.\n- and no more\n`,
    text: changed,
    repairs: ["fence_removed", "prose_removed"],
  },
  {
    name: "two fenced blocks of one file",
    base,
    diff: `\`\`\`diff\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n\`\`\`\nand\n\`\`\`diff\n@@ -4,2 +4,2 @@\n four\n-five\n+FIVE\n\`\`\`\n`,
    text: text("ONE", "two", "three", "four", "FIVE"),
    repairs: ["fence_removed", "prose_removed"],
  },
  {
    name: "prose after the diff",
    base,
    diff: `${hunk}\nThis makes it loud.\n`,
    text: changed,
    repairs: ["prose_removed"],
  },
  {
    name: "only one file header line",
    base,
    diff: `+++ b/f.txt\n${hunk}`,
    text: changed,
    repairs: ["header_mended"],
  },
  {
    name: "no @@ line at all",
    base,
    diff: `${header} two\n-three\n+THREE\n`,
    text: changed,
    repairs: ["header_mended"],
  },
  { name: "a header of dots", base, diff: text("@@ ... @@", " two", "-three", "+THREE"), text: changed },
  {
    name: "a header without its second @@",
    base,
    diff: text("@@ -3,1 +3,1", "-three", "+THREE"),
    text: changed,
    repairs: ["header_mended"],
  },
  {
    name: "indented context lines that all lost their space",
    base: text("if (a) {", "    b();", "    c();", "}"),
    diff: text("@@ -2,2 +2,3 @@", "    b();", "+    x();", "    c();"),
    text: text("if (a) {", "    b();", "    x();", "    c();", "}"),
    repairs: ["missing_prefix"],
  },
  {
    name: "a diff with CRLF for a file with LF",
    base,
    diff: (header + hunk).replaceAll("\n", "\r\n"),
    text: changed,
    repairs: ["line_endings"],
  },
  {
    name: "a file of lone returns",
    base: "one\rtwo\rthree\r",
    diff: text("@@ -2,1 +2,2 @@", "-two", "+TWO", "+more"),
    text: "one\rTWO\rmore\rthree\r",
  },
  {
    name: "a lone return inside a line is content",
    base: "10%\r20%\ndone\n",
    diff: text("@@ -2 +2 @@", "-done", "+ready"),
    text: "10%\r20%\nready\n",
  },
  {
    name: "a removed and an added line that look like a file header",
    base: text("a", "-- x", "b", "c"),
    diff: text("@@ -1,3 +1,3 @@", " a", "--- x", "+++ y", " b", "@@ -4,1 +4,1 @@", "-c", "+C"),
    text: text("a", "++ y", "b", "C"),
  },
  {
    name: "two sections of one file",
    base,
    diff: `${header}${text("@@ -1 +1 @@", "-one", "+ONE")}${header}${text("@@ -5 +5 @@", "-five", "+FIVE")}`,
    text: text("ONE", "two", "three", "four", "FIVE"),
  },
  {
    name: "a diff of a diff",
    base: text("--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a", "+b"),
    diff: text("@@ -3,3 +3,3 @@", " @@ -1 +1 @@", "--a", "+-A", " +b"),
    text: text("--- a/x", "+++ b/x", "@@ -1 +1 @@", "-A", "+b"),
  },
  {
    name: "a Markdown file with fences of its own",
    base: text("# t", "```js", "a()", "```", "end"),
    diff: `\`\`\`diff\n${text("@@ -1,5 +1,5 @@", " # t", " ```js", "-a()", "+b()", " ```", " end")}\`\`\`\n`,
    text: text("# t", "```js", "b()", "```", "end"),
    repairs: ["fence_removed"],
  },
];

const refused: readonly PatchCase[] = [
  { name: "an empty diff", base, diff: "", code: "invalid_diff", says: ["No hunk was found"] },
  {
    name: "prose",
    base,
    diff: "I changed three to THREE.\n",
    code: "invalid_diff",
    says: ["No hunk was found"],
  },
  { name: "a file header alone", base, diff: header, code: "invalid_diff", says: ["No hunk was found"] },
  {
    name: "two files",
    base,
    diff: `--- a/f.txt\n+++ b/f.txt\n${hunk}--- a/g.txt\n+++ b/g.txt\n${hunk}`,
    code: "multi_file_diff",
    says: ['"f.txt"', '"g.txt"'],
  },
  ...[
    [
      "the mark of an envelope in a hunk",
      `${header}${hunk} *** Delete File: g.txt\n`,
      "*** Delete File: g.txt",
    ],
    ["a binary file behind a hunk", `${header}${hunk}Binary files a/g and b/g differ\n`, "Binary files a/g"],
    ["a submodule", `${header}${hunk}Submodule sub 1234567..89abcde:\n`, "Submodule sub"],
    ["a file of one side only", `${header}${hunk}Only in b: g.txt\n`, "Only in b: g.txt"],
    [
      "a block behind a hunk",
      `${header}${hunk}<<<<<<< SEARCH\nfour\n=======\n4\n>>>>>>> REPLACE\n`,
      "<<<<<<<",
    ],
    ["words in an envelope", text("*** Update File: f.txt", "-three", "+THREE", "Done."), "Done."],
    [
      "a mark with a blank in an envelope",
      text("*** Update File: f.txt", "-three", "+3", " *** Add File: g"),
      '" *** Add File: g"',
    ],
    ["a link", text("index 1..2 120000", "--- a/f.txt", "+++ b/f.txt").concat(hunk), "a symbolic link"],
  ].map(([name = "", diff = "", says = ""]) => ({
    name,
    base,
    diff,
    code: "invalid_diff" as const,
    says: [says],
  })),
  { name: "a change of a file that is not there", base: null, diff: header + hunk, code: "file_missing" },
  {
    name: "a creation of a file that is there",
    base,
    diff: text("--- /dev/null", "+++ b/f.txt", "@@ -0,0 +1,1 @@", "+new"),
    code: "exists",
  },
  {
    name: "a creation by numbers that holds much of the file that is there",
    base,
    diff: text("@@ -0,0 +1,4 @@", "+one", "+TWO", "+three", "+four"),
    code: "exists",
  },
  {
    name: "an omission",
    base,
    diff: text("@@ -3,1 +3,2 @@", "-three", "+THREE", "+// ... rest of the code unchanged ..."),
    code: "placeholder",
    says: ["rest of the code"],
  },
];

const others: readonly PatchCase[] = [
  {
    name: "a new file",
    base: null,
    diff: text("--- /dev/null", "+++ b/f.txt", "@@ -0,0 +1,2 @@", "+a", "+b"),
    text: text("a", "b"),
  },
  { name: "added lines for an empty file", base: "", diff: text("@@", "+a"), text: text("a") },
  {
    name: "a creation that happened already",
    base: text("a"),
    diff: text("--- /dev/null", "+++ b/f.txt", "@@ -0,0 +1,1 @@", "+a"),
    code: "already_applied",
  },
  {
    name: "a diff that changes nothing",
    base,
    diff: text("@@ -3,1 +3,1 @@", "-three", "+three"),
    code: "no_change",
  },
  { name: "a diff of context only", base, diff: text("@@ -3,1 +3,1 @@", " three"), code: "no_change" },
  {
    name: "an ellipsis that the file has",
    base: text("// ... rest of the code", "a"),
    diff: text("@@ -1,2 +1,2 @@", "-// ... rest of the code", "-a", "+b", "+// ... rest of the code"),
    text: text("b", "// ... rest of the code"),
  },
  {
    name: "a spread is no omission",
    base,
    diff: text("@@ -3,1 +3,1 @@", "-three", "+f(...rest, ...options);"),
    text: text("one", "two", "f(...rest, ...options);", "four", "five"),
  },
];

describe("reading what models write: accepted", () => {
  for (const example of accepted) it(example.name, () => void check(example));
});
describe("reading what models write: refused", () => {
  for (const example of refused) it(example.name, () => void check(example));
});
describe("creations and changes of nothing", () => {
  for (const example of others) it(example.name, () => void check(example));
});
