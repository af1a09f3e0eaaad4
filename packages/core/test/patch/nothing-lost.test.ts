import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyDiff, splitByFile } from "../../src/patch/index.js";

/**
 * Each section of a diff is carried out, or all of it is refused, whatever stands between the sections. A long run:
 *
 *   HOLDFAST_RUNS=100000 npx vitest run packages/core/test/patch/nothing-lost.test.ts
 */
const numRuns = Number(process.env.HOLDFAST_RUNS ?? 0) || 50;

/** What stands before and after a section, in files of their own; `null` where there is no file. */
type Files = Readonly<Record<string, string | null>>;

/** A part of a diff. What it asks for must be done if anything is. */
interface Piece {
  readonly text: string;
  readonly before?: Files;
  readonly after?: Files;
}

const old = (n: number) => `one ${n}\ntwo ${n}\nthree ${n}\n`;
const fresh = (n: number) => old(n).replace("two", "TWO");
const lines = (n: number) => ` one ${n}\n-two ${n}\n+TWO ${n}\n three ${n}\n`;

/** One change in each form, for a file that only it names. */
const sections: Readonly<Record<string, (n: number) => Piece>> = {
  plain: (n) => changing(n, `--- a/f${n}.txt\n+++ b/f${n}.txt\n@@ -1,3 +1,3 @@\n${lines(n)}`),
  git: (n) =>
    changing(
      n,
      `diff --git a/f${n}.txt b/f${n}.txt\nindex 1..2 100644\n--- a/f${n}.txt\n+++ b/f${n}.txt\n@@ -1,3 +1,3 @@\n${lines(n)}`,
    ),
  gitRename: (n) =>
    moving(
      n,
      `diff --git a/f${n}.txt b/g${n}.txt\nsimilarity index 100%\nrename from f${n}.txt\nrename to g${n}.txt\n`,
    ),
  gitDeletion: (n) => ({
    text: `diff --git a/f${n}.txt b/f${n}.txt\ndeleted file mode 100644\n--- a/f${n}.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one ${n}\n-two ${n}\n-three ${n}\n`,
    before: { [`f${n}.txt`]: old(n) },
    after: { [`f${n}.txt`]: null },
  }),
  gitEmpty: (n) => ({
    text: `diff --git a/f${n}.txt b/f${n}.txt\nnew file mode 100755\nindex 0000000..e69de29\n`,
    before: { [`f${n}.txt`]: null },
    after: { [`f${n}.txt`]: "" },
  }),
  envelope: (n) => changing(n, `*** Begin Patch\n*** Update File: f${n}.txt\n@@\n${lines(n)}*** End Patch\n`),
  update: (n) => changing(n, `*** Update File: f${n}.txt\n@@\n${lines(n)}`),
  add: (n) => ({
    text: `*** Add File: f${n}.txt\n+new ${n}\n`,
    before: { [`f${n}.txt`]: null },
    after: { [`f${n}.txt`]: `new ${n}\n` },
  }),
  deletion: (n) => ({
    text: `*** Delete File: f${n}.txt\n`,
    before: { [`f${n}.txt`]: old(n) },
    after: { [`f${n}.txt`]: null },
  }),
  move: (n) => moving(n, `*** Update File: f${n}.txt\n*** Move to: g${n}.txt\n`),
  block: (n) => changing(n, `f${n}.txt\n<<<<<<< SEARCH\ntwo ${n}\n=======\nTWO ${n}\n>>>>>>> REPLACE\n`),
};

function changing(n: number, text: string): Piece {
  return { text, before: { [`f${n}.txt`]: old(n) }, after: { [`f${n}.txt`]: fresh(n) } };
}

function moving(n: number, text: string): Piece {
  return {
    text,
    before: { [`f${n}.txt`]: old(n) },
    after: { [`f${n}.txt`]: null, [`g${n}.txt`]: old(n) },
  };
}

