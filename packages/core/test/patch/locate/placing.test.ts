import { describe, it } from "vitest";
import { check, type PatchCase, text } from "../check.js";

const twice = text("def a():", "    x = 1", "    return x", "", "def b():", "    x = 1", "    return x");
const deep = text("class A {", "    run() {", "        go();", "        stop();", "    }", "}");

const placed: readonly PatchCase[] = [
  {
    name: "one hunk there already, one not",
    base: text("a", "B", "c", "d", "e"),
    diff: text("@@ -1,3 +1,3 @@", " a", "-b", "+B", " c", "@@ -4,2 +4,2 @@", "-d", "+D", " e"),
    text: text("a", "B", "c", "D", "e"),
    repairs: ["applied_before"],
  },
  {
    name: "an insertion at the edge of context that was cut short",
    base: text("alpha", "beta", "gamma", "delta", "omega"),
    diff: text("@@ -1,3 +1,4 @@", " alpha", " beta", "+X"),
    text: text("alpha", "beta", "X", "gamma", "delta", "omega"),
    repairs: ["line_counts"],
  },
  {
    name: "the order of the hunks leaves one place",
    base: text("k=1", "a", "k=1"),
    diff: text("@@", "-a", "+A", "@@", "-k=1", "+k=2"),
    text: text("k=1", "A", "k=2"),
  },
  {
    name: "an anchor decides between two copies",
    base: twice,
    diff: text("@@ def b():", "-    x = 1", "+    x = 2"),
    text: twice.replace(/x = 1(?![\s\S]*x = 1)/, "x = 2"),
  },
  {
    name: "two anchors, one in the other",
    base: text("class A:", "  def f():", "    p", "class B:", "  def f():", "    p"),
    diff: text("@@ class B:", "@@ def f():", "-    p", "+    q"),
    text: text("class A:", "  def f():", "    p", "class B:", "  def f():", "    q"),
  },
  {
    name: "an exact number, though another hunk has a wrong one",
    base: twice,
    diff: text("@@ -2,1 +2,1 @@", "-def a():", "+def c():", "@@ -6,1 +6,1 @@", "-    x = 1", "+    x = 2"),
    text: twice.replace("def a", "def c").replace(/x = 1(?![\s\S]*x = 1)/, "x = 2"),
    repairs: ["line_number"],
  },
  {
    name: "an exact number against an anchor",
    base: twice,
    diff: text("@@ -2,1 +2,1 @@ def b():", "-    x = 1", "+    x = 2"),
    text: twice.replace("x = 1", "x = 2"),
  },
  {
    name: "hunks out of order, one of them at an exact number among copies",
    base: text("k=1", "a", "k=1", "b"),
    diff: text("@@ -4 +4 @@", "-b", "+B", "@@ -1 +1 @@", "-k=1", "+k=2"),
    text: text("k=2", "a", "k=1", "B"),
    repairs: ["hunk_order"],
  },
  {
    name: "an indent that all lines lack",
    base: deep,
    diff: text("@@ -3,2 +3,3 @@", " go();", "+wait();", " stop();"),
    text: text(
      "class A {",
      "    run() {",
      "        go();",
      "        wait();",
      "        stop();",
      "    }",
      "}",
    ),
    repairs: ["indentation"],
  },
  {
    name: "an indent that all lines have too much",
    base: text("go();", "stop();"),
    diff: text("@@ -1,2 +1,3 @@", "   go();", "+  wait();", "   stop();"),
    text: text("go();", "wait();", "stop();"),
    repairs: ["indentation"],
  },
  {
    name: "a context line that the file does not have",
    base: text("alpha", "beta", "gamma", "delta", "omega"),
    diff: text("@@ -1,4 +1,4 @@", " alpha", " betta", "-gamma", "+GAMMA", " delta"),
    text: text("alpha", "beta", "GAMMA", "delta", "omega"),
    repairs: ["context_mended"],
  },
  {
    name: "an ellipsis for left-out context",
    base: text("start", "m1", "m2", "m3", "goal", "end"),
    diff: text("@@", " start", " ...", "-goal", "+GOAL", " end"),
    text: text("start", "m1", "m2", "m3", "GOAL", "end"),
    repairs: ["context_mended"],
  },
  {
    name: "a diff that changes an ending on purpose",
    base: "a\nb\n",
    diff: "@@ -1,2 +1,2 @@\n-a\n+a\r\n b\n",
    text: "a\r\nb\n",
  },
  {
    name: "the final newline taken away",
    base: "a\nb\n",
    diff: text("@@ -2,1 +2,1 @@", "-b", "+b", "\\ No newline at end of file"),
    text: "a\nb",
    repairs: ["final_newline"],
  },
  {
    name: "the final newline added",
    base: "a\nb",
    diff: text("@@ -2,1 +2,1 @@", "-b", "\\ No newline at end of file", "+b"),
    text: "a\nb\n",
    repairs: ["final_newline"],
  },
  {
    name: "a marker that is wrong on both sides",
    base: "a\nb\n",
    diff: text("@@ -2,1 +2,1 @@", "-b", "\\ No newline at end of file", "+B", "\\ No newline at end of file"),
    text: "a\nB\n",
  },
];

