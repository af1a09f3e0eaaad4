import fc from "fast-check";
import { expect, test } from "vitest";
import { joinLines, LineFinder, splitLines } from "../../src/text/index.js";

const texts = fc
  .array(fc.constantFrom("a", "b", "\n", "\r\n", "\r"), { maxLength: 30 })
  .map((parts) => parts.join(""));
const number = fc.integer({ min: 1, max: 20 });

test("finds the lines that cutting the whole text would give, in whatever order they are asked for", () => {
  fc.assert(
    fc.property(texts, fc.array(fc.tuple(number, number), { maxLength: 5 }), (text, ranges) => {
      const whole = splitLines(text);
      const finder = new LineFinder(text);
      for (const [from, to] of ranges) {
        expect(finder.lines(from, to)).toBe(joinLines(whole, from - 1, to));
        expect(finder.contents(from, to)).toEqual(from > to ? [] : whole.contents.slice(from - 1, to));
      }
    }),
  );
});
