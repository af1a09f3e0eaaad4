import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyDiff } from "../../../src/patch/index.js";
import { check, type PatchCase, text } from "../check.js";

const totals = text("a = 1", "total  =  a + 2", "b = 3", "c = 4");
const drifted = text("@@ -1,4 +1,4 @@", " a = 1", "-total = a + 2", "+total = a + 3", " b = 3", " c = 4");

const placed: readonly PatchCase[] = [
  {
    name: "all context deeper, the removed line to the letter",
    base: text("import a", "from b import c", "import d", "", "x = 1"),
    diff: text(
      "@@ -1,5 +1,5 @@",
      "     import a",
      "-from b import c",
      "+from b import cc",
      "     import d",
      " ",
      "     x = 1",
    ),
    text: text("import a", "from b import cc", "import d", "", "x = 1"),
    repairs: ["context_mended"],
  },
  {
    name: "the context above less deep",
    base: text("class A:", "    def f(self):", "        y = 1", "        if y:", "            return y"),
    diff: text(
      "@@ -2,4 +2,4 @@",
      " def f(self):",
      "     y = 1",
      "-        if y:",
      "+        if y > 0:",
      "             return y",
    ),
    text: text("class A:", "    def f(self):", "        y = 1", "        if y > 0:", "            return y"),
    repairs: ["context_mended"],
  },
  {
    name: "an insertion between a line to the letter and one less deep",
    base: text("def f():", "    a = 1", "    b = 2", "    c = 3", "    return a"),
    diff: text("@@ -2,4 +2,5 @@", "   a = 1", "     b = 2", "+    bb = 2", "     c = 3", "     return a"),
    text: text("def f():", "    a = 1", "    b = 2", "    bb = 2", "    c = 3", "    return a"),
    repairs: ["context_mended"],
  },
  {
    name: "context that lost one tab",
    base: text("func f() {", "\tif a {", "\t\tb()", "\t\tc()", "\t}", "}"),
    diff: text("@@ -2,4 +2,4 @@", " if a {", "-\t\tb()", "+\t\tbb()", " \tc()", " }"),
    text: text("func f() {", "\tif a {", "\t\tbb()", "\t\tc()", "\t}", "}"),
    repairs: ["context_mended"],
  },
  {
    name: "blanks within a removed line, at the very number with exact context",
    base: totals,
    diff: drifted,
    text: text("a = 1", "total = a + 3", "b = 3", "c = 4"),
    repairs: ["context_mended"],
  },
  {
    name: "a moved hunk of blanks in a file of tabs",
    base: text("\tstyle tree \\", "\t    -text a \\", "\t    -field b", "\tstyle map"),
    diff: text(
      "@@ -1,4 +1,5 @@",
      " style tree \\",
      "     -text a \\",
      "-    -field b",
      "+    -field c",
      "+    -period d",
      " style map",
    ),
    text: text("\tstyle tree \\", "\t    -text a \\", "\t    -field c", "\t    -period d", "\tstyle map"),
    repairs: ["indentation"],
  },
  {
    name: "an added line of blanks alone, in a hunk of blanks for a file of tabs",
    base: text("a {", "\tone", "}", "b {"),
    diff: text("@@ -1,4 +1,6 @@", " a {", "         one", " }", "+c {", "+        ", " b {"),
    text: text("a {", "\tone", "}", "c {", "\t", "b {"),
    repairs: ["indentation"],
  },
];

