import fc from "fast-check";
import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { compilePattern, requiredLiterals } from "../../../src/files/index.js";

const cases: readonly (readonly [string, readonly string[] | undefined])[] = [
  ["needle", ["needle"]],
  ["export (const|let) \\w+_id", ["export "]],
  ["(foo|bar)\\d", ["foo", "bar"]],
  ["(foo|\\d)x*", undefined],
  ["ab?cdef*", ["cde"]],
  ["a\\.b\\(", ["a.b("]],
  ["(?:abc)+d", ["abc"]],
  ["x{0,3}yy{2}", ["yy"]],
  ["x{,3}y", ["x{,3}y"]],
  ["[[:alpha:]]]z", ["]z"]],
  ["[]a]b|cd", ["b", "cd"]],
  ["(?i)abc", undefined],
  ["(?P<name>abc)", ["abc"]],
  ["\\x41bc", ["bc"]],
  ["\\Qa.b\\E", undefined],
  ["\\pLab\\p{Greek}c", ["ab"]],
  ["zwölfer", ["lfer"]],
  ["^$", undefined],
  ["a|", undefined],
];

test.each(cases)("%s", (pattern, expected) => {
  expect(requiredLiterals(pattern, {})).toEqual(expected);
});

test("a plain text needs its longest stretch of ASCII", () => {
  expect(requiredLiterals("a.b*ü(cd", { literal: true })).toEqual(["a.b*"]);
  expect(requiredLiterals("ü", { literal: true })).toBeUndefined();
});

test("law: every line that a pattern matches holds one of the texts", () => {
  const atom = fc.constantFrom(
    "a",
    "b",
    "c",
    ".",
    "[ab]",
    "[^a]",
    "\\w",
    "\\.",
    "\\b",
    "^",
    "$",
    "-",
    "\\x61",
    "ö",
    "\\d",
  );
  const times = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?");
  const { pattern } = fc.letrec<{ pattern: string; sequence: string; piece: string }>((tie) => ({
    pattern: fc.array(tie("sequence"), { minLength: 1, maxLength: 3 }).map((all) => all.join("|")),
    sequence: fc.array(tie("piece"), { maxLength: 4 }).map((all) => all.join("")),
    piece: fc
      .tuple(
        fc.oneof(
          { depthSize: "small", withCrossShrink: true },
          atom,
          tie("pattern").map((inner) => `(${inner})`),
          tie("pattern").map((inner) => `(?:${inner})`),
        ),
        times,
      )
      .map(([one, many]) => (/^[\^$]|^\\b/.test(one) ? one : one + many)),
  }));
  const line = fc.string({ unit: fc.constantFrom("a", "b", "c", ".", "-", "1", " ", "ö"), maxLength: 12 });
  fc.assert(
    fc.property(pattern, fc.array(line, { minLength: 5, maxLength: 20 }), (given, lines) => {
      fc.pre(given !== "" && compilePattern(given, {}).kind === "pattern");
      const needed = requiredLiterals(given, {});
      const engine = RE2JS.compile(given);
      for (const one of lines)
        if (engine.test(one) && needed !== undefined)
          expect([given, one, needed.some((text) => one.includes(text))]).toEqual([given, one, true]);
    }),
  );
});
