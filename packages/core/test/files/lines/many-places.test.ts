import { describe, expect, it } from "vitest";
import { applyEdits } from "../../../src/files/change/exact-edits.js";
import { carryParts, carrySpans } from "../../../src/files/lines/line-spans.js";
import { placeSteps } from "../../../src/files/lines/placed-lines.js";
import { isRefusal } from "../../../src/files/values/index.js";
import type { ExactEdit } from "../../../src/patch/index.js";

const all = (oldString: string, newString: string): ExactEdit => ({ oldString, newString, replaceAll: true });

const texts: readonly (readonly [string, (lines: number) => string, readonly ExactEdit[]])[] = [
  ["quotes in lines", (lines) => '  "name": "value",\n'.repeat(lines), [all('"', "'")]],
  ["twice", (lines) => '  "name": "value",\n'.repeat(lines), [all('"', "'"), all("value", "other\nline")]],
  ["lines that end with CRLF", (lines) => "  one, two\r\n".repeat(lines), [all(", ", ",\n")]],
  ["one long line", (lines) => "a,b,c".repeat(lines), [all(",", ";")]],
  ["one long line behind a short one", (lines) => `x\r\n${"a,b,c".repeat(lines)}`, [all(",", ",\n")]],
  ["one long line before a short one", (lines) => `${"a,b,c".repeat(lines)}\r\nx`, [all(",", ",\n")]],
  ["newlines that go", (lines) => "one\n".repeat(lines), [all("\n", ", ")]],
  ["lines that become more", (lines) => "one\n".repeat(lines), [all("one\n", "one\ntwo\n")]],
];

describe("a change of many places", () => {
  it.each(texts)("looks through the text a few times, not once a place: %s", (_, textOf, edits) => {
    const [small, large] = [1_000, 2_000].map((lines) => {
      const text = textOf(lines);
      return lettersLookedAt(() => {
        const edited = applyEdits(text, edits, { path: "a.txt" });
        if (isRefusal(edited)) throw new Error(edited.message);
        expect(placeSteps(edited.steps)?.changes.length).toBeGreaterThan(0);
      });
    });
    expect((large ?? 0) / (small ?? 0)).toBeLessThan(2.2);
    expect(large).toBeLessThan(30 * textOf(2_000).length);
  });

  it("carries what is known over it in one pass", () => {
    const [small, large] = [1_000, 2_000].map((count) => {
      let looks = 0;
      const edits = Array.from({ length: count }, (_, at) => ({
        get at() {
          looks += 1;
          return 2 * at + 1;
        },
        removed: 1,
        added: 2,
      }));
      const spans = edits.map((_, at) => ({ from: 2 * at + 2, to: 2 * at + 2 }));
      expect(carrySpans(spans, edits)).toHaveLength(count);
      const parts = spans.map(({ from }) => ({ line: from, from: 0, to: 1, of: 2 }));
      expect(carryParts(parts, edits)).toHaveLength(count);
      return looks;
    });
    expect((large ?? 0) / (small ?? 0)).toBeLessThan(2.2);
  });
});

/** The letters that the language's own search looks at while some work is done. */
function lettersLookedAt(work: () => void): number {
  let letters = 0;
  const own = String.prototype;
  const { indexOf, lastIndexOf, includes } = own;
  own.indexOf = function (this: string, wanted, from = 0) {
    const found = indexOf.call(this, wanted, from);
    letters += (found < 0 ? this.length : found) - from + 1;
    return found;
  };
  own.includes = function (this: string, wanted, from = 0) {
    return own.indexOf.call(this, wanted, from) >= 0;
  };
  own.lastIndexOf = function (this: string, wanted, from = this.length) {
    const found = lastIndexOf.call(this, wanted, from);
    letters += from - Math.max(found, 0) + 1;
    return found;
  };
  try {
    work();
  } finally {
    Object.assign(own, { indexOf, lastIndexOf, includes });
  }
  return letters;
}
