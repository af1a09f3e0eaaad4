import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEdits } from "../../src/files/exact-edits.js";
import type { ExactEdit } from "../../src/files/index.js";

const edit = (oldString: string, newString: string, more: Partial<ExactEdit> = {}): ExactEdit => ({
  oldString,
  newString,
  ...more,
});

const cases: readonly (readonly [name: string, text: string, edits: readonly ExactEdit[], result: string])[] =
  [
    ["replaces what stands once", "a b c", [edit("b", "B")], "a B c"],
    ["takes $ literally", "a b c", [edit("b", "$& $1 $$")], "a $& $1 $$ c"],
    ["lets each edit see the one before", "a", [edit("a", "b"), edit("b", "c")], "c"],
    ["replaces all when told so", "a-a-a", [edit("a", "b", { replaceAll: true })], "b-b-b"],
    ["replaces as many as expected", "a-a", [edit("a", "b", { expectedReplacements: 2 })], "b-b"],
    ["takes an LF for the CRLF of the file", "a\r\nb\r\n", [edit("a\nb", "x\ny\nz")], "x\r\ny\r\nz\r\n"],
    ["leaves a text of mixed endings as it is", "a\r\nb\n", [edit("b", "x\ny")], "a\r\nx\ny\n"],
  ];

const refusals: readonly (readonly [
  code: string,
  text: string,
  edits: readonly ExactEdit[],
  says: string,
])[] = [
  ["not_found", "a\n  b\n", [edit("b  \nc", "x")], "2:   b"],
  ["not_found", "abc", [edit("b", "x"), edit("b", "y")], "Edit 2 of 2"],
  ["occurrence_mismatch", "a\na\n", [edit("a", "x")], "2 times in the file, not once (lines 1, 2)"],
  [
    "occurrence_mismatch",
    "a",
    [edit("a", "x", { expectedReplacements: 2 })],
    "once in the file, not 2 times",
  ],
  ["occurrence_mismatch", "aaa", [edit("aa", "x")], "overlap"],
  ["equal_strings", "a", [edit("a", "a")], "same"],
  ["empty_old_string", "a", [edit("", "x")], "empty"],
  ["invalid_arguments", "a", [], "empty"],
];

describe("exact edits", () => {
  it.each(cases)("%s", (_, text, edits, result) => {
    expect(applyEdits(text, edits)).toMatchObject({ kind: "edited", text: result });
  });

  it.each(refusals)("are refused with %s", (code, text, edits, says) => {
    const answer = applyEdits(text, edits);
    expect(answer).toMatchObject({ kind: "refusal", code });
    expect("message" in answer ? answer.message : "").toContain(says);
  });

  it("replace exactly one place and nothing else, or refuse", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 12 });
    fc.assert(
      fc.property(letters, letters, letters, (before, part, after) => {
        fc.pre(part !== "");
        const text = before + part + after;
        const answer = applyEdits(text, [edit(part, "X")]);
        const alone = text.indexOf(part) === text.lastIndexOf(part);
        if (alone) expect(answer).toMatchObject({ text: text.replace(part, () => "X"), replacements: 1 });
        else expect(answer).toMatchObject({ code: "occurrence_mismatch" });
      }),
    );
  });
});
