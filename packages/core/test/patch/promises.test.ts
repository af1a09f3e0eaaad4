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
  "function run(name) {",
  "  const raw = get(name);",
  "  // todo",
  "}",
  "function save1(name) {",
  "  // todo",
  "  return raw;",
  "  if (!raw) return null;",
  "}",
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
    code: "invalid_diff",
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
    name: "a place that fits as it is, with a copy at the depth to which another hunk had to be moved",
    base: text("if a:", "    first()", "    last()", "", "run()", "if b:", "    run()"),
    diff: text("@@", " first()", "-last()", "+LAST()", "@@", "-run()", "+walk()"),
    code: "ambiguous",
    places: [5, 7],
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
