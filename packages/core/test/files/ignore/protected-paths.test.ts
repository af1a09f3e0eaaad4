import { describe, expect, it } from "vitest";
import { isSecret, protectedPaths, protectionOf, Workspace } from "../../../src/files/index.js";
import { memoryWith, sha } from "../../support.js";

describe("each protected path", () => {
  it.each(protectedPaths)("is protected: $path, $reason", (row) => {
    const path = row.path.replace("*", "some");
    expect(protectionOf(path)).toMatchObject({ reason: row.reason, source: row.source });
    expect(protectionOf(`deep/${path.toUpperCase()}/below`)).toMatchObject({ reason: row.reason });
    expect(protectionOf(`not-${path}`)?.path).not.toBe(row.path.includes("*") ? "" : row.path);
    expect(row.source.length).toBeGreaterThan(8);
  });

  it("has one row", () => {
    const paths = protectedPaths.map(({ path }) => path);
    expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
  });
});

describe("names that a file system may take for a protected one", () => {
  it.each([
    ".\u00dfh/authorized_keys",
    ".\u1e9eh/authorized_keys",
    ".s\u017fh/config",
    ".s\u{e0073}sh/config",
    ".g\u3164it/config",
    ".g\u180eit/config",
    ".\u212aiMI/../.git/x",
    ".yarn/RELEASES/yarn.cjs",
    "sub/Lefthook-Local.YML",
    ".git:a\u2028b/config",
    ".gitconfig:\u2029:$DATA",
  ])("%j is protected", (path) => expect(protectionOf(path)).toBeDefined());

  it("are secrets where the name would be one", () => {
    expect([".\u00dfh/x", ".\u1e9eh/x", ".e\u034fnv", "id_r\u017fa"].every(isSecret)).toBe(true);
  });
});

describe("names beside protected ones", () => {
  it.each([
    "src/lefthook.ts",
    "src/actions/index.ts",
    ".github/ISSUE_TEMPLATE/bug.md",
    ".config/app.json",
    "mise/main.go",
    ".runner",
    "release/yarn.md",
    "AGENTS.md",
    "CLAUDE.md",
    "package.json",
    ".gitattributes",
    ".gitmodules",
    "src/hooks/use-it.ts",
    "config/app.ts",
  ])("%j are free", (path) => expect(protectionOf(path)).toBeUndefined());
});

describe("a folder that git would take for a repository", () => {
  const bare = { "docs/HEAD": "ref: refs/heads/main\n", "docs/config": "[core]\n", "src/config/a.ts": "1\n" };

  it.each([
    ["docs/config", "protected_path"],
    ["docs/CONFIG", "protected_path"],
    ["docs/hooks/pre-commit", "protected_path"],
    ["docs/worktrees/x/config.worktree", "protected_path"],
    ["docs/commondir", "protected_path"],
    ["docs/readme.md", "applied"],
    ["src/config/b.ts", "applied"],
    ["src/hooks/use-it.ts", "applied"],
    ["new/config", "applied"],
    ["new/objects/x", "applied"],
    ["new/HEAD", "protected_path"],
    ["head", "protected_path"],
  ])("%s is %s", async (path, code) => {
    const ports = memoryWith(bare);
    const workspace = new Workspace(ports);
    expect(await workspace.write({ path, content: "x\n" })).toMatchObject({ code });
  });
});

describe("a checkout that an agent keeps below its configuration", () => {
  const home = ".claude/worktrees/one";
  const files: Readonly<Record<string, string>> = {
    "src/a.ts": "const word = 1;\n",
    [`${home}/.git`]: "gitdir: /elsewhere\n",
    [`${home}/src/a.ts`]: "const word = 1;\n",
    ".claude/worktrees/none/src/a.ts": "const word = 1;\n",
  };

  it.each([
    [`${home}/src/b.ts`, "applied"],
    [`/ROOT/${home}/src/b.ts`, "applied"],
    [`${home}/.claude/settings.json`, "protected_path"],
    [`${home}/.git`, "protected_path"],
    [`${home}/.vscode/tasks.json`, "protected_path"],
    [`${home}/.claude/worktrees/two/src/b.ts`, "protected_path"],
    [".claude/worktrees/none/src/b.ts", "protected_path"],
    [".claude/worktrees/new/.git", "protected_path"],
    [".claude/worktrees/b.ts", "protected_path"],
  ])("%s is %s", async (path, code) => {
    const ports = memoryWith(files);
    const absolute = path.startsWith("/") ? path.replace("/ROOT", ports.disk.realRoots[0] ?? "") : path;
    const base = files[path] === undefined ? {} : { base: sha(files[path] ?? "") };
    expect(await new Workspace(ports).write({ path: absolute, content: "x\n", ...base })).toMatchObject({
      code,
    });
  });

  it("is searched where it is named, and not a second time", async () => {
    const workspace = new Workspace(memoryWith(files));
    const found = async (path?: string) => {
      const outcome = await workspace.search({ pattern: "word", ...(path === undefined ? {} : { path }) });
      return outcome.kind === "searched" ? outcome.matches.map((match) => match.path) : outcome.code;
    };
    expect(await found()).toEqual([".claude/worktrees/none/src/a.ts", "src/a.ts"]);
    expect(await found(home)).toEqual([`${home}/src/a.ts`]);
  });
});
