import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hangMs } from "../../../test/until.js";
import type { Workspace } from "../src/files/index.js";
import type { Asked, FindRequest, SearchRequest } from "../src/files/values/index.js";
import { runTool, type ToolName } from "../src/tools/index.js";
import { ground } from "./support.js";

const files = {
  "a.ts": "const one = 1;\nconst two = 2;\n// TODO: three\n",
  "src/b.ts": "export {};\r\n// todo later\r\n",
  "src/deep/c.md": "# TODO\n",
  "node_modules/x/index.js": "// TODO ignored\n",
  ".git/config": "TODO\n",
  ".gitignore": "node_modules\n*.log\n",
  "src/.gitignore": "secret*\n",
  "src/secret.ts": "// TODO hidden\n",
  "build.log": "TODO in a log\n",
  ".env": "TODO=hunter2\n",
  "logo.png": Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 84, 79, 68, 79),
};

async function find(workspace: Workspace, request: Asked<FindRequest>): Promise<readonly string[]> {
  const outcome = await workspace.find(request);
  if (outcome.kind === "refusal") return [outcome.code];
  return [...outcome.files.map(({ path }) => path), ...(outcome.more === undefined ? [] : [outcome.more])];
}

/** The matches as `path:line:text`, then why there may be more. */
async function search(workspace: Workspace, request: Asked<SearchRequest>): Promise<readonly string[]> {
  const outcome = await workspace.search(request);
  if (outcome.kind === "refusal") return [outcome.code];
  const lines = outcome.matches.map(({ path, line, text }) => `${path}:${line}:${text}`);
  return [...lines, ...(outcome.more === undefined ? [] : [outcome.more])];
}

describe("finding files by a glob", () => {
  const cases: readonly (readonly [Asked<FindRequest>, readonly string[]])[] = [
    [{ glob: "*.ts" }, ["a.ts", "src/b.ts"]],
    [{ glob: "./*.ts" }, ["a.ts"]],
    [{ glob: "src/**" }, ["src/.gitignore", "src/b.ts", "src/deep/c.md"]],
    [{ glob: "**/*.{md,ts}", exclude: ["deep/**", "src/c"] }, ["a.ts", "src/b.ts", "src/deep/c.md"]],
    [{ glob: "**/*.{md,ts}", exclude: ["src/deep"] }, ["a.ts", "src/b.ts"]],
    [{ glob: "*.{md,ts}", exclude: ["src/deep/**"] }, ["a.ts", "src/b.ts"]],
    [{ glob: "*", path: "src" }, ["src/.gitignore", "src/b.ts", "src/deep/c.md"]],
    [{ glob: "deep/*", path: "src" }, ["src/deep/c.md"]],
    [{ glob: "*.log" }, []],
    [{ glob: "*.log", all: true }, ["build.log"]],
    [{ glob: "*.ts", limit: 1 }, ["a.ts", "limit"]],
    [{ glob: "" }, ["invalid_arguments"]],
    [{ glob: "*", limit: 0 }, ["invalid_arguments"]],
    [{ glob: "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}" }, ["invalid_arguments"]],
    [{ glob: "*", path: "none" }, ["file_missing"]],
    [{ glob: "*", path: "a.ts" }, ["not_a_file"]],
    [{ glob: "*", path: "../.." }, ["outside_workspace"]],
  ];
  test.each(cases)("%j", async (request, expected) => {
    const { workspace } = await ground(files);
    expect(await find(workspace, request)).toEqual(expected);
  });
});

