import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { isRefusal } from "@holdfast/core/files/values";
import { openWorkspace } from "@holdfast/core/node";
import { describe, expect, it } from "vitest";
import { afterThisTest } from "../../../../test/cleanups.js";
import { isBelow, ownText, projectText } from "../../src/host/found-text.js";
import { foldersOfRepository } from "../../src/host/repository.js";
import { importsIn, readInstructions } from "../../src/input/instruction-files.js";
import { barredBy } from "../../src/loop/judged-call.js";

interface Asked {
  /** The folder that is worked in, below the repository. */
  readonly start?: string;
  readonly mostChars?: number;
  readonly denied?: string;
}

/** What is read of a repository in `repo/`, with the person's own files in `own/`. */
async function found(files: Readonly<Record<string, string>>, { start = "", mostChars, denied }: Asked = {}) {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-instructions-")));
  const [repository, own] = [join(place, "repo"), join(place, "own")];
  mkdirSync(join(repository, start), { recursive: true });
  mkdirSync(own);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    if (text.startsWith("-> ")) symlinkSync(text.slice(3), join(place, name));
    else writeFileSync(join(place, name), text);
  }
  const workspace = await openWorkspace({ roots: [repository], stateDir: join(place, "state") });
  if (isRefusal(workspace)) throw new Error(workspace.message);
  afterThisTest(async () => {
    await workspace.close();
    rmSync(place, { recursive: true, force: true });
  });
  const rules = denied === undefined ? [] : [{ tool: "read_file", path: denied, decision: "deny" } as const];
  const read = projectText(workspace, (path) =>
    barredBy(rules, workspace, { tool: "read_file", also: [], paths: async () => [path] }),
  );
  mkdirSync(join(repository, ".git"));
  const project = foldersOfRepository(join(repository, start).replace(/\/$/, ""));
  const { files: read_, problems } = await readInstructions({
    folders: [
      { path: own, within: own, isOwn: true, read: ownText },
      ...project.map((path) => ({ path, within: repository, read })),
    ],
    names: ["AGENTS.md", "GEMINI.md", "CLAUDE.md"],
    home: place,
    nameOf: (path) => (isBelow(path, place) ? relative(place, path) : path),
    ...(mostChars === undefined ? {} : { mostChars }),
  });
  return { files: read_, paths: read_.map(({ path }) => path), problems };
}