/** Each line of a section may have blanks around it, or another word in it: it is understood, or all is refused. */
const twists: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => text,
  (text) => text.replace(/^\*\*\*/m, "  ***"),
  (text) => text.replace(/^\*\*\* /gm, " *** "),
  (text) => text.replace(/^(\*\*\* .*)$/gm, "$1  "),
  (text) => text.replace("*** Add", "*** Create"),
  (text) => text.replace("*** Update", "*** Modify"),
  (text) => text.replace("*** Delete", "*** Remove"),
  (text) => text.replace("*** Move to:", "*** Rename to:"),
  (text) => text.replace(/^(?:rename from|<+ SEARCH).*\n/m, ""),
  (text) => text.replace("rename to", "renamed to"),
  (text) => text.replace("SEARCH", "ORIGINAL"),
  (text) => text.replace(/^(?=[-+<@])/gm, " "),
  (text) => text.replace(/^(?:---|diff) .*\n/m, ""),
  (text) => text.replace(/^\+\+\+ .*\n/m, ""),
  (text) => text.replace("new file mode", "created file mode"),
  (text) => text.replace(/^@@.*\n/gm, ""),
  (text) => `\`\`\`diff\n${text}\`\`\`\n`,
];

const words = fc.constantFrom(
  "",
  "Then this:",
  "*** note ***",
  "- a point",
  "Done.",
  "```",
  "***",
  "---",
  "a b c d",
);
const texts: fc.Arbitrary<Piece> = fc
  .oneof(words, fc.string({ maxLength: 20 }), fc.string({ unit: fc.constantFrom(..."*-+ @<>=#`\n a") }))
  .map((text) => ({ text: `${text}\n` }));

const diffs: fc.Arbitrary<readonly Piece[]> = fc
  .array(
    fc.record({
      gap: fc.option(texts, { freq: 3 }),
      form: fc.constantFrom(...Object.keys(sections)),
      alike: fc.boolean(),
      twist: fc.constantFrom(...twists),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) =>
    parts.flatMap(({ gap, form, alike, twist }, at) => {
      const section = sections[alike ? (parts[0]?.form ?? form) : form]?.(at);
      if (section === undefined) return [];
      const piece = { ...section, text: twist(section.text) };
      return gap === null ? [piece] : [gap, piece];
    }),
  );

/** The files after the diff; undefined where it is refused. */
function applied(diff: string, before: Files): Files | undefined {
  const split = splitByFile(diff);
  if (split.kind === "refusal") return undefined;
  const files = { ...before };
  for (const { path, action, to, diff: part } of split.files) {
    const base = files[path] ?? null;
    const outcome = part === "" ? undefined : applyDiff({ base, diff: part, path });
    if (outcome?.kind === "refusal" || (base === null && action !== "create")) return undefined;
    const text = outcome === undefined ? base : outcome.text;
    if (action === "delete" && part !== "" && text !== "") return undefined;
    files[path] = action === "delete" || action === "rename" ? null : text;
    if (action === "rename" && to !== undefined) files[to] = text;
  }
  return files;
}

describe("nothing of a diff is lost in silence", () => {
  it("each section is carried out, or all of it is refused", () => {
    fc.assert(
      fc.property(diffs, (pieces) => {
        const before = Object.assign({}, ...pieces.map((piece) => piece.before ?? {}));
        const wanted: Files = Object.assign({}, before, ...pieces.map((piece) => piece.after ?? {}));
        const diff = pieces.map(({ text }) => text).join("");
        const after = applied(diff, before);
        if (after === undefined) return;
        expect(Object.keys(after).sort(), diff).toEqual(Object.keys(wanted).sort());
        // A line with a sign behind a hunk is one more line of it.
        for (const [path, text] of Object.entries(wanted))
          if (text === null) expect(after[path], diff).toBeNull();
          else expect(after[path], diff).toContain(text.trimEnd());
      }),
      { numRuns },
    );
  });
});
