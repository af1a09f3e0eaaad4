import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openWorkspace } from "../../../src/node/index.js";
import { at, diskAt, freshFolder, must } from "../support.js";

it("a folder tells the sizes of as many files as are asked for, in order, and of names that nothing opens", async () => {
  const root = freshFolder();
  for (const name of ["a", "b", "c"]) writeFileSync(join(root, name), name);
  mkdirSync(join(root, "ab"));
  writeFileSync(Buffer.concat([Buffer.from(join(root, "z")), Buffer.of(0xff)]), "four");
  const disk = diskAt(root);
  const sizes = async (wanted?: "none" | number) => {
    const listing = must(await at(disk, ".", (folder) => folder.entries(10, wanted)));
    return listing.entries.map(({ sizeBytes }) => sizeBytes);
  };
  expect(await sizes()).toEqual([1, undefined, 1, 1, 4]);
  expect(await sizes(2)).toEqual([1, undefined, 1, undefined, 4]);
  expect(await sizes(0)).toEqual([undefined, undefined, undefined, undefined, 4]);
  expect(await sizes("none")).toEqual([undefined, undefined, undefined, undefined, undefined]);
  disk.close();
});

it("a listing has the sizes of all that it shows, whatever is left out before it", async () => {
  const root = realpathSync(freshFolder());
  mkdirSync(join(root, "sub"));
  for (let n = 0; n < 20; n++) {
    writeFileSync(join(root, `a${n}.log`), "left out");
    writeFileSync(join(root, `b${n}.ts`), "x".repeat(n));
    writeFileSync(join(root, "sub", `c${n}.ts`), "y");
  }
  writeFileSync(join(root, ".gitignore"), "*.log\n");
  const workspace = must(await openWorkspace({ roots: [root], stateDir: join(freshFolder(), "state") }));
  for (const limit of [5, 21, 30, 100]) {
    const { entries, more } = must(await workspace.list({ depth: 2, limit }));
    expect(entries).toHaveLength(Math.min(limit, 42));
    expect(more).toBe(limit < 42);
    for (const { path, sizeBytes, isDirectory } of entries)
      if (!isDirectory)
        expect([path, sizeBytes]).toEqual([
          path,
          path.startsWith("b") ? Number(path.slice(1, -3)) : path.startsWith("sub") ? 1 : 6,
        ]);
  }
  await workspace.close();
});
