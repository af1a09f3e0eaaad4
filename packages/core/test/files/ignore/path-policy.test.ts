import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSecret, protectedReason, tidyPath } from "../../../src/files/index.js";

describe("a path", () => {
  it.each([
    ["a/b.txt", "a/b.txt"],
    ["./a//b.txt/", "a/b.txt"],
    ["a/../b", "b"],
    ["a/./b/../c", "a/c"],
    [".", ""],
    ["/", "/"],
    ["/abs/./x/", "/abs/x"],
    ["~/x", "~/x"],
    ["$HOME/%2e%2e/x", "$HOME/%2e%2e/x"],
    ["a:b/12:30.log", "a:b/12:30.log"],
    ["aux.c", "aux.c"],
  ])("%j tidies to %j", (given, path) => {
    expect(tidyPath(given)).toEqual({ kind: "path", path });
  });

  it.each([
    ["..", "outside_workspace"],
    ["a/../..", "outside_workspace"],
    ["/..", "outside_workspace"],
    ["", "invalid_arguments"],
    ["a\u0000", "invalid_arguments"],
    ["a\tb", "invalid_arguments"],
    ["a\u009bb", "invalid_arguments"],
    ["a\\b", "invalid_arguments"],
    ["c:/x", "invalid_arguments"],
    ["x:$DATA", "invalid_arguments"],
    ["x:$DATA/", "invalid_arguments"],
    ["a/../x:$DATA/.", "invalid_arguments"],
    ["./C:/x", "invalid_arguments"],
    ["com1", "invalid_arguments"],
    ["\udfff", "invalid_arguments"],
    ["é".repeat(128), "invalid_arguments"],
  ])("%j is refused with %s", (given, code) => {
    expect(tidyPath(given)).toMatchObject({ kind: "refusal", code });
  });

  it("once tidy stays as it is, and never holds a step up", () => {
    const paths = fc
      .array(fc.constantFrom("a", "..", ".", "", "b.txt"), { maxLength: 8 })
      .map((parts) => parts.join("/"));
    fc.assert(
      fc.property(paths, (given) => {
        const once = tidyPath(given);
        if (once.kind === "refusal") return;
        expect(once.path.split("/")).not.toContain("..");
        if (once.path !== "") expect(tidyPath(once.path)).toEqual(once);
      }),
    );
  });
});

describe("protection", () => {
  it.each([
    ".git/hooks/x",
    "deep/.git/config",
    ".GiT",
    ".git.",
    ".git::$INDEX_ALLOCATION/x",
    "GIT~1/x",
    ".gi\u200dt/x",
    "\uff0egit/x",
    ".vscode/tasks.json",
    "my.code-workspace",
    ".npmrc",
    ".ssh/config",
  ])("covers %j", (path) => expect(protectedReason(path)).toBeTypeOf("string"));

  it.each([
    "src/git.ts",
    ".gitignore",
    ".vscode/extensions.json",
    "vscode/tasks.json",
    ".github/README.md",
    "package.json",
    "docs/.env.example",
    "claude.md",
  ])("leaves %j alone", (path) => expect(protectedReason(path)).toBeUndefined());

  it("knows what holds secrets", () => {
    expect(
      [".env", "a/.env.local", "x.pem", ".aws/credentials", "home/.ssh/id_rsa", ".netrc"].every(isSecret),
    ).toBe(true);
    // A person's own settings of the agent; a project's may hold no key.
    expect(isSecret("/home/ada/.config/holdfast/settings.jsonc")).toBe(true);
    expect(isSecret(".holdfast/settings.jsonc")).toBe(false);
    expect([".env.example", "env.ts", "key.ts", "pem.md"].some(isSecret)).toBe(false);
  });
});
