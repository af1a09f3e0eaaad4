import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ExactEdit, replaceExactly } from "../../../src/patch/replace/replace-exactly.js";

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
    [
      "takes an LF for any ending of a mixed text",
      "a\r\nb\nc\r\n",
      [edit("a\nb\nc", "a\nB\nc")],
      "a\r\nB\nc\r\n",
    ],
    ["takes an LF for a lone CR where there is nothing else", "a\rb\r", [edit("a\nb", "x\ny")], "x\ry\r"],
    ["deletes", "a\nb\n", [edit("a\n", "")], "b\n"],
    [
      "keeps an omission that stands there already",
      "x = 1\n# ... rest unchanged\n",
      [edit("x = 1\n# ... rest unchanged", "x = 2\n# ... rest unchanged")],
      "x = 2\n# ... rest unchanged\n",
    ],
  ];

const misfits: readonly (readonly [
  name: string,
  text: string,
  edits: readonly ExactEdit[],
  edit: number,
  why: object,
])[] = [
  ["an empty text", "a", [edit("", "x")], 0, { kind: "empty_old_string" }],
  ["a text for itself", "a", [edit("a", "a")], 0, { kind: "equal_strings" }],
  [
    "an omission",
    "a\n",
    [edit("a", "b\n  // ... rest of code unchanged ...")],
    0,
    { kind: "placeholder", line: "// ... rest of code unchanged ..." },
  ],
  ["what the edit before took away", "abc", [edit("b", "x"), edit("b", "y")], 1, { kind: "not_found" }],
  [
    "what stands twice",
    "a\nb\na\n",
    [edit("a", "x")],
    0,
    { kind: "occurrence_mismatch", expected: 1, count: 2, overlaps: false, lines: [1, 3], more: 0 },
  ],
  [
    "more than twenty places, of which it names twenty",
    "a\n".repeat(25),
    [edit("a", "x", { expectedReplacements: 24 })],
    0,
    { kind: "occurrence_mismatch", expected: 24, count: 25, more: 5 },
  ],
];

const inexact = { text: "if (a) {\n    b( 1 );\n}\n", edits: [edit("b(1);", "b(2);")] };

describe("exact replacement", () => {
  it.each(cases)("%s", (_, text, edits, result) => {
    expect(replaceExactly(text, edits)).toMatchObject({ kind: "edited", text: result });
  });

  it.each(misfits)("refuses %s, and says which edit", (_, text, edits, at, why) => {
    expect(replaceExactly(text, edits)).toMatchObject({ kind: "unfit", edit: at, why });
  });

  it("takes a match that is not exact only where that is allowed, and says so", () => {
    expect(replaceExactly(inexact.text, inexact.edits)).toMatchObject({ kind: "unfit" });
    expect(replaceExactly(inexact.text, inexact.edits, "use")).toMatchObject({
      text: "if (a) {\n    b(2);\n}\n",
      inexact: ["The match at line 2 was not exact: blanks between tokens did not count."],
    });
  });

  it("replace exactly one place and nothing else, or refuse", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 12 });
    fc.assert(
      fc.property(letters, letters, letters, (before, part, after) => {
        fc.pre(part !== "");
        const text = before + part + after;
        const answer = replaceExactly(text, [edit(part, "X")]);
        const alone = text.indexOf(part) === text.lastIndexOf(part);
        if (alone) expect(answer).toMatchObject({ text: text.replace(part, () => "X"), replacements: 1 });
        else expect(answer).toMatchObject({ why: { kind: "occurrence_mismatch" } });
      }),
    );
  });
});
