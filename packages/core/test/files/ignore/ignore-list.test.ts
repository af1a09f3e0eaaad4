import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IgnoreList } from "../../../src/files/ignore/ignore-list.js";

/** Every kind of name that patterns tell apart; folders end with a slash. */
const tree = (
  "a/|a/a/|a/a/a|a/a/b|a/b|a/b.c|a/.b|a/c/|a/c/d/|a/c/d/a|a/c/d/b.c|b/|b/a|b/b/|b/b/b/|b/b/b/a|" +
  "b/[a]|b/a*|c|ab|abc|a b|a |a\\|A|Ab|!a|#a|[a]|a]|*|a*|**|a-c|-|é|é/|x/|x/é|x/😀|x/a\tb|x/aXc|" +
  "x/a.c|x/abc/|x/abc/a|x/abcd|x/ab|x/y/|x/y/ab|x/y/z/|x/y/z/a|x/y/z/b"
)
  .split("|")
  .filter((path) => path !== "é");

const paths = tree.map((path) => ({ path: path.replace(/\/$/, ""), isDirectory: path.endsWith("/") }));

describe("an ignore file", () => {
  it.each([false, true])("leaves out what git leaves out (case folded: %s)", (foldsCase) => {
    fc.assert(
      fc.property(fc.array(ignoreFile(), { minLength: 40, maxLength: 40 }), (texts) => {
        const leftOut = askGit(texts, foldsCase);
        for (const [at, text] of texts.entries()) {
          const own = paths.filter((path) => isLeftOut(new IgnoreList(text, foldsCase), path));
          expect({ text, leftOut: own.map(({ path }) => path) }).toEqual({ text, leftOut: leftOut[at] });
        }
      }),
      { numRuns: Number(process.env.HOLDFAST_RUNS ?? 3) },
    );
  });

  it("reads the lines of the manual as git does", () => {
    const texts = (
      "a |a\\ |a \\|a\\|\\#a|\\!a|#a|!a|/a|a/|/|//|!||a//b|*\n!*/\n!a/b|a/\n!a/b|**/a|a/**|a/**/a|" +
      "a**/a|**a|a/**b|*\r\n!c\r\n|\uFEFFc|[[:alpha:]]|[[:nothing:]]|[a|[]a]|[!]a]|[a-]|[--a]|[\\]]|" +
      "[a\\-c]|[b-a]|x/?|x/??|x/????|x/*/a|x/**/a|x/a[!.]c|x/a[/]c|[A]|[A-B]|[[:upper:]]|x/y\\/ab|" +
      "**\\/a|/**|**/|**|***|a/***/a|/*|/*/|*/*|/**/a|a b\n|x/**/**/a|*b|*.c|[[:constructor:]]|" +
      "[[:alpha:|[[:alpha]|[[a]|\\a|\\A|\\A*|\\*|x/a\\.c|x/\\y/ab"
    ).split("|");
    for (const foldsCase of [false, true]) {
      const leftOut = askGit(texts, foldsCase);
      const own = texts.map((text) => {
        const list = new IgnoreList(text.replace(/^\uFEFF/, ""), foldsCase);
        return paths.filter((path) => isLeftOut(list, path)).map(({ path }) => path);
      });
      expect(own.map((leftOutHere, at) => [texts[at], leftOutHere])).toEqual(
        texts.map((text, at) => [text, leftOut[at]]),
      );
    }
  });

  it.each([
    ["twelve folders under stars", `${"**/*a/".repeat(12)}b`],
    ["stars between letters", `${"*a".repeat(40)}b`],
    ["folders without end", `${"**/".repeat(60)}a/b`],
    ["stars in folders", `${"*/".repeat(30)}**/b`],
  ])("is matched in steps that pattern and path bound: %s", (_, line) => {
    const path = `${"a/".repeat(60)}bx`;
    const tally = { steps: 0 };
    new IgnoreList(line).verdict(path, false, tally);
    expect(tally.steps).toBeLessThan(2 * line.length * path.length);
  });

  it("costs a path no more for lines that it has no letter in common with", () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, at) => [`dir${at}/*.o`, `*.x${at}`, `name${at}`, `/f${at}/g`][at % 4],
    );
    const list = new IgnoreList(lines.join("\n"));
    const tally = { steps: 0 };
    for (let at = 0; at < 1_000; at++) list.verdict(`src/part${at}/file${at}.ts`, false, tally);
    expect(tally.steps).toBeLessThan(2_000);
  });
});

/** Asked as a walk does: what lies in an ignored folder stays ignored. */
function isLeftOut(list: IgnoreList, { path, isDirectory }: (typeof paths)[number]): boolean {
  const parts = path.split("/");
  return parts.some((_, at) => {
    const isLast = at === parts.length - 1;
    return list.verdict(parts.slice(0, at + 1).join("/"), isLast ? isDirectory : true) === "ignored";
  });
}

/** What git leaves out of the tree under each of some ignore files: one process for all of them. */
function askGit(texts: readonly string[], foldsCase: boolean): readonly (readonly string[])[] {
  while (trees < texts.length) makeTree(`t${trees++}`);
  for (const [at, text] of texts.entries()) writeFileSync(join(root, `t${at}`, ".gitignore"), text);
  const input = texts.flatMap((_, at) => paths.map(({ path }) => `t${at}/${path}\0`)).join("");
  const args = ["-c", `core.ignoreCase=${foldsCase}`, "-c", "core.excludesFile=/dev/null"];
  const found = checkIgnore([...args, "check-ignore", "--no-index", "-z", "--stdin"], root, input);
  return texts.map((_, at) => paths.map(({ path }) => path).filter((path) => found.has(`t${at}/${path}`)));
}

/** A repository with a tree for each text. The trees stay; only their ignore files are written anew. */
let root: string;
let trees = 0;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "holdfast-ignore-"));
  execFileSync("git", ["init", "-q", root]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function makeTree(name: string): void {
  for (const { path, isDirectory } of paths) {
    const place = join(root, name, path);
    mkdirSync(isDirectory ? place : dirname(place), { recursive: true });
    if (!isDirectory) writeFileSync(place, "");
  }
}

/** Git ends with 1 where nothing is left out. */
function checkIgnore(args: readonly string[], cwd: string, input: string): ReadonlySet<string> {
  const options = { cwd, input, encoding: "utf8", maxBuffer: 1e8 } as const;
  try {
    return new Set(execFileSync("git", args, options).split("\0"));
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, "status") === 1) return new Set();
    throw error;
  }
}

/** Lines of those letters that mean something, and of names in the tree. */
function ignoreFile(): fc.Arbitrary<string> {
  const atoms = (
    "a|b|c|d|x|y|/|/|*|**|**/|/**|?|[a-c]|[!a]|[^b-d]|[]a]|[a/]|[[:alpha:]]|[|]|\\|\\*|\\a| |\\ |!|" +
    "#|é|.|A|-|[A-C]|[\\]-a]"
  ).split("|");
  const free = fc
    .array(fc.constantFrom(...atoms), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join(""));
  const named = fc.constantFrom(...paths.map(({ path }) => path));
  const line = fc.oneof(
    { weight: 4, arbitrary: free },
    { weight: 1, arbitrary: named },
    {
      weight: 2,
      arbitrary: fc
        .tuple(named, fc.constantFrom(...atoms))
        .map(([name, atom]) => name.replace(/[a-z]/, atom)),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom("!", "/", "!/", "*/"), free).map((parts) => parts.join("")),
    },
  );
  return fc.array(line, { minLength: 1, maxLength: 5 }).map((lines) => lines.join("\n"));
}
