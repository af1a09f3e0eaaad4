import { describe, it } from "vitest";
import { check, type PatchCase, text } from "./check.js";

const numbers = text("1", "2", "3", "4", "5", "6", "7", "8", "9");
const repeated = text("a", "b", "k=1", "c", "d", "e", "f", "k=1", "g");
const classes = text("class A:", "    pass", "", "class B:", "    pass");

/** The battery of the specification of the engine: cases k1 to k21. */
const cases: readonly PatchCase[] = [
  {
    name: "k1 two copies, no number",
    base: text("x", "k=1", "y", "k=1", "z"),
    diff: text("-k=1", "+k=2"),
    code: "ambiguous",
    places: [2, 4],
  },
  {
    name: "k1 with a bare header",
    base: text("x", "k=1", "y", "k=1", "z"),
    diff: text("@@", "-k=1", "+k=2"),
    code: "ambiguous",
    places: [2, 4],
  },
  {
    name: "k2 two copies, a number that hits neither",
    base: repeated,
    diff: text("@@ -6,1 +6,1 @@", "-k=1", "+k=2"),
    code: "ambiguous",
    places: [3, 8],
    says: ["3, 8"],
  },
  {
    name: "k3 two copies, a number that hits one",
    base: repeated,
    diff: text("@@ -8,1 +8,1 @@", "-k=1", "+k=2"),
    text: text("a", "b", "k=1", "c", "d", "e", "f", "k=2", "g"),
    repairs: [],
  },
  {
    name: "k4 a pure addition under an anchor",
    base: classes,
    diff: text("@@ class A:", "+    x = 1"),
    text: text("class A:", "    x = 1", "    pass", "", "class B:", "    pass"),
  },
  {
    name: "k5 trailing blanks in the file stay",
    base: text("a  ", "b", "c"),
    diff: text("@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"),
    text: text("a  ", "B", "c"),
    repairs: ["trailing_whitespace"],
  },
  {
    name: "k6 curly quotes in the file stay",
    base: text("say “x”", "b", "c"),
    diff: text("@@ -1,3 +1,3 @@", ' say "x"', "-b", "+B", " c"),
    text: text("say “x”", "B", "c"),
    repairs: ["punctuation"],
  },
  {
    name: "k7 a hunk of a similar function",
    base: text("function add(a, b) {", "  const r = a + b;", "  return r;", "}"),
    diff: text(
      "@@ -1,4 +1,4 @@",
      " function sub(a, b) {",
      "-  const r = a - b;",
      "+  const r = b - a;",
      "   return r;",
      " }",
    ),
    code: "invalid_diff",
    says: ["Hunk 1", "1| function add(a, b) {"],
  },
  {
    name: "k8 hunks out of order",
    base: numbers,
    diff: text("@@ -8,2 +8,2 @@", " 8", "-9", "+nine", "@@ -1,2 +1,2 @@", " 1", "-2", "+two"),
    text: text("1", "two", "3", "4", "5", "6", "7", "8", "nine"),
    repairs: ["hunk_order"],
  },
  {
    name: "k9 a bare blank context line",
    base: text("a", "", "b"),
    diff: text("@@ -1,3 +1,3 @@", " a", "", "-b", "+B"),
    text: text("a", "", "B"),
    repairs: ["missing_prefix"],
  },
  {
    name: "k10 wrong counts",
    base: text("1", "2", "3", "4", "5"),
    diff: text("@@ -2,9 +2,9 @@", " 2", "-3", "+three", " 4"),
    text: text("1", "2", "three", "4", "5"),
    repairs: ["line_counts"],
  },
  {
    name: "k11 a diff with LF for a file with CRLF",
    base: "a\r\nb\r\nc\r\n",
    diff: text("@@ -1,3 +1,3 @@", " a", "-b", "+B", "+BB", " c"),
    text: "a\r\nB\r\nBB\r\nc\r\n",
    repairs: ["line_endings", "line_counts"],
  },
  {
    name: "k12 mixed endings: each line keeps its own",
    base: "a\r\nb\nc\r\n",
    diff: text("@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"),
    text: "a\r\nB\nc\r\n",
  },
  {
    name: "k13 no final newline and no marker",
    base: "a\nb",
    diff: text("@@ -1,2 +1,2 @@", " a", "-b", "+B"),
    text: "a\nB",
  },
  {
    name: "k14 the change is there already",
    base: text("a", "B", "c"),
    diff: text("-b", "+B"),
    code: "already_applied",
  },
  {
    name: "k14 with a header",
    base: text("a", "B", "c"),
    diff: text("@@ -2 +2 @@", "-b", "+B"),
    code: "already_applied",
  },
  {
    name: "k15 a removed line that looks like a header",
    base: text("a", "-- x", "b"),
    diff: text("@@ -1,3 +1,2 @@", " a", "--- x", " b"),
    text: text("a", "b"),
  },
  {
    name: "k16 a context line left out beside a removal",
    base: text("a", "b", "c", "d", "e"),
    diff: text("@@ -1,4 +1,4 @@", " a", " b", "-d", "+D", " e"),
    text: text("a", "b", "c", "D", "e"),
    repairs: ["context_mended"],
  },
  {
    name: "k17 context left out around an insertion",
    base: text("a", "b", "c", "d"),
    diff: text("@@ -1,2 +1,3 @@", " a", "+X", " d"),
    code: "ambiguous",
    places: [2, 3, 4],
  },
  {
    name: "k18 an insertion that is there already",
    base: text("a", "X", "b"),
    diff: text("@@ -1,1 +1,2 @@", " a", "+X"),
    code: "already_applied",
  },
  {
    name: "k18 without a number",
    base: text("a", "X", "b"),
    diff: text("@@", " a", "+X"),
    code: "already_applied",
  },
  {
    name: "k19 counts too small for the hunk",
    base: text("1", "2", "3", "4", "5"),
    diff: text("@@ -1,2 +1,2 @@", " 1", "-2", "+two", " 3", "-4", "+four", " 5"),
    text: text("1", "two", "3", "four", "5"),
    repairs: ["line_counts"],
  },
  {
    name: "k20 repeated to the letter, with a number",
    base: repeated,
    diff: text("@@ -8,1 +8,1 @@", "-k=1", "+k=2", "@@ -8,1 +8,1 @@", "-k=1", "+k=2"),
    text: text("a", "b", "k=1", "c", "d", "e", "f", "k=2", "g"),
    repairs: ["repeated_hunk"],
  },
  {
    name: "k20 repeated without a number, as many places",
    base: repeated,
    diff: text("@@", "-k=1", "+k=2", "@@", "-k=1", "+k=2"),
    text: text("a", "b", "k=2", "c", "d", "e", "f", "k=2", "g"),
  },
  {
    name: "k20 repeated without a number, one place",
    base: text("a", "k=1", "b"),
    diff: text("@@", "-k=1", "+k=2", "@@", "-k=1", "+k=2"),
    text: text("a", "k=2", "b"),
    repairs: ["repeated_hunk"],
  },
  {
    name: "k20 repeated without a number, three places",
    base: text("k=1", "k=1", "x", "k=1"),
    diff: text("@@", "-k=1", "+k=2", "@@", "-k=1", "+k=2"),
    code: "ambiguous",
    places: [1, 2, 4],
  },
  {
    name: "k20 three times, two places",
    base: repeated,
    diff: text("@@", "-k=1", "+k=2", "@@", "-k=1", "+k=2", "@@", "-k=1", "+k=2"),
    code: "ambiguous",
    places: [3, 8],
  },
  {
    name: "k21 insertion after a last line without newline",
    base: "a\nb",
    diff: text("@@ -2,1 +2,2 @@", " b", "+c"),
    text: "a\nb\nc",
  },
  {
    name: "k21 the diff adds the final newline",
    base: "a\nb",
    diff: text("@@ -1,2 +1,3 @@", " a", "-b", "\\ No newline at end of file", "+b", "+c"),
    text: "a\nb\nc\n",
  },
  {
    name: "k21 insertion in a file of CRLF",
    base: "a\r\nb",
    diff: text("@@ -2,1 +2,2 @@", " b", "+c"),
    text: "a\r\nb\r\nc",
  },
];

describe("the battery", () => {
  for (const example of cases) it(example.name, () => void check(example));
});
