import { toolNames } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { Project } from "../process.js";

/** One budget and one's own words, on the command line. */
const budget = 262_144;
const long = "a".repeat(7_000_000);

describe("a command that changed a line of 7 MB", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["write", ["write", "new", "big"]],
    ["append", ["append", "f", "big"]],
  ];
  for (const [name, args] of cases) {
    it(`does not print it: ${name}`, async () => {
      const project = new Project({ big: long, f: long });
      const { code, stdout, stderr } = await project.run(args);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout.length).toBeLessThanOrEqual(budget);
    });
  }
  it("does not print the difference when somebody else had changed it", async () => {
    const project = new Project({ f: "short\n", big: long, next: "next\n" });
    await project.run(["write", "f", "big", "--base", project.hash("f")]);
    const base = project.hash("f");
    project.put("f", "b".repeat(7_000_000));
    const { code, stdout, stderr } = await project.run(["write", "f", "next", "--base", base]);
    expect(code).toBe(3);
    expect(stdout.length + stderr.length).toBeLessThanOrEqual(budget);
  });
});

describe("what a command refuses is said in the words of the command line", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["an edit that names no state", ["edit", "f", "--old", "one", "--new", "1"]],
    ["an edit that fits twice", ["edit", "f", "--old", "one", "--new", "1", "--atomic"]],
    ["a write that names no state", ["write", "f", "new"]],
    ["a patch that names no state", ["patch", "f", "diff"]],
  ];
  for (const [what, args] of cases) {
    it(what, async () => {
      const diff = "@@ -1 +1 @@\n-one\n+1\n";
      const project = new Project({ f: "one\none\n", new: "new\n", diff });
      const { code, stderr } = await project.run(args);
      expect(code).toBeGreaterThan(2);
      const tools = toolNames.filter((tool) => tool.includes("_"));
      const words = [...tools, "base_content_sha256", "old_string", "new_string", "replace_all"];
      expect(words.filter((word) => stderr.includes(word))).toEqual([]);
    });
  }
});
