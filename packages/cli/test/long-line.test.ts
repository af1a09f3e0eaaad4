import { describe, expect, test } from "vitest";
import { Project } from "./process.js";

/**
 * A line of 1 MB through every command about files: an answer, and no more of it than one may be. What a person asks
 * to see as it is (`history show`, `read` of a terminal's window) is cut or refused likewise.
 */
const long = "a".repeat(1_000_000);
const budget = 262_144;

/** `{f}` stands for the hash of the file. */
const lines = [
  "read f",
  "read f --offset 1 --limit 1",
  "list",
  "find *",
  "search aaa",
  "log f",
  "write f small --base {f}",
  "write new f",
  "patch f hunk --base {f}",
  "apply set",
  "edit f --old aaaa --new b --atomic",
  "edit f --old aaaa --new b --base {f}",
  "insert f 1 small --base {f}",
  "section f #\\ A small",
  "append f small",
  "append small f",
  "prepend f small",
  "move f g --base {f}",
  "delete f --base {f}",
  "restore f@{f}",
  "undo f",
  "doctor f",
];

describe("about a line of 1 MB", () => {
  test.each(lines)("holdfast %s prints no more than an answer may have", async (line) => {
    const project = new Project({
      f: long,
      small: "x\n",
      hunk: "@@ -1 +1 @@\n-zzz\n+y\n",
      set: "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-zzz\n+y\n",
    });
    const given = line.replaceAll("{f}", project.hash("f")).match(/(?:\\ |\S)+/g) ?? [];
    const args = given.map((one) => one.replaceAll("\\ ", " "));
    for (const form of [[], ["--json"]]) {
      const { code, stdout, stderr } = await project.run([...args, ...form]);
      expect([2, 70]).not.toContain(code);
      expect(stdout + stderr).not.toBe("");
      expect([line, stdout.length + stderr.length <= budget]).toEqual([line, true]);
    }
  });

  test("the difference to what somebody else wrote is not printed", async () => {
    const project = new Project({ f: "short\n", big: long, next: "next\n" });
    await project.run(["write", "f", "big", "--base", project.hash("f")]);
    const base = project.hash("f");
    project.put("f", "b".repeat(1_000_000));
    const { code, stdout, stderr } = await project.run(["write", "f", "next", "--base", base]);
    expect(code).toBe(3);
    expect(stdout.length + stderr.length).toBeLessThanOrEqual(budget);
  });

  test("each command that takes a file is among them", async () => {
    const { stdout } = await new Project().run(["--help"]);
    const taken = [...stdout.matchAll(/^ {2}(\w+) (?:\[options\] )?[<[]file/gm)].map(([, name]) => name);
    expect(taken).toContain("restore");
    const tried = new Set(lines.map((line) => line.split(" ")[0]));
    expect(taken.filter((name) => !tried.has(name ?? ""))).toEqual([]);
  });
});
