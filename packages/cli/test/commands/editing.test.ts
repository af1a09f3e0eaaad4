import { describe, expect, test } from "vitest";
import { Project } from "../process.js";

const poem = "one\ntwo\nthree\n";
const notes = "# Notes\n\n## State\nold\n\n## Log\n";

interface Case {
  readonly args: readonly string[];
  readonly input?: string;
  readonly code: number;
  /** The file afterwards. */
  readonly text: string;
  readonly says: string;
}

const base = "BASE";
const cases: readonly Case[] = [
  {
    args: ["edit", "a.txt", "--old", "two", "--new", "2", "--base", base],
    code: 0,
    text: "one\n2\nthree\n",
    says: "Edited a.txt: replaced 3 chars with 1 chars.",
  },
  {
    args: ["edit", "a.txt", "--old", "two\n", "--new", "", "--atomic"],
    code: 0,
    text: "one\nthree\n",
    says: "Edited a.txt",
  },
  {
    args: ["edit", "a.txt", "--old", "e\n", "--new", "E\n", "--all", "--atomic"],
    code: 0,
    text: "onE\ntwo\nthreE\n",
    says: "2 times",
  },
  {
    args: ["edit", "a.txt", "-", "--base", base],
    input: JSON.stringify([
      { old_string: "one", new_string: "1" },
      { old_string: "three", new_string: "3" },
    ]),
    code: 0,
    text: "1\ntwo\n3\n",
    says: "2 edits with 2 replacements",
  },
  { args: ["edit", "a.txt", "--old", "two", "--new", "2"], code: 3, text: poem, says: "--base SHA256" },
  {
    args: ["edit", "a.txt", "--old", "e", "--new", "E", "--count", "2", "--atomic"],
    code: 4,
    text: poem,
    says: "appears 3 times",
  },
  {
    args: ["edit", "a.txt", "--old", "zwei", "--new", "2", "--atomic"],
    code: 4,
    text: poem,
    says: "not_found",
  },
  { args: ["edit", "a.txt", "--old", "two", "--atomic"], code: 2, text: poem, says: "--old needs --new" },
  { args: ["edit", "a.txt", "-", "--atomic"], input: "two", code: 2, text: poem, says: "JSON list" },
  {
    args: ["append", "a.txt"],
    input: "four\n",
    code: 0,
    text: `${poem}four\n`,
    says: "Appended 5 chars to a.txt.",
  },
  {
    args: ["prepend", "a.txt", "-"],
    input: "zero\n",
    code: 0,
    text: `zero\n${poem}`,
    says: "Prepended 5 chars to a.txt.",
  },
  {
    args: ["insert", "a.txt", "1", "-", "--base", base],
    input: "1.5",
    code: 0,
    text: "one\n1.5\ntwo\nthree\n",
    says: "after line 1",
  },
  {
    args: ["insert", "a.txt", "9", "-", "--base", base],
    input: "x",
    code: 4,
    text: poem,
    says: "out_of_range",
  },
  { args: ["insert", "a.txt", "1"], input: "x", code: 3, text: poem, says: "missing_base" },
  { args: ["insert", "a.txt", "one"], input: "x", code: 2, text: poem, says: "whole number" },
];

describe("edit, append, prepend, insert", () => {
  test.each(cases)("$args", async ({ args, input = "", code, text, says }) => {
    const project = new Project({ "a.txt": poem });
    const given = args.map((arg) => (arg === base ? project.hash("a.txt") : arg));
    const done = await project.run(given, { input });
    expect(done.stdout + done.stderr).toContain(says);
    expect(done.code).toBe(code);
    expect(project.text("a.txt")).toBe(text);
  });
});

describe("section", () => {
  test("replaces, refuses with the outline, creates, and is taken back", async () => {
    const project = new Project({ "a.md": notes });
    expect(await project.run(["section", "a.md", "## State"], { input: "new\n" })).toMatchObject({ code: 0 });
    expect(project.text("a.md")).toBe(notes.replace("old", "new"));
    const missing = await project.run(["section", "a.md", "## Next"], { input: "x\n" });
    expect(missing).toMatchObject({ code: 4 });
    expect(missing.stderr).toContain("3: ## State");
    await project.run(["section", "a.md", "## Next", "--create"], { input: "x\n" });
    expect(project.text("a.md")).toBe(`${notes.replace("old", "new")}\n## Next\n\nx\n`);
    await project.run(["undo", "a.md"]);
    await project.run(["undo", "a.md"]);
    expect(project.text("a.md")).toBe(notes);
  });
});
