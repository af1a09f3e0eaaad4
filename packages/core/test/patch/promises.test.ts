import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyDiff } from "../../src/patch/index.js";
import { check, type PatchCase, text } from "./check.js";

/** What docs/patch.md promises and no other test of this folder holds. */
const twoClasses = text("class A:", "  def f():", "    p", "class B:", "  def g():", "    q", "    r");
const stretched = text(" class A:", "   def f():", "     q", "+    x");
const afterQ = twoClasses.replace("    q\n", "    q\n    x\n");
const overTheEnd = text(
  ...["function run(name) {", "  const raw = get(name);", "  // todo", "}"],
  ...["function save1(name) {", "  // todo", "  return raw;", "  if (!raw) return null;", "}"],
);
const functions = text("fn a {", "  1", "}", "", "fn x {", "  3", "}", "fn y {", "  2", "}");
const insertsX = text("@@", " }", "+", "+fn x {", "+  3", "+}", " fn y {");
const rule = text(
  ...["rule:", "  name: one", "  kind: same", "end"],
  ...["rule:", "  name: two", "  kind: same", "end"],
);
const steps = ["set:", "  one", "  two", "  three", "  four", "  five", "  six"];
const doc = text(
  ...["def full(a):", '    """', "    See also", '    """', "    return copy(a)", "", "def chunks(vs):"],
  ...["    chunks = {}", "    for v in vs:", "        use(v)"],
);
const farClasses = text(
  ...["class A:", "  def f():", "    go()", "    end()"],
  ...Array.from({ length: 36 }, (_, at) => `line_${at}()`),
  ...["class B:", "  def g():", "    go(b)", "    work(b)", "    end(b)"],
);
const damagedBody = text(
  "   def g():",
  "     gone()",
  "     go(b)",
  "-    work(b)",
  "+    rest(b)",
  "     end(b)",
);
const copies = text("top", "one", "same", "two", "same", "three", "end");

