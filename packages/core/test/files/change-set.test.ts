import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type ApplyChangesOutcome, type FileChange, memoryPorts, Workspace } from "@holdfast/core/files";
import { describe, expect, it } from "vitest";
import { openCharsets } from "../../src/node/disk/charsets.js";
import { emptySha, type Ground, ground, sha } from "../support.js";

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
      const ports = memoryPorts({
        digest: sha,
        newId: () => randomUUID().replaceAll("-", ""),
        codec: openCharsets(),
        clock: { now: () => 0 },
      });
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
  const digest = (bytes: Uint8Array) => sha(bytes);
  const ports = memoryPorts({ digest, newId: randomUUID, codec: openCharsets(), clock: { now: () => 0 } });
  for (const [path, content] of Object.entries(files)) ports.disk.poke(path, Buffer.from(content));
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

interface RefusedCase {
  readonly name: string;
  readonly changes: readonly FileChange[];
  readonly code: string;
  /** The files that are a reason. */
  readonly reasons: readonly string[];
  readonly setUp?: (on: Ground) => void;
}

const text = (path: string, content: string, base?: string): FileChange => ({
  path,
  content: { kind: "text", text: content },
  ...(base === undefined ? {} : { base }),
});

const refused: readonly RefusedCase[] = [
  { name: "no change", changes: [], code: "invalid_arguments", reasons: [] },
  {
    name: "a stale base",
    changes: all,
    code: "state_mismatch",
    reasons: ["up.txt"],
    setUp: (on) => on.put("up.txt", "moved\n"),
  },
  {
    name: "a base that nobody knows",
    changes: [update, text("other.txt", "n", sha("never"))],
    code: "unknown_base",
    reasons: ["other.txt"],
  },
  {
    name: "no base",
    changes: [update, text("other.txt", "n")],
    code: "missing_base",
    reasons: ["other.txt"],
  },
  {
    name: "a diff that does not fit",
    changes: [create, { path: "other.txt", base: sha("o\n"), content: { kind: "diff", diff: hunk } }],
    code: "invalid_diff",
    reasons: ["other.txt"],
  },
  {
    name: "a rename onto a file",
    changes: [update, { ...rename, renameTo: "other.txt" }],
    code: "exists",
    reasons: ["other.txt"],
  },
  {
    name: "a rename onto its own name",
    changes: [update, { ...rename, renameTo: "./from.txt" }],
    code: "invalid_arguments",
    reasons: ["from.txt"],
  },
  {
    name: "a creation of what is there",
    changes: [update, text("other.txt", "n", emptySha)],
    code: "state_mismatch",
    reasons: ["other.txt"],
  },
  {
    name: "one file by two names",
    changes: [update, { ...update, path: "sub/../up.txt" }],
    code: "invalid_arguments",
    reasons: ["up.txt"],
  },
  {
    name: "one file by a link",
    changes: [update, { ...remove, path: "link" }, text("up.txt", "n", sha(one))],
    code: "invalid_arguments",
    reasons: ["up.txt"],
    setUp: (on) => symlinkSync("gone.txt", join(on.root, "link")),
  },
  {
    name: "a protected path",
    changes: [update, text(".git/config", "n")],
    code: "protected_path",
    reasons: [".git/config"],
  },
  {
    name: "a rename to a protected path",
    changes: [update, { ...rename, renameTo: ".vscode/tasks.json" }],
    code: "protected_path",
    reasons: [".vscode/tasks.json"],
  },
  {
    name: "an ignored path",
    changes: [update, text("hidden/x", "n")],
    code: "ignored_path",
    reasons: ["hidden/x"],
    setUp: (on) => on.put(".holdfastignore", "hidden/\n"),
  },
  {
    name: "a path outside",
    changes: [update, text("../out.txt", "n")],
    code: "outside_workspace",
    reasons: [],
  },
  {
    name: "a path that a link leads out",
    changes: [update, text("out/new.txt", "n")],
    code: "outside_workspace",
    reasons: ["out/new.txt"],
    setUp: (on) => symlinkSync("/tmp", join(on.root, "out")),
  },
  {
    name: "a folder",
    changes: [update, text("folder", "n")],
    code: "is_directory",
    reasons: ["folder"],
    setUp: (on) => void mkdirSync(join(on.root, "folder")),
  },
  {
    name: "a file with two names",
    changes: [update, text("other.txt", "n", sha("o\n"))],
    code: "cannot_preserve",
    reasons: ["other.txt"],
    setUp: (on) => linkSync(join(on.root, "other.txt"), join(on.root, "second")),
  },
  {
    name: "a rename of a file with two names",
    changes: [update, { ...rename, path: "other.txt", base: sha("o\n"), content: { kind: "same" } }],
    code: "cannot_preserve",
    reasons: ["sub/to.txt"],
    setUp: (on) => linkSync(join(on.root, "other.txt"), join(on.root, "second")),
  },
  {
    name: "a read-only file",
    changes: [create, text("other.txt", "n", sha("o\n"))],
    code: "permission_denied",
    reasons: ["other.txt"],
    setUp: (on) => chmodSync(join(on.root, "other.txt"), 0o444),
  },
  {
    name: "a deletion whose lines are not all of the file",
    changes: [
      update,
      {
        ...remove,
        path: "from.txt",
        base: sha(one),
        content: { kind: "delete", diff: "@@ -1 +0,0 @@\n-a\n" },
      },
    ],
    code: "invalid_diff",
    reasons: ["from.txt"],
  },
  {
    name: "a file and a path below it",
    changes: [remove, text("gone.txt/x", "n")],
    code: "not_a_file",
    reasons: ["gone.txt/x"],
  },
  {
    name: "an edit that fits nowhere",
    changes: [
      update,
      {
        path: "other.txt",
        base: sha("o\n"),
        content: { kind: "edits", edits: [{ oldString: "x", newString: "y" }] },
      },
    ],
    code: "not_found",
    reasons: ["other.txt"],
  },
];

describe("a change set is refused whole for", () => {
  it.each(refused)("$name", async ({ changes, code, reasons, setUp }) => {
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
