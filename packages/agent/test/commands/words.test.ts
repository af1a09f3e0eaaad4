import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wordsOf, writtenWord } from "../../src/commands/words.js";

const texts = (line: string) => wordsOf(line).map(({ text }) => text);

describe("the words of a line", () => {
  it.each([
    ["a b", ["a", "b"]],
    ["  a\t b  ", ["a", "b"]],
    ['"a b" c', ["a b", "c"]],
    ['"a \\"b\\" \\\\" c', ['a "b" \\', "c"]],
    ["a\\ b c", ["a b", "c"]],
    ["don't use x's y", ["don't", "use", "x's", "y"]],
    ['an "open quote', ["an", '"open', "quote"]],
    ['say"x" "a"b c"', ['say"x"', 'a"b c']],
    ["C:\\temp\\x", ["C:\\temp\\x"]],
    ["", []],
  ])("%s", (line, words) => {
    expect(texts(line)).toEqual(words);
  });

  it("any words, written as they have to be typed, are read as they were", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (words) => {
        expect(texts(words.map(writtenWord).join(" "))).toEqual(words);
      }),
    );
  });

  it("any line has words that stand where they say, in order", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", " ", '"', "\\", "-", "\t") }), (line) => {
        let end = 0;
        for (const { from, to } of wordsOf(line)) {
          expect(line.slice(end, from).trim()).toBe("");
          expect(to).toBeGreaterThan(from);
          end = to;
        }
        expect(line.slice(end).trim()).toBe("");
      }),
    );
  });
});