const cases: readonly PatchCase[] = [
  {
    name: "hunks out of order, of which one fits twice and no number names a copy",
    base: text("same", "a", "same", "b"),
    diff: text("@@", "-b", "+B", "@@", "-same", "+other"),
    code: "ambiguous",
    places: [1, 3],
  },
  {
    name: "damaged context over the end of a section that the header does not name",
    base: twoClasses,
    diff: `@@ class A:\n${stretched}`,
    code: "invalid_diff",
    says: ["between them a section ends", "Its change would be at line"],
  },
  {
    name: "damaged context over the end of a section, in a hunk that claims the lines that change",
    base: twoClasses,
    diff: `@@ -1,6 +1,7 @@\n${stretched}`,
    text: afterQ,
    repairs: ["line_counts", "context_mended"],
  },
  {
    name: "damaged context over the end of a section, under the name of the other one",
    base: twoClasses,
    diff: `@@ class B:\n${stretched}`,
    text: afterQ,
    repairs: ["context_mended"],
  },
  {
    name: "damaged context over the end of a section, with an ellipsis there",
    base: twoClasses,
    diff: `@@ class A:\n${stretched.replace("     q", " ...\n     q")}`,
    text: afterQ,
    repairs: ["context_mended"],
  },
  {
    name: "lines of two sections below an insertion that names neither",
    base: overTheEnd,
    diff: text(
      "@@",
      "+  NEW();",
      "   const raw = get(name);",
      "   // todo",
      "   return raw;",
      "   if (!raw) return null;",
    ),
    code: "invalid_diff",
    says: ["between them a section ends"],
  },
  {
    name: "lines of two sections below the change of a line that stands nowhere else",
    base: overTheEnd,
    diff: text(
      "@@",
      "-  const raw = get(name);",
      "+  const raw = find(name);",
      "   // todo",
      "   return raw;",
    ),
    text: overTheEnd.replace("get(name)", "find(name)"),
    repairs: ["context_mended"],
  },
  {
    name: "a whole diff of a writer who always counts seven, which ends in an added line",
    base: text("a", "b", "c", "d", "e", "f", "g", "h", "i"),
    diff: text("@@ -1,7 +1,7 @@", " a", " b", "-c", "+C"),
    text: text("a", "b", "C", "d", "e", "f", "g", "h", "i"),
    repairs: ["line_counts"],
  },
  {
    name: "a forgotten removal whose neighbour is only like the line that was left out",
    base: text("function f() {", "  return {", "    a: 1,", "  };", "}"),
    diff: text("@@ -1,4 +1,5 @@", " function f() {", "   return {", "     a: 1,", "+  }; end", " }"),
    code: "ambiguous",
    places: [4, 5],
  },
  {
    name: "an added line that has encoded what an old one has as it is",
    base: text("<a>", '  <p>{n && "x"}</p>', "</a>"),
    diff: text(
      "@@",
      " &lt;a&gt;",
      '-  &lt;p&gt;{n && "x"}&lt;/p&gt;',
      "+  &lt;p&gt;{n &amp;&amp; y}&lt;/p&gt;",
      " &lt;/a&gt;",
    ),
    code: "invalid_diff",
    says: ["partly as they are"],
  },
  {
    name: "lines that are moved, with blanks for the file's tabs: they stand where they are removed",
    base: text(
      ...["f(() => {", "\t});", "}", "", "function g(", "\ta,", ") {", "}"],
      ...["", "function h() {", "\tgo(1);", "}"],
    ),
    diff: text(
      ...["@@ -2,4 +2,6 @@", "         });", " }", "+        go(1);", "+}", " ", " function g("],
      ...["@@ -9,4 +11,2 @@", " ", " function h() {", "-        go(1);", "-}"],
    ),
    code: "invalid_diff",
  },
  {
    name: "an exact place before one at another depth",
    base: text("  go()", "x", "go()"),
    diff: text("@@", "-go()", "+stop()"),
    text: text("  go()", "x", "stop()"),
    repairs: [],
  },
  {
    name: "a context line in another letter case, and one that is cut short",
    base: text("def first(value):", "  Open(value)", "  run(value)", "  return close(value)", "end"),
    diff: text(
      "@@",
      " def first(value):",
      "   open(value)",
      "-  run(value)",
      "+  walk(value)",
      "   return cl",
      " end",
    ),
    text: text("def first(value):", "  Open(value)", "  walk(value)", "  return close(value)", "end"),
    repairs: ["context_mended"],
  },
  {
    name: "a line added to a replaced one, beside fewer blank lines than the file has there",
    base: text("alpha", "beta", "", "", "gamma"),
    diff: text("@@", " alpha", "-beta", "+B", "+new", " ", " gamma"),
    text: text("alpha", "B", "new", "", "", "gamma"),
  },
  {
    name: "a number that names one copy, and another if it is off as all other numbers are",
    base: copies,
    diff: text("@@ -3 +3 @@", "-top", "+TOP", "@@ -5 +5 @@", "-same", "+other"),
    code: "ambiguous",
    places: [3, 5],
  },
  {
    name: "a number that names one copy, while the others are off by what names none",
    base: copies,
    diff: text("@@ -2 +2 @@", "-top", "+TOP", "@@ -5 +5 @@", "-same", "+other"),
    text: text("TOP", "one", "same", "two", "other", "three", "end"),
    repairs: ["line_number"],
  },
  {
    name: "a deletion that may be made already, where only the caller can know",
    base: text("gamma", "gamma", "delta", "gamma", "gamma"),
    diff: text("@@ -9,3 +9,2 @@", " gamma", "-beta", " gamma"),
    code: "invalid_diff",
    says: ["if it was applied before, nothing is left to do for it"],
  },
  {
    name: "entities of which only some are undone by decoding",
    base: text("a &lt; b", "<i>", "c"),
    diff: text("@@", " a &lt; b", "-&lt;i&gt;", "+&lt;b&gt;", " c"),
    code: "invalid_diff",
  },
  {
    name: "an insertion made already that ends as the context above it, whose old lines stand below it again",
    base: functions,
    diff: insertsX,
    code: "already_applied",
  },
  {
    name: "an insertion made already, beside context that is cut short",
    base: functions,
    diff: insertsX.replace("fn y {", "fn y"),
    code: "already_applied",
  },
  {
    name: "an insertion made already, in a hunk at another depth",
    base: functions.replace(/^(?=.)/gm, "    "),
    diff: insertsX,
    code: "already_applied",
  },
  {
    name: "an insertion made already at the edge of context that lost its spaces",
    base: text("  first", "  second", "  third", "  X", "  last"),
    diff: text("@@", "  first", "  second", "  third", "+  X"),
    code: "already_applied",
  },
  {
    name: "an insertion that repeats lines beside it which the file has several times",
    base: text("a", "br", "br", "b"),
    diff: text("@@", " br", "+br", " b"),
    text: text("a", "br", "br", "br", "b"),
  },
  {
    name: "a change of depth alone that the file has already",
    base: text("class A:", "    return first(one)", "end"),
    diff: text("@@", "-  return first(one)", "+    return first(one)"),
    code: "invalid_diff",
    says: ["its new lines as well at line 2"],
  },
  {
    name: "context at another depth, and an exact line without indentation beside an indented addition",
    base: text("class A:", "    def f():", "        pass", "}", "tail"),
    diff: text("@@", "   def f():", "     pass", "+  extra()", " }", " tail"),
    code: "invalid_diff",
  },
  {
    name: "damaged context elsewhere, and all of it but what is removed where the number says",
    base: text("on:", "  open", "  read", "  shut", "off:", "  open", "  seek", "  lock"),
    diff: text("@@ -6,4 +6,4 @@", "   open", " ", "-  read", "+  write", "   lock"),
    code: "invalid_diff",
  },
  {
    name: "a deletion that stands made where its number says, while its old lines stand elsewhere",
    base: rule.replace("  kind: same\nend\nrule", "  kind: same\n  gone: now\nend\nrule"),
    diff: text("@@ -8,3 +8,2 @@", "   kind: same", "-  gone: now", " end"),
    code: "invalid_diff",
    says: ["its new lines as well at line 9", "old lines fit at line 4"],
  },
  {
    name: "of two hunks the first made already where its number says, while its old lines stand elsewhere",
    base: text("a", "new", "c", "d", "e", "f", "old", "g", "h"),
    diff: text("@@ -2 +2 @@", "-old", "+new", "@@ -8 +8 @@", "-g", "+G"),
    text: text("a", "new", "c", "d", "e", "f", "old", "G", "h"),
    repairs: ["applied_before"],
  },
  {
    name: "more than four lines left out beside an insertion that one line holds",
    base: text(...steps, "  done", "other:", "  next"),
    diff: text("@@", "+  zero", "   one", "   done"),
    code: "invalid_diff",
    says: ["or too much was left out"],
  },
  {
    name: "more than four lines left out beside the removal of a line that stands nowhere else",
    base: text(...steps, "  call()", "  done"),
    diff: text("@@", "   one", "-  call()", "+  call(all)", "   done"),
    text: text(...steps, "  call(all)", "  done"),
    repairs: ["context_mended"],
  },
  {
    name: "a line that is passed over and is the one to be added",
    base: text("one", "two", "new()", "three", "four"),
    diff: text("@@", " one", "-two", "+TWO", "+new()", " three", " four"),
    code: "invalid_diff",
    says: ["or too much was left out"],
  },
  {
    name: "a blank line that is replaced, with a context line left out below it",
    base: text("one", "", "two", "three"),
    diff: text("@@", " one", "-", "+X", " three"),
    code: "invalid_diff",
  },
  {
    name: "a blank line to be removed beside another one, of which the file has only one",
    base: text("one", "two", "", "three", "four"),
    diff: text("@@", " one", " two", " ", "-", " three", " ", " four"),
    code: "invalid_diff",
  },
  {
    name: "a blank line that is replaced beside a misquoted line",
    base: text("one", "two", "", "three", "four"),
    diff: text("@@", " one", " tow", "-", "+X", " three", " four"),
    text: text("one", "two", "X", "three", "four"),
    repairs: ["context_mended"],
  },
  {
    name: "an insertion between more blank lines than the hunk has there",
    base: text("alpha", "", "", "beta", "gamma"),
    diff: text("@@", " alpha", " ", "+X", " beta", " gamma"),
    code: "ambiguous",
    places: [2, 3, 4],
  },
  {
    name: "an insertion at the edge of a hunk, with a line left out beside the one line that holds it",
    base: text("one", "two", "three", "four"),
    diff: text("@@ -1,2 +1,3 @@", " one", " three", "+X"),
    code: "invalid_diff",
    says: ["stands apart"],
  },
  {
    name: "a deletion made already, and the same lines in another block that its damaged context fits",
    base: text("first(", "  arg", ");", "", "second(", "  arg", "", "TAIL"),
    diff: text("@@ -5,5 +5,4 @@", " other(", "   arg", "-);", " ", " TAIL"),
    code: "invalid_diff",
    says: ["its new lines as well at line 7", "at line 3"],
  },
  {
    name: "a deletion made already above a blank line, and the same lines in another block",
    base: text(
      ...["on(a) {", "  if", "  }", "", "  run(a)", "}"],
      ...["on(b) {", "  if", "  }", "  count()", "", "  run(b)", "}"],
    ),
    diff: text("@@", " on(q) {", "   }", "-  count()", " "),
    code: "invalid_diff",
    says: ["its new lines as well at line 4, so that it is not clear"],
  },
  {
    name: "lines that are only indented, and stand at another depth than either side",
    base: text("a", "        one", "        two", "b"),
    diff: text("@@", "-\t    one", "-\t    two", "+\t        one", "+\t        two"),
    code: "invalid_diff",
  },
  {
    name: "braces alone, at another depth than in the file",
    base: text("a {", "  b {", "    c", "  }", "}"),
    diff: text("@@", "       }", "-    }", "+    };"),
    code: "invalid_diff",
  },
  {
    name: "one of two changes of a hunk made already, so that its context is not that of the file",
    base: text("a {", "  b", "  }", "  }", "}", "tail", "end"),
    diff: text("@@", " a {", "   b", "   }", "+  }", " }", " tail", "-end", "+END"),
    code: "invalid_diff",
    says: ["and as well if one of its changes stands at line 4 already"],
  },
  {
    name: "a deletion beside a line that was left out, which stands between lines that the hunk quotes",
    base: text("one", "two", "  }", "if (three) {", "  four", "  }", "five", "six"),
    diff: text("@@", " one", " tow", "   }", "-if (three) {", "-  four", "-  }", " five", " six"),
    text: text("one", "two", "  }", "five", "six"),
    repairs: ["context_mended"],
  },
  {
    name: "a deletion above an ellipsis that stands for the removed line as well as for others",
    base: text(...steps, "  done"),
    diff: text("@@ -2,5 +2,4 @@", "   one", "-  two", " ...", "   four"),
    text: text(...steps.filter((line) => line !== "  two"), "  done"),
    repairs: ["line_counts", "context_mended"],
  },
  {
    name: "new lines in one block, and the old one in another at its very number",
    base: text("one {", "  kind: bool", "  set: true", "}", "two {", "  kind: text", "  set: yes", "}"),
    diff: text("@@ -5,4 +5,4 @@", " ", " ...", "-  kind: text", "+  kind: bool", "   set: true", " }"),
    code: "invalid_diff",
    never: "applied before",
  },
  {
    name: "a line of blanks whose blanks go, and a wrong letter in the context",
    base: text("a", "}", "    ", "// MARK", "b"),
    diff: text("@@ -2,4 +2,4 @@", " }", "-    ", "+", " // mARK: x", " b"),
    code: "applied",
    text: text("a", "}", "", "// MARK", "b"),
  },
  {
    name: "lines that go, none of which the file has: it is not told to write the hunk where the rest nearly fits",
    base: text("one", "two", "three", "four"),
    diff: text("@@ -9,3 +9,3 @@", " two", "-gone()", "+here()", " five"),
    code: "invalid_diff",
    says: [
      'No line "gone()" in this file. It most nearly fits at line 2',
      "Nothing that it removes stands in the file.",
    ],
    never: "Write the hunk",
  },
  {
    name: "a misquoted line at its very number, and the new lines in another block",
    base: text("{", "  “name”: one", "  kind: row", "}", "{", "  name: two", "  kind: row", "}"),
    diff: text("@@ -1,3 +1,3 @@", " {", "-  “name“: one", "+  name: two", "   kind: row"),
    code: "invalid_diff",
    never: "already",
  },
  {
    name: "lines that are wrapped already, and stand in their wrapping once more at another depth",
    base: text("on", "  try {", "    return line", "  }", "off"),
    diff: text("@@ -9 +9,3 @@", "-return line", "+try {", "+  return line", "+}"),
    code: "invalid_diff",
    says: ["its new lines as well at line 2"],
  },
  {
    name: "a change made already nearer to its number than the copy that its old lines fit",
    base: text("a", "old(1)", "end", "b", "c", "d", "new(1)", "end"),
    diff: text("@@ -6,2 +6,2 @@", "-old(1)", "+new(1)", " end"),
    code: "invalid_diff",
    says: ["its new lines as well at line 7", "at line 2"],
  },
  {
    name: "a hunk without indented lines, where another one has blanks for the tabs of the file",
    base: text("f() {", "\tgo();", "}", "g() {", "}"),
    diff: text("@@", " f() {", "-    go();", "+    stop();", "@@", " g() {", "+    go();", " }"),
    code: "invalid_diff",
    says: ["quotes no indented line of the file"],
  },
  {
    name: "lost spaces before code, beside a comment whose lines stand one blank further in",
    base: text("  /**", "   * Adds one.", "   */", "  add(one);", "  drop(two);"),
    diff: text("@@", "   * Adds one.", "   */", "+  check(one);", "  add(one);", "  drop(two);"),
    text: text("  /**", "   * Adds one.", "   */", "  check(one);", "  add(one);", "  drop(two);"),
    repairs: ["missing_prefix"],
  },
  {
    name: "lost spaces that only another hunk of the diff shows",
    base: text("f {", "    a", "    b", "}", "", "g {", "     c", "     d", "    e", "}"),
    diff: text("@@", "f {", "    a", "+    n", "    b", "}", "@@", "     c", "+     n", "     d", "    e"),
    text: text("f {", "    a", "    n", "    b", "}", "", "g {", "     c", "     n", "     d", "    e", "}"),
    repairs: ["missing_prefix"],
  },
  {
    name: "one made-up quote above a hunk that fits otherwise",
    base: doc,
    diff: text(
      "@@",
      '     """',
      "     chunks = {}",
      "     for v in vs:",
      "-        use(v)",
      "+        walk(v)",
    ),
    text: doc.replace("use(v)", "walk(v)"),
    repairs: ["context_mended"],
  },
  {
    name: "damaged context in another section than the header names, far from its number",
    base: farClasses,
    diff: `@@ -2,4 +2,4 @@ class A:\n${damagedBody}`,
    code: "invalid_diff",
    says: ["stands apart, at lines 1, 44"],
  },
  {
    name: "damaged context in the section that the header names, far from its number",
    base: farClasses,
    diff: `@@ -2,4 +2,4 @@ class B:\n${damagedBody}`,
    text: farClasses.replace("    work(b)", "    rest(b)"),
    repairs: ["line_counts", "context_mended"],
  },
];

