import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Workspace } from "@holdfast/core/files";
import type { ApplyChangesOutcome, FileChange } from "@holdfast/core/files/values";
import { describe, expect, it } from "vitest";
import { emptySha, type Ground, ground, memoryWith, sha } from "../support.js";

const one = "a\nb\nc\n";
const hunk = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
const files = { "up.txt": one, "gone.txt": "x\n", "from.txt": one, "other.txt": "o\n" };

const update: FileChange = { path: "up.txt", base: sha(one), content: { kind: "diff", diff: hunk } };
const create: FileChange = { path: "deep/new.txt", content: { kind: "text", text: "n\n" } };
const remove: FileChange = { path: "gone.txt", base: sha("x\n"), content: { kind: "delete" } };
const rename: FileChange = {
  path: "from.txt",
  base: sha(one),
  renameTo: "sub/to.txt",
  content: { kind: "diff", diff: hunk },
};
const all = [update, create, remove, rename];

function codes(outcome: ApplyChangesOutcome): readonly (readonly [string, string])[] {
  return outcome.files.map(({ path, outcome: { code } }) => [path, code] as const);
}

/** Every file of the root with its text, folders that hold none left out. */
function tree(on: Ground, folder = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(join(on.root, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) Object.assign(found, tree(on, path));
    else if (entry.isFile()) found[path] = on.text(path);
  }
  return found;
}

const after = {
  "up.txt": "a\nB\nc\n",
  "deep/new.txt": "n\n",
  "sub/to.txt": "a\nB\nc\n",
  "other.txt": "o\n",
};

describe("a change set", () => {
  it("in which one new file is to lie in another is refused, and leaves nothing", async () => {
    const changes = ["d", "d/x"].map(
      (path): FileChange => ({ path, content: { kind: "text", text: "n\n" } }),
    );
    for (const order of [changes, changes.toReversed()]) {
      const on = await ground(files);
      expect(await on.workspace.applyChanges({ changes: order })).toMatchObject({ success: false });
      expect(tree(on)).toEqual(files);
      const ports = memoryWith();
      expect(await new Workspace(ports).applyChanges({ changes: order })).toMatchObject({ success: false });
      expect([ports.disk.peek("d"), ports.disk.peek("d/x")]).toEqual([undefined, undefined]);
    }
  });

  it("updates, creates, deletes and renames together", async () => {
    const on = await ground(files);
    chmodSync(join(on.root, "from.txt"), 0o640);
    const outcome = await on.workspace.applyChanges({ changes: all });
    expect(outcome).toMatchObject({ success: true, code: "applied" });
    expect(codes(outcome)).toEqual([
      ["up.txt", "applied"],
      ["deep/new.txt", "applied"],
      ["gone.txt", "applied"],
      ["from.txt", "applied"],
      ["sub/to.txt", "applied"],
    ]);
    expect(tree(on)).toEqual(after);
    expect(statSync(join(on.root, "sub/to.txt")).mode & 0o777).toBe(0o640);
    expect(outcome.files.map(({ outcome: { state } }) => state?.sha256)).toEqual([
      sha("a\nB\nc\n"),
      sha("n\n"),
      null,
      null,
      sha("a\nB\nc\n"),
    ]);
    for (const room of ["changes", "intents", "locks"]) {
      const path = join(on.stateDir, room);
      expect(existsSync(path) ? readdirSync(path) : []).toEqual([]);
    }
  });

  it("is already applied when it comes again", async () => {
    const on = await ground(files);
    await on.workspace.applyChanges({ changes: all });
    const again = await on.workspace.applyChanges({ changes: all });
    expect(again).toMatchObject({ success: true, code: "already_applied" });
    expect(codes(again).every(([, code]) => code === "already_applied")).toBe(true);
    expect(tree(on)).toEqual(after);
  });

  it("is undone whole, by whichever file is asked for", async () => {
    for (const path of ["up.txt", "deep/new.txt", "gone.txt", "from.txt", "sub/to.txt"]) {
      const on = await ground(files);
      await on.workspace.applyChanges({ changes: all });
      const undone = await on.workspace.undo({ path });
      expect(undone).toMatchObject({ success: true, code: "applied", state: { path } });
      expect(undone.message).toContain("as a whole");
      expect(tree(on)).toEqual(files);
      expect((await on.workspace.undo({ path })).code).toBe("nothing_to_undo");
    }
  });

  it("is not undone where one of its files was written since", async () => {
    const on = await ground(files);
    await on.workspace.applyChanges({ changes: all });
    await on.workspace.write({ path: "up.txt", content: "later\n", base: sha("a\nB\nc\n") });
    const undone = await on.workspace.undo({ path: "gone.txt" });
    expect(undone).toMatchObject({ success: false, code: "state_mismatch" });
    expect(undone.message).toContain("up.txt");
    expect(tree(on)).toEqual({ ...after, "up.txt": "later\n" });
    expect((await on.workspace.undo({ path: "up.txt" })).success).toBe(true);
    expect((await on.workspace.undo({ path: "gone.txt" })).success).toBe(true);
    expect(tree(on)).toEqual(files);
  });

  it("is not undone where somebody else wrote one of its files", async () => {
    const on = await ground(files);
    await on.workspace.applyChanges({ changes: all });
    on.put("deep/new.txt", "theirs\n");
    const undone = await on.workspace.undo({ path: "up.txt" });
    expect(undone).toMatchObject({ success: false, code: "state_mismatch" });
    expect(undone.message).toContain("deep/new.txt");
    expect(tree(on)).toEqual({ ...after, "deep/new.txt": "theirs\n" });
  });

  it("takes a diff of several files with a base for each", async () => {
    const on = await ground(files);
    const diff = [
      `diff --git a/up.txt b/up.txt\n--- a/up.txt\n+++ b/up.txt\n${hunk}`,
      "diff --git a/deep/new.txt b/deep/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/deep/new.txt\n@@ -0,0 +1 @@\n+n\n",
      "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
      `diff --git a/from.txt b/sub/to.txt\nrename from from.txt\nrename to sub/to.txt\n--- a/from.txt\n+++ b/sub/to.txt\n${hunk}`,
    ].join("");
    const bases = { "up.txt": sha(one), "./gone.txt": sha("x\n"), "from.txt": sha(one) };
    const outcome = await on.workspace.applyChanges({ diff, bases });
    expect(outcome).toMatchObject({ success: true, code: "applied" });
    expect(tree(on)).toEqual(after);
    const again = await on.workspace.applyChanges({ diff, bases });
    expect(again.code).toBe("already_applied");
    const unbased = await (await ground(files)).workspace.applyChanges({ diff });
    expect(codes(unbased)).toEqual([
      ["up.txt", "missing_base"],
      ["deep/new.txt", "not_applied"],
      ["gone.txt", "missing_base"],
      ["from.txt", "missing_base"],
      ["sub/to.txt", "not_applied"],
    ]);
  });
});

