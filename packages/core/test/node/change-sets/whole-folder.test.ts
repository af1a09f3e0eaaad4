import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { currentBase, type FileChange } from "../../../src/files/values/index.js";
import { openWorkspace } from "../../../src/node/index.js";
import { freshFolder, must } from "../support.js";

/** A workspace with some files; a name that ends with a slash is a folder. */
async function ground(...names: readonly string[]) {
  const top = realpathSync(freshFolder());
  const root = join(top, "root");
  for (const name of names) {
    mkdirSync(join(root, name.endsWith("/") ? name : dirname(name)), { recursive: true });
    if (!name.endsWith("/")) writeFileSync(join(root, name), `${name}\n`);
  }
  const workspace = must(await openWorkspace({ roots: [root], stateDir: join(top, "state") }));
  const change = (one: Omit<FileChange, "content" | "wholeFolder">) =>
    workspace.applyChanges({
      changes: [
        { content: { kind: one.renameTo === undefined ? "delete" : "same" }, ...one, wholeFolder: true },
      ],
    });
  const tree = () => readdirSync(root, { recursive: true }).map(String).sort();
  return { root, workspace, change, tree };
}

it("moves every file of a folder, hidden and ignored ones too, and its empty folders", async () => {
  const { change, tree, workspace } = await ground(
    "d/a",
    "d/.hidden",
    "d/.gitignore",
    "d/in/node_modules/b",
    "d/none/at/all/",
    "e",
  );
  expect(await change({ path: "d", renameTo: "to/f" })).toMatchObject({ code: "applied", folder: "d" });
  const moved = tree();
  expect(moved).toEqual(
    [
      "",
      "/.gitignore",
      "/.hidden",
      "/a",
      "/in",
      "/in/node_modules",
      "/in/node_modules/b",
      "/none",
      "/none/at",
    ]
      .map((name) => `to/f${name}`)
      .concat("e", "to", "to/f/none/at/all")
      .sort(),
  );
  expect(await change({ path: "to/f/none" })).toMatchObject({ code: "applied", files: [] });
  expect(tree()).not.toContain("to/f/none");
  expect(await workspace.undo({ path: "d/a" })).toMatchObject({ code: "applied" });
  expect(tree()).toEqual(expect.arrayContaining(["d/.hidden", "d/a", "d/in/node_modules/b", "e"]));
});

it("changes nothing of a folder that holds what is no file, or what its owner keeps away", async () => {
  const { change, root, tree } = await ground("d/a", "e/secret", "e/b", "f/a");
  execFileSync("mkfifo", [join(root, "d/pipe")]);
  writeFileSync(join(root, ".holdfastignore"), "secret\n");
  const before = tree();
  expect(await change({ path: "d" })).toMatchObject({ code: "not_a_file" });
  const kept = await change({ path: "e", renameTo: "g" });
  expect(kept).toMatchObject({ code: "ignored_path", files: [] });
  expect(JSON.stringify(kept)).not.toContain("secret");
  expect(tree()).toEqual(before);
});

it("never reaches out of the folder that it is bound to", async () => {
  const { change, root } = await ground("memories/a", "out/b");
  symlinkSync("../out", join(root, "memories/link"));
  const link = { path: "memories/link", within: "memories" };
  expect(await change({ ...link, base: currentBase })).toMatchObject({ code: "applied" });
  expect(existsSync(join(root, "memories/link"))).toBe(false);
  expect(await change({ path: "memories", renameTo: "x", within: "memories" })).toMatchObject({
    code: "outside_workspace",
  });
  expect(existsSync(join(root, "out/b"))).toBe(true);
});

it("is previewed file by file, and bound to what was agreed to", async () => {
  const { workspace, change, root } = await ground("d/a", "d/b", "empty/");
  const changes = [{ path: "d", wholeFolder: true, content: { kind: "delete" } }] as const;
  const preview = await workspace.preview({ kind: "apply_changes", changes });
  expect(preview).toMatchObject({ kind: "preview", files: [{}, {}] });
  expect(existsSync(join(root, "d/a"))).toBe(true);
  const nothing = await workspace.preview({
    kind: "apply_changes",
    changes: [{ ...changes[0], path: "empty" }],
  });
  expect(nothing).toMatchObject({ code: "is_directory" });
  expect(await change({ path: "empty" })).toMatchObject({ code: "applied" });
});

it("without the word for it, a folder is refused as before", async () => {
  const { workspace } = await ground("d/a");
  const changes = [{ path: "d", content: { kind: "delete" } }] as const;
  expect(await workspace.applyChanges({ changes })).toMatchObject({ success: false, code: "is_directory" });
});
