import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ground } from "../../support.js";

/** The files by which git takes `docs` for a repository and runs a program of its configuration. */
const planted = (mark: string): readonly (readonly [string, string])[] => [
  [
    "docs/config",
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ${mark};"\n`,
  ],
  ["docs/objects/x", "x\n"],
  ["docs/refs/x", "x\n"],
  ["docs/HEAD", "ref: refs/heads/main\n"],
];

const gitStatus = (folder: string) => {
  try {
    execFileSync("git", ["status"], { cwd: folder, stdio: "ignore" });
  } catch {
    // Without a repository it fails; only the mark counts.
  }
};

describe("a repository that is hidden in a folder", () => {
  it("runs its program where the files are put there past the tools", async () => {
    const on = await ground();
    const mark = `${on.root}/mark`;
    for (const [path, text] of planted(mark)) on.put(path, text);
    gitStatus(`${on.root}/docs`);
    expect(existsSync(mark)).toBe(true);
  });

  it("cannot be made through the tools, one by one or as a set, in whatever order", async () => {
    for (const files of [planted("mark"), planted("mark").toReversed()]) {
      const on = await ground();
      const { workspace } = on;
      const mark = `${on.root}/mark`;
      for (const [path, text] of files) await workspace.write({ path, content: text.replace("mark", mark) });
      const changes = files.map(([path, text]) => ({
        path: path.replace("docs", "set"),
        content: { kind: "text", text: text.replace("mark", mark) } as const,
      }));
      expect(await workspace.applyChanges({ changes })).toMatchObject({ success: false });
      for (const folder of ["docs", "set"])
        if (existsSync(`${on.root}/${folder}`)) gitStatus(`${on.root}/${folder}`);
      expect(existsSync(mark)).toBe(false);
    }
  });
});
