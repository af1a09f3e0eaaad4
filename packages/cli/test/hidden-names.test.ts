import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { Project } from "./process.js";

/** A tag character, a filler, a vowel separator and the blank of Braille: nobody sees them in a name. */
const name = "a\u{e0041}b\u3164.txt";
const folder = "d\u180e";
const missing = "none\u2800";
const unseen = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

interface Command {
  readonly args: readonly string[];
  readonly input?: string;
}

const commands: readonly Command[] = (
  [
    [["list", "--depth", "3"]],
    [["find", "**/*"]],
    [["search", "needle"]],
    [["read", name]],
    [["read", missing]],
    [["write", name, "--atomic"], "two\n"],
    [["write", `new${missing}`], "two\n"],
    [["patch", name, "-", "--base", "000000000000"], "@@ -1 +1 @@\n-two\n+three\n"],
    [["edit", name, "--old", "zzz", "--new", "y", "--atomic"]],
    [["append", name], "x\n"],
    [["log", name]],
    [["undo", name]],
    [["restore", `${name}@000000000000`]],
    [["apply", "-"], `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-two\n+four\n`],
    [["doctor", name]],
    [["--root", folder, "list"]],
    [["--root", missing, "list"]],
    [["--root", folder, "doctor"]],
    [[`bad${missing}`]],
    [["list", `--${missing}`]],
  ] as const
).map(([args, input = ""]) => ({ args, input }));

describe("what no eye sees in a name is shown escaped", () => {
  let project: Project;
  beforeAll(() => {
    project = new Project({ [name]: "needle\n" });
    mkdirSync(join(project.folder, folder));
    writeFileSync(join(project.folder, folder, "x\u2800.ts"), "needle\n");
  });

  test.each(commands)("by holdfast $args", async ({ args, input = "" }) => {
    for (const form of [[], ["--json"]]) {
      const command = [...args, "--state-dir", join(project.folder, "state"), ...form];
      const { stdout, stderr } = await project.run(command, { input });
      expect(`${stdout}${stderr}`).not.toMatch(unseen);
      expect(`${stdout}${stderr}`).not.toBe("");
    }
  });
});
