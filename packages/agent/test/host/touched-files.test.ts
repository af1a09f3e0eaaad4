import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hangMs } from "../../../../test/until.js";
import { watchFiles } from "../../src/host/touched-files.js";
import { folder } from "./ground.js";

const files = ["a.txt", "b.txt", "c.txt", "src/d.txt"];

async function project({ isGit }: { readonly isGit: boolean }) {
  const root = await folder();
  mkdirSync(join(root, "src"));
  for (const name of files) writeFileSync(join(root, name), `${name}\n`);
  writeFileSync(join(root, ".gitignore"), "*.log\n");
  if (isGit) execFileSync("git", ["init", "-q"], { cwd: root });
  return root;
}

/** What stands in for the workspace's listing, which leaves ignored files out. */
const list = async (root: string) =>
  readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => !name.endsWith(".log"));

const patient = { mostMs: hangMs };

describe("what a command changed", () => {
  test.each([true, false])(
    "is found by size, time, inode and mode, in a folder of git or not (%s)",
    async (isGit) => {
      const root = await project({ isGit });
      const before = statSync(join(root, "a.txt"));
      const again = await watchFiles({ roots: [root], list }, patient)();
      writeFileSync(join(root, "a.txt"), "longer than it was\n");
      rmSync(join(root, "b.txt"));
      writeFileSync(join(root, "new.txt"), "new\n");
      writeFileSync(join(root, "debug.log"), "ignored\n");
      // The same size and time, another file.
      const { atime, mtime } = statSync(join(root, "c.txt"));
      writeFileSync(join(root, "src/other"), "c.txT\n");
      utimesSync(join(root, "src/other"), atime, mtime);
      renameSync(join(root, "src/other"), join(root, "c.txt"));
      chmodSync(join(root, "src/d.txt"), 0o600);
      const { files: touched, isWhole } = await again();
      expect(isWhole).toBe(true);
      expect(touched.map(({ path, before: was, after }) => [path, was === null, after === null])).toEqual([
        ["a.txt", false, false],
        ["b.txt", false, true],
        ["c.txt", false, false],
        ["new.txt", true, false],
        ["src/d.txt", false, false],
      ]);
      expect(touched[4]?.after).toEqual({ ...touched[4]?.before, mode: 0o600 });
      expect(touched[0]?.before).toEqual({
        sizeBytes: before.size,
        modifiedMs: before.mtimeMs,
        inode: before.ino,
        mode: before.mode & 0o7777,
      });
      expect(touched[0]?.after?.sizeBytes).toBe(19);
    },
  );

  test("is nothing where nothing changed, and files of further folders have their whole names", async () => {
    const [one, two] = [await project({ isGit: true }), await project({ isGit: true })];
    const again = await watchFiles({ roots: [one, two] }, patient)();
    expect(await again()).toEqual({ files: [], isWhole: true });
    writeFileSync(join(two, "src/d.txt"), "x");
    expect((await again()).files.map(({ path }) => path)).toEqual([join(two, "src/d.txt")]);
  });

  test("is not looked at above a bound of files or time, nor where nobody lists them", async () => {
    const root = await project({ isGit: true });
    const unlooked = { files: [], isWhole: false };
    expect(await (await watchFiles({ roots: [root] }, { mostFiles: 4 })())()).toEqual(unlooked);
    expect(await (await watchFiles({ roots: [root] }, { mostMs: 0 })())()).toEqual(unlooked);
    expect(await (await watchFiles({ roots: [await project({ isGit: false })] })())()).toEqual(unlooked);
  });

  test("is asked of git without running what its settings name", async () => {
    const root = await project({ isGit: true });
    execFileSync("git", ["config", "core.fsmonitor", `touch ${join(root, "ran")}; false`], { cwd: root });
    const again = await watchFiles({ roots: [root] }, patient)();
    expect(await again()).toEqual({ files: [], isWhole: true });
  });
});
