import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinSpans, outsideSpans } from "../../../src/files/lines/line-spans.js";

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
});
