import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  clip,
  escapeForDisplay,
  escapeForPeople,
  escapeInJson,
  escapeInParts,
  escapeUnseen,
  quoteForDisplay,
  showText,
  showUnsafe,
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

  const scripts: Readonly<Record<string, string>> = {
    "Vietnamese, taken apart": "Tiếng Việt ở đâu".normalize("NFD"),
    "Hebrew with points and accents":
      "\u05d1\u05bc\u05b0\u05e8\u05b5\u05d0\u05e9\u05c1\u05b4\u0596\u05d9\u05ea",
    "Arabic with all its signs": "\u0627\u0644\u0644\u0651\u064e\u0670\u0647\u064f",
    Devanagari: "\u0915\u094d\u0937\u0924\u094d\u0930\u093f\u092f\u0903 \u0936\u094d\u0930\u0940\u0902",
    Thai: "\u0e17\u0e35\u0e48\u0e19\u0e35\u0e49 \u0e1b\u0e39\u0e48",
    "Tibetan, its deepest stacks":
      "\u0f67\u0fb0\u0fa8\u0fb3\u0fba\u0fbc\u0fbb\u0f83 \u0f40\u0fb5\u0fa8\u0fb3\u0fba\u0fbc\u0fbb\u0f7e",
    "Bengali, Sinhala and Malayalam with joiners":
      "\u09b0\u200d\u09cd\u09af \u0dc1\u0dca\u200d\u0dbb\u0dd3 \u0d28\u0d4d\u200d\u0d31",
    Burmese: "\u1000\u103b\u103d\u1014\u103a\u102f\u1015\u103a",
    "emoji of several characters":
      "👩🏽\u200d🚀 👨\u200d👩\u200d👧\u200d👦 1\ufe0f\u20e3 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
  };
  it.each(Object.entries(scripts))("leave %s as it is, whole and in parts", (_, text) => {
    for (const safe of [escapeForPeople, escapeUnseen]) {
      expect(safe(text)).toBe(text);
      const inParts = escapeInParts(safe);
      // Of an emoji, or a joiner, at the end of a part nobody knows yet that it is one.
      const parts = text.split(text.includes("\u200d") ? /(?= )/ : /(?=\p{M})/u);
      expect(parts.map(inParts).join("")).toBe(text);
    }
  });

  const mostMarks = (text: string) =>
    Math.max(0, ...(text.match(/[\p{M}\u200c\u200d]+/gu) ?? []).map((run) => [...run].length));
  it("let no more than sixteen marks stand on one letter, however many there are, and in parts as well", () => {
    const joined = `\u0915${"\u094d\u200d".repeat(1_000)}\u0915`;
    for (const safe of [escapeForPeople, escapeUnseen]) expect(mostMarks(safe(joined))).toBeLessThan(16);
    const zalgo = `a${"\u0301\u0489\u{1d167}".repeat(1_000)}b`;
    for (const safe of [escapeForDisplay, escapeForPeople, escapeUnseen, showText, showUnsafe])
      expect(mostMarks(safe(zalgo))).toBe(16);
    expect(mostMarks(escapeInJson(JSON.stringify(zalgo)))).toBe(16);
    expect(JSON.parse(escapeInJson(JSON.stringify(zalgo)))).toBe(zalgo);
    const unit = fc.constantFrom("a", "\u0301", "\u0489", "\u{1d167}", "\u093f", "\u200d", "<", "👩");
    fc.assert(
      fc.property(fc.array(fc.string({ unit, maxLength: 30 }), { maxLength: 8 }), (parts) => {
        const inParts = escapeInParts(escapeForDisplay);
        const shown = parts.map(inParts).join("");
        expect(mostMarks(shown)).toBeLessThanOrEqual(16);
        expect(shown).toBe(escapeForDisplay(parts.join("")));
      }),
    );
  });

  it("are clipped between characters", () => {
    expect(clip("abcdef", 4)).toBe("abc…");
    expect(clip("ab🌍def", 4)).toBe("ab…");
    expect(clip("abc", 4)).toBe("abc");
  });
});