const refused: readonly PatchCase[] = [
  {
    name: "a bracket for another one, beside an insertion",
    base: text("a(", "  b: {", "  },", "  c", ")", "d(", "  e", "  };", "  f", ")"),
    diff: text("@@ -7,3 +7,4 @@", "   e", "   }", "+  g", "   f"),
    code: "invalid_diff",
  },
  {
    name: "blanks within a removed line, one line off its number",
    base: totals,
    diff: drifted.replaceAll("1,4", "2,4"),
    code: "invalid_diff",
    says: ['No line "total = a + 2" in this file', "Nothing that it removes stands in the file"],
  },
  {
    name: "blanks within a removed line, at its number, and a typo in the context",
    base: totals,
    diff: drifted.replace(" b = 3", " bb = 3"),
    code: "invalid_diff",
  },
  {
    name: "blanks within a removed line, at its number, without a word of context",
    base: text("a  b", "}"),
    diff: text("@@ -1,2 +1,2 @@", "-a b", "+c", " }"),
    code: "invalid_diff",
  },
  {
    name: "other quotes in a removed line",
    base: text("a = 1", "name = 'x'", "b = 3"),
    diff: text("@@ -1,3 +1,3 @@", " a = 1", '-name = "x"', '+name = "y"', " b = 3"),
    code: "invalid_diff",
  },
  {
    name: "a number by a line that was made up, among copies",
    base: text(
      ...["one", "two", "three"].flatMap((name) => [
        `on(${name}) {`,
        "  if (!event) {",
        "    return;",
        "  }",
        "  count();",
        "  run();",
        "}",
        "",
      ]),
    ),
    diff: text(
      "@@ -9,5 +9,5 @@",
      "   made_up()",
      "   if (!event) {",
      "-    return;",
      "+    stop();",
      "   }",
      "   count();",
    ),
    code: "ambiguous",
    places: [3, 11, 19],
  },
  {
    name: "a bracket with another one behind it, beyond the line that alone holds an insertion",
    base: text("make({", "  one: 1,", "  two: 2,", "  };", "}", "", "end"),
    diff: text("@@", "+  zero: 0,", "   two: 2,", " }", " "),
    code: "invalid_diff",
  },
  {
    name: "a deletion made already, and its lines where context stands that is only like the made-up one",
    base: text(
      "one {",
      "  tags: [",
      "    open",
      "    new",
      "  ],",
      "  level",
      "}",
      "two {",
      "  tags: [",
      "    open",
      "    new",
      "  level",
      "}",
    ),
    diff: text("@@", "     open", "   tags: {", "-  ],", "   level"),
    code: "invalid_diff",
    says: ["its new lines as well at line 12"],
  },
  {
    name: "a removed line twice, two lines apart, and a number between them",
    base: text("a", "go()", "b", "go()", "c"),
    diff: text("@@ -3,1 +3,1 @@", "-go()", "+stop()"),
    code: "ambiguous",
    places: [2, 4],
  },
];

for (const [name, cases] of [["is believed", placed] as const, ["is not enough", refused] as const])
  describe(`evidence for a place that ${name}`, () => {
    for (const example of cases) it(example.name, () => void check(example));
  });

describe("a removed line that the file has once", () => {
  const word = fc.stringMatching(/^[a-z]{5,8}$/);
  const lines = fc
    .uniqueArray(word, { minLength: 7, maxLength: 12 })
    .map((words) => words.map((one, n) => `${"  ".repeat(n % 3)}${one}(${n})`));
  const damage: readonly ((line: string) => string)[] = [
    (line) => `    ${line}`,
    (line) => line.trimStart(),
    (line) => line.replace(/[a-z]/, (letter) => letter.toUpperCase()),
    (line) => line.replace(/([a-z])([a-z]{3})/, "$1$1$2"),
    (line) => line.slice(0, -2),
  ];
  const law = (bend: (context: readonly string[], pick: number, how: number) => readonly string[]) =>
    fc.property(lines, fc.nat(), fc.nat(), fc.nat(), (all, place, pick, how) => {
      const at = 2 + (place % (all.length - 4));
      const above = bend(all.slice(at - 2, at), pick, how).map((line) => ` ${line}`);
      const below = all.slice(at + 1, at + 3).map((line) => ` ${line}`);
      const diff = text(`@@ -${at - 1},5 +${at - 1},5 @@`, ...above, `-${all[at]}`, "+other words", ...below);
      expect(applyDiff({ base: text(...all), diff })).toMatchObject({
        kind: "success",
        text: text(...all.with(at, "other words")),
      });
    });

  it("is found though one line of its context is otherwise written", () => {
    const bend = (context: readonly string[], pick: number, how: number) =>
      context.map((line, n) => (n === pick % 2 ? (damage[how % damage.length]?.(line) ?? line) : line));
    fc.assert(law(bend));
  });

  it("is found though one line of its context was left out or made up", () => {
    const bend = (context: readonly string[], pick: number, how: number) =>
      how % 2 === 0
        ? context.toSpliced(pick % 2, 1)
        : context.toSpliced(pick % 2, 1, "a line that was made up");
    fc.assert(law(bend));
  });
});