describe("searching the lines of files", () => {
  const cases: readonly (readonly [Asked<SearchRequest>, readonly string[]])[] = [
    [{ pattern: "TODO" }, ["a.ts:3:// TODO: three", "src/deep/c.md:1:# TODO"]],
    [
      { pattern: "todo", ignoreCase: true },
      ["a.ts:3:// TODO: three", "src/b.ts:2:// todo later", "src/deep/c.md:1:# TODO"],
    ],
    [{ pattern: "later$" }, ["src/b.ts:2:// todo later"]],
    [{ pattern: "^const \\w+ = \\d;$", limit: 1 }, ["a.ts:1:const one = 1;", "limit"]],
    [{ pattern: "one = 1", path: "a.ts" }, ["a.ts:1:const one = 1;"]],
    [{ pattern: "TODO", globs: ["*.md"] }, ["src/deep/c.md:1:# TODO"]],
    [{ pattern: "TODO", globs: ["*.md", "a.*"], exclude: ["deep"] }, ["a.ts:3:// TODO: three"]],
    [{ pattern: "TODO", globs: ["*.md"], exclude: ["*/deep/*"] }, []],
    [{ pattern: "TODO", path: "src" }, ["src/deep/c.md:1:# TODO"]],
    [{ pattern: "hunter2", path: ".env" }, [".env:1:TODO=hunter2"]],
    [{ pattern: "(TODO|x)+?", path: "logo.png" }, ["binary"]],
    [{ pattern: "one = .;", literal: true }, []],
    [{ pattern: "1;", literal: true }, ["a.ts:1:const one = 1;"]],
    [{ pattern: "ONE = 1;", literal: true, ignoreCase: true }, ["a.ts:1:const one = 1;"]],
    [{ pattern: "" }, ["invalid_arguments"]],
    [{ pattern: "a\nb" }, ["invalid_arguments"]],
    [{ pattern: "(" }, ["invalid_arguments"]],
    [{ pattern: "(a)\\1" }, ["invalid_arguments"]],
    [{ pattern: "(?=a)" }, ["invalid_arguments"]],
    [{ pattern: "((a{100}){100}){100}" }, ["invalid_arguments"]],
    [{ pattern: "x".repeat(1_001) }, ["invalid_arguments"]],
    [{ pattern: "a", context: 21 }, ["invalid_arguments"]],
    [{ pattern: "a", globs: ["x".repeat(1_001)] }, ["invalid_arguments"]],
    [{ pattern: "a", path: "/etc" }, ["outside_workspace"]],
  ];
  test.each(cases)("%j", async (request, expected) => {
    const { workspace } = await ground(files);
    expect(await search(workspace, request)).toEqual(expected);
  });

  test("says what was not searched: what is not text, and what holds secrets by its name", async () => {
    const { workspace } = await ground(files);
    const outcome = await workspace.search({ pattern: "TODO" });
    expect(outcome).toMatchObject({ skips: { binary: 1, secret: 1, unreadable: 0, longLines: 0 } });
  });

  test("never shows what .holdfastignore keeps away, whatever is asked for, from whichever root", async () => {
    const { root, again } = await ground({ ".holdfastignore": "sub/kept.txt\n", "sub/kept.txt": "TODO\n" });
    for (const roots of [[root], [join(root, "sub"), root]]) {
      const workspace = await again({ roots });
      expect(await search(workspace, { pattern: "TODO", all: true })).toEqual([]);
      expect(
        await search(workspace, { pattern: "TODO", path: join(root, "sub/kept.txt"), all: true }),
      ).toEqual(["ignored_path"]);
    }
  });

  test("comes by links and follows none", async () => {
    const { root, workspace } = await ground({ "in/a.txt": "TODO\n" });
    symlinkSync("/etc", join(root, "out"));
    symlinkSync("in/a.txt", join(root, "link.txt"));
    expect(await search(workspace, { pattern: "TODO|root" })).toEqual(["in/a.txt:1:TODO"]);
    expect(await find(workspace, { glob: "*" })).toEqual(["in/a.txt", "link.txt", "out"]);
  });

  test("shows lines around a match, each line once", async () => {
    const { workspace } = await ground({ "a.txt": "1\n2\nx3\n4\n5\nx6\nx7\n8\n9\n10\n" });
    const outcome = await workspace.search({ pattern: "x", context: 2 });
    expect(outcome).toMatchObject({
      matches: [
        { line: 3, before: ["1", "2"], after: ["4", "5"] },
        { line: 6, before: [], after: [] },
        { line: 7, before: [], after: ["8", "9"] },
      ],
    });
    const reply = await runTool(
      "search_files",
      { pattern: "x", context: 1 },
      { workspace, wire: "text", resultContent: "auto" },
    );
    expect(reply.text).toBe(
      'OK (ok): 3 matches in 1 of 1 file.\n\n"a.txt"\n2- 2\n3: x3\n4- 4\n5- 5\n6: x6\n7: x7\n8- 8',
    );
  });

  test("reads every encoding that a read does, and counts lines as a read does", async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("eins\r\nzwölf\r\n", "utf16le")]);
    const { workspace } = await ground({
      "a.txt": utf16,
      "mac.txt": "one\rtwo\rzwölf",
      "bom.txt": "\ufeffzwölf",
    });
    expect(await search(workspace, { pattern: "^zwölf$" })).toEqual([
      "a.txt:2:zwölf",
      "bom.txt:1:zwölf",
      "mac.txt:3:zwölf",
    ]);
    expect(await workspace.search({ pattern: "ölf" })).toMatchObject({ matches: [{ column: 3 }, {}, {}] });
  });

  test("a search is no read: a write that needs one is refused all the same", async () => {
    const { call, workspace } = await ground({ "a.txt": "TODO\n" });
    await workspace.search({ pattern: "TODO" });
    expect(await call("write_file", { file_path: "a.txt", content: "x" })).toMatchObject({ success: false });
  });

  test("a file of many pieces is searched line by line, also across their borders", async () => {
    const { root, workspace } = await ground();
    const line = "0123456789abcdef".repeat(5);
    const many = 40_000;
    writeFileSync(
      join(root, "big.txt"),
      `${Array.from({ length: many }, (_, at) => `${at} ${line}`).join("\r\n")}\r\nzwölf`,
    );
    expect(await search(workspace, { pattern: "^(39999) .*f$|^zwölf$" })).toEqual([
      `big.txt:${many}:39999 ${line}`,
      `big.txt:${many + 1}:zwölf`,
    ]);
    writeFileSync(join(root, "big.txt"), Buffer.alloc(3_000_000));
    expect(await workspace.search({ pattern: "a" })).toMatchObject({ matches: [], skips: { binary: 1 } });
  });

  test("an answer has an end, and so has a search", async () => {
    const long = await ground({ "a.txt": `${"x".repeat(500)}\n`.repeat(2_000) });
    const full = await long.workspace.search({ pattern: "x", limit: 5_000 });
    expect(full).toMatchObject({ more: "answer" });
    expect(JSON.stringify(full).length).toBeLessThan(100_000);
    const hurried = await ground({ "a.txt": "y\n".repeat(100_000) }, { limits: { searchMs: 0 } });
    expect(await search(hurried.workspace, { pattern: "[xz]" })).toEqual(["time"]);
  });

  test("a long line is shown around its match", async () => {
    const { workspace } = await ground({ "min.js": `${"a".repeat(100_000)}needle${"b".repeat(100_000)}` });
    const outcome = await workspace.search({ pattern: "needle" });
    if (outcome.kind === "refusal") throw new Error(outcome.message);
    expect(outcome.matches[0]?.text).toMatch(/^…a+needleb+…$/);
    expect(outcome.matches[0]?.text.length).toBeLessThan(300);
    expect(outcome.matches[0]?.column).toBe(100_001);
  });
});

