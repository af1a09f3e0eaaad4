import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinSpans, moveSpans, outsideSpans } from "../../src/files/line-spans.js";
import { diffLines } from "../../src/patch/index.js";

const span = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 6 }))
  .map(([from, more]) => ({ from, to: from + more }));
const spans = fc.array(span, { maxLength: 5 });
const linesOf = (list: readonly { from: number; to: number }[]) =>
  new Set(list.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)));

describe("spans of lines", () => {
  it("joined hold the same lines, in order and apart", () => {
    fc.assert(
      fc.property(spans, (list) => {
        const joined = joinSpans(list);
        expect(linesOf(joined)).toEqual(new Set([...linesOf(list)].sort((a, b) => a - b)));
        for (const [at, own] of joined.entries())
          expect(own.from).toBeGreaterThan((joined[at - 1]?.to ?? -1) + 1);
      }),
    );
  });

  it("leave out exactly the lines that none of them holds", () => {
    fc.assert(
      fc.property(span, spans, (wanted, list) => {
        const seen = linesOf(list);
        const missing = [...linesOf([wanted])].filter((line) => !seen.has(line));
        expect([...linesOf(outsideSpans(wanted, list))]).toEqual(missing);
      }),
    );
  });

  it("move with their lines through a change: what they then name are the same texts", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 15 });
    fc.assert(
      fc.property(text, text, spans, (before, after, list) => {
        const changes = diffLines(before, after, 500);
        const kept = new Map<number, number>();
        let shift = 0;
        let next = 0;
        for (const change of [...changes, { oldFrom: before.length, oldTo: 0, newFrom: 0, newTo: 0 }]) {
          for (; next < change.oldFrom; next++) kept.set(next + 1, next + 1 + shift);
          [shift, next] = [change.newTo - change.oldTo, change.oldTo];
        }
        const wanted = [...linesOf(list)].flatMap((line) => kept.get(line) ?? []);
        const within = list.filter(({ from }) => from <= before.length);
        const clipped = within.map(({ from, to }) => ({ from, to: Math.min(to, before.length) }));
        expect(linesOf(moveSpans(clipped, changes))).toEqual(new Set(wanted.sort((a, b) => a - b)));
      }),
    );
  });
});
