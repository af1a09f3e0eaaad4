import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeName, escapeText, makePaint } from "../../src/shell/terminal.js";

function isControl(char: string): boolean {
  return /\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u.test(char);
}

describe("what reaches a terminal", () => {
  const cases = [
    { shows: "plain text as it is", from: "naïve <b> “x” 猫", to: "naïve <b> “x” 猫" },
    { shows: "lines and tabs as they are", from: "a\n\tb\n", to: "a\n\tb\n" },
    { shows: "CRLF as a line's end", from: "a\r\nb\r\n", to: "a\nb\n" },
    {
      shows: "a lone return escaped: it would hide what stands before it",
      from: "rm -rf\rls",
      to: "rm -rf\\u000dls",
    },
    { shows: "escape sequences escaped", from: "\u001b[2J\u009b31m", to: "\\u001b[2J\\u009b31m" },
    { shows: "bidirectional overrides escaped", from: "a\u202eb\u2066c", to: "a\\u202eb\\u2066c" },
    { shows: "invisible marks escaped", from: "a\u200bb\ufeffc", to: "a\\u200bb\\ufeffc" },
    { shows: "half a surrogate pair escaped", from: "a\ud83d", to: "a\\ud83d" },
    { shows: "a whole surrogate pair as it is", from: "🌱", to: "🌱" },
  ];
  test.each(cases)("$shows", ({ from, to }) => expect(escapeText(from)).toBe(to));

  test("no control but line feed and tab comes through, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const char of escapeText(text))
          expect(isControl(char) && char !== "\n" && char !== "\t").toBe(false);
        for (const char of escapeName(text)) expect(isControl(char)).toBe(false);
      }),
    );
  });
});

test("without colour nothing is added, and an empty text is never painted", () => {
  expect(makePaint(false).red("x")).toBe("x");
  expect(makePaint(true).red("x")).toBe("\u001b[31mx\u001b[39m");
  expect(makePaint(true).red("")).toBe("");
});
