import fc from "fast-check";
import { expect, test } from "vitest";
import { type DiffLine, diffLines, hunksOf } from "../../src/answers/line-diff.js";

const someLines = fc.array(fc.constantFrom("a", "b", "c", "d", ""), { maxLength: 30 });

function oldSide(lines: readonly DiffLine[]): string[] {
  return lines.flatMap((line) => (line.kind === "added" ? [] : [line.text]));
}

function newSide(lines: readonly DiffLine[]): string[] {
  return lines.flatMap((line) => (line.kind === "removed" ? [] : [line.text]));
}

function changes(lines: readonly DiffLine[]): number {
  return lines.filter((line) => line.kind !== "same").length;
}

/** The length of the longest common subsequence, by the plain table. */
function commonLength(before: readonly string[], after: readonly string[]): number {
  let row = new Array<number>(after.length + 1).fill(0);
  for (const line of before) {
    const next = [0];
    for (const [at, other] of after.entries()) {
      next.push(line === other ? row[at]! + 1 : Math.max(row[at + 1]!, next[at]!));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

test("both sides of a comparison are the texts that were compared, with their line numbers", () => {
  fc.assert(
    fc.property(someLines, someLines, fc.nat(40), (before, after, limit) => {
      const lines = diffLines(before, after, limit);
      expect(oldSide(lines)).toEqual(before);
      expect(newSide(lines)).toEqual(after);
      const oldNumbers = lines.flatMap((line) => (line.kind === "added" ? [] : [line.old]));
      const newNumbers = lines.flatMap((line) => (line.kind === "removed" ? [] : [line.new]));
      expect(oldNumbers).toEqual(before.map((_, at) => at + 1));
      expect(newNumbers).toEqual(after.map((_, at) => at + 1));
    }),
  );
});

test("within the limit no shorter comparison exists", () => {
  fc.assert(
    fc.property(someLines, someLines, (before, after) => {
      const least = before.length + after.length - 2 * commonLength(before, after);
      expect(changes(diffLines(before, after, 100))).toBe(least);
    }),
  );
});

test("every changed line is in exactly one hunk, with the context asked for", () => {
  fc.assert(
    fc.property(someLines, someLines, fc.nat(4), (before, after, context) => {
      const lines = diffLines(before, after);
      const hunks = hunksOf(lines, context);
      const shown = hunks.flat();
      expect(new Set(shown).size).toBe(shown.length);
      expect(changes(shown)).toBe(changes(lines));
      for (const hunk of hunks) {
        const first = hunk.findIndex((line) => line.kind !== "same");
        expect(first).toBeLessThanOrEqual(context);
        expect(first).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
