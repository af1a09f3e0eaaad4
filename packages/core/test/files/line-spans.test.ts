import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Ledger, type LedgerEvent } from "../../src/files/ledger.js";
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

describe("the ledger", () => {
  const event = (more: Partial<LedgerEvent>): LedgerEvent => ({
    kind: "read",
    realPath: "/f",
    sha256: "s",
    version: 1,
    shown: "none",
    ...more,
  });

  it("folds what was shown, read and written", () => {
    const ledger = new Ledger([
      event({ shown: "window", lines: [{ from: 1, to: 2 }] }),
      event({ shown: "window", lines: [{ from: 3, to: 4 }], version: 2 }),
      event({ kind: "told", shown: "window", lines: [{ from: 9, to: 9 }], version: 3 }),
      event({ kind: "write", sha256: "t", shown: "whole", version: 4 }),
    ]);
    expect(ledger.find("/f", "s")).toMatchObject({
      version: 3,
      shownWhole: false,
      shownLines: [
        { from: 1, to: 4 },
        { from: 9, to: 9 },
      ],
      readLines: [{ from: 1, to: 4 }],
      written: false,
    });
    expect(ledger.latestOf("/f")).toMatchObject({
      sha256: "t",
      shownWhole: true,
      readWhole: false,
      written: true,
    });
  });

  it("bounded, forgets the files and the states that it met first", () => {
    const ledger = new Ledger([], 2);
    for (const realPath of ["/a", "/b", "/a", "/c"]) ledger.record(event({ realPath }));
    expect(["/a", "/b", "/c"].map((path) => ledger.statesOf(path).length)).toEqual([0, 1, 1]);
    for (const sha256 of ["1", "2", "3"]) ledger.record(event({ realPath: "/c", sha256 }));
    expect(ledger.statesOf("/c").map(({ sha256 }) => sha256)).toEqual(["2", "3"]);
  });
});
