import fc from "fast-check";
import { expect, it } from "vitest";
import { firstDifference, showText } from "../../src/text/index.js";

const pairs: readonly (readonly [given: string, line: string, said: string])[] = [
  [
    "foo = 1",
    "const foo\u00a0= 1",
    "at character 10 the call has U+0020 (space), the file has U+00A0 (no-break space)",
  ],
  ["userName", "user\u200bName", "the file has U+200B (zero width space)"],
  ["caf\u00e9", "cafe\u0301", 'U+00E9 ("\u00e9"), the file has U+0065 U+0301'],
  ["userName", "username", 'the call has U+004E ("N"), the file has U+006E ("n")'],
  ["path", "p\u0430th", "the file has U+0430 (a Cyrillic letter)"],
  ["total1", "totall", 'the call has U+0031 ("1"), the file has U+006C ("l")'],
  ["a - b", "a \u2013 b", "the file has U+2013 (en dash)"],
  ["x...", "x\u2026", "the file has U+2026 (horizontal ellipsis)"],
  ["\tif", "    if", "at character 1 the call has U+0009 (tab), the file has U+0020 (space)"],
  [
    "'\u2019'",
    "'\\u2019'",
    "the call has U+2019 (right single quotation mark), the file has the letters \\u2019",
  ],
  ["'\\u2019'", "'\u2019'", "the call has the letters \\u2019, the file has U+2019"],
  ["a[U+200B]b", "a\u200bb", "the call has the letters [U+200B], the file has U+200B (zero width space)"],
  ["a\\\\n", "a\\n", "the call has the letters \\"],
];

it.each(pairs)("between %j and %j the first difference is named", (given, line, said) => {
  expect(firstDifference(given, line)).toContain(said);
});

it("is none where the line holds the text, or looks different", () => {
  for (const line of ["const foo = 1;", "bar = 2"]) expect(firstDifference("foo = 1", line)).toBeUndefined();
});

it("two texts are never shown alike, whatever they hold", () => {
  const text = fc.string({
    unit: fc.constantFrom("[", "]", "U+200B", "U+005B", "\u200b", "\u001b", "a", "\\u200b"),
  });
  fc.assert(fc.property(text, text, (one, other) => (showText(one) === showText(other)) === (one === other)));
});