describe("instruction files", () => {
  it("are the person's own, then of each folder from the repository's down, the nearest last", async () => {
    const { files, problems } = await found(
      {
        "own/AGENTS.md": "mine",
        "repo/AGENTS.md": "root",
        "repo/CLAUDE.md": "passed over",
        "repo/a/GEMINI.md": "a\r\n",
        "repo/a/b/AGENTS.md": "  \n",
        "repo/a/b/CLAUDE.md": "b",
        "repo/other/AGENTS.md": "elsewhere",
      },
      { start: "a/b" },
    );
    expect(files).toMatchObject([
      { path: "own/AGENTS.md", text: "mine", isOwn: true },
      { path: "repo/AGENTS.md", text: "root" },
      { path: "repo/a/GEMINI.md", text: "a\r\n" },
      { path: "repo/a/b/CLAUDE.md", text: "b" },
    ]);
    expect(problems).toEqual([]);
    expect((await found({ "repo/README.md": "r" })).files).toEqual([]);
  });

  it("are cut where they are too long, and say so", async () => {
    const { files } = await found({ "repo/AGENTS.md": "abcdef" }, { mostChars: 3 });
    expect(files).toMatchObject([{ text: "abc", isCut: true }]);
  });

  it("are followed by what they import, each once, relative to the file that names it", async () => {
    const { files, problems } = await found({
      "repo/AGENTS.md": "See @docs/style.md and @docs/more.md; ask @alice, use @types/node.",
      "repo/docs/style.md": 'The same: @more.md, and @"two words.md".',
      "repo/docs/more.md": "more",
      "repo/docs/two words.md": "two",
    });
    expect(files.map(({ path }) => path)).toEqual([
      "repo/AGENTS.md",
      "repo/docs/style.md",
      "repo/docs/more.md",
      "repo/docs/two words.md",
    ]);
    expect(problems).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, string>>, string, Asked?]>([
    ["is missing", { "repo/AGENTS.md": "@gone.md" }, "there is no such file, or it is empty"],
    ["leads back", { "repo/AGENTS.md": "@b.md", "repo/b.md": "@./AGENTS.md" }, "it imports itself by that"],
    ["lies outside", { "repo/AGENTS.md": "@../own/x.md", "own/x.md": "x" }, "it lies outside of repo"],
    ["is of the home folder", { "repo/AGENTS.md": "@~/x.md", "x.md": "x" }, "it lies outside of repo"],
    [
      "is a link that leads out",
      { "repo/AGENTS.md": "@in.md", "repo/in.md": "-> ../x.md", "x.md": "x" },
      "outside",
    ],
    ["may hold secrets", { "repo/AGENTS.md": "@./.env", "repo/.env": "A=1" }, "it may hold secrets"],
    [
      "is kept away",
      { "repo/AGENTS.md": "@a.md", "repo/a.md": "a", "repo/.holdfastignore": "a.md" },
      "ignore",
    ],
    ["is denied by a rule", { "repo/AGENTS.md": "@a.md", "repo/a.md": "a" }, "denies", { denied: "a.md" }],
    ["is a folder", { "repo/AGENTS.md": "@./docs", "repo/docs/a.md": "a" }, "folder"],
    ["has an escape", { "repo/AGENTS.md": "@gone\u001b[2J.md" }, "gone\\u001b[2J.md, which is not read"],
  ])("costs a sentence where an import %s", async (_, files, words, asked = {}) => {
    const { paths, problems } = await found(files, asked);
    expect(paths.filter((path) => !path.endsWith("b.md"))).toEqual(["repo/AGENTS.md"]);
    expect(problems).toEqual([expect.stringContaining(words)]);
  });

  it("are imported five deep and no deeper, and never more than fifty", async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 8 }, (_, at) => [`repo/${at}.md`, `@${at + 1}.md`]),
    );
    const deep = await found({ "repo/AGENTS.md": "@0.md", ...chain });
    expect(deep.paths).toEqual(["repo/AGENTS.md", ...[0, 1, 2, 3, 4].map((at) => `repo/${at}.md`)]);
    expect(deep.problems).toEqual([
      "repo/4.md imports 5.md, which is not read: it would be more than 5 imports deep.",
    ]);
    const many = Array.from({ length: 60 }, (_, at) => `m${at}.md`);
    const wide = await found({
      "repo/AGENTS.md": many.map((name) => `@${name}`).join("\n"),
      ...Object.fromEntries(many.map((name) => [`repo/${name}`, "x"])),
    });
    expect(wide.files).toHaveLength(50);
  });

  it("of the person's own may be a link, and huge ones are told", async () => {
    const linked = await found({ "dotfiles.md": "mine", "own/AGENTS.md": "-> ../dotfiles.md" });
    expect(linked.files).toMatchObject([{ path: "own/AGENTS.md", text: "mine" }]);
    const huge = await found({ "own/AGENTS.md": "x".repeat(10 << 20) });
    expect(huge).toMatchObject({ files: [], problems: [expect.stringContaining("262144 are allowed")] });
  });
});

describe("imports", () => {
  it.each<[string, readonly string[]]>([
    ["@a.md, (@b/c.md) and @./d.", ["a.md", "b/c.md", "./d"]],
    ["me@example.org \\@no.md", []],
    ["`@code.md` and ``x ` @code.md``, then @real.md", ["real.md"]],
    ["```\n@fenced.md\n```\n@after.md", ["after.md"]],
    ["~~~~ md\n@in.md\n~~~\n@still.md\n~~~~\n@out.md", ["out.md"]],
    ["```\n@open.md", []],
    ["one ` tick\n\nand @b.md ` tick", ["b.md"]],
    ["@a.md @a.md", ["a.md"]],
  ])("of %j", (text, paths) => expect(importsIn(text)).toEqual(paths));

  it("are found in time in a text of nothing but backticks", () => {
    const text = Array.from({ length: 300 }, (_, at) => "`".repeat(at + 1)).join(" ");
    expect(importsIn(`${text}\n\n@a.md`)).toEqual(["a.md"]);
  });
});
