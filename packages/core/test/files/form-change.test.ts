import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formChange } from "../../src/text/index.js";
import { runTool } from "../../src/tools/index.js";
import { sha } from "../support.js";
import { openMemory } from "../tools/ground.js";

const runs = { numRuns: Number(process.env.HOLDFAST_RUNS ?? 60), seed: 45, endOnFailure: true };

/** Unicode's own forms of letters and signs of ASCII, beside look-alikes of other scripts. */
function formsOfAscii(): ReadonlyMap<string, readonly string[]> {
  const forms = new Map<string, string[]>();
  const add = (plain: string, form: string) => forms.set(plain, [...(forms.get(plain) ?? []), form]);
  for (let point = 0x80; point < 0x20000; point++) {
    const plain = String.fromCodePoint(point).normalize("NFKC");
    if (/^[!-~]$/.test(plain)) add(plain, String.fromCodePoint(point));
  }
  const scripts = ["aаα", "cсϲ", "eеε", "oοо", "pрρ", "xхχ", "yуγ", "sѕ", "-–—−", "'’‘", '"“”'];
  for (const [plain = "", ...all] of scripts.map((row) => [...row])) for (const form of all) add(plain, form);
  return forms;
}

const other = formsOfAscii();
/** A character of ASCII, and one that only looks like it or is a form of it. */
const pair = fc.tuple(fc.constantFrom(...other.keys()), fc.nat()).map(([plain, at]) => {
  const forms = other.get(plain) ?? [];
  return { plain, form: forms[at % forms.length] ?? plain };
});
const words = fc.stringMatching(/^[a-z]{3,8} [a-z]{3,8}$/);

async function call(tool: string, file: string, args: object) {
  const on = openMemory({ f: file });
  await on.workspace.read({ path: "f" });
  const reply = await runTool(tool, { file_path: "f", ...args }, { workspace: on.workspace });
  return { ...reply, now: on.get("f") };
}

it("what only looks like ASCII is not edited as ASCII, and the refusal names the difference", async () => {
  await fc.assert(
    fc.asyncProperty(words, pair, words, async (before, { plain, form }, behind) => {
      const [given, real] = [`${before}${plain}${behind}`, `${before}${form}${behind}`];
      const file = `one\n${real}\ntwo\n`;
      const base_content_sha256 = sha(file);
      const unified_diff = `@@ -1,3 +1,3 @@\n one\n-${given}\n+new\n two\n`;
      const calls = [
        ["edit_file", { base_content_sha256, edits: [{ old_string: given, new_string: "new" }] }],
        ["replace", { old_string: given, new_string: "new" }],
        ["safe_patch", { base_content_sha256, unified_diff }],
      ] as const;
      const point = `U+${(form.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
      for (const [tool, args] of calls) {
        const { success, now, text } = await call(tool, file, args);
        expect([tool, given, real, success, now]).toEqual([tool, given, real, false, file]);
        expect([tool, text]).toEqual([tool, expect.stringContaining(point)]);
      }
    }),
    runs,
  );
});

describe("a change of forms alone", () => {
  it("is said to be one by every tool, with the number of characters and the first", async () => {
    const cases = fc.tuple(words, fc.array(pair, { minLength: 1, maxLength: 4 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(cases, async ([word, pairs, isBack]) => {
        const ascii = pairs.map(({ plain }) => plain + word).join("");
        const forms = pairs.map(({ form }) => form + word).join("");
        const [old, fresh] = isBack ? [forms, ascii] : [ascii, forms];
        const file = `one\n${old}\ntwo\n`;
        const base_content_sha256 = sha(file);
        const unified_diff = `@@ -1,3 +1,3 @@\n one\n-${old}\n+${fresh}\n two\n`;
        const amount = pairs.length === 1 ? "1 character" : `${pairs.length} characters`;
        const calls = [
          ["edit_file", { base_content_sha256, edits: [{ old_string: old, new_string: fresh }] }],
          ["edit_file", { base_content_sha256, edits: [{ lines: "2", new_string: fresh }] }],
          ["safe_patch", { base_content_sha256, unified_diff }],
          ["write_file", { base_content_sha256, content: `one\n${fresh}\ntwo\n` }],
        ] as const;
        for (const [tool, args] of calls) {
          const { text } = await call(tool, file, args);
          const said = `Only the form of ${amount} changes: U+`;
          expect([tool, text]).toEqual([tool, expect.stringContaining(said)]);
        }
      }),
      runs,
    );
  });

  it.each([
    ["caf\u00e9", "cafe\u0301", "1 character changes: U+00E9"],
    ["a\r\nb\r\n", "a\nb\n", "2 characters changes: U+000D (carriage return)"],
    ["a b", "a\u00a0b", "1 character changes: U+0020 (space) is now U+00A0 (no-break space)"],
    ["a\u200bb", "ab", "1 character changes: U+200B (zero width space) is now"],
    ["x\u2026", "x...", "1 character changes: U+2026"],
    ["\ufb01n", "fin", "1 character changes: U+FB01"],
    ["so e\u0323\u0301", "so \u1eb9\u0301", "1 character changes: U+0065"],
    ["so \ud835\udc00", "so \ud835\udc68", "1 character changes: U+1D400"],
  ])("is named from %j to %j", (before, after, said) => {
    expect(formChange(before, after)).toContain(`Only the form of ${said}`);
  });

  it("is none where letters of ASCII become others, where text comes or goes, or nothing changes", () => {
    const unit = fc.constantFrom("l", "1", "I", "0", "o", " ", "\t", "'", '"', "a", "A");
    const ascii = fc.string({ unit, maxLength: 6 });
    fc.assert(fc.property(ascii, ascii, (one, two) => formChange(one, two) === ""));
    expect(formChange("caf\u00e9 a", "cafe\u0301 b")).toBe("");
  });
});
