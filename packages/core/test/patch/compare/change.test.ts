import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  carryEndings,
  changedLines,
  describeChange,
  diffLines,
  diffTexts,
  finish,
  spliceSteps,
} from "../../../src/patch/index.js";
import { splitLines } from "../../../src/text/index.js";
import { text } from "../check.js";

describe("changed ranges", () => {
  const changedRanges = (before: string, after: string, limitMs = 200) =>
    diffTexts(before, after, limitMs).map(({ newFrom, newTo }) => ({ from: newFrom + 1, to: newTo }));
  const cases = [
    { name: "nothing", before: "a\n", after: "a\n", ranges: [] },
    {
      name: "one line",
      before: text("a", "b", "c"),
      after: text("a", "B", "c"),
      ranges: [{ from: 2, to: 2 }],
    },
    {
      name: "a deletion is an empty range before the next line",
      before: text("a", "b", "c"),
      after: text("a", "c"),
      ranges: [{ from: 2, to: 1 }],
    },
    {
      name: "two changes",
      before: text("a", "b", "c", "d"),
      after: text("A", "b", "c", "D", "e"),
      ranges: [
        { from: 1, to: 1 },
        { from: 4, to: 5 },
      ],
    },
    { name: "an ending", before: "a\nb\n", after: "a\r\nb\n", ranges: [{ from: 1, to: 1 }] },
    { name: "the final newline", before: "a\nb\n", after: "a\nb", ranges: [{ from: 2, to: 2 }] },
    { name: "everything", before: "", after: text("a", "b"), ranges: [{ from: 1, to: 2 }] },
  ];
  for (const { name, before, after, ranges } of cases) {
    it(name, () => expect(changedRanges(before, after)).toEqual(ranges));
  }

  it("are those of the texts cut into lines, whatever both begin and end with", () => {
    const piece = fc.constantFrom("a", "b", "\r", "\n", "\r\n", "a\n");
    const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
    const linesOf = (whole: string) => {
      const { contents, endings } = splitLines(whole);
      return contents.map((line, at) => line + endings[at]);
    };
    const check = (before: string, after: string) => {
      expect(diffTexts(before, after, 500)).toEqual(diffLines(linesOf(before), linesOf(after), 500));
    };
    fc.assert(fc.property(text, text, check), { numRuns: 200 });
    const around = fc.tuple(text, text, text, text);
    fc.assert(
      fc.property(around, ([head, tail, before, after]) => check(head + before + tail, head + after + tail)),
      { numRuns: 200 },
    );
  });

  it("falls back to one range where comparing takes too long", () => {
    const before = Array.from({ length: 8_000 }, (_, at) => `a${at}`).join("\n");
    const after = Array.from({ length: 8_000 }, (_, at) => `b${at}`).join("\n");
    expect(changedRanges(before, after, 5)).toEqual([{ from: 1, to: 8_000 }]);
  });
});

describe("the description of a change", () => {
  it("is a short unified diff", () => {
    const before = text("1", "2", "3", "4", "5", "6", "7", "8", "9");
    const after = before.replace("2", "two").replace("9\n", "");
    const shown = describeChange(before, after, { context: 1, maxLines: 20, name: "f.txt" });
    expect(shown).toBe("--- f.txt\n+++ f.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n@@ -8,2 +8,1 @@\n 8\n-9");
  });

  it("says when it was cut", () => {
    const shown = describeChange("", text(...Array.from({ length: 50 }, (_, at) => String(at))), {
      maxLines: 5,
    });
    expect(shown.split("\n")).toHaveLength(6);
    expect(shown).toContain("… 46 more lines of the difference are not shown.");
  });

  it("is empty where nothing changed", () => expect(describeChange("a\n", "a\n")).toBe(""));

  it("shows changed endings", () => {
    expect(describeChange("a\n", "a\r\n")).toBe("@@ -1,1 +1,1 @@\n-a\n+a␍");
    expect(describeChange("a\n", "a")).toContain("+a  (no newline at the end)");
  });
});

describe("carrying endings over to a new text", () => {
  const cases = [
    { name: "a file of LF", before: "a\nb\n", content: "a\nc\n", result: "a\nc\n" },
    {
      name: "kept lines of a mixed file keep their own",
      before: "a\r\nb\nc\r\n",
      content: "a\nb\nx\nc\n",
      result: "a\r\nb\nx\nc\r\n",
    },
    {
      name: "the final newline is as the content says",
      before: "a\r\nb\r\n",
      content: "a\nb",
      result: "a\r\nb",
    },
    {
      name: "a last line that had none takes its neighbour's",
      before: "a\r\nb",
      content: "a\nb\nc\n",
      result: "a\r\nb\r\nc\r\n",
    },
    {
      name: "a text with its own returns is left as given",
      before: "a\r\nb\r\n",
      content: "a\r\nb\nc\n",
      result: "a\r\nb\nc\n",
    },
    {
      name: "a new line takes the ending of the one it replaces, not of the one above",
      before: "a\r\nb\nc\nd\r\n",
      content: "a\nB\nC\nX\nd\n",
      result: "a\r\nB\nC\nX\nd\r\n",
    },
  ];
  for (const { name, before, content, result } of cases) {
    it(name, () => expect(finish(carryEndings(before, content))).toBe(result));
  }

  it("changes nothing but endings", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "", "c"), { maxLength: 12 });
    const mixed = fc.array(fc.tuple(fc.constantFrom("a", "b", "", "c"), fc.constantFrom("\n", "\r\n")), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(mixed, lines, fc.constantFrom("", "\n"), (before, content, final) => {
        const given = content.join("\n") + final;
        const old = before.map((line) => line.join("")).join("");
        const carried = finish(carryEndings(old, given));
        expect(carried.replaceAll("\r\n", "\n")).toBe(given);
      }),
    );
  });
});

describe("changed lines", () => {
  it.each([
    ["a\r\nb\r\nc\r\n", "a\r\nX\r\nc\r\nY\r\n"],
    ["a\rb\rc", "a\rX\rc"],
    ["", "a\nb"],
    ["a\nb", "b\na"],
    ["a\n", "a\n"],
  ])("are splices that make %j of %j", (before, after) => {
    const splices = finish(changedLines(before, after));
    expect(finish(spliceSteps(before, splices))).toBe(after);
    expect(splices.some(({ from, to, text }) => before.slice(from, to) === text)).toBe(false);
  });
});