describe("the promises of docs/patch.md", () => {
  for (const example of cases) it(example.name, () => void check(example));

  it("a refusal shows twenty real lines at most for the hunk in question", () => {
    const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`);
    const quoted = lines.slice(30, 70).map((line) => ` ${line}`);
    const outcome = applyDiff({ base: text(...lines), diff: text("@@", ...quoted, "-gone", "+new") });
    const message = outcome.kind === "refusal" ? outcome.message : "";
    const shown = message.match(/^ *\d+\| .*$/gm) ?? [];
    expect(shown.length).toBeGreaterThan(10);
    expect(shown.length).toBeLessThanOrEqual(20);
    for (const line of shown) {
      const [, number, real] = /^ *(\d+)\| (.*)$/.exec(line) ?? [];
      expect(real).toBe(lines[Number(number) - 1]);
    }
  });

  it("all hunks are applied, or none", () => {
    const base = text("a", "b", "c");
    const diff = text("@@ -1 +1 @@", "-a", "+A", "@@ -3 +3 @@", "-see", "+C");
    const outcome = applyDiff({ base, diff });
    expect(outcome).toMatchObject({ kind: "refusal", hunk: 2 });
    expect(outcome).not.toHaveProperty("text");
  });

  it("every test that the page names is there", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../../docs/patch.md"), "utf8");
    const rows = [...page.matchAll(/^\| .* \| `(\S+\.test\.ts)`: (.*) \|$/gm)];
    expect(rows.length).toBeGreaterThan(20);
    for (const [, file = "", names = ""] of rows) {
      const source = readFileSync(join(import.meta.dirname, file), "utf8");
      const named = [...names.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name);
      expect(named, names).not.toEqual([]);
      for (const name of named) expect(source, `${file} has "${name}"`).toContain(name);
    }
  });
});