describe("context that was left out beside an insertion", () => {
  const line = fc.oneof(
    { weight: 3, arbitrary: fc.stringMatching(/^[a-z]{5,8}$/) },
    { weight: 1, arbitrary: fc.constant("") },
  );

  it("never moves it: the place is the right one, or none", () => {
    const law = fc.property(
      fc.array(line, { minLength: 10, maxLength: 16 }),
      fc.nat(),
      fc.nat(),
      fc.nat({ max: 2 }),
      fc.boolean(),
      (drawn, place, from, more, removes) => {
        const all = drawn.map((one, n) => (one === "" && drawn[n - 1] !== "" ? "" : `${one}${n}`));
        const at = 4 + (place % (all.length - 8));
        const gone = removes && all[at + 1] !== "" ? [at + 1] : [];
        const shown = all
          .slice(at - 3, at + 5)
          .map((one, n) => (gone.includes(at - 3 + n) ? `-${one}` : ` ${one}`));
        shown.splice(3, 0, "+added one", "+added two");
        const start = from % shown.length;
        const kept = shown.filter((one, n) => !one.startsWith(" ") || n < start || n > start + more);
        const diff = text(`@@ -${at - 2},8 +${at - 2},10 @@`, ...kept);
        const truth = all.toSpliced(at, 0, "added one", "added two").filter((_, n) => !gone.includes(n - 2));
        const outcome = applyDiff({ base: text(...all), diff });
        if (outcome.kind === "success") expect(outcome.text).toBe(text(...truth));
      },
    );
    fc.assert(law, { numRuns: 3_000 });
  });
});

describe("a change with a made-up line of context, in one of several blocks that are the same", () => {
  const block = (name: number) => [`test("${name}", () => {`, "  const f = wrap(r);", "  f;", "});", ""];

  it("is made where number and section both name it, and refused otherwise", () => {
    const draw = fc.record({
      count: fc.integer({ min: 2, max: 6 }),
      block: fc.nat(5),
      section: fc.nat(7),
      off: fc.constantFrom(0, 0, 0, 1, -1, 5, -5),
      isAbove: fc.boolean(),
    });
    fc.assert(
      fc.property(draw, ({ count, block: drawn, section, off, isAbove }) => {
        const at = drawn % count;
        const lines = Array.from({ length: count }, (_, n) => block(n)).flat();
        const context = isAbove
          ? [" server.close()", "   const f = wrap(r);", "-  f;", "+  ok(f);", " });"]
          : ["   const f = wrap(r);", "-  f;", "+  ok(f);", " });", " server.close()"];
        const start = at * 5 + (isAbove ? 1 : 2) + off;
        if (start < 1) return;
        const diff = text(`@@ -${start},4 +${start},4 @@ test("${section}", () => {`, ...context);
        const outcome = applyDiff({ base: text(...lines), diff });
        // Where the number is off by a whole block, it names the block there.
        const named = at + (off % 5 === 0 ? off / 5 : Number.NaN);
        const changed = lines.map((line, n) => (n === named * 5 + 2 ? "  ok(f);" : line));
        const seen = outcome.kind === "success" ? outcome.text : outcome.code;
        expect(seen).toBe(section === named && named < count ? text(...changed) : "ambiguous");
      }),
      { numRuns: 400, seed: 45, endOnFailure: true },
    );
  });
});

it("says that none of the lines stand in the file only where none of them does", () => {
  const line = fc.constantFrom("}", "  }", "{", "go(a);", "  stop(b);", "");
  const hunk = fc.array(fc.tuple(fc.constantFrom(" ", "-", "+"), line), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 300, size: "max" }), hunk, (lines, drawn) => {
      const diff = text("@@", ...drawn.map(([sign, one]) => sign + one));
      const outcome = applyDiff({ base: text(...lines), diff });
      if (outcome.kind !== "refusal" || !outcome.message.includes("None of its context")) return;
      const there = new Set(lines.map((one) => one.trim()));
      const old = drawn.filter(([sign, one]) => sign !== "+" && one !== "").map(([, one]) => one.trim());
      expect(old.filter((one) => there.has(one))).toEqual([]);
    }),
    { numRuns: 1_000, seed: 45 },
  );
});
