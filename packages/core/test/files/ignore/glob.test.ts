import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileGlob } from "../../../src/files/index.js";
import { hangMs } from "../../support.js";

async function matches(pattern: string, path: string): Promise<boolean> {
  const glob = await compileGlob(pattern);
  if (glob.kind === "refusal") throw new Error(glob.message);
  return glob.matches(path);
}

describe("a glob matches a path", () => {
  it.each([
    ["a/b.ts", "a/b.ts", "a/b_ts a/b.tsx a b.ts"],
    ["*.ts", "a.ts .ts", "a/b.ts a.tsx"],
    ["a*b*c", "abc aXbXc abbcc", "ab a/bc"],
    ["?", "a é 😀", "ab"],
    ["[a-c]x", "ax cx", "dx -x"],
    ["[!a-c]x", "dx ]x", "ax x"],
    ["[^a]x", "bx", "ax"],
    ["[!]x", "!x", "x ax"],
    ["[]a]x", "]x ax", "bx"],
    ["[a-]x", "ax -x", "bx"],
    ["[😀]", "😀", "x"],
    ["[ab", "[ab", "a b"],
    ["routes/[slug]/**", "routes/[slug]/a.ts routes/[slug] routes/s/a.ts", "routes/x/a.ts"],
    ["app/[[...all]]/*.ts", "app/[[...all]]/a.ts", "app/x/a.ts"],
    ["[id]*.tsx", "[id].tsx [id]x.tsx i.tsx", "x.tsx"],
    ["**", "a a/b a/b/c", ""],
    ["**/c", "c a/c a/b/c", "a/cc c/a"],
    ["a/**", "a a/b a/b/c", "ab b/a"],
    ["a/**/c", "a/c a/b/c a/b/b/c", "ac a/bc"],
    ["a**b", "ab axxb", "a/b"],
    ["a/**/**/b/**/*.ts", "a/b/x.ts a/q/b/q/x.ts", "a/x.ts"],
    ["{a,b/c}.ts", "a.ts b/c.ts", "c.ts a b"],
    ["{a,{b,c}}", "a b c", "{b,c}"],
    ["{a}", "{a}", "a"],
    ["./a//b/", "a/b", "./a//b/"],
    ["a+(b)|$", "a+(b)|$", "aab a"],
    ["a\\d", "a\\d", "a1"],
  ])("%s: %j, not %j", async (pattern, yes, no) => {
    const words = (text: string) => text.split(" ").filter((word) => word !== "");
    for (const path of words(yes)) expect([path, await matches(pattern, path)]).toEqual([path, true]);
    for (const path of words(no)) expect([path, await matches(pattern, path)]).toEqual([path, false]);
  });

  it("that is the glob itself, whatever characters it has, unless they are a glob's own", async () => {
    const name = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => !/[*?{}/-]|^\.+$/.test(text));
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 4 }), async (names) => {
        const path = names.join("/");
        expect(await matches(path, path)).toBe(true);
        expect(await matches(path, `${path}x`)).toBe(false);
      }),
    );
  });

  it("with a line break in a name", async () => {
    expect(await matches("a*b?", "a\nb\n")).toBe(true);
  });
});

describe("the folder of a glob is the one below which everything lies that can match", () => {
  it.each([
    ["a/b/*.ts", "a/b"],
    ["a/{b,c}/*.ts", "a"],
    ["**/x", ""],
    ["a/b", "a"],
  ])("%s: %j", async (pattern, folder) => {
    expect(await compileGlob(pattern)).toMatchObject({ folder });
  });
});

describe("a hostile glob", () => {
  it.each([
    ["dozens of stars", "*a".repeat(60).concat("*c"), "a".repeat(4_000)],
    ["as many stars as fit", "*a".repeat(490).concat("*c"), "a".repeat(4_000)],
    ["stars over folders", "**/a/".repeat(190).concat("*c"), "a/".repeat(2_000).concat("a")],
    ["stars in all folders", "**/*a".repeat(190).concat("*c"), "aa/".repeat(1_300).concat("a")],
    ["stars and any character", "*?".repeat(490).concat("*c"), "a".repeat(4_000)],
  ])("of %s is answered at once", async (_, pattern, path) => {
    const start = performance.now();
    expect(await matches(pattern, path)).toBe(false);
    expect(performance.now() - start).toBeLessThan(hangMs);
  });

  it.each([
    ["that is too long", "a".repeat(1_001)],
    ["with too many alternatives", "{a,b}".repeat(7)],
    ["with a range from high to low", "[z-a]"],
    ["with such a range among others", "src/{a,[!a-c9-0]}*.ts"],
    ["with too long alternatives", `${"{a,b,c,d}".repeat(3)}${"*a".repeat(450)}`],
  ])("%s is refused", async (_, pattern) => {
    expect(await compileGlob(pattern)).toMatchObject({ kind: "refusal", code: "invalid_arguments" });
  });
});
