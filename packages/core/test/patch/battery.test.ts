import { describe, it } from "vitest";
import { check, type PatchCase, text } from "./check.js";

const numbers = text("1", "2", "3", "4", "5", "6", "7", "8", "9");
const repeated = text("a", "b", "k=1", "c", "d", "e", "f", "k=1", "g");
const classes = text("class A:", "    pass", "", "class B:", "    pass");

const pair = (apart: number) => {
  const block = ["start {", "  k = 1", "}"];
  const filler = Array.from({ length: apart }, (_, at) => `line ${at}`);
  return text(...block, ...filler, ...block);
};
const two = text(
  ...["func first() {", "  open()", "  read()", "", "  log()", "  finish(1)", "}", ""],
  ...["func second() {", "  open()", "  read()", "", "  log()", "  finish(1)", "}"],
);
const field = [
  ...["class Field:", "    def prep(self, value):", '        """Prepare the value."""'],
  ...["        return value", "", "    def other(self):", "        return 1", ""],
];
const pads = Array.from({ length: 100 }, (_, at) => [`def pad_${at}(a):`, `    return a + ${at}`]).flat();
const flag = [
  "class Flag(Field):",
  "    def prep(self, value):",
  "        if value is None:",
  "            return None",
];
const init = (...names: readonly string[]) => names.flatMap((name) => [`init_${name}`, "done"]);
const unique = (name: string) => ["@@", `-init_${name}`, `+start_${name}`];

