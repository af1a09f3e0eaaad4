import { createTwoFilesPatch, structuredPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyDiff } from "../../src/patch/index.js";

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

const runs = (numRuns: number) => ({ numRuns });

describe("laws of the engine", () => {
  it("a correct diff applies to exactly the truth, whatever the ending and the final newline", () => {
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

  it("the inverse diff restores the bytes", () => {
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

  it("a correct diff is never placed wrongly, however repetitive the text", () => {
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

  it("where the old blocks are unique, wrong numbers, counts and order change nothing", () => {
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
          // Counts that agree with each other and announce more lines than there are mean lost context.
          const header = bare ? "@@" : `@@ -${a + 1},${b} +${c + 1},${d + 300} @@`;
          return `${header}\n${hunk.lines.join("\n")}\n`;
        });
        const diff = (shuffled ? written.toReversed() : written).join("");
        expect(applyDiff({ base, diff })).toMatchObject({ code: "applied", text: truth });
      }),
      runs(1500),
    );
  });

  it("every line that stays keeps its ending, in a file of mixed endings", () => {
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

  it("what was applied is never applied again", () => {
    fc.assert(
      fc.property(unique, (texts) => {
        const [base, truth] = [join(texts.before), join(texts.after)];
        const outcome = applyDiff({ base: truth, diff: diffOf(base, truth) });
        if (outcome.kind === "success") expect(outcome).toMatchObject({ text: truth });
      }),
      runs(1000),
    );
  });

  it("never throws, whatever it is given", () => {
    const line = fc.oneof(
      fc.constantFrom(
        "@@",
        "@@ -1,2 +1,2 @@",
        "@@ -0,0 +1 @@",
        "@@ a",
        "--- a",
        "+++ b",
        "--- /dev/null",
        "+++ /dev/null",
        "```",
        "```diff",
        "\\ No newline at end of file",
        "-",
        "+",
        " ",
        "",
        "-a",
        "+b",
        " a",
        " ...",
        "*** Begin Patch",
        "diff --git a/x b/x",
        "-- ",
        "a\r",
        "+c\r",
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
      runs(4000),
    );
  });
});
