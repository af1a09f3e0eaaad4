import { eastAsianWidth } from "get-east-asian-width";
import { expect, it } from "vitest";
import { cellsOf, graphemesOf, isPlain } from "../../../src/ui/lines/cells.js";

it("takes only letters for plain that are one cell wide and join no other", () => {
  const letters = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code)).filter(isPlain);
  expect(letters.length).toBeGreaterThan(900);
  for (const letter of letters) expect([letter, eastAsianWidth(letter.charCodeAt(0))]).toEqual([letter, 1]);
  expect(letters.filter((letter) => /[\p{M}\p{C}\p{Emoji_Presentation}]/u.test(letter))).toEqual([]);
  const text = letters.join("");
  expect([...graphemesOf(text)]).toHaveLength(text.length);
  expect(cellsOf(text)).toBe(text.length);
});

it.each([
  ["e\u0301", 1],
  ["日本", 4],
  ["👩‍👩‍👧", 2],
  ["©\ufe0f", 2],
  ["─\u0301", 1],
])("counts the cells of %j", (text, cells) => expect(cellsOf(text)).toBe(cells));
