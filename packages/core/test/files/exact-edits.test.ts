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
    ["gives new lines the ending of their place", "a\r\nb\n", [edit("b", "x\ny")], "a\r\nx\ny\n"],
    ["and in a line that ends otherwise", "a\r\nb\n", [edit("a", "x\ny")], "x\r\ny\r\nb\n"],
    [
      "takes an LF for any ending of a mixed text",
      "a\r\nb\nc\r\n",
      [edit("a\nb\nc", "a\nB\nc")],
      "a\r\nB\nc\r\n",
    ],
    ["takes an LF for a lone CR where there is nothing else", "a\rb\r", [edit("a\nb", "x\ny")], "x\ry\r"],
    ["finds what begins with a line's end", "a\r\nb\r\n", [edit("\nb", "\nc")], "a\r\nc\r\n"],
    ["deletes", "a\nb\n", [edit("a\n", "")], "b\n"],
    [
      "keeps an omission that stands there already",
      "x = 1\n# ... rest unchanged\n",
      [edit("x = 1\n# ... rest unchanged", "x = 2\n# ... rest unchanged")],
      "x = 2\n# ... rest unchanged\n",
    ],
  ];

const refusals: readonly (readonly [
  code: string,
  text: string,
  edits: readonly ExactEdit[],
  says: string,
])[] = [
  ["not_found", "a\n  b\n", [edit("b  \nc", "x")], "2:   b"],
  ["not_found", "abc", [edit("b", "x"), edit("b", "y")], "This was edit 2 of 2; none was made."],
  [
    "occurrence_mismatch",
    "a\na\n",
    [edit("a", "x")],
    "oldString appears 2 times in a.ts. Include more surrounding context to make it unique.\nIt stands at lines 1, 2.",
  ],
  [
    "occurrence_mismatch",
    "a",
    [edit("a", "x", { expectedReplacements: 2 })],
    "oldString appears 1 time in a.ts. 2 were expected.",
  ],
  ["not_found", "const retries = 3;\n", [edit("const retries = 5;", "x")], "1: const retries = 3;"],
  [
    "not_found",
    "a\n",
    [edit("z", "x")],
    "oldString not found in a.ts. Make sure it matches exactly (including whitespace).",
  ],
  [
    "not_found",
    "a\nb\nc\n",
    [edit("a\nb\nd", "x")],
    "Its first line stands here, what follows it differs:\n1: a\n2: b\n3: c",
  ],
  ["not_found", "a b", [edit("a  b", "x")], "But for blanks, it begins here"],
  ["placeholder", "a\n", [edit("a", "b\n// ... rest of code unchanged ...")], "leaves something out"],
  ["occurrence_mismatch", "aaa", [edit("aa", "x")], "overlap"],
  ["equal_strings", "a", [edit("a", "a")], "same"],
  ["empty_old_string", "a", [edit("", "x")], "empty"],
  ["invalid_arguments", "a", [], "empty"],
];

describe("exact edits", () => {
  it.each(cases)("%s", (_, text, edits, result) => {
    expect(applyEdits(text, edits, { path: "a.ts" })).toMatchObject({ kind: "edited", text: result });
  });

  it.each(refusals)("are refused with %s", (code, text, edits, says) => {
    const answer = applyEdits(text, edits, { path: "a.ts" });
    expect(answer).toMatchObject({ kind: "refusal", code });
    expect("message" in answer ? answer.message : "").toContain(says);
  });

  it("replace exactly one place and nothing else, or refuse", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 12 });
    fc.assert(
      fc.property(letters, letters, letters, (before, part, after) => {
        fc.pre(part !== "");
        const text = before + part + after;
        const answer = applyEdits(text, [edit(part, "X")], { path: "a.ts" });
        const alone = text.indexOf(part) === text.lastIndexOf(part);
        if (alone) expect(answer).toMatchObject({ text: text.replace(part, () => "X"), replacements: 1 });
        else expect(answer).toMatchObject({ code: "occurrence_mismatch" });
      }),
    );
  });
});
