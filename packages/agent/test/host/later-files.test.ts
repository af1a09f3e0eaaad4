import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { protectedPaths } from "@holdfast/core/files";
import { describe, expect, it } from "vitest";
import { afterThisTest } from "../../../../test/cleanups.js";
import { LaterFiles } from "../../src/host/later-files.js";

/** A workspace that was looked at, and what a second look finds after a change. */
async function workspace(files: Readonly<Record<string, string>> = {}, mostFolders?: number) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-later-")));
  afterThisTest(() => rmSync(root, { recursive: true, force: true }));
  const put = (path: string, text = "x\n") => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) put(path, text);
  const later = new LaterFiles([root], mostFolders);
  expect(await later.look()).toEqual([]);
  const found = async () => (await later.look()).map(({ shown }) => shown).toSorted();
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: root, stdio: "pipe" });
  return { root, put, later, found, git };
}

describe("files that run later", () => {
  const named = protectedPaths
    .map(({ path }) => path)
    .filter((path) => !/^\.git$|\.venv|site-packages/u.test(path));
  it.each([
    ...named,
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".cursorrules",
    ".github/copilot-instructions.md",
  ])("are found where they are made, at the root and below: %s", async (row) => {
    const path = row.replaceAll("*", "x");
    const { put, found } = await workspace({ "src/a.ts": "" });
    const inside = /\.\w+$|rc$|file$/u.test(path) ? path : `${path}/x`;
    put(path);
    expect(await found()).toEqual([path]);
    if (inside !== path) rmSync(path, { force: true });
    put(`src/deep/down/${path}`);
    expect(await found()).toEqual([`src/deep/down/${path}`]);
    expect(await found()).toEqual([]);
  });

  it("are found where they are changed, also at once and with their old time, and not where they are the same or gone", async () => {
    const files = {
      ".envrc": "one\n",
      ".claude/settings.json": "{}\n",
      ".npmrc": "a\n",
      "AGENTS.md": "a\n",
      "a.ts": "a\n",
    };
    const { root, put, found } = await workspace(files);
    put(".envrc", "two\n");
    utimesSync(join(root, ".envrc"), 0, 0);
    put(".npmrc", "a\n");
    put("a.ts", "b\n");
    rmSync(join(root, "AGENTS.md"));
    expect(await found()).toEqual([".envrc"]);
    put(".envrc", "six\n");
    expect(await found()).toEqual([".envrc"]);
  });

  it("say what they held, as far as that was kept", async () => {
    const { put, later } = await workspace({ ".envrc": "one\n", ".vimrc": "x".repeat(300_000) });
    for (const path of [".envrc", ".vimrc", ".exrc"]) put(path, "evil\n");
    const before = (await later.look()).map(({ shown, before }) => [shown, before?.toString() ?? before]);
    expect(Object.fromEntries(before)).toEqual({ ".envrc": "one\n", ".vimrc": null, ".exrc": undefined });
  });

  it("are links, too, and are not looked for behind any", async () => {
    const { root, found } = await workspace();
    symlinkSync("/etc/passwd", join(root, ".envrc"));
    symlinkSync("/etc", join(root, "etc"));
    expect(await found()).toEqual([".envrc"]);
  });

  it("are not those of installed packages", async () => {
    const { put, found } = await workspace();
    for (const folder of ["node_modules", "web/node_modules", ".venv", "lib/site-packages"])
      put(`${folder}/x/.envrc`);
    expect(await found()).toEqual([]);
  });

  it("are looked for near the root, where there are too many folders", async () => {
    const { put, later, found } = await workspace({ "a/b/c/d.ts": "" }, 3);
    expect(later.isCut).toBe(true);
    put("a/b/c/.envrc");
    put("a/.envrc");
    expect(await found()).toEqual(["a/.envrc"]);
  });
});

describe("what git runs by", () => {
  it("is nothing in a repository that was just made or fetched", async () => {
    const { git, found, later, root } = await workspace();
    git("init", "-q", "one");
    git("-C", "one", "remote", "add", "origin", "https://example.com/x.git");
    git("-C", "one", "config", "branch.main.remote", "origin");
    git("init", "-q", "--bare", "two.git");
    git("clone", "-q", "one", "three");
    expect(await found()).toEqual([]);
    expect(later.repositories.toSorted()).toEqual(
      ["one/.git", "three/.git", "two.git"].map((path) => join(root, path)),
    );
  });

  const setting = (text: string) => ["config", `[core]\n\trepositoryformatversion = 0\n${text}`] as const;
  it.each<readonly [string, string]>([
    setting("\tfsmonitor = touch x\n"),
    setting('[filter "a"]\n\tclean = x\n'),
    setting("[alias] st = !x\n"),
    setting("[include]\n\tpath = ../x\n"),
    setting("\tfileMode = true \\\n"),
    setting("\tworktree = /home\n"),
    setting('[remote "o"]\n\turl = ext::x\n'),
    setting('[remote "o"]\n\tuploadpack = x\n'),
    setting('[branch "a"]\n\tmergeoptions = x\n'),
    setting('[submodule "a"]\n\tupdate = !x\n'),
    ["config.worktree", "[core]\n\tpager = x\n"],
    ["commondir", "../x\n"],
    ["hooks/pre-commit", "x\n"],
    ["modules/a/b/config", "[core]\n\tpager = x\n"],
    ["modules/a/hooks/post-checkout", "x\n"],
    ["worktrees/a/commondir", "x\n"],
    ["rebase-merge/git-rebase-todo", "pick a\nexec x\n"],
  ])("is named in a new repository and in a known one: %s of %j", async (name, text) => {
    const { put, git, found } = await workspace({ "known/.git/HEAD": "ref: refs/heads/main\n" });
    git("init", "-q", "new");
    git("init", "-q", "--bare", "bare");
    for (const folder of ["known/.git", "new/.git", "bare"]) put(`${folder}/${name}`, text);
    expect(await found()).toEqual(["bare", "known/.git", "new/.git"].map((folder) => `${folder}/${name}`));
  });

  it("is a file that leads to a repository elsewhere, and none that leads to a submodule's", async () => {
    const { put, found } = await workspace({ ".git/modules/a/HEAD": "x\n" });
    put("sub/.git", "gitdir: ../.git/modules/a\n");
    put("evil/.git", "gitdir: ../node_modules/x\n");
    expect(await found()).toEqual(["evil/.git"]);
  });
});
