import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyDiff } from "../../../src/patch/index.js";
import { check, type PatchCase, text } from "../check.js";

const equal = (count: number) => text("a", ...Array.from({ length: count }, () => "same"));

const placed: readonly PatchCase[] = [
  {
    name: "two places at which the same is left",
    base: text("a", "same", "same", "b"),
    diff: text("@@", "-same"),
    text: text("a", "same", "b"),
    repairs: [],
  },
  {
    name: "places of two lines that overlap, and the same is left at each, in a file with CRLF",
    base: text("a", "x", "y", "x", "y", "x", "b").replaceAll("\n", "\r\n"),
    diff: text("@@ -7,2 +7,1 @@", "-x", "-y", "+x", "+y", "+x", "+y"),
    text: text("a", "x", "y", "x", "y", "x", "y", "x", "b").replaceAll("\n", "\r\n"),
  },
  {
    name: "as many places as are compared",
    base: equal(256),
    diff: text("@@", "-same"),
    text: equal(255),
  },
];

const refused: readonly PatchCase[] = [
  {
    name: "two places at which the same is left, and one at which it is not",
    base: text("a", "same", "same", "b", "same"),
    diff: text("@@", "-same"),
    code: "ambiguous",
    places: [2, 3, 5],
  },
  {
    name: "two neighbouring places, a line that differs from both",
    base: text("a", "same", "same", "b"),
    diff: text("@@", "-same", "+other"),
    code: "ambiguous",
    places: [2, 3],
  },
  {
    name: "two places of which one has the end of the file without a newline",
    base: "a\nsame\nsame",
    diff: text("@@", "-same"),
    code: "ambiguous",
    places: [2, 3],
  },
  {
    name: "two places at which the same lines are left, with other endings",
    base: "a\nsame\r\nsame\nb\n",
    diff: text("@@", "-same"),
    code: "ambiguous",
    places: [2, 3],
  },
  {
    name: "more places than are compared",
    base: equal(257),
    diff: text("@@", "-same"),
    code: "ambiguous",
  },
];

describe("several places that come to one text, or do not", () => {
  for (const example of [...placed, ...refused]) it(example.name, () => void check(example));

  it("are one only if the change at each of them, by its number, comes to the same bytes", () => {
    const ended = fc.tuple(fc.constantFrom("a", "b"), fc.constantFrom("\n", "\n", "\n", "\r\n"));
    const file = fc.array(ended, { minLength: 2, maxLength: 6 });
    const hunk = fc.record({
      old: fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 2 }),
      edge: fc.tuple(fc.nat(2), fc.nat(2)),
      added: fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
      marked: fc.constantFrom("none", "none", "removed", "added"),
    });
    const law = fc.property(file, fc.boolean(), hunk, (lines, isEnded, { old, edge, added, marked }) => {
      const [from = 0, to = 0] = edge.map((one) => one % (old.length + 1)).sort((a, b) => a - b);
      const base = lines
        .map((line, at) => (isEnded || at < lines.length - 1 ? line.join("") : line[0]))
        .join("");
      const mark = (kind: string) => (marked === kind ? ["\\ No newline at end of file"] : []);
      const body = text(
        ...old.slice(0, from).map((line) => ` ${line}`),
        ...old
          .slice(from, to)
          .flatMap((line, at) => [`-${line}`, ...(at === to - from - 1 ? mark("removed") : [])]),
        ...added.flatMap((line, at) => [`+${line}`, ...(at === added.length - 1 ? mark("added") : [])]),
        ...old.slice(to).map((line) => ` ${line}`),
      );
      const starts = lines.flatMap((_, at) =>
        old.every((line, n) => lines[at + n]?.[0] === line) ? [at] : [],
      );
      const outcome = applyDiff({ base, diff: `@@\n${body}` });
      if (starts.length < 2 || outcome.code !== "applied") return;
      const newCount = old.length - (to - from) + added.length;
      for (const start of starts) {
        const header = `@@ -${start + 1},${old.length} +${start + 1},${newCount} @@`;
        const numbered = applyDiff({ base, diff: `${header}\n${body}` });
        if (numbered.code === "applied") expect(numbered).toMatchObject({ text: outcome.text });
      }
    });
    fc.assert(law, { numRuns: 3_000 });
  });
});
