import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countEndings, countLines, joinLines, mostOften, splitLines } from "../../src/text/index.js";

const texts = fc
  .array(fc.constantFrom("a", "b c", "", "\n", "\r\n", "\r", "\u2028", "é"), { maxLength: 30 })
  .map((parts) => parts.join(""));

describe("lines", () => {
  it.each([
    ["", [], []],
    ["a", ["a"], [""]],
    ["a\n", ["a"], ["\n"]],
    ["\n", [""], ["\n"]],
    ["a\r\nb\nc", ["a", "b", "c"], ["\r\n", "\n", ""]],
    ["50%\r60%\r100%\ndone\n", ["50%\r60%\r100%", "done"], ["\n", "\n"]],
    ["old\rmac\r", ["old", "mac"], ["\r", "\r"]],
    ["old\rmac", ["old", "mac"], ["\r", ""]],
    ["a\u2028b\n", ["a\u2028b"], ["\n"]],
  ])("of %j are %j", (text, contents, endings) => {
    expect(splitLines(text)).toEqual({ contents, endings });
    expect(countLines(text)).toBe(contents.length);
  });

  it("put together again are the text, whatever its endings", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(joinLines(splitLines(text))).toBe(text);
      }),
    );
  });

  it.each([
    ["a\nb\n", "\n"],
    ["a\r\nb", "\r\n"],
    ["a\rb\r", "\r"],
    ["a\r\nb\nc\n", "\n"],
    ["a", "\n"],
    ["", "\n"],
  ])("of %j end most often in %j", (text, common) => {
    expect(mostOften(countEndings(text))).toBe(common);
  });
});
