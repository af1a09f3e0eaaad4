import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { carrySpans, lineEdits } from "../../../src/files/lines/line-spans.js";
import { diffTexts } from "../../../src/patch/index.js";

const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "d\n"), { maxLength: 30 });

describe("lines carried over a change", () => {
  it("are the very same lines in the new text", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const edits = lineEdits(diffTexts(before.join(""), after.join(""), 500));
        for (const [at, line] of before.entries()) {
          const carried = carrySpans([{ from: at + 1, to: at + 1 }], edits)[0]?.from;
          if (carried !== undefined) expect(after[carried - 1]).toBe(line);
        }
      }),
    );
  });

  it("are all lines but those that the edits removed", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const edits = lineEdits(diffTexts(before.join(""), after.join(""), 500));
        const removed = edits.reduce((sum, edit) => sum + edit.removed, 0);
        const carried = carrySpans([{ from: 1, to: before.length }], edits);
        const count = carried.reduce((sum, { from, to }) => sum + to - from + 1, 0);
        expect(count).toBe(before.length - removed);
      }),
    );
  });

  it.each([
    ["an insertion before the first line", [{ at: 1, removed: 0, added: 2 }], [{ from: 3, to: 5 }]],
    ["an insertion behind the last line", [{ at: 4, removed: 0, added: 2 }], [{ from: 1, to: 3 }]],
    [
      "a replacement in the middle",
      [{ at: 2, removed: 1, added: 2 }],
      [
        { from: 1, to: 1 },
        { from: 4, to: 4 },
      ],
    ],
    ["the deletion of everything", [{ at: 1, removed: 3, added: 0 }], []],
  ] as const)("follow %s", (_, edits, carried) => {
    expect(carrySpans([{ from: 1, to: 3 }], edits)).toEqual(carried);
  });
});
