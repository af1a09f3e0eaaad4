import { describe, expect, it } from "vitest";
import { repairDiff } from "../bench/patch/mechanical-client.mjs";
import { judgeApplied, placeExactly } from "../bench/patch/oracle.mjs";

const text = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** A hunk as its signed lines, with an old number or none. */
function hunk(old: number | undefined, ...lines: readonly string[]) {
  const signed = lines.map((line) => ({ sign: line.charAt(0) as " " | "-" | "+", text: line.slice(1) }));
  return { old, new: old, section: undefined, lines: signed };
}

describe("the oracle of small texts", () => {
  const twice = ["a", "b", "a", "c"];

  it("finds all texts that exact placements come to", () => {
    expect(placeExactly({ lines: twice, hunks: [hunk(undefined, "-a", "+x")] })).toEqual(
      new Set([text("x", "b", "a", "c"), text("a", "b", "x", "c")]),
    );
  });

  it.each([
    ["a copy that nothing names", undefined, text("x", "b", "a", "c"), /one of several placements/],
    ["a copy that the number names", 3, text("a", "b", "x", "c"), undefined],
    ["the copy that the number does not name", 3, text("x", "b", "a", "c"), /one of several placements/],
    ["a text of no placement", 3, text("a", "x", "a", "c"), /no placement/],
  ])("judges %s", (_name, old, given, verdict) => {
    const made = { lines: twice, hunks: [hunk(old, "-a", "+x")] };
    const said = judgeApplied(made, { code: "applied", text: given });
    if (verdict === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(verdict);
  });

  it("takes the reading of damaged context that is better than all others, and no tie", () => {
    const foreign = hunk(undefined, " b", " foreign", "-a", "+x", " c");
    expect(
      judgeApplied({ lines: twice, hunks: [foreign] }, { code: "applied", text: text("a", "b", "x", "c") }),
    ).toBeUndefined();
    const lines = ["b", "a", "c", "b", "a", "c"];
    expect(
      judgeApplied(
        { lines, hunks: [foreign] },
        { code: "applied", text: text("b", "x", "c", "b", "a", "c") },
      ),
    ).toMatch(/one of several readings/);
  });

  it("knows a dropped line that stands elsewhere", () => {
    const made = { lines: ["a", "a", "g", "b", "g", "b"], hunks: [hunk(3, " g", " a", "-g", "+d")] };
    expect(judgeApplied(made, { code: "applied", text: text("a", "a", "d", "b", "g", "b") })).toMatch(
      /stands elsewhere/,
    );
  });

  it("calls made only what stands there", () => {
    const made = { lines: twice, hunks: [hunk(undefined, "-a", "+x")] };
    expect(judgeApplied(made, { code: "already_applied", text: text(...twice) })).toMatch(/stand nowhere/);
  });
});

describe("the mechanical client", () => {
  const base = text("one", "same", "two", "same", "three");
  const diff = "@@ -4,1 +9,1 @@\n-same\n+other\n";
  const ambiguous = "Ambiguous: Hunk 1 (@@ -4,1 +9,1 @@) fits 2 places, at lines 2, 4. Nothing was changed.";

  it("chooses the place that its own number names, and writes the hunk with the file's lines", () => {
    const next = repairDiff(base, diff, ambiguous);
    expect(next).toContain(" two\n-same\n+other\n three\n");
  });

  it("has no answer where neither its number nor its section names a place", () => {
    expect(repairDiff(base, diff.replace("-4,1", "-3,1"), ambiguous)).toBeUndefined();
  });

  it("leaves out a hunk only where it remembers to have made it", () => {
    const message =
      "Hunk 1 does not fit. Its new lines stand at line 2 already: if it was applied before, leave it out.";
    expect(repairDiff(base, diff, message, [1])).toBe("");
    expect(repairDiff(base, diff, message)).not.toBe("");
  });
});