/** The battery of the specification of the engine: cases k1 to k35. */
const cases: readonly PatchCase[] = [
  {
    name: "k1 two copies, no number",
    base: text("x", "k=1", "y", "k=1", "z"),
    diff: text("-k=1", "+k=2"),
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
    name: "k14 the change is there already, beside a line that fits",
    base: text("a", "B", "c"),
    diff: text(" a", "-b", "+B"),
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
    name: "k20 repeated without a number, three places",
    base: text("k=1", "k=1", "x", "k=1"),
    diff: text("@@", "-k=1", "+k=2", "@@", "-k=1", "+k=2"),
    code: "ambiguous",
    places: [1, 2, 4],
  },
  {
    name: "k21 insertion after a last line without newline",
    base: "a\nb",
    diff: text("@@ -2,1 +2,2 @@", " b", "+c"),
    text: "a\nb\nc",
  },
  ...[10, 20_000].map(
    (apart): PatchCase => ({
      name: `k22 two equal places, ${apart} lines apart`,
      base: pair(apart),
      diff: text("@@", " start {", "-  k = 1", "+  k = 2"),
      code: "ambiguous",
      places: [1, apart + 4],
    }),
  ),
  ...[500].map(
    (apart): PatchCase => ({
      name: `k22 two equal places with damaged context, ${apart} lines apart`,
      base: pair(apart),
      diff: text("@@", " start {", " made up", "-  k = 1", "+  k = 2"),
      code: "ambiguous",
      places: [2, apart + 5],
    }),
  ),
  {
    name: "k23 the only place lies in another class, far past number and section",
    base: text(...field, ...pads, ...flag),
    diff: text(
      ...["@@ -2,4 +2,5 @@ class Field:", "     def prep(self, value):", '         """Prepare the value."""'],
      ...["         if value is None:", "             return None", "+        value = lazy(value)"],
    ),
    code: "invalid_diff",
    says: ["lines 3, 211"],
  },
  {
    name: "k24 the section of one copy, a number nearer to the other",
    base: two,
    diff: text("@@ -12,2 +12,2 @@ func first() {", "   log()", "-  finish(1)", "+  finish(2)"),
    code: "ambiguous",
    places: [5, 13],
    says: ["number 12 is none of them, the nearest is line 13", "its section has line 5"],
  },
  {
    name: "k24 the section of the copy that is nearer to the number",
    base: two,
    diff: text("@@ -7,2 +7,2 @@ func first() {", "   log()", "-  finish(1)", "+  finish(2)"),
    text: two.replace("finish(1)", "finish(2)"),
  },
  {
    name: "k25 an exact old number, whatever the new one says",
    base: two,
    diff: text("@@ -13,2 +20,2 @@", "   log()", "-  finish(1)", "+  finish(2)"),
    text: two.replace(/finish\(1\)(?=\n}\n$)/, "finish(2)"),
    repairs: [],
  },
  {
    name: "k26 entities in a part of the old lines",
    base: text("<A>", "  <B x={<i>t</i>}>", "    <C />", "  </B>", "</A>"),
    diff: text(
      ...["@@", " <A>", "-  <B x={&lt;i&gt;t&lt;/i&gt;}&gt;", "+  &lt;B x={&lt;i&gt;t&lt;/i&gt;}&gt;"],
      "     &lt;C /&gt;",
    ),
    code: "invalid_diff",
    says: ["HTML entities"],
  },
  {
    name: "k28 one good hunk, and one of context that is not in the file",
    base: numbers,
    diff: text("@@ -2 +2 @@", "-2", "+two", "@@ -40,2 +40,2 @@", " func gamma() {", " nothing lik"),
    code: "invalid_diff",
    says: ["Hunk 2", "changes nothing, and its lines do not stand in the file"],
  },
  {
    name: "k28 a hunk of context only that is in the file",
    base: numbers,
    diff: text("@@ -2 +2 @@", "-2", "+two", "@@ -4,2 +4,2 @@", " 4", " 5"),
    text: text("1", "two", "3", "4", "5", "6", "7", "8", "9"),
    repairs: ["empty_hunk"],
  },
  {
    name: "k29 added lines at the file's depth, context less deep",
    base: text("switch (k) {", "      case 1:", "        a()", "        break", "    }", "    done()"),
    diff: text(
      ...["@@ -2,5 +2,8 @@", "   case 1:", "     a()", "     break"],
      ...["+      case 2:", "+        b()", "+        break", " }", " done()"],
    ),
    text: text(
      ...["switch (k) {", "      case 1:", "        a()", "        break"],
      ...["      case 2:", "        b()", "        break", "    }", "    done()"],
    ),
    repairs: ["indentation"],
  },
  {
    name: "k30 added lines in the file's tabs, context in blanks",
    base: text("if x {", "\tgo()", "\tstop()", "}"),
    diff: text("@@ -1,3 +1,4 @@", " if x {", "     go()", "+\twait()", "     stop()"),
    text: text("if x {", "\tgo()", "\twait()", "\tstop()", "}"),
    repairs: ["indentation"],
  },
  {
    name: "k31 two of three equal hunks, each between unique ones",
    base: text(...init("a", "b", "c")),
    diff: text(
      ...[...unique("a"), "@@", "-done", "+finish", ...unique("b"), "@@", "-done", "+finish", ...unique("c")],
    ),
    text: text("start_a", "finish", "start_b", "finish", "start_c", "done"),
  },
  {
    name: "k31 an equal hunk that the order leaves two places",
    base: text(...init("a", "b", "c")),
    diff: text(...unique("a"), "@@", "-done", "+finish", ...unique("c")),
    code: "ambiguous",
    places: [2, 4, 6],
  },
  {
    name: "k32 a bare change whose new line stands there",
    base: text("a", "B", "c"),
    diff: text("-b", "+B"),
    code: "invalid_diff",
    says: ["Its new lines stand at line 2 already"],
  },
  {
    name: "k33 typographic quotes in a removed line, of which the file has none",
    base: text('say "x"', "b", "c"),
    diff: text("@@ -1,2 +1,2 @@", "-say “x”", "+say y", " b"),
    text: text("say y", "b", "c"),
    repairs: ["punctuation"],
  },
  ...(
    [
      ["a reversed diff", "diff --git b/f a/f", "--- b/f", "+++ a/f"],
      ["mnemonic prefixes", "diff --git i/f w/f", "--- i/f", "+++ w/f"],
      [
        "a quoted name",
        'diff --git "a/f\\303\\244" "b/f\\303\\244"',
        '--- "a/f\\303\\244"',
        '+++ "b/f\\303\\244"',
      ],
    ] as const
  ).map(
    ([name, ...header]): PatchCase => ({
      name: `k34 ${name}`,
      base: numbers,
      diff: text(...header, "@@ -2 +2 @@", "-2", "+two"),
      path: name === "a quoted name" ? "fä" : "f",
      text: text("1", "two", "3", "4", "5", "6", "7", "8", "9"),
      repairs: [],
    }),
  ),
  {
    name: "k35 a deletion by git header",
    base: text("a"),
    diff: text(
      "diff --git a/f b/f",
      "deleted file mode 100644",
      "--- a/f",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-a",
    ),
    code: "invalid_diff",
    says: ["deletes the file"],
  },
  {
    name: "k35 a rename by git header",
    base: text("a"),
    diff: text("diff --git a/f b/g", "similarity index 100%", "rename from f", "rename to g"),
    code: "invalid_diff",
    says: ['renames the file to "g"'],
  },
  {
    name: "k35 a copy by git header",
    base: text("a"),
    diff: text("diff --git a/f b/g", "similarity index 100%", "copy from f", "copy to g"),
    code: "invalid_diff",
    says: ['copies a file to "g"'],
  },
  {
    name: "k35 a mode by git header",
    base: text("a"),
    diff: text("diff --git a/f b/f", "old mode 100644", "new mode 100755"),
    code: "invalid_diff",
    says: ["changes the file's mode only"],
  },
];

describe("the battery", () => {
  for (const example of cases) it(example.name, () => void check(example));
});