it("the disk in memory carries sets out, refuses and undoes them as the real one does", async () => {
  const on = await ground(files);
  const ports = memoryWith(files);
  const memory = new Workspace(ports);
  const story = async (workspace: Workspace) => {
    const facts: unknown[] = [];
    for (const changes of [all, all, [update, create], [{ ...rename, path: "other.txt" }]]) {
      const { code, message, files: told } = await workspace.applyChanges({ changes });
      const states = told.map(({ path, outcome: { code: each, state } }) => [path, each, state?.sha256]);
      facts.push([code, message, states]);
    }
    for (const path of ["sub/to.txt", "sub/to.txt"]) {
      const { code, message, state } = await workspace.undo({ path });
      facts.push([code, message, state?.sha256]);
    }
    return facts;
  };
  expect(await story(memory)).toEqual(await story(on.workspace));
  expect(ports.disk.peek("up.txt")).toEqual(Buffer.from(one));
  expect(ports.disk.peek("sub/to.txt")).toBeUndefined();
});

const text = (path: string, content: string, base?: string): FileChange => ({
  path,
  content: { kind: "text", text: content },
  ...(base === undefined ? {} : { base }),
});
const deleted: FileChange = {
  ...remove,
  path: "from.txt",
  base: sha(one),
  content: { kind: "delete", diff: "@@ -1 +0,0 @@\n-a\n" },
};
const edits = [{ oldString: "x", newString: "y" }];
const other = (content: FileChange["content"]): FileChange => ({
  path: "other.txt",
  base: sha("o\n"),
  content,
});
const second = (on: Ground) => linkSync(join(on.root, "other.txt"), join(on.root, "second"));

