import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  clip,
  escapeForDisplay,
  escapeForPeople,
  escapeUnseen,
  quoteForDisplay,
} from "../../src/text/index.js";

describe("names on display", () => {
  it.each([
    ["plain name.txt", "plain name.txt"],
    ["a\nb", "a\\u000ab"],
    ["\u001b[31mred", "\\u001b[31mred"],
    ["abc\u202etxt.exe", "abc\\u202etxt.exe"],
    ["zero\u200bwidth", "zero\\u200bwidth"],
    ["</file>", "\\u003c/file\\u003e"],
    ["\ud800", "\\ud800"],
    ["tag\u{e0041}", "tag\\u{e0041}"],
    ["filler\u3164\u115f\u034f\u180e\u2800", "filler\\u3164\\u115f\\u034f\\u180e\\u2800"],
    ["variant\ufe0f\u{e0100}", "variant\\ufe0f\\u{e0100}"],
    ["naïve 世界 🌍", "naïve 世界 🌍"],
  ])("%j stands as %j", (name, shown) => {
    expect(escapeForDisplay(name)).toBe(shown);
  });

  it("hold nothing that could act, whatever they were", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        expect(escapeForDisplay(name)).not.toMatch(
          /[\p{Cc}\p{Default_Ignorable_Code_Point}<>\u202a-\u202e\u2028]/u,
        );
        expect(quoteForDisplay(name).slice(1, -1)).not.toMatch(/(?<!\\)(\\\\)*"/);
      }),
    );
  });

  it.each([
    ["⚠\ufe0f 1\ufe0f\u20e3 👩\u200d💻", "⚠\ufe0f 1\ufe0f\u20e3 👩\u200d💻"],
    ["a\u200db \u200d👩 👩\u200d\u200d💻", "a\\u200db \\u200d👩 👩\\u200d\\u200d💻"],
    ["x\ufe0f 🏴\u{e0041}\u{e007f}", "x\\ufe0f 🏴\\u{e0041}\\u{e007f}"],
    ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
    ["\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"],
    ["\u0645\u200c a\u200cb", "\u0645\\u200c a\\u200cb"],
  ])("show people emoji and words as they are, and nothing hidden in one: %j", (text, shown) => {
    expect(escapeForPeople(text)).toBe(shown);
    expect(escapeUnseen(text)).toBe(shown);
  });

  it("are clipped between characters", () => {
    expect(clip("abcdef", 4)).toBe("abc…");
    expect(clip("ab🌍def", 4)).toBe("ab…");
    expect(clip("abc", 4)).toBe("abc");
  });
});
