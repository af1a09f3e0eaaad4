import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyDiff } from "../../../src/patch/index.js";
import { text } from "../check.js";

/** What opens a block around lines, and what follows them, in several languages. */
const wrappers: readonly (readonly [open: string, ...closers: readonly string[]])[] = [
  ["if (ready) {", "}"],
  ["if ready:"],
  ["try {", "} catch (error) {", "  log(error);", "}"],
  ['<Box id="ready">', "</Box>"],
  ["ready do", "end"],
  ["{% if ready %}", "{% endif %}"],
  ["call(() => {", "});"],
  ["while ready; do", "done"],
];
const words = ["else", "}", "go()", "return x", "a = 1", "end", "close(a)"];

/** A line of a file by its depth, its words, and whether it is like no other. */
const line = fc.record({ depth: fc.nat(3), word: fc.nat(words.length - 1), isOwn: fc.boolean() });
const file = fc.record({
  lines: fc.array(line, { minLength: 4, maxLength: 12 }),
  unit: fc.constantFrom("  ", "    ", "\t"),
});
const change = fc.record({
  at: fc.nat(),
  count: fc.integer({ min: 1, max: 3 }),
  wrapper: fc.constantFrom(...wrappers),
  /** How much deeper the lines are in their wrapping. */
  depth: fc.constantFrom(0, 1, 1, 1, 2),
});
const form = fc.record({
  context: fc.nat(3),
  /** By how many units the whole hunk is further in than the file. */
  moved: fc.integer({ min: -2, max: 3 }),
  number: fc.option(fc.integer({ min: 1, max: 16 })),
  isTold: fc.boolean(),
});

/** A line so many units further in; undefined where it has not so many to lose. */
function moveLine(line: string, units: number, unit: string): string | undefined {
  if (units >= 0) return unit.repeat(units) + line;
  const lost = unit.repeat(-units);
  return line.startsWith(lost) ? line.slice(lost.length) : undefined;
}

describe("lines that are wrapped already", () => {
  it("are not wrapped once more, at any depth, unless they stand at the very number", () => {
    const law = fc.property(
      file,
      change,
      form,
      ({ lines, unit }, made, { context, moved, number, isTold }) => {
        const all = lines.map(
          ({ depth, word, isOwn }, n) => unit.repeat(depth) + words[word] + (isOwn ? ` ${n}` : ""),
        );
        const at = made.at % all.length;
        const block = all.slice(at, at + made.count);
        const [indent = ""] = /^\s*/.exec(block[0] ?? "") ?? [];
        fc.pre(block.every((one) => one.startsWith(indent)));
        const [open, ...closers] = made.wrapper;
        const wrapped = [
          indent + open,
          ...block.map((one) => unit.repeat(made.depth) + one),
          ...closers.map((one) => indent + one),
        ];
        const base = all.toSpliced(at, block.length, ...wrapped);
        const first = Math.max(0, at - context);
        const body = [
          ...all.slice(first, at).map((one) => [" ", one] as const),
          ...block.map((one) => ["-", one] as const),
          ...wrapped.map((one) => ["+", one] as const),
          ...all.slice(at + block.length, at + block.length + context).map((one) => [" ", one] as const),
        ].map(([sign, one]) => ({ sign, line: moveLine(one, moved, unit) }));
        fc.pre(body.every((one) => one.line !== undefined));
        const old = body.filter(({ sign }) => sign !== "+");
        // The very number is believed.
        const hint = number ?? base.length + 1;
        fc.pre(old.some((one, n) => one.line !== base[hint - 1 + n]));
        const growth = wrapped.length - block.length;
        const counts = `@@ -${hint},${old.length} +${hint},${old.length + growth} @@`;
        const section = isTold && first > 0 ? ` ${all[first - 1]?.trim()}` : "";
        const header = `${number === null ? "@@" : counts}${section}`;
        const diff = text(header, ...body.map((one) => `${one.sign}${one.line}`));
        const outcome = applyDiff({ base: text(...base), diff });
        const landed = outcome.kind === "success" ? outcome.landed : [];
        for (const { oldStart, oldLines } of landed) {
          const isAbove = oldStart + oldLines <= first + 1;
          expect(isAbove || oldStart > first + old.length + growth, diff).toBe(true);
        }
      },
    );
    fc.assert(law, { numRuns: 1_500 });
  });
});

