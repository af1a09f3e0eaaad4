import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LineEdit } from "../../../src/files/lines/line-spans.js";
import { composeEdits, placeSplices } from "../../../src/files/lines/placed-lines.js";
import type { TextSplice } from "../../../src/patch/index.js";
import { splitLines } from "../../../src/text/index.js";

const text = fc
  .array(fc.constantFrom("a", "b", "", "ab", "c\r"), { maxLength: 12 })
  .chain((lines) => fc.constantFrom(lines.join("\n"), `${lines.join("\n")}\n`));

const spliced = text.chain((before) =>
  fc.record({
    before: fc.constant(before),
    splices: fc
      .array(
        fc.tuple(
          fc.nat({ max: before.length }),
          fc.nat({ max: 4 }),
          fc.constantFrom("", "x", "a", "x\n", "\n", "a\nb\n", "b\nx"),
        ),
        { maxLength: 4 },
      )
      .map((given) => apart(before, given)),
  }),
);

function apart(before: string, given: readonly (readonly [number, number, string])[]): TextSplice[] {
  const splices: TextSplice[] = [];
  let end = -1;
  for (const [from, length, fresh] of [...given].sort((one, other) => one[0] - other[0])) {
    if (from <= end) continue;
    const to = Math.min(before.length, from + length);
    splices.push({ from, to, text: fresh });
    end = to;
  }
  return splices;
}

function apply(before: string, splices: readonly TextSplice[]): string {
  let after = "";
  let done = 0;
  for (const splice of splices) {
    after += before.slice(done, splice.from) + splice.text;
    done = splice.to;
  }
  return after + before.slice(done);
}

const linesOf = (given: string) => {
  const { contents, endings } = splitLines(given);
  return contents.map((line, at) => line + (endings[at] ?? ""));
};

/** The new lines, where those that the edits keep are taken from the old text; `undefined` for added ones. */
function keptLines(old: readonly string[], edits: readonly LineEdit[]): readonly (string | undefined)[] {
  const lines: (string | undefined)[] = [];
  let at = 1;
  for (const edit of edits) {
    lines.push(...old.slice(at - 1, edit.at - 1), ...new Array<undefined>(edit.added).fill(undefined));
    at = edit.at + edit.removed;
  }
  return [...lines, ...old.slice(at - 1)];
}

function holdAgainst(before: string, after: string, edits: readonly LineEdit[]): void {
  const [kept, fresh] = [keptLines(linesOf(before), edits), linesOf(after)];
  expect(kept.length).toBe(fresh.length);
  for (const [at, line] of kept.entries()) if (line !== undefined) expect(line).toBe(fresh[at]);
}

describe("lines that splices change", () => {
  it("are all that differ", () => {
    fc.assert(
      fc.property(spliced, ({ before, splices }) => {
        const placed = placeSplices(before, splices);
        if (placed !== undefined) holdAgainst(before, apply(before, splices), placed.changes);
      }),
      { numRuns: Number(process.env.HOLDFAST_RUNS ?? 300) },
    );
  });

  it("are authored only where their whole text stood in one splice", () => {
    fc.assert(
      fc.property(spliced, ({ before, splices }) => {
        const placed = placeSplices(before, splices);
        const lines = splitLines(apply(before, splices)).contents;
        for (const { from, to } of placed?.authored ?? [])
          for (const line of lines.slice(from - 1, to))
            expect(
              splices.some((splice) =>
                splitLines(`${splice.text}\n`).contents.some((own) => own.endsWith(line)),
              ),
            ).toBe(true);
      }),
      { numRuns: Number(process.env.HOLDFAST_RUNS ?? 200) },
    );
  });

  it.each([
    [
      "a line before an equal one",
      "x\nx\n",
      [{ from: 0, to: 0, text: "x\n" }],
      [{ at: 1, removed: 0, added: 1 }],
      [{ from: 1, to: 1 }],
    ],
    [
      "a line after an equal one",
      "x\nx\n",
      [{ from: 4, to: 4, text: "x\n" }],
      [{ at: 3, removed: 0, added: 1 }],
      [{ from: 3, to: 3 }],
    ],
    [
      "a word inside a line",
      "a one\nb\n",
      [{ from: 2, to: 5, text: "two" }],
      [{ at: 1, removed: 1, added: 1 }],
      [],
    ],
    [
      "a text behind a last line without newline",
      "a\nb",
      [{ from: 3, to: 3, text: "c\nd\n" }],
      [{ at: 2, removed: 1, added: 2 }],
      [{ from: 3, to: 3 }],
    ],
    [
      "a line in front of a quoted one",
      "a\nb\nc\n",
      [{ from: 2, to: 3, text: "x\nb" }],
      [{ at: 2, removed: 0, added: 1 }],
      [{ from: 2, to: 3 }],
    ],
    [
      "two words of one line",
      "a b\n",
      [
        { from: 0, to: 1, text: "x" },
        { from: 2, to: 3, text: "y" },
      ],
      [{ at: 1, removed: 1, added: 1 }],
      [],
    ],
  ] as const)("of %s are placed where it was meant", (_, before, splices, changes, authored) => {
    expect(placeSplices(before, splices)).toEqual({ changes, authored });
  });

  it("compose to those of both steps", () => {
    fc.assert(
      fc.property(spliced, fc.infiniteStream(fc.nat()), ({ before, splices }, numbers) => {
        const middle = apply(before, splices);
        const from = (numbers.next().value ?? 0) % (middle.length + 1);
        const to = Math.min(middle.length, from + ((numbers.next().value ?? 0) % 5));
        const second = [{ from, to, text: "q\nr" }];
        const [one, other] = [placeSplices(before, splices), placeSplices(middle, second)];
        if (one === undefined || other === undefined) return;
        holdAgainst(before, apply(middle, second), composeEdits(one.changes, other.changes));
      }),
      { numRuns: Number(process.env.HOLDFAST_RUNS ?? 300) },
    );
  });
});
