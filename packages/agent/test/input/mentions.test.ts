import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Mention, parseMentions, writtenMention } from "../../src/input/mentions.js";

const mentionsIn = (text: string) =>
  parseMentions(text).filter((part): part is Mention => part.kind === "mention");
const pathsIn = (text: string) =>
  mentionsIn(text).map(({ path, range }) =>
    range === undefined ? path : `${path} ${range.from}-${range.to}`,
  );

describe("what @ names", () => {
  it.each<readonly [string, readonly string[]]>([
    ["no mention at all", []],
    ["a lone @ sign, and @", []],
    ["@a.ts", ["a.ts"]],
    ["look at @src/a.ts please", ["src/a.ts"]],
    ["@a.ts @b.ts,@c.ts", ["a.ts", "b.ts,@c.ts"]],
    ["(@a.ts)", ["a.ts"]],
    ["see @a.ts.", ["a.ts"]],
    ["see @a.ts, and", ["a.ts"]],
    ["is it @a.ts?", ["a.ts"]],
    ["it is @a.ts!", ["a.ts"]],
    ["@a.ts: the first", ["a.ts"]],
    ["@a.ts; and", ["a.ts"]],
    ["[@a.ts]", ["a.ts"]],
    ["{@a.ts}", ["a.ts"]],
    ["`@a.ts`", ["a.ts"]],
    ["'@a.ts'", ["a.ts"]],
    ["@a.ts...", ["a.ts"]],
    ["@.env.example", [".env.example"]],
    ["@../x/./y", ["../x/./y"]],
    ["@/abs/path", ["/abs/path"]],
    ["@src/", ["src/"]],
    ["@src/**/*.ts", ["src/**/*.ts"]],
    ["@my\\ file.txt here", ["my file.txt"]],
    ['@"my file.txt" here', ["my file.txt"]],
    ["@'my file.txt', and", ["my file.txt"]],
    ["@file\u202fname.txt", ["file"]],
    ["@f.ts:20-50", ["f.ts 20-50"]],
    ["@f.ts:20", ["f.ts 20-20"]],
    ["@f.ts:20-50, then", ["f.ts 20-50"]],
    ['@"a b.ts":3-4', ["a b.ts 3-4"]],
    ["@f.ts:0", ["f.ts:0"]],
    ["@f.ts:9-3", ["f.ts 9-9"]],
    ["mail me@example.com", []],
    ["\\@a.ts", []],
    ['@"', []],
    ['@""', []],
    ["@@a.ts", ["@a.ts"]],
    ["@@ -1,3 +1,4 @@ function f() {", []],
    ["@@@ -1 -1 +1 @@@", []],
    ["line\n@a.ts\nline", ["a.ts"]],
  ])("in %j is %j", (text, paths) => {
    expect(pathsIn(text)).toEqual(paths);
  });

  it("leaves all words as they were written, and \\@ as the sign itself", () => {
    const text = "a @b.ts c \\@d e";
    const parts = parseMentions(text);
    expect(parts.map((part) => (part.kind === "words" ? part.text : part.written)).join("")).toBe(
      "a @b.ts c @d e",
    );
  });

  it("is the name that was written, for every name that can be", () => {
    const names = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
      .filter((name) => !/[\n\0]/.test(name));
    fc.assert(
      fc.property(names, (name) => {
        const written = writtenMention(name);
        const [mention] = mentionsIn(`see ${written} now`);
        expect(mention?.path).toBe(name);
        expect(mention?.range).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });
});
