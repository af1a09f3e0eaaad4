import { describe, expect, it } from "vitest";
import { applyEdits } from "../../src/files/change/exact-edits.js";
import type { ExactEdit } from "../../src/files/values/index.js";

const edit = (oldString: string, newString: string, more: Partial<ExactEdit> = {}): ExactEdit => ({
  oldString,
  newString,
  ...more,
});

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
  [
    "not_found",
    "a b",
    [edit("a  b", "x")],
    "at character 3 the call has U+0020 (space), the file has U+0062",
  ],
  [
    "not_found",
    "// \u201ca\u201d",
    [edit('// "a"', "x")],
    "the file has U+201C (left double quotation mark)",
  ],
  ["not_found", "k\n\\u2019", [edit("k\n\u2019", "x")], "in line 2: at character 1 the call has U+2019"],
  ["placeholder", "a\n", [edit("a", "b\n// ... rest of code unchanged ...")], "leaves something out"],
  ["occurrence_mismatch", "aaa", [edit("aa", "x")], "overlap"],
  ["equal_strings", "a", [edit("a", "a")], "same"],
  ["empty_old_string", "a", [edit("", "x")], "empty"],
  ["invalid_arguments", "a", [], "empty"],
];

describe("exact edits that do not fit", () => {
  it.each(refusals)("are refused with %s", (code, text, edits, says) => {
    const answer = applyEdits(text, edits, { path: "a.ts" });
    expect(answer).toMatchObject({ kind: "refusal", code });
    expect("message" in answer ? answer.message : "").toContain(says);
  });
});