describe("no pattern makes a search hang", () => {
  let random = 1;
  const noise = Array.from({ length: 30_000 }, () => {
    random = (random * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (random >> 16) & 1 ? "a" : "b";
  }).join("");
  const patterns = [
    "(a*)*c",
    "(a|a)*$c",
    "(x+x+)+y",
    "(.*a){20}c",
    "([ab]*a){12}c",
    "[ab]*a[ab]{990}[cd]",
    "([ab]?){200}[ab]{200}[cd]",
    "(([ab]{1,40}){1,20}[ab])[xyz]",
  ];
  test.each(patterns)("%s", async (pattern) => {
    const texts = { "a.txt": `${noise}x\n${noise}y\n${noise}z\n` };
    const { workspace } = await ground(texts, { limits: { searchMs: 5_000 } });
    const start = performance.now();
    const outcome = await workspace.search({ pattern });
    expect(outcome.kind).toBe("searched");
    // A second is the longest between two looks at the clock.
    expect(performance.now() - start).toBeLessThan(hangMs);
  });

  test("where the engine needs long, only the beginning of a long line is looked at, and that is said", async () => {
    const { workspace } = await ground({ "a.txt": `${noise.repeat(10)}x` }, { limits: { searchMs: 5_000 } });
    expect(await workspace.search({ pattern: "[ab]*a[ab]{990}[cd]" })).toMatchObject({
      skips: { longLines: 1 },
    });
  });

  test("lines are found as JavaScript finds them, where both understand the pattern", async () => {
    const text = fc.array(fc.constantFrom("a", "b", "ab", " ", "1", "é", "\n", "\r\n"), { maxLength: 60 });
    const pattern = fc.constantFrom("a+b", "^a", "b$", "[^a]b", "a|1", "(ab)*1", "\\bab\\b", "a{2,3}", ".é");
    await fc.assert(
      fc.asyncProperty(text, pattern, async (parts, source) => {
        const content = parts.join("");
        const { workspace } = await ground({ "a.txt": content });
        const expected = content
          .split(/\r?\n/)
          .flatMap((line, at) => (new RegExp(source).test(line) && line !== "" ? [at + 1] : []));
        const outcome = await workspace.search({ pattern: source });
        if (outcome.kind === "refusal") throw new Error(outcome.message);
        expect(outcome.matches.map(({ line }) => line)).toEqual(expected);
      }),
      { numRuns: Number(process.env.HOLDFAST_RUNS ?? 25) },
    );
  });
});

test("one line of a hostile ignore file stops neither a search nor a read", async () => {
  const line = `${"**/*a/".repeat(12)}b\n`;
  const path = `${"a/".repeat(60)}bx`;
  const { workspace } = await ground({ ".gitignore": line, ".holdfastignore": line, [path]: "found\n" });
  expect(await workspace.read({ path })).toMatchObject({ kind: "read", state: { content: "found\n" } });
  expect(await workspace.search({ pattern: "found" })).toMatchObject({ matches: [{ path, line: 1 }] });
});

describe("what the ignore rules leave out", () => {
  const built = {
    ".gitignore": "dist/\n*.log\n",
    "src/a.ts": "needle here\n",
    "dist/b.js": "needle there\n",
    "dist/.env": "needle=1\n",
    "empty/x.log": "needle\n",
    "kept/d.txt": "needle\n",
    ".holdfastignore": "kept/\n",
  };
  const cases: readonly (readonly [ToolName, Readonly<Record<string, unknown>>, readonly RegExp[]])[] = [
    ["list_files", { path: "dist" }, [/^dist\/b\.js\t/m]],
    ["search_files", { path: "dist", pattern: "needle" }, [/there/, /secrets by their names/]],
    ["find_files", { path: "dist", glob: "*.js" }, [/^dist\/b\.js\t/m]],
    ["read_many_files", { globs: ["dist/*.js"] }, [/needle there/]],
    ["list_files", { path: "empty" }, [/holds 0 entries/, /Left out as ignored: 1 entry\./]],
    ["search_files", { path: "empty", pattern: "needle" }, [/Left out as ignored: 1 entry\./]],
    ["find_files", { glob: "b.js" }, [/0 files/, /Left out as ignored: 2 entries\./]],
    ["list_files", { path: ".", ignored: true, depth: 2 }, [/^dist\/b\.js\t/m, /^((?!kept).)*$/s]],
    ["search_files", { pattern: "needle", ignored: true }, [/here/, /there/, /x\.log/, /^((?!kept).)*$/s]],
    ["find_files", { glob: "*.{js,txt}", ignored: true }, [/^dist\/b\.js\t/m, /^((?!kept).)*$/s]],
    ["read_many_files", { globs: ["**/*.{js,txt}"], ignored: true }, [/needle there/, /^((?!kept).)*$/s]],
    ["list_files", { path: "kept" }, [/ignored_path/]],
    ["search_files", { path: "kept", pattern: "needle", ignored: true }, [/ignored_path/]],
  ];
  test.each(cases)(
    "is looked at where it is named or asked for, else counted: %s %j",
    async (tool, args, says) => {
      const { workspace } = await ground(built);
      const { text } = await runTool(tool, args, { workspace });
      for (const words of says) expect(text).toMatch(words);
    },
  );
});

test.each([
  ["two\\nthree", /0 matches.*\n\n.*line by line/],
  ["two\\r?\\nthree", /0 matches.*\n\n.*line by line/],
  ["one[\\s\\S]*three", /0 matches.*\n\n.*line by line/],
  ["(?s)one.*three", /0 matches.*\n\n.*line by line/],
  ["two(\\n|$)", /1 match/],
  ["[^\\n]*two", /1 match/],
])(
  "the pattern %j finds a line, or the answer says that lines are searched one by one",
  async (pattern, says) => {
    const { workspace } = await ground({ "a.txt": "one\ntwo\nthree\n" });
    expect((await runTool("search_files", { pattern }, { workspace })).text).toMatch(says);
  },
);
