import { expect, it } from "vitest";
import { type Target, Workspace } from "../../../src/files/index.js";
import { isRefusal, refuse } from "../../../src/files/values/index.js";
import { memoryWith } from "../../support.js";

/** A workspace in memory in which no folder of this name may be entered; the command's tests have a real one. */
function without(name: string, files: readonly string[]) {
  const ports = memoryWith();
  const workspace = new Workspace(ports);
  const { disk } = ports;
  for (const path of files) disk.poke(path, new TextEncoder().encode("one\n"));
  const enter = disk.enter.bind(disk);
  const closing = (target: Target): Target =>
    Object.assign(Object.create(target), {
      child: async (child: string) => {
        const found = await target.child(child);
        if (isRefusal(found)) return found;
        const entries = async () => refuse("permission_denied", `${child}: permission is denied.`);
        return child === name ? Object.assign(Object.create(found), { entries }) : closing(found);
      },
    });
  disk.enter = async (path, missing) => {
    const target = await enter(path, missing);
    return isRefusal(target) ? target : closing(target);
  };
  return { workspace, has: (path: string) => disk.peek(path) !== undefined };
}

it("a folder is not moved without what is in a folder that may not be entered", async () => {
  const { workspace, has } = without("closed", ["open/a.txt", "open/closed/b.txt"]);
  const change = {
    path: "open",
    renameTo: "moved",
    content: { kind: "same" },
    base: "shown",
    wholeFolder: true,
  } as const;
  const done = await workspace.applyChanges({ changes: [change] });
  expect(done).toMatchObject({ kind: "refusal", code: "permission_denied" });
  expect([has("open/a.txt"), has("open/closed/b.txt")]).toEqual([true, true]);
});

it("folders that lie deeper than a find and a search look are told as a limit", async () => {
  const { workspace } = without("closed", [`${"d/".repeat(70)}b.txt`, "a.txt"]);
  expect(await workspace.find({ glob: "*.txt" })).toMatchObject({
    more: "limit",
    files: [{ path: "a.txt" }],
  });
  expect(await workspace.search({ pattern: "one" })).toMatchObject({ more: "limit" });
  expect(await workspace.find({ glob: "*.txt", path: "d/d/d/d/d/d/d" })).not.toHaveProperty("more");
  const many = await workspace.readMany({ globs: ["**/*.txt"] });
  expect(many).toMatchObject({ files: [{ code: "too_large" }, { kind: "read" }] });
});

it("what is in it is missing from a list, a find and a search, and they say so", async () => {
  const { workspace } = without("closed", ["a.txt", "closed/b.txt"]);
  expect(await workspace.list({ depth: 3 })).toMatchObject({ closedFolders: 1, closed: ["closed"] });
  expect(await workspace.find({ glob: "*.txt" })).toMatchObject({
    closedFolders: 1,
    files: [{ path: "a.txt" }],
  });
  expect(await workspace.search({ pattern: "one" })).toMatchObject({ skips: { closedFolders: 1 } });
  expect(await workspace.list({ depth: 1 })).not.toHaveProperty("closedFolders");
});

it("what globs would have matched in it is told, and only where they could have", async () => {
  const { workspace } = without("closed", ["a.txt", "closed/b.txt", "sub/closed/c.txt"]);
  const all = await workspace.readMany({ globs: ["**/*.txt"] });
  expect(all.files).toMatchObject([
    { code: "permission_denied", message: expect.stringContaining("missing: closed, sub/closed.") },
    { kind: "read" },
  ]);
  const oneDeep = await workspace.readMany({ globs: ["*/*.txt"] });
  expect(oneDeep.files).toMatchObject([{ message: expect.stringMatching(/missing: closed\.$/) }]);
  expect((await workspace.readMany({ globs: ["*.txt"] })).files).toMatchObject([{ kind: "read" }]);
});
