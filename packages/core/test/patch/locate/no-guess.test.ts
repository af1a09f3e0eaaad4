import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyDiff } from "../../../src/patch/index.js";
import { text } from "../check.js";

/** A hunk over a few lines: it quotes `old` and puts `added` instead of the lines `from` to `to` of these. */
interface Drawn {
  readonly old: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly added: readonly string[];
  /** The old line that its header names, 0-based, and by how much the new number is off. */
  readonly hint: number | undefined;
  readonly newOff: number;
}

/** All that a hunk could mean: where its old lines stand. */
interface Candidate extends Drawn {
  readonly starts: readonly number[];
}

const file = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 7 });
/** Numbers that are right, off by the same for all hunks, or anyhow. */
const numbering = fc.constantFrom("none", "right", "shifted", "any");

function drawHunks(lines: readonly string[]): fc.Arbitrary<readonly Drawn[]> {
  const hunk = fc.record({
    at: fc.nat(lines.length),
    count: fc.nat(3),
    edge: fc.tuple(fc.nat(3), fc.nat(3)),
    more: fc.constantFrom(0, 0, 1, 2),
    noise: fc.integer({ min: -3, max: 3 }),
    newOff: fc.constantFrom(0, 0, 0, 1),
    isNumbered: fc.constantFrom(true, true, true, false),
  });
  const all = fc.array(hunk, { minLength: 1, maxLength: 3 });
  return fc.tuple(all, numbering, fc.integer({ min: -2, max: 2 })).map(([hunks, how, offset]) =>
    hunks
      .toSorted((one, other) => one.at - other.at)
      .map(({ at, count, edge, more, noise, newOff, isNumbered }, n) => {
        const old = lines.slice(at, at + count);
        const [from = 0, to = 0] = edge.map((one) => one % (old.length + 1)).sort((a, b) => a - b);
        const off = { none: 0, right: 0, shifted: offset, any: noise }[how];
        const hasNumber = old.length === 0 || (isNumbered && how !== "none");
        const hint = hasNumber ? Math.max(0, at + off) : undefined;
        const least = hint !== undefined || from === to ? 1 : 0;
        const added = Array.from({ length: Math.max(least, more) }, (_, k) => `new ${n} ${k}`);
        return { old, from, to, added, hint, newOff };
      }),
  );
}

function writeDiff(hunks: readonly Drawn[], isAtEnd: boolean): string {
  let shift = 0;
  const written = hunks.map(({ old, from, to, added, hint, newOff }) => {
    const newCount = old.length - (to - from) + added.length;
    const oldStart = (hint ?? 0) + (old.length === 0 ? 0 : 1);
    const newStart = (hint ?? 0) + 1 + shift + newOff;
    shift += newCount - old.length;
    const header = `@@ -${oldStart},${old.length} +${newStart},${newCount} @@`;
    const body = [
      ...old.slice(0, from).map((line) => ` ${line}`),
      ...old.slice(from, to).map((line) => `-${line}`),
      ...added.map((line) => `+${line}`),
      ...old.slice(to).map((line) => ` ${line}`),
    ];
    return text(hint === undefined ? "@@" : header, ...body);
  });
  if (!isAtEnd) return written.join("");
  return `${text("*** Begin Patch", "*** Update File: f")}${written.join("")}${text("*** End of File", "*** End Patch")}`;
}

const startsOf = (lines: readonly string[], { old, hint }: Drawn, isLast: boolean): readonly number[] =>
  old.length === 0
    ? [isLast ? lines.length : (hint ?? 0)].filter((at) => at <= lines.length)
    : lines.flatMap((_, at) => (old.every((line, n) => lines[at + n] === line) ? [at] : []));

/** Whether a hunk at one start changes nothing that another one at its start changes, and comes below it. */
function isBelow(one: Drawn, start: number, other: Drawn, otherStart: number): boolean {
  const [end, begin] = [start + one.to, otherStart + other.from];
  const isPoint = one.from === one.to && other.from === other.to;
  return begin >= end && !(isPoint && begin === end);
}

function everyWay(hunks: readonly Candidate[]): readonly (readonly number[])[] {
  return hunks.reduce<readonly (readonly number[])[]>(
    (ways, hunk, n) => {
      const before = hunks[n - 1];
      return ways.flatMap((way) =>
        hunk.starts
          .filter((start) => before === undefined || isBelow(before, way.at(-1) ?? 0, hunk, start))
          .map((start) => [...way, start]),
      );
    },
    [[]],
  );
}