/** What is asked for, with the code that answers it and the files that are a reason. */
const refused: readonly (readonly [
  name: string,
  changes: readonly FileChange[],
  code: string,
  reasons: readonly string[],
  setUp?: (on: Ground) => void,
])[] = [
  ["no change", [], "invalid_arguments", []],
  ["a stale base", all, "state_mismatch", ["up.txt"], (on) => void on.put("up.txt", "moved\n")],
  ["a base that nobody knows", [update, text("other.txt", "n", sha("never"))], "unknown_base", ["other.txt"]],
  ["no base", [update, text("other.txt", "n")], "missing_base", ["other.txt"]],
  ["a diff that does not fit", [create, other({ kind: "diff", diff: hunk })], "invalid_diff", ["other.txt"]],
  ["a rename onto a file", [update, { ...rename, renameTo: "other.txt" }], "exists", ["other.txt"]],
  [
    "a rename onto its own name",
    [update, { ...rename, renameTo: "./from.txt" }],
    "invalid_arguments",
    ["from.txt"],
  ],
  [
    "a creation of what is there",
    [update, text("other.txt", "n", emptySha)],
    "state_mismatch",
    ["other.txt"],
  ],
  ["one file by two names", [update, { ...update, path: "sub/../up.txt" }], "invalid_arguments", ["up.txt"]],
  [
    "one file by a link",
    [update, { ...remove, path: "link" }, text("up.txt", "n", sha(one))],
    "invalid_arguments",
    ["up.txt"],
    (on) => symlinkSync("gone.txt", join(on.root, "link")),
  ],
  ["a protected path", [update, text(".git/config", "n")], "protected_path", [".git/config"]],
  [
    "a rename to a protected path",
    [update, { ...rename, renameTo: ".vscode/tasks.json" }],
    "protected_path",
    [".vscode/tasks.json"],
  ],
  [
    "an ignored path",
    [update, text("hidden/x", "n")],
    "ignored_path",
    ["hidden/x"],
    (on) => void on.put(".holdfastignore", "hidden/\n"),
  ],
  ["a path outside", [update, text("../out.txt", "n")], "outside_workspace", []],
  [
    "a path that a link leads out",
    [update, text("out/new.txt", "n")],
    "outside_workspace",
    ["out/new.txt"],
    (on) => symlinkSync("/tmp", join(on.root, "out")),
  ],
  [
    "a folder",
    [update, text("folder", "n")],
    "is_directory",
    ["folder"],
    (on) => void mkdirSync(join(on.root, "folder")),
  ],
  [
    "a file with two names",
    [update, text("other.txt", "n", sha("o\n"))],
    "cannot_preserve",
    ["other.txt"],
    second,
  ],
  [
    "a rename of a file with two names",
    [update, { ...rename, ...other({ kind: "same" }) }],
    "cannot_preserve",
    ["sub/to.txt"],
    second,
  ],
  [
    "a read-only file",
    [create, text("other.txt", "n", sha("o\n"))],
    "permission_denied",
    ["other.txt"],
    (on) => chmodSync(join(on.root, "other.txt"), 0o444),
  ],
  ["a deletion whose lines are not all of the file", [update, deleted], "invalid_diff", ["from.txt"]],
  ["a file and a path below it", [remove, text("gone.txt/x", "n")], "not_a_file", ["gone.txt/x"]],
  ["an edit that fits nowhere", [update, other({ kind: "edits", edits })], "not_found", ["other.txt"]],
];

describe("a change set is refused whole for", () => {
  for (const [name, changes, code, reasons, setUp] of refused)
    it(name, async () => {
      const on = await ground(files);
      for (const path of ["up.txt", "gone.txt", "from.txt"]) await on.workspace.read({ path });
      setUp?.(on);
      const before = tree(on);
      const outcome = await on.workspace.applyChanges({ changes });
      expect(outcome).toMatchObject({ success: false, code });
      expect(
        codes(outcome)
          .filter(([, each]) => each !== "not_applied")
          .map(([path]) => path),
      ).toEqual(reasons);
      for (const path of reasons) expect(outcome.message).toContain(path);
      expect(tree(on)).toEqual(before);
      expect(existsSync(join(on.root, "deep"))).toBe(false);
    });
});

describe("an answer about one file", () => {
  const places = ["folder", ".", "up.txt", "none.txt", "../out.txt", "gone.txt/x", "*.txt"];
  const asked: Record<string, (on: Ground, path: string, base: string) => Promise<{ message: string }>> = {
    write: ({ workspace }, path, base) => workspace.write({ path, base, content: "n\n" }),
    append: ({ workspace }, path, base) => workspace.append({ path, base, content: "n\n" }),
    insertLines: ({ workspace }, path, base) =>
      workspace.insertLines({ path, base, afterLine: 1, content: "n\n" }),
    edit: ({ workspace }, path, base) =>
      workspace.edit({ path, base, edits: [{ oldString: "b", newString: "B" }] }),
    patch: ({ workspace }, path, base) => workspace.patch({ path, base, diff: hunk }),
    undo: ({ workspace }, path) => workspace.undo({ path }),
  };
  for (const [name, ask] of Object.entries(asked))
    it(`speaks of no set: ${name}`, async () => {
      for (const path of places)
        for (const base of [sha(one), emptySha]) {
          const on = await ground(files);
          mkdirSync(join(on.root, "folder"));
          linkSync(join(on.root, "up.txt"), join(on.root, "second"));
          const { message } = await ask(on, path, base);
          expect(message, `${name} ${path}`).not.toMatch(/\bset\b|each by its own path/);
        }
    });
});
