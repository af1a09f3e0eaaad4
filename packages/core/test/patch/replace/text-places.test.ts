import { describe, expect, it } from "vitest";
import { findText } from "../../../src/patch/replace/text-places.js";
import { finish } from "../../../src/text/index.js";

const stretch = 1 << 20;

/** Every place by a search of its own, as the words of `findText` have it. */
function eachPlace(text: string, wanted: string) {
  const places = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length))
    places.push({ from: at, to: at + wanted.length });
  return places;
}

describe("places of a text", () => {
  it.each([
    ["across the end of a stretch", `${"-".repeat(stretch - 1)}ab${"-".repeat(9)}`, "ab"],
    ["right after the end of a stretch", `${"-".repeat(stretch)}ab`, "ab"],
    ["overlapping each other at the end of a stretch", `${"-".repeat(stretch - 2)}aaaaa-aa`, "aa"],
    [
      "longer than a stretch",
      `-${"a".repeat(2 * stretch + 3)}-${"a".repeat(stretch + 1)}`,
      "a".repeat(stretch + 1),
    ],
    ["in every stretch", `${"-".repeat(stretch - 7)}ab`.repeat(3), "ab"],
  ])("are found %s", (_, text, wanted) => {
    expect(finish(findText(text, wanted, 100))).toEqual({
      places: eachPlace(text, wanted),
      count: eachPlace(text, wanted).length,
    });
  });

  it("are only counted where they are too many to be taken: a million on a list stop the process", () => {
    const { places, count } = finish(findText("ab".repeat(120_000), "ab", 100_000));
    expect(count).toBe(120_000);
    expect(places.length).toBeGreaterThanOrEqual(20);
    expect(places.length).toBeLessThan(20_000);
  });
});
