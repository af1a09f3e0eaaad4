import { createTwoFilesPatch, structuredPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyDiff as apply,
  type PatchOutcome,
  type PatchRequest,
  splitByFile,
} from "../../src/patch/index.js";

/**
 * The laws of the engine on generated files and diffs. A long run, each law on 100,000 cases:
 *
 *   HOLDFAST_RUNS=100000 npx vitest run packages/core/test/patch/laws.test.ts
 */
const wanted = Number(process.env.HOLDFAST_RUNS ?? 0);
const runs = (numRuns: number) => ({ numRuns: wanted > 0 ? wanted : Math.ceil(numRuns / 8) });
const law = (name: string, check: () => void) => it(name, check, wanted > 0 ? 3_600_000 : 120_000);

/** In a long run the machine may stand still for seconds: no law is about the clock. */
const limitMs = 600_000;
const applyDiff = (request: PatchRequest) => apply({ limitMs, ...request });

/** A text of lines that are all different, and one that was edited from it. */
interface Edited {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const edits = fc.array(
  fc
    .record({ at: fc.nat(60), removed: fc.nat(3), added: fc.nat(3) })
    .filter((edit) => edit.removed + edit.added > 0),
  { minLength: 1, maxLength: 5 },
);

const unique: fc.Arbitrary<Edited> = fc
  .tuple(fc.integer({ min: 1, max: 60 }), edits)
  .map(([count, list]) => {
    const before = Array.from({ length: count }, (_, at) => (at % 4 === 3 ? "  " : "").concat(`line ${at}`));
    return { before, after: edit(before, list, (n) => `new ${n}`) };
  })
  .filter(({ before, after }) => before.join("\n") !== after.join("\n"));

/** Few different lines, so that nearly everything stands several times. */
const repetitive: fc.Arbitrary<Edited> = fc
  .tuple(
    fc.array(fc.constantFrom("a", "b", "", "}", "  x", "a "), { minLength: 1, maxLength: 40 }),
    edits,
    fc.array(fc.constantFrom("a", "b", "", "c"), { minLength: 20, maxLength: 20 }),
  )
  .map(([before, list, words]) => ({
    before,
    after: edit(before, list, (n) => words[n % words.length] ?? ""),
  }));

/** Sections of lines that stand once, a block that stands in none of them, and two places for it. */
const moved = fc
  .record({
    sizes: fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 8 }),
    far: fc.constantFrom(0, 0, 50, 700),
    picks: fc.tuple(fc.nat(), fc.nat(), fc.nat()),
    number: fc.nat(2_000),
    named: fc.boolean(),
  })
  .map(({ sizes, far, picks: [a, b, c], number, named }) => {
    const names = sizes.map((_, at) => `part_${at}:`);
    const around = sizes.flatMap((size, at) => [
      names[at] ?? "",
      ...Array.from({ length: size + (at === 0 ? far : 0) }, (_, n) => `  own ${at} ${n}`),
    ]);
    const block = ["  open", "  same", "  close"];
    const section = names[c % names.length] ?? "";
    const header = named ? `@@ -${number},3 +${number},3 @@ ${section}` : "@@";
    const diff = `${header}\n ${block[0]}\n-${block[1]}\n+  changed\n ${block[2]}\n`;
    const place = (pick: number) => 1 + (pick % around.length);
    return { around, block, diff, section, first: place(a), second: place(b) };
  });

const isHeading = (line: string) => line.startsWith("part_");

function edit(
  before: readonly string[],
  list: readonly { at: number; removed: number; added: number }[],
  word: (n: number) => string,
): readonly string[] {
  const after = [...before];
  let n = 0;
  for (const { at, removed, added } of list) {
    after.splice(Math.min(at, after.length), removed, ...Array.from({ length: added }, () => word(n++)));
  }
  return after;
}

const join = (lines: readonly string[], ending = "\n", final = true) =>
  lines.length === 0 ? "" : lines.join(ending) + (final ? ending : "");

