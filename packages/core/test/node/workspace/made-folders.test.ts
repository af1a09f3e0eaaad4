import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type OpenedWorkspace, openWorkspace } from "../../../src/node/index.js";
import { freshFolder, must } from "../support.js";

describe("a folder that was made for a write", () => {
  const ground = async (files: Readonly<Record<string, string>> = {}) => {
    const root = realpathSync(freshFolder());
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    const workspace = must(await openWorkspace({ roots: [root], stateDir: join(freshFolder(), "state") }));
    return { root, workspace };
  };
  const made = (workspace: OpenedWorkspace, path: string) => workspace.append({ path, content: "x\n" });

  it("goes with the undo of the write, and those above it", async () => {
    const { root, workspace } = await ground({ "there/f": "f\n" });
    await made(workspace, "a/b/c/new");
    await made(workspace, "there/new");
    expect((await workspace.undo({ path: "a/b/c/new" })).code).toBe("applied");
    expect((await workspace.undo({ path: "there/new" })).code).toBe("applied");
    expect(readdirSync(root)).toEqual(["there"]);
    // A folder that is made again goes again.
    await made(workspace, "a/b/c/new");
    await workspace.undo({ path: "a/b/c/new" });
    expect(readdirSync(root)).toEqual(["there"]);
    await workspace.close();
  });

  it("stays while anything else is in it", async () => {
    const { root, workspace } = await ground();
    await made(workspace, "a/b/new");
    writeFileSync(join(root, "a", "theirs"), "theirs\n");
    expect((await workspace.undo({ path: "a/b/new" })).code).toBe("applied");
    expect(readdirSync(join(root, "a"))).toEqual(["theirs"]);
    await workspace.close();
  });

  it("stays where somebody else had made it, empty as it is", async () => {
    const { root, workspace } = await ground();
    mkdirSync(join(root, "theirs"));
    await made(workspace, "theirs/new");
    expect((await workspace.undo({ path: "theirs/new" })).code).toBe("applied");
    expect(existsSync(join(root, "theirs"))).toBe(true);
    await workspace.close();
  });

  it("goes with the undo of a move of a file and of a folder, unless somebody put a file there", async () => {
    const { root, workspace } = await ground({ f: "f\n", "old/sub/x": "x\n", "old/y": "y\n" });
    const move = async (path: string, renameTo: string) => {
      const { sha256 } = must(await workspace.read({ path })).state;
      const change = { path, renameTo, content: { kind: "same" as const }, base: sha256 ?? "" };
      expect((await workspace.applyChanges({ changes: [change] })).code).toBe("applied");
    };
    await move("f", "moved/deep/f");
    await workspace.undo({ path: "moved/deep/f" });
    expect(readdirSync(root).sort()).toEqual(["f", "old"]);
    const same = { kind: "same" as const };
    const folder = { path: "old", renameTo: "new/place", content: same, wholeFolder: true as const };
    expect((await workspace.applyChanges({ changes: [folder] })).code).toBe("applied");
    expect(readdirSync(root).sort()).toEqual(["f", "new"]);
    writeFileSync(join(root, "new", "theirs"), "theirs\n");
    expect((await workspace.undo({ path: "new/place/sub/x" })).code).toBe("applied");
    expect(readdirSync(join(root, "old")).sort()).toEqual(["sub", "y"]);
    expect(readdirSync(join(root, "new"))).toEqual(["theirs"]);
    await workspace.close();
  });
});