const refused: readonly PatchCase[] = [
  {
    name: "damaged context that fits thrice, with a number beside one of the changes",
    base: text("a", "x", "b", "b", "a", "x", "b", "b", "a", "x", "b", "b"),
    diff: text("@@ -5,4 +5,4 @@", " a", " made up", "-x", "+y", " b"),
    code: "ambiguous",
    places: [2, 6, 10],
    says: ["earest to its number is line 6"],
  },

  {
    name: "a removed line that no line of the file holds, only one that was made up",
    base: text("alpha", "beta", "gamma", "delta", "epsilon", "delta"),
    diff: text("@@", " alpha", " beta", " made up", "-delta", "+DELTA"),
    code: "ambiguous",
    places: [4, 6],
  },
  {
    name: "a context line more often than the file has it there, while it stands elsewhere",
    base: text("gamma", "delta", "beta", "gamma", "gamma"),
    diff: text("@@", "+new", " beta", " gamma", " gamma", " gamma"),
    code: "invalid_diff",
  },
  {
    name: "a deletion beside lines that stand twice, while an equal line stands elsewhere",
    base: text("alpha", "gamma", "delta", "beta", "gamma"),
    diff: text("@@ -9,3 +9,2 @@", " alpha", "-beta", " gamma"),
    code: "invalid_diff",
    says: ["Its new lines stand at line 1 already", "2| gamma", "4| beta"],
  },
  {
    name: "misquoted context that fits in two windows",
    base: text("Open(a)", "run()", "close(a)", "x", "open(A)", "run()", "close(a)"),
    diff: text("@@", " open(a)", "-run()", "+walk()", " close(a)"),
    code: "ambiguous",
    places: [2, 6],
  },
  {
    name: "an insertion where less than half of the context is the file's",
    base: text("Open(a)", "Read(a)", "close(a)"),
    diff: text("@@", " open(a)", " read(a)", "+walk()", " close(a)"),
    code: "invalid_diff",
  },
  {
    name: "an insertion beside context of another depth only",
    base: text("if a:", "    one()", "    two()", "last()"),
    diff: text("@@", " if a:", "   one()", "+  new()", "   two()", " last()"),
    code: "invalid_diff",
  },
  {
    name: "an operator that differs in context",
    base: text("if (ready) {", "go();", "stop();", "}"),
    diff: text("@@", " if (!ready) {", " go();", "+more();", " stop();", " }"),
    text: text("if (ready) {", "go();", "more();", "stop();", "}"),
    code: "applied",
    repairs: ["context_mended"],
  },
  {
    name: "typographic quotes that the added line has, too",
    base: text('say "x"', "b"),
    diff: text("@@", "-say “x”", "+say “y”", " b"),
    code: "invalid_diff",
  },
  {
    name: "twenty copies, a section against the nearer number, both shown",
    base: text(...Array.from({ length: 20 }, (_, at) => [`part_${at}:`, "  same", "  end"]).flat()),
    diff: text("@@ -27 +27 @@ part_17:", "-  same", "+  other"),
    code: "ambiguous",
    says: [
      "its number 27 is none of them".slice(1),
      "the nearest is line 26",
      "section has line 53",
      "   26|   same",
      "   53|   same",
    ],
  },
  {
    name: "an insertion there already, another change not",
    base: text("a", "X", "c", "d", "e"),
    diff: text("@@ -1,1 +1,2 @@", " a", "+X", "@@ -4,2 +4,2 @@", "-d", "+D", " e"),
    code: "invalid_diff",
    says: ["already applied"],
  },
  {
    name: "two hunks, both with two places",
    base: twice,
    diff: text("@@", "-    x = 1", "+    x = 2"),
    code: "ambiguous",
    places: [2, 6],
    says: ["lines 2, 6"],
  },
  {
    name: "a number against the order of the hunks",
    base: text("k=1", "a", "k=1"),
    diff: text("@@ -2 +2 @@", "-a", "+A", "@@ -1 +1 @@", "-k=1", "+k=2"),
    code: "ambiguous",
  },
  {
    name: "an insertion with nothing to hold on to",
    base: text("a", "b"),
    diff: text("@@", "+x"),
    code: "invalid_diff",
    says: ["only adds lines"],
  },
  {
    name: "two hunks that change one line",
    base: text("a", "b", "c"),
    diff: text("@@ -1,2 +1,2 @@", " a", "-b", "+B", "@@ -2,2 +2,2 @@", "-b", "+BB", " c"),
    code: "invalid_diff",
    says: ["another hunk"],
  },
  {
    name: "a removed line that is not in the file",
    base: text("a", "b", "c"),
    diff: text("@@ -1,3 +1,2 @@", " a", "-bee", " c"),
    code: "invalid_diff",
    says: ["Hunk 1", "bee", "2| b"],
  },
  {
    name: "blanks inside a line count",
    base: text('x = "a  b"'),
    diff: text("@@ -1 +1 @@", '-x = "a b"', "+x = 1"),
    code: "invalid_diff",
  },
  {
    name: "an indent that is not the same for all lines",
    base: deep,
    diff: text("@@ -2,2 +2,2 @@", " run() {", "-go();", "+stop();"),
    code: "invalid_diff",
  },
  {
    name: "a context line that stands elsewhere",
    base: text("alpha", "beta", "gamma", "delta", "omega"),
    diff: text("@@", " omega", "-beta", "+BETA", " gamma"),
    code: "invalid_diff",
  },
  {
    name: "an insertion beside a context line that may have been added",
    base: text("alpha", "beta"),
    diff: text("@@", " alpha", "+one", "two unknown", "+three", " beta"),
    code: "invalid_diff",
  },
];