const diffOf = (before: string, after: string, context = 3) =>
  createTwoFilesPatch("a/f", "b/f", before, after, "", "", { context });

describe("laws of the engine", () => {
  law("a correct diff applies to exactly the truth, whatever the ending and the final newline", () => {
    fc.assert(
      fc.property(
        unique,
        fc.constantFrom("\n", "\r\n"),
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        (texts, ending, had, has, context) => {
          const before = join(texts.before, ending, had);
          const after = join(texts.after, ending, has);
          if (before === after || texts.after.length === 0) return;
          const outcome = applyDiff({ base: before, diff: diffOf(before, after, context) });
          expect(outcome).toMatchObject({ code: "applied", text: after });
        },
      ),
      runs(1500),
    );
  });

  law("the inverse diff restores the bytes", () => {
    fc.assert(
      fc.property(unique, fc.boolean(), (texts, final) => {
        const before = join(texts.before, "\n", final);
        const after = join(texts.after, "\n", final);
        if (after === "") return;
        expect(applyDiff({ base: after, diff: diffOf(after, before) })).toMatchObject({ text: before });
      }),
      runs(500),
    );
  });

  law("a correct diff is never placed wrongly, however repetitive the text", () => {
    fc.assert(
      fc.property(repetitive, fc.nat(4), ({ before, after }, context) => {
        const [base, truth] = [join(before), join(after)];
        const outcome = applyDiff({ base, diff: diffOf(base, truth, context) });
        if (outcome.kind === "success" && outcome.code === "applied") expect(outcome.text).toBe(truth);
        if (outcome.kind === "refusal") expect(["invalid_diff", "exists"]).toContain(outcome.code);
      }),
      runs(2000),
    );
  });

  law("where the old blocks are unique, wrong numbers, counts and order change nothing", () => {
    const damage = fc.record({
      numbers: fc.array(fc.nat(200), { minLength: 40, maxLength: 40 }),
      bare: fc.boolean(),
      shuffled: fc.boolean(),
    });
    fc.assert(
      fc.property(unique, damage, (texts, { numbers, bare, shuffled }) => {
        const [base, truth] = [join(texts.before), join(texts.after)];
        const { hunks } = structuredPatch("f", "f", base, truth, "", "", { context: 3 });
        if (truth === "" || hunks.some((hunk) => hunk.oldLines === 0)) return;
        const written = hunks.map((hunk, at) => {
          const [a = 0, b = 0, c = 0, d = 0] = numbers.slice(at * 4);
          // Counts that agree with each other and announce more lines than there are mean lost context; more of
          // both sides, and an added line at the end, a diff that was cut off.
          const header = bare ? "@@" : `@@ -${a + 1},${b} +${c + 1},${b % 2 === 0 ? d + 300 : 0} @@`;
          const isCut = at === hunks.length - 1 && b > hunk.oldLines && hunk.lines.at(-1)?.startsWith("+");
          if (isCut && !bare) return `@@ -${a + 1},0 +${c + 1},${d} @@\n${hunk.lines.join("\n")}\n`;
          return `${header}\n${hunk.lines.join("\n")}\n`;
        });
        const diff = (shuffled ? written.toReversed() : written).join("");
        expect(applyDiff({ base, diff })).toMatchObject({ code: "applied", text: truth });
      }),
      runs(1500),
    );
  });

  law("a place that fits exactly and once may be moved anywhere: nothing changes", () => {
    fc.assert(
      fc.property(moved, ({ around, block, diff, first, second }) => {
        const outcomes = [first, second].map((at) => {
          const outcome = applyDiff({ base: join(around.toSpliced(at, 0, ...block)), diff });
          const expected = join(around.toSpliced(at, 0, ...block.with(1, "  changed")));
          expect([expected, undefined]).toContain(outcome.code === "applied" ? textOf(outcome) : undefined);
          return outcome.code;
        });
        expect(outcomes[0]).toBe(outcomes[1]);
        expect(outcomes[0]).toBe("applied");
      }),
      runs(800),
    );
  });

  law("a second equal place anywhere makes a hunk ambiguous, unless its header names one", () => {
    fc.assert(
      fc.property(moved, fc.nat(6), ({ around, block, first, second, section }, way) => {
        const [one, other] = [Math.min(first, second), Math.max(first, second)];
        const lines = around.toSpliced(other, 0, ...block).toSpliced(one, 0, ...block);
        const copies = [one, other + block.length];
        const header = way < 2 ? `@@ ${section}` : way === 2 ? `@@ -${one + 1},3 +9,3 @@ ${section}` : "@@";
        const body = [` ${block[0]}`, ...(way === 4 ? [" made up"] : []), `-${block[1]}`, "+  changed"];
        const outcome = applyDiff({
          base: join(lines),
          diff: `${header}\n${body.join("\n")}\n ${block[2]}\n`,
        });
        if (way === 2) {
          expect(textOf(outcome)).toBe(join(lines.with(one + 1, "  changed")));
          return;
        }
        if (way > 2) {
          expect(outcome).toMatchObject({ code: "ambiguous" });
          return;
        }
        if (outcome.code !== "applied") return;
        const named = copies.filter((copy) => lines.slice(0, copy + 1).findLast(isHeading) === section);
        expect(named.map((copy) => join(lines.with(copy + 1, "  changed")))).toContain(textOf(outcome));
        expect(named).toHaveLength(1);
      }),
      runs(800),
    );
  });

  law("a true diff that was cut off in its last hunk is never applied", () => {
    fc.assert(
      fc.property(
        fc.oneof(unique, repetitive),
        fc.integer({ min: 0, max: 5 }),
        fc.nat(),
        (texts, context, at) => {
          const [base, truth] = [join(texts.before), join(texts.after)];
          if (truth === "" || base === "") return;
          const { hunks } = structuredPatch("f", "f", base, truth, "", "", { context });
          const last = hunks.at(-1);
          if (last === undefined) return;
          const missing = (from: number, sign: (line: string) => boolean) =>
            last.lines.slice(from).filter(sign).length;
          const cuts = last.lines.flatMap((line, n) =>
            line.startsWith("+") &&
            missing(n + 1, (one) => one.startsWith("+")) > missing(n + 1, (one) => one.startsWith("-")) &&
            missing(n + 1, (one) => !one.startsWith("+") && !one.startsWith("\\")) >= 1
              ? [n + 1]
              : [],
          );
          const cut = cuts[at % Math.max(1, cuts.length)];
          if (cut === undefined) return;
          const written = hunks.map((hunk, n) => {
            const header = `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`;
            const lines = n === hunks.length - 1 ? hunk.lines.slice(0, cut) : hunk.lines;
            return `${header}\n${lines.join("\n")}`;
          });
          expect(applyDiff({ base, diff: written.join("\n") }).code).not.toBe("applied");
        },
      ),
      runs(3000),
    );
  });

  law("every line that stays keeps its ending, in a file of mixed endings", () => {
    fc.assert(
      fc.property(
        unique,
        fc.array(fc.constantFrom("\n", "\r\n"), { minLength: 60, maxLength: 60 }),
        (texts, endings) => {
          const base = texts.before.map((line, at) => line + endings[at]).join("");
          const outcome = applyDiff({ base, diff: diffOf(join(texts.before), join(texts.after)) });
          if (texts.after.length === 0) return;
          expect(outcome.code).toBe("applied");
          const text = outcome.kind === "success" ? outcome.text : "";
          expect(text.replaceAll("\r\n", "\n")).toBe(join(texts.after));
          for (const [at, line] of texts.before.entries()) {
            if (texts.after.includes(line)) expect(text).toContain(line + endings[at]);
          }
        },
      ),
      runs(500),
    );
  });

  law("the same diff a second time finds itself applied, or is refused", () => {
    fc.assert(
      fc.property(unique, (texts) => {
        const [base, truth] = [join(texts.before), join(texts.after)];
        const outcome = applyDiff({ base: truth, diff: diffOf(base, truth) });
        if (outcome.kind === "success") expect(outcome).toMatchObject({ text: truth });
      }),
      runs(1000),
    );
  });

  law("what is new on every line is known again, in one call or several", () => {
    const replaced = fc.uniqueArray(fc.nat(40), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(replaced, (places) => {
        const before = Array.from({ length: 41 }, (_, at) => `line ${at}`);
        const after = before.map((line, at) => (places.includes(at) ? `new ${at}` : line));
        const [base, truth] = [join(before), join(after)];
        expect(applyDiff({ base: truth, diff: diffOf(base, truth) }).code).toBe("already_applied");
      }),
      runs(300),
    );
  });

  law("damaged context never leads a change astray", () => {
    const damage = fc.record({ at: fc.nat(30), way: fc.constantFrom("mutate", "invent", "skip", "swap") });
    fc.assert(
      fc.property(fc.oneof(unique, repetitive), damage, fc.boolean(), (texts, { at, way }, bare) => {
        const [base, truth] = [join(texts.before), join(texts.after)];
        const { hunks } = structuredPatch("f", "f", base, truth, "", "", { context: 4 });
        const written = hunks.map((hunk) => {
          const lines = damageContext(hunk.lines, at, way);
          const header = bare ? "@@" : `@@ -${hunk.oldStart} +${hunk.newStart} @@`;
          return `${header}\n${lines.join("\n")}\n`;
        });
        const outcome = applyDiff({ base, diff: written.join("") });
        if (!staysTrue(texts, hunks, way) || outcome.code !== "applied") return;
        expect(outcome).toMatchObject({ text: truth });
      }),
      runs(1500),
    );
  });

  law("the changes name all that is new, and nothing before or after moves", () => {
    fc.assert(
      fc.property(unique, (texts) => {
        const [base, truth] = [join(texts.before), join(texts.after)];
        const outcome = applyDiff({ base, diff: diffOf(base, truth) });
        if (outcome.kind !== "success" || outcome.code !== "applied") return;
        const inside = (line: number) =>
          outcome.changes.some(({ newFrom, newTo }) => line > newFrom && line <= newTo);
        const kept = texts.after.filter((_, at) => !inside(at + 1));
        expect(kept.every((line) => texts.before.includes(line))).toBe(true);
        const fresh = texts.after.flatMap((line, at) => (texts.before.includes(line) ? [] : [at + 1]));
        expect(fresh.every(inside)).toBe(true);
      }),
      runs(500),
    );
  });

  law("V4A and SEARCH/REPLACE say the same as a unified diff", () => {
    fc.assert(
      fc.property(unique, (texts) => {
        const [base, truth] = [join(texts.before), join(texts.after)];
        const { hunks } = structuredPatch("f", "f", base, truth, "", "", { context: 3 });
        if (truth === "" || hunks.some((hunk) => hunk.oldLines === 0)) return;
        const bodies = hunks.map(({ lines }) => `@@\n${lines.join("\n")}\n`).join("");
        const envelope = `*** Begin Patch\n*** Update File: f\n${bodies}*** End Patch\n`;
        const side = (lines: readonly string[], but: string) =>
          lines.flatMap((line) => (line.startsWith(but) ? [] : [`${line.slice(1)}\n`])).join("");
        const blocks = hunks
          .map(
            ({ lines }) => `<<<<<<< SEARCH\n${side(lines, "+")}=======\n${side(lines, "-")}>>>>>>> REPLACE\n`,
          )
          .join("");
        expect(applyDiff({ base, diff: envelope })).toMatchObject({ code: "applied", text: truth });
        expect(applyDiff({ base, diff: blocks })).toMatchObject({ code: "applied", text: truth });
      }),
      runs(500),
    );
  });

  law("the parts of a diff of several files do to each what the whole says", () => {
    fc.assert(
      fc.property(fc.array(unique, { minLength: 1, maxLength: 3 }), (files) => {
        const pairs = files.map(({ before, after }) => [join(before), join(after)] as const);
        const diff = pairs
          .map(([before, after], at) => createTwoFilesPatch(`a/f${at}`, `b/f${at}`, before, after, "", ""))
          .join("");
        const split = splitByFile(diff, limitMs);
        expect(split.kind === "files" ? split.files.map(({ path }) => path) : split).toEqual(
          files.map((_, at) => `f${at}`),
        );
        if (split.kind !== "files") return;
        for (const [at, part] of split.files.entries()) {
          const [before, after] = pairs[at] ?? ["", ""];
          if (after !== "") expect(textOf(applyDiff({ base: before, diff: part.diff }))).toBe(after);
        }
      }),
      runs(300),
    );
  });

  law("never throws, whatever it is given", () => {
    const line = fc.oneof(
      fc.constantFrom(
        ...[
          "@@",
          "@@ -1,2 +1,2 @@",
          "@@ -0,0 +1 @@",
          "@@ a",
          "--- a",
          "+++ b",
          "--- /dev/null",
          "+++ /dev/null",
        ],
        ...["```", "```diff", "\\ No newline at end of file", "-", "+", " ", "", "-a", "+b", " a", " ..."],
        ...["*** Begin Patch", "diff --git a/x b/x", "-- ", "a\r", "+c\r"],
      ),
      fc.string(),
      fc.string({ unit: "binary" }),
    );
    const base = fc.oneof(
      fc.constant(null),
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom("a", "b", "", "a\r"), { maxLength: 20 }).map((lines) => lines.join("\n")),
    );
    fc.assert(
      fc.property(
        base,
        fc.array(line, { maxLength: 25 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        (text, lines, ending) => {
          const outcome = applyDiff({ base: text, diff: lines.join(ending) });
          expect(outcome.code).not.toBe("internal_error");
          if (outcome.kind === "refusal") expect(outcome.message.length).toBeLessThanOrEqual(8_192);
          else if (outcome.code !== "applied") expect(outcome.text).toBe(text ?? "");
        },
      ),
      runs(1600),
    );
  });
});

function textOf(outcome: PatchOutcome): string {
  return outcome.kind === "success" ? outcome.text : outcome.message;
}

/** One context line of a hunk made wrong; the lines beside the changes are left as they are. */
function damageContext(lines: readonly string[], at: number, way: string): readonly string[] {
  const isContext = (n: number) => lines[n]?.startsWith(" ") === true;
  const places = lines.flatMap((_, n) =>
    isContext(n) && [n - 1, n + 1].every((near) => near < 0 || near >= lines.length || isContext(near))
      ? [n]
      : [],
  );
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return lines;
  switch (way) {
    case "mutate":
      return lines.with(place, ` something else ${at}`);
    case "invent":
      return lines.toSpliced(place, 0, ` something more ${at}`);
    case "skip":
      return lines.toSpliced(place, 1);
    default:
      return isContext(place + 1) && isContext(place + 2)
        ? lines.toSpliced(place, 2, lines[place + 1] ?? "", lines[place] ?? "")
        : lines;
  }
}

/** In a text of repeated lines a diff that lost or changed a line may be the true diff of another change. */
function staysTrue(
  texts: Edited,
  hunks: readonly { readonly lines: readonly string[] }[],
  way: string,
): boolean {
  const isRepetitive = new Set(texts.before.map((line) => line.trim())).size < texts.before.length;
  const addsOnlyNew = hunks.every(({ lines }) => !lines.some((line) => line === "+"));
  return addsOnlyNew && (!isRepetitive || way === "mutate" || way === "invent");
}

it.each([
  ["behind", "a\nthe line\r\t\nb\n"],
  ["in front of", "a\n\rthe line\nb\n"],
])("a carriage return %s the text of a line is no blank that may be lost", (_, base) => {
  const outcome = applyDiff({ base, diff: "@@\n-the line\n+another\n" });
  expect(outcome.kind).toBe("refusal");
});