function make(lines: readonly string[], hunks: readonly Drawn[], way: readonly number[]): string {
  const last = hunks.map((hunk, n) => ({ hunk, at: (way[n] ?? 0) + hunk.from }));
  const result = last
    .toSorted(
      (one, other) => other.at - one.at || other.hunk.to - other.hunk.from - (one.hunk.to - one.hunk.from),
    )
    .reduce<readonly string[]>(
      (all, { hunk, at }) => all.toSpliced(at, hunk.to - hunk.from, ...hunk.added),
      lines,
    );
  return text(...result);
}

/** The text that all witnesses agree on: order, numbers, the end of the file; undefined if they leave a choice. */
function agreedText(lines: readonly string[], drawn: readonly Drawn[], isAtEnd: boolean): string | undefined {
  const hunks = drawn.map((hunk, n) => ({
    ...hunk,
    starts: startsOf(lines, hunk, isAtEnd && n === drawn.length - 1),
  }));
  const hit = ({ hint, starts }: Candidate) => starts.find((start) => start === hint);
  const ways = everyWay(hunks);
  const way = ways.length > 0 ? agreedWay(ways) : disorderedWay();
  if (way === undefined || hunks.some((hunk, n) => (hit(hunk) ?? way[n]) !== way[n])) return undefined;
  const isByNumber = hunks.some(({ old }, n) => old.length === 0 && way[n] !== 0);
  const areRight = hunks.every(({ hint, newOff }, n) =>
    hint === undefined ? false : hint === way[n] && newOff === 0,
  );
  if (isByNumber && (ways.length === 0 || !areRight)) return undefined;
  return make(lines, hunks, way);

  function agreedWay(all: readonly (readonly number[])[]): readonly number[] | undefined {
    const single = hunks.filter(({ starts, hint }) => starts.length === 1 && hint !== undefined);
    const offsets = new Set(single.map(({ starts, hint }) => (starts[0] ?? 0) - (hint ?? 0)));
    const [offset = 0] = offsets.size === 1 ? offsets : [];
    const named = (hunk: Candidate, n: number): readonly number[] => {
      const end = lines.length - hunk.old.length;
      const number = hit(hunk);
      if (isAtEnd && n === hunks.length - 1 && hunk.starts.includes(end)) return [end];
      // Where all other numbers are off by the same, this one may be, too.
      return number === undefined || (offset !== 0 && hunk.starts.includes(number + offset))
        ? hunk.starts
        : [number];
    };
    const left = all.filter((one) =>
      hunks.every(
        (hunk, n) => all.every((other) => other[n] === one[n]) || named(hunk, n).includes(one[n] ?? -1),
      ),
    );
    const open = hunks.filter((_, n) => left.some((one) => one[n] !== left[0]?.[n]));
    const texts = new Set(left.map((one) => make(lines, hunks, one)));
    return open.length < 2 && texts.size === 1 ? left[0] : undefined;
  }

  function disorderedWay(): readonly number[] | undefined {
    const starts = hunks.map((hunk) => hit(hunk) ?? (hunk.starts.length === 1 ? hunk.starts[0] : undefined));
    if (!starts.every((start) => start !== undefined)) return undefined;
    const collide = hunks.some((one, n) =>
      hunks.some(
        (other, m) =>
          n < m &&
          !isBelow(one, starts[n] ?? 0, other, starts[m] ?? 0) &&
          !isBelow(other, starts[m] ?? 0, one, starts[n] ?? 0),
      ),
    );
    return collide ? undefined : starts;
  }
}

describe("the place of every hunk", () => {
  it("is the one that order, numbers and end of file leave, or none", () => {
    const cases = file.chain((lines) =>
      fc.tuple(fc.constant(lines), drawHunks(lines), fc.boolean(), fc.boolean()),
    );
    const law = fc.property(cases, ([lines, drawn, isReversed, isAtEnd]) => {
      const hunks = isReversed ? drawn.toReversed() : drawn;
      const diff = writeDiff(hunks, isAtEnd);
      fc.pre(new Set(hunks.map((hunk) => writeDiff([hunk], false))).size === hunks.length);
      fc.pre(!diff.includes("+-"));
      const outcome = applyDiff({ base: text(...lines), diff });
      const shown = outcome.kind === "success" ? outcome.text : outcome.message;
      const agreed = agreedText(lines, hunks, isAtEnd);
      if (agreed === undefined) expect(outcome.kind, shown).toBe("refusal");
      else expect(shown).toBe(agreed);
    });
    fc.assert(law, { numRuns: 2_500 });
  });
});