const cutAtAnEdge: readonly PatchCase[] = [
  {
    name: "leading context lost, where a skipped line would leave nothing above the change",
    base: text("one", "same", "two", "three", "same", "four", "five", "six", "seven"),
    diff: text("@@ -2,7 +2,6 @@", "-same", " four", " five", " six"),
    text: text("one", "same", "two", "three", "four", "five", "six", "seven"),
  },
  {
    name: "trailing context lost, and a repeated line further than the header reaches",
    base: text("one", "two", "same", "three", "four", "same", "end"),
    diff: text("@@ -1,4 +1,4 @@", " one", " two", "-same", "+other"),
    text: text("one", "two", "other", "three", "four", "same", "end"),
  },
];

const there: readonly PatchCase[] = [
  {
    name: "a deletion beside lines that are like those that are gone",
    base: text("import { a } from 'x';", "import { b } from 'x';", "", "go();"),
    diff: text(
      "@@ -1,5 +1,4 @@",
      " import { a } from 'x';",
      " import { b } from 'x';",
      "-import { c } from 'x';",
      " ",
      " go();",
    ),
    code: "already_applied",
  },
  {
    name: "several changes in one hunk, of which one adds a line of its own",
    base: text("same", "own words", "same", "same", "end"),
    diff: text("@@ -1,6 +1,5 @@", " same", "+own words", " same", "-same", "-same", " same", " end"),
    code: "already_applied",
  },
  {
    name: "a deletion between lines that have come together",
    base: text("alpha", "gamma"),
    diff: text("@@ -1,3 +1,2 @@", " alpha", "-beta", " gamma"),
    code: "already_applied",
  },
  {
    name: "an indent that was changed before",
    base: text("if x:", "    go()"),
    diff: text("@@ -1,2 +1,2 @@", " if x:", "-go()", "+    go()"),
    code: "already_applied",
  },
];

const groups: readonly (readonly [string, readonly PatchCase[]])[] = [
  ["one place", placed],
  ["one place, though context was lost at an edge", cutAtAnEdge],
  ["refused rather than guessed", refused],
  ["there already", there],
];
for (const [name, examples] of groups)
  describe(`placing: ${name}`, () => {
    for (const example of examples) it(example.name, () => void check(example));
  });