it("does not change a copy of a hunk of which some changes stand near its number already, and names one", () => {
  const run = fc.record({
    removes: fc.nat(2),
    adds: fc.nat(2),
    context: fc.integer({ min: 1, max: 3 }),
    isMade: fc.boolean(),
  });
  const draw = fc.record({
    runs: fc.array(run, { minLength: 2, maxLength: 4 }),
    depth: fc.constantFrom("", "  ", "\t"),
    above: fc.nat(12),
    between: fc.integer({ min: 12, max: 60 }),
    off: fc.integer({ min: -5, max: 5 }),
  });
  fc.assert(
    fc.property(draw, ({ runs, depth, above, between, off }) => {
      const changing = runs.filter(({ removes, adds }) => removes + adds > 0);
      fc.pre(changing.length > 1 && new Set(changing.map(({ isMade }) => isMade)).size === 2);
      const lines = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name} ${n};`);
      const parts = changing.map(({ removes, adds, context, isMade }, n) => ({
        ...{ isMade, context: lines(`context ${n}`, context) },
        ...{ removed: lines(`old ${n}`, removes), added: lines(`new ${n}`, adds) },
      }));
      const end = lines("end", 2);
      const old = [...parts.flatMap(({ context, removed }) => [...context, ...removed]), ...end];
      const here: string[] = [];
      const madeAt: number[] = [];
      for (const { isMade, context, removed, added } of parts) {
        here.push(...context);
        if (isMade) madeAt.push(above + here.length + 1);
        here.push(...(isMade ? added : removed));
      }
      here.push(...end);
      const base = text(
        ...lines("above", above),
        ...here,
        ...lines("between", between),
        ...old.map((line) => depth + line),
      );
      const body = parts.flatMap(({ context, removed, added }) => [
        ...context.map((line) => ` ${line}`),
        ...removed.map((line) => `-${line}`),
        ...added.map((line) => `+${line}`),
      ]);
      const growth = parts.reduce((sum, { removed, added }) => sum + added.length - removed.length, 0);
      const stated = Math.max(1, above + 1 + off);
      const header = `@@ -${stated},${old.length} +${stated},${old.length + growth} @@`;
      const outcome = applyDiff({ base, diff: text(header, ...body, ...end.map((line) => ` ${line}`)) });
      expect(outcome.kind === "refusal" ? "refusal" : outcome.text).toBe("refusal");
      const named = /one of its changes stands at line (\d+)/.exec(
        outcome.kind === "refusal" ? outcome.message : "",
      );
      if (named !== null) expect(madeAt).toContain(Number(named[1]));
    }),
    { numRuns: 500, seed: 45 },
  );
});

it("is not told to be made while what it removes stands beside its new lines", () => {
  const draw = fc.record({
    context: fc.integer({ min: 1, max: 3 }),
    removes: fc.integer({ min: 1, max: 3 }),
    added: fc.array(fc.constantFrom("", "}", "  ", "new a;", "new b;"), { minLength: 1, maxLength: 3 }),
    blanks: fc.nat(2),
    isBelow: fc.boolean(),
    above: fc.nat(4),
    isNumbered: fc.boolean(),
  });
  fc.assert(
    fc.property(draw, ({ context, removes, added, blanks, isBelow, above, isNumbered }) => {
      const lines = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name} ${n};`);
      const inOrder = <T>(...parts: readonly (readonly T[])[]) =>
        (isBelow ? parts : parts.toReversed()).flat();
      const [kept, removed] = [lines("context", context), lines("old", removes)];
      const here = inOrder(
        kept,
        added,
        Array.from({ length: blanks }, () => ""),
        removed,
      );
      const base = text(...lines("above", above), ...here, ...lines("below", 2));
      const change = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
      const body = inOrder(
        kept.map((line) => ` ${line}`),
        change,
      );
      const start = isBelow ? above + 1 : above + 1 + removes + blanks;
      const counts = `@@ -${start},${context + removes} +${start},${context + added.length} @@`;
      const outcome = applyDiff({ base, diff: text(isNumbered ? counts : "@@", ...body) });
      expect(outcome.code).not.toBe("already_applied");
    }),
    { numRuns: 500, seed: 45 },
  );
});

it("is made where it adds a line like the one beside it", () => {
  const draw = fc.record({
    count: fc.integer({ min: 3, max: 9 }),
    at: fc.nat(),
    context: fc.integer({ min: 1, max: 3 }),
    isBelow: fc.boolean(),
    off: fc.option(fc.integer({ min: -3, max: 40 })),
  });
  fc.assert(
    fc.property(draw, ({ count, at, context, isBelow, off }) => {
      const lines = Array.from({ length: count }, (_, n) => `  line ${n};`);
      const point = 1 + (at % (count - 1));
      const twin = lines[isBelow ? point - 1 : point] ?? "";
      const above = lines.slice(Math.max(0, point - context), point);
      const below = lines.slice(point, point + context);
      const body = [...above.map((line) => ` ${line}`), `+${twin}`, ...below.map((line) => ` ${line}`)];
      const length = above.length + below.length;
      const start = Math.max(1, point - above.length + 1 + (off ?? 0));
      const header = off === null ? "@@" : `@@ -${start},${length} +${start},${length + 1} @@`;
      const outcome = applyDiff({ base: text(...lines), diff: text(header, ...body) });
      const made = text(...lines.toSpliced(point, 0, twin));
      expect(outcome.kind === "refusal" ? outcome.message : outcome.text).toBe(made);
    }),
    { numRuns: 500, seed: 45 },
  );
});