/** What a diff does to lines that all differ: at every fourth one a hunk, some of them made before. */
interface Slot {
  readonly isMade: boolean;
  readonly added: number;
}

const slots = fc.array(fc.record({ isMade: fc.boolean(), added: fc.integer({ min: 1, max: 2 }) }), {
  minLength: 2,
  maxLength: 4,
});

const newLines = (slot: Slot, n: number): readonly string[] =>
  Array.from({ length: slot.added }, (_, k) => `new ${n} ${k}`);

/** The file in which the hunks that `isMade` says were made: each replaces or follows the second of four lines. */
function fileWith(all: readonly Slot[], removes: boolean, isMade: (slot: Slot) => boolean): string {
  const parts = all.map((slot, n) => {
    const [top, middle, ...rest] = [0, 1, 2, 3].map((k) => `line ${n} ${k}`);
    const old = removes ? [] : [middle];
    return [top, ...(isMade(slot) ? [...old, ...newLines(slot, n)] : [middle]), ...rest];
  });
  return text(...parts.flat().map((line) => line ?? ""));
}

describe("a diff of which a part was made before", () => {
  const offset = fc.constantFrom(0, 0, 1, -1);

  it("is made where the numbers of all its hunks say so, and refused otherwise", () => {
    const law = fc.property(slots, offset, fc.nat(8), (all, off, bare) => {
      fc.pre(all.some(({ isMade }) => isMade) && all.some(({ isMade }) => !isMade));
      let shift = 0;
      const hunks = all.map((slot, n) => {
        const start = 4 * n + 1 + off;
        const header = `@@ -${start},2 +${start + shift},${1 + slot.added} @@`;
        shift += slot.added - 1;
        return text(header, ` line ${n} 0`, `-line ${n} 1`, ...newLines(slot, n).map((line) => `+${line}`));
      });
      // An addition without context has its place by its number only.
      const point = 4 * all.length;
      const addition = text(`@@ -${point},0 +${point + 1 + shift},1 @@`, "+more");
      const diff = `${hunks.join("")}${bare === 0 ? addition : ""}`;
      const outcome = applyDiff({ base: fileWith(all, true, ({ isMade }) => isMade), diff });
      if (off === 0 && bare !== 0)
        expect(outcome).toMatchObject({ code: "applied", text: fileWith(all, true, () => true) });
      else expect(outcome.code).not.toBe("applied");
    });
    fc.assert(law, { numRuns: 500 });
  });

  it("that only adds lines is made if its numbers say so, or refused by the name of a hunk that is there", () => {
    const law = fc.property(slots, fc.boolean(), (all, isNumbered) => {
      let shift = 0;
      const hunks = all.map((slot, n) => {
        const header = `@@ -${4 * n + 1},2 +${4 * n + 1 + shift},${2 + slot.added} @@`;
        shift += slot.added;
        return text(
          isNumbered ? header : "@@",
          ` line ${n} 0`,
          ` line ${n} 1`,
          ...newLines(slot, n).map((line) => `+${line}`),
        );
      });
      const outcome = applyDiff({ base: fileWith(all, false, ({ isMade }) => isMade), diff: hunks.join("") });
      const made = all.flatMap(({ isMade }, n) => (isMade ? [n + 1] : []));
      const isFirst = made.at(-1) === made.length;
      if (made.length === all.length) expect(outcome.code).toBe("already_applied");
      else if (made.length === 0 || (isNumbered && isFirst))
        expect(outcome).toMatchObject({ code: "applied", text: fileWith(all, false, () => true) });
      else expect(made).toContain(outcome.kind === "refusal" ? outcome.hunk : 0);
    });
    fc.assert(law, { numRuns: 300 });
  });
});

it.each([0, 1])(
  "of more matches than can be kept the hunk that has them is named, as number %i of two",
  (at) => {
    const block = Array.from({ length: 400 }, () => "x = 1");
    const wide = text("@@", ...block.map((line) => ` ${line}`), "+y");
    const narrow = text("@@", "-once", "+only");
    const base = text("once", ...Array.from({ length: 8_000 }, () => "  x = 1"));
    const outcome = applyDiff({ base, diff: (at === 0 ? [wide, narrow] : [narrow, wide]).join("") });
    expect(outcome).toMatchObject({ code: "ambiguous", hunk: at + 1 });
  },
);
