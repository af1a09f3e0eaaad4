import { linkSync, statSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Project, replaceLine, runHoldfast, sha256 } from "../process.js";

const poem = "one\ntwo\nthree\n";
const TWO = "one\nTWO\nthree\n";
const toTWO = replaceLine("two", "TWO");
const created = "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n";
const json = JSON.stringify;

/** `BASE` in the arguments stands for the hash of `a.txt`; `after` is that file, or the one that `path` names, afterwards. */
interface Case {
  readonly args: string;
  readonly input?: string;
  readonly code?: number;
  readonly path?: string;
  readonly after?: string;
  readonly says?: string;
}

const cases: readonly Case[] = [
  { args: "patch a.txt --base BASE", input: toTWO, after: TWO, says: "Patch applied successfully." },
  { args: "patch a.txt - --base BASE", input: toTWO, after: TWO, says: "line number" },
  { args: `patch a.txt --base ${sha256(poem).slice(0, 12)}`, input: toTWO, after: TWO, says: sha256(TWO) },
  { args: "patch a.txt fix.diff --base BASE", after: TWO, says: "-two\n+TWO\n" },
  { args: "patch a.txt --atomic", input: toTWO, after: TWO },
  { args: `patch new.txt --base ${sha256("")}`, input: created, path: "new.txt", after: "one\ntwo\n" },
  { args: "patch new.txt --atomic", input: created, path: "new.txt", after: "one\ntwo\n" },
  { args: "write deep/er/a.txt", input: poem, path: "deep/er/a.txt", after: poem, says: sha256(poem) },
  { args: "write a.txt fix.diff --base BASE", after: toTWO },
  { args: "write a.txt fix.diff", code: 3, says: "missing_base" },
  { args: "write a.bin - --exact", input: "\u0000\u0001\r\n", path: "a.bin", after: "\u0000\u0001\r\n" },
  {
    args: "edit a.txt --old two --new 2 --base BASE",
    after: "one\n2\nthree\n",
    says: "Edited a.txt: replaced 3 chars with 1 chars.",
  },
  { args: "edit a.txt --old two\\n --new= --atomic", after: "one\nthree\n", says: "Edited a.txt" },
  { args: "edit a.txt --old e\\n --new E\\n --all --atomic", after: "onE\ntwo\nthreE\n", says: "2 times" },
  {
    args: "edit a.txt - --base BASE",
    input: json([
      { old_string: "one", new_string: "1" },
      { old_string: "three", new_string: "3" },
    ]),
    after: "1\ntwo\n3\n",
    says: "2 edits with 2 replacements",
  },
  { args: "edit a.txt --old two --new 2", code: 3, says: "--base SHA256" },
  { args: "edit a.txt --old e --new E --count 2 --atomic", code: 4, says: "appears 3 times" },
  { args: "edit a.txt --old zwei --new 2 --atomic", code: 4, says: "not_found" },
  { args: "edit a.txt --old two --atomic", code: 2, says: "--old needs --new" },
  { args: "edit a.txt - --atomic", input: "two", code: 2, says: "JSON list" },
  { args: "append a.txt", input: "four\n", after: `${poem}four\n`, says: "Appended 5 chars to a.txt." },
  { args: "prepend a.txt -", input: "zero\n", after: `zero\n${poem}`, says: "Prepended 5 chars to a.txt." },
  {
    args: "insert a.txt 1 - --base BASE",
    input: "1.5",
    after: "one\n1.5\ntwo\nthree\n",
    says: "after line 1",
  },
  { args: "insert a.txt 9 - --base BASE", input: "x", code: 4, says: "out_of_range" },
  { args: "insert a.txt 1", input: "x", code: 3, says: "missing_base" },
  { args: "insert a.txt one", input: "x", code: 2, says: "whole number" },
  // What is said is true of the very command that was given.
  { args: "delete a.txt", code: 3, says: "must name the state that is to be deleted (--atomic" },
  { args: "move a.txt b.txt", code: 3, says: "must name the state that is to be moved (--atomic" },
  { args: "patch a.txt", input: toTWO, code: 3, says: "must name the state that is to be replaced" },
  { args: "restore a.txt@deadbeef", code: 4, says: "A state is named by its sha256: 64 hexadecimal digits" },
  { args: "restore a.txt@deadbeef", code: 4, says: "`holdfast log` lists those of the file." },
  {
    args: "write a.txt some\\ text",
    code: 3,
    says: 'There is no input file "some text": this is the name of a file; without one standard input is read.',
  },
  {
    args: "apply",
    input: "--- a/a.txt\n+++ b/a.txt\n@@\n-one\n+1\n--- a/fix.diff\n+++ b/fix.diff\n@@\n-none\n+2\n",
    code: 3,
    says: "Nothing was written: the 2 files stay as they are.\n",
  },
  {
    args: "patch a.txt --base 0123456789abcdef",
    input: toTWO,
    code: 3,
    says: "it is no earlier state of this file that is known here: a typo,",
  },
  { args: `restore a.txt@${"a".repeat(64)}`, code: 3 },
];

describe("a command that changes a file", () => {
  test.each(cases)("$args ends with $code: $says", async (one) => {
    const { args, input = "", code = 0, path = "a.txt", after = poem, says = "" } = one;
    const project = new Project({ "a.txt": poem, "fix.diff": toTWO });
    const words = args.replace("BASE", project.hash("a.txt")).match(/(?:\\ |\S)+/g) ?? [];
    const given = words.map((word) => word.replaceAll("\\ ", " ").replaceAll("\\n", "\n"));
    const done = await project.run(given, { input });
    expect(done.stdout + done.stderr).toContain(says);
    expect([done.code, project.text(path)]).toEqual([code, after]);
    expect(code === 0 ? done.stderr : done.stdout).toBe("");
  });

  test("a refusal speaks of what the command is about, and of nothing else", async () => {
    const project = new Project({ "a.txt": poem });
    const said = async (...args: string[]) => (await project.run(args, { input: toTWO })).stderr;
    expect(await said("delete", "a.txt")).not.toContain("no read");
    expect(await said("patch", "a.txt")).toContain("need no read.");
    expect(await said("restore", "a.txt@deadbeef")).not.toContain("base");
    expect(await said("patch", "a.txt", "--base", "0123456789abcdef")).not.toContain("session");
    for (const command of ["write", "append", "prepend", "insert", "section"])
      expect((await project.run([command, "--help"])).stdout).toContain("[content-file]");
  });

  const removal = (path: string) =>
    `diff --git a/${path} b/${path}\ndeleted file mode 100644\n--- a/${path}\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n`;
  const renaming = "diff --git a/a.txt b/c.txt\nsimilarity index 100%\nrename from a.txt\nrename to c.txt\n";
  test.each([
    [removal("a.txt"), "This diff deletes the file", "To delete it, use `holdfast delete`."],
    [renaming, 'This diff renames the file to "c.txt"', "To rename it, use `holdfast move`;"],
    [
      removal("a.txt") + removal("b.txt"),
      "It deletes or renames files, and this tool changes only lines",
      "To change them together, use `holdfast apply`.",
    ],
  ])(
    "a diff of another act is refused, and the command that does it is named: %s",
    async (input, says, to) => {
      const project = new Project({ "a.txt": poem, "b.txt": poem });
      const refused = await project.run(["patch", "a.txt", "--atomic"], { input });
      expect(refused).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining(says) });
      expect(refused.stderr).toContain(to);
      for (const path of ["a.txt", "b.txt"]) expect(project.text(path)).toBe(poem);
      expect(await project.run(["apply", "--atomic"], { input })).toMatchObject({ code: 0 });
      expect(project.has("a.txt")).toBe(false);
    },
  );

  test("write --exact takes bytes that are no text", async () => {
    const project = new Project();
    const input = Uint8Array.of(0, 1, 255, 13, 10);
    expect(await project.run(["write", "a.bin", "-", "--exact"], { input })).toMatchObject({ code: 0 });
    expect([...project.bytes("a.bin")]).toEqual([...input]);
  });

  test("a stale base is refused, --json brings the fresh state; the same call twice is already applied", async () => {
    const project = new Project({ "a.txt": poem });
    const args = ["patch", "a.txt", "--base", project.hash("a.txt")];
    await project.run(args, { input: toTWO });
    const again = await project.run([...args, "--json"], { input: toTWO });
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ success: true, code: "already_applied" });
    const plain = await project.run(args, { input: replaceLine("three", "3") });
    expect(plain).toMatchObject({ code: 3, stdout: "" });
    expect(plain.stderr).toMatch(/^holdfast: state_mismatch: State Mismatch: File has changed on disk/);
    const stale = await project.run([...args, "--json"], { input: replaceLine("three", "3") });
    expect(stale).toMatchObject({ code: 3, stderr: "" });
    const answer = JSON.parse(stale.stdout);
    expect(Object.keys(answer)).toEqual(["success", "code", "message", "latest_file_state"]);
    expect(answer).toMatchObject({
      success: false,
      code: "state_mismatch",
      latest_file_state: { file_path: "a.txt", sha256: sha256(TWO), content: TWO },
    });
    expect(project.text("a.txt")).toBe(TWO);
  });

  test("a protected path is written only with --allow-protected", async () => {
    const project = new Project();
    const args = ["write", ".vscode/tasks.json"];
    expect((await project.run(args, { input: "{}" })).code).toBe(5);
    expect(project.has(".vscode/tasks.json")).toBe(false);
    const done = await project.run([...args, "--allow-protected", ".vscode/**"], { input: "{}" });
    expect([done.code, project.text(".vscode/tasks.json")]).toEqual([0, "{}"]);
  });

  test("a hard link is refused, and kept with --in-place auto", async () => {
    const project = new Project({ "a.txt": poem });
    linkSync(join(project.folder, "a.txt"), join(project.folder, "b.txt"));
    const args = ["patch", "a.txt", "--atomic"];
    const refused = await project.run(args, { input: toTWO });
    expect(refused).toMatchObject({ code: 6, stderr: expect.stringMatching(/cannot_preserve.*--in-place/s) });
    expect(await project.run([...args, "--in-place", "auto"], { input: toTWO })).toMatchObject({ code: 0 });
    expect(project.text("b.txt")).toBe(TWO);
  });

  test("a file that --in-place names stays the same file; a glob that is none is refused", async () => {
    const project = new Project({ "a.txt": "one\n" });
    const inode = () => statSync(join(project.folder, "a.txt")).ino;
    const before = inode();
    const append = (glob: string) => project.run(["append", "a.txt", "--in-place", glob], { input: "two\n" });
    expect([(await append("*.txt")).code, inode(), project.text("a.txt")]).toEqual([0, before, "one\ntwo\n"]);
    expect(await append("[z-a]")).toMatchObject({ code: 4, stderr: expect.stringContaining("z-a") });
    expect((await append("*.md")).code).toBe(0);
    expect(inode()).not.toBe(before);
  });

  test("of several processes at once each change lands, none is lost", async () => {
    const lines = Array.from({ length: 6 }, (_, at) => `line ${at}`);
    const project = new Project({ "a.txt": `${lines.join("\n")}\n` });
    const runs = lines.map((line) => {
      const input = replaceLine(line, `${line} changed`);
      return project.run(["patch", "a.txt", "--atomic"], { input, process: true });
    });
    expect((await Promise.all(runs)).map(({ code }) => code)).toEqual(lines.map(() => 0));
    expect(project.text("a.txt")).toBe(lines.map((line) => `${line} changed\n`).join(""));
  });
});

test("section replaces, refuses with the outline, creates, and is taken back", async () => {
  const notes = "# Notes\n\n## State\nold\n\n## Log\n";
  const project = new Project({ "a.md": notes });
  expect(await project.run(["section", "a.md", "## State"], { input: "new\n" })).toMatchObject({ code: 0 });
  expect(project.text("a.md")).toBe(notes.replace("old", "new"));
  const missing = await project.run(["section", "a.md", "## Next"], { input: "x\n" });
  expect(missing).toMatchObject({ code: 4, stderr: expect.stringContaining("3: ## State") });
  await project.run(["section", "a.md", "## Next", "--create"], { input: "x\n" });
  expect(project.text("a.md")).toBe(`${notes.replace("old", "new")}\n## Next\n\nx\n`);
  for (const _ of [1, 2]) await project.run(["undo", "a.md"]);
  expect(project.text("a.md")).toBe(notes);
});

describe("undo, log, restore", () => {
  test("the history of a file is told, walked back and restored", async () => {
    const project = new Project({ "a.txt": poem });
    const states = [project.hash("a.txt")];
    for (const input of [toTWO, replaceLine("one", "ONE")]) {
      await project.run(["patch", "a.txt", "--atomic"], { input });
      states.push(project.hash("a.txt"));
    }
    const [first = "", second = "", third = ""] = states;
    const log = await project.run(["log", "a.txt"]);
    const [newest = "", older, ...more] = log.stdout.trimEnd().split("\n");
    const now = new RegExp(`^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  ${third.slice(0, 16)}  .*\\* now$`);
    expect([log.code, newest, older, more]).toEqual([
      0,
      expect.stringMatching(now),
      expect.stringContaining(second.slice(0, 12)),
      [],
    ]);
    const { entries } = JSON.parse((await project.run(["log", "a.txt", "--json"])).stdout);
    expect(entries.map((entry: { sha256: string }) => entry.sha256)).toEqual([third, second]);
    expect(entries[0]).toMatchObject({ before: second, current: true, kept: true });
    for (const state of [second, first]) {
      expect((await project.run(["undo", "a.txt"])).code).toBe(0);
      expect(project.hash("a.txt")).toBe(state);
      // One row is the present state, though an earlier one had the same bytes.
      const rows = (await project.run(["log", "a.txt"])).stdout.trimEnd().split("\n");
      expect(rows.filter((row) => row.endsWith("* now"))).toEqual([rows[0]]);
    }
    const nothing = await project.run(["undo", "a.txt"]);
    expect(nothing).toMatchObject({ code: 3, stderr: expect.stringContaining("nothing_to_undo") });
    const restore = ["restore", `a.txt@${third.slice(0, 12)}`, "--base", first];
    expect((await project.run(restore)).code).toBe(0);
    expect(project.hash("a.txt")).toBe(third);
  });

  test.each(["a.txt", ".env"])("a state that was only read is told and restored: %s", async (name) => {
    const project = new Project({ [name]: poem });
    const read = project.hash(name);
    await project.run(["read", name]);
    await project.run(["read", name]);
    project.put(name, "\0".repeat(poem.length));
    const rows = (await project.run(["log", name])).stdout.trimEnd().split("\n");
    expect(rows).toEqual([expect.stringMatching(new RegExp(`  ${read.slice(0, 16)}  read  `))]);
    expect((await project.run(["restore", `${name}@${read.slice(0, 12)}`])).code).toBe(0);
    expect(project.text(name)).toBe(poem);
    const other = await project.run(["restore", `other.txt@${read}`]);
    expect(other).toMatchObject({ code: 3, stderr: expect.stringContaining("bytes_gone") });
  });

  test("the log of a link has its own writes and those through it, and offers what can be restored", async () => {
    const project = new Project({ "a.txt": poem, "b.txt": "b\n" });
    await project.run(["write", "a.txt", "-", "--atomic"], { input: TWO });
    unlinkSync(join(project.folder, "a.txt"));
    symlinkSync("b.txt", join(project.folder, "a.txt"));
    expect((await project.run(["find", "a*"])).stdout).toBe("a.txt -> b.txt\n");
    expect((await project.run(["log", "a.txt"])).stderr).toBe(
      "a.txt is a link to b.txt now; -> marks the writes to that.\n",
    );
    await project.run(["write", "a.txt", "-", "--atomic"], { input: "c\n" });
    await project.run(["write", "a.txt", "-", "--atomic"], { input: "d\n" });
    const { stdout, stderr } = await project.run(["log", "a.txt"]);
    expect(stdout.match(/ \(->\) /g)).toHaveLength(2);
    expect(stderr).toContain(`holdfast restore a.txt@${sha256("c\n").slice(0, 16)}`);
    const { entries, leads_to } = JSON.parse((await project.run(["log", "a.txt", "--json"])).stdout);
    expect([leads_to, entries.length, entries[0].is_through]).toEqual(["b.txt", 3, true]);
    await project.run(["delete", "a.txt", "--atomic"]);
    expect((await project.run(["log", "a.txt"])).stdout).toContain(", link)");
  });

  test("undo refuses once somebody else has written or deleted, and speaks of the write that it would take back", async () => {
    const project = new Project();
    await project.run(["write", "a.txt"], { input: "one\n" });
    project.put("a.txt", "by hand\n");
    const changed = await project.run(["undo", "a.txt"]);
    expect(changed.code).toBe(3);
    expect(changed.stderr).toContain("The file has changed on disk since the last write (");
    expect(project.text("a.txt")).toBe("by hand\n");
    unlinkSync(join(project.folder, "a.txt"));
    const gone = await project.run(["undo", "a.txt"]);
    expect(gone.code).toBe(3);
    expect(gone.stderr).toContain("The file is gone: somebody deleted or moved it since the last write (");
    expect(changed.stderr + gone.stderr).not.toContain("last read");
  });

  test("move and delete change the state that --base names, and undo takes them back", async () => {
    const project = new Project({ "a.txt": poem, "c.txt": "c\n" });
    const base = project.hash("a.txt");
    const moved = await project.run(["move", "a.txt", "sub/b.txt", "--base", base]);
    expect(moved).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("Renamed from a.txt."),
    });
    expect([project.has("a.txt"), project.text("sub/b.txt")]).toEqual([false, poem]);
    const stale = await project.run(["delete", "sub/b.txt", "--base", project.hash("c.txt")]);
    expect(stale).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining(base) });
    expect((await project.run(["move", "c.txt", "sub/b.txt", "--atomic"])).code).toBe(3);
    expect((await project.run(["delete", "sub/b.txt", "--atomic"])).stdout).toContain("File deleted.");
    expect(project.has("sub/b.txt")).toBe(false);
    for (const _ of [1, 2]) await project.run(["undo", "sub/b.txt"]);
    expect(project.text("a.txt")).toBe(poem);
  });
});

describe("the folders", () => {
  test("--root says where a relative path counts from, before or after the command", async () => {
    const { folder } = new Project({ "a.txt": poem });
    for (const args of [
      ["--root", folder, "read", "a.txt"],
      ["read", "a.txt", "--root", folder],
    ])
      expect(await runHoldfast(args, { cwd: "/" })).toMatchObject({ code: 0, stdout: poem });
  });

  test("--state-dir keeps the history where it says; the project gets no file that is not the user's", async () => {
    const project = new Project({ "a.txt": poem });
    const state = ["--state-dir", join(new Project().folder, "state")];
    await project.run(["patch", "a.txt", "--atomic", ...state], { input: toTWO });
    expect((await project.run(["log", "a.txt"])).stdout).toBe("");
    expect((await project.run(["log", "a.txt", ...state])).stdout).not.toBe("");
    const listed = JSON.parse((await project.run(["list", "--all", "--depth", "9", "--json"])).stdout);
    expect(listed.entries.map((entry: { path: string }) => entry.path)).toEqual(["a.txt"]);
  });
});

test("no command shows a difference of a file that may hold secrets, by its name or through a link", async () => {
  const project = new Project({
    ".env": "A=1\nTOKEN=hunter2\n",
    "diff.txt": "@@ -1 +1 @@\n-A=3\n+A=4\n",
    "more.txt": "B=1\n",
    "new.txt": "A=3\nTOKEN=hunter3\n",
  });
  symlinkSync(".env", join(project.folder, "link.txt"));
  const before = project.hash(".env");
  const commands: readonly (readonly string[])[] = [
    ["edit", ".env", "--old", "A=1", "--new", "A=2", "--atomic"],
    ["undo", ".env"],
    ["edit", "link.txt", "--old", "A=1", "--new", "A=2", "--atomic"],
    ["append", "link.txt", "more.txt"],
    ["undo", "link.txt"],
    ["write", "link.txt", "new.txt", "--atomic"],
    ["patch", "link.txt", "diff.txt", "--atomic"],
    ["patch", "link.txt", "diff.txt", "--atomic", "--base", before],
    ["edit", "link.txt", "--old", "TOKEN=hunter", "--new", "TOKEN=hunter", "--atomic"],
    ["edit", "link.txt", "--old", "nowhere", "--new", "x", "--atomic"],
    ["restore", `link.txt@${before}`, "--atomic"],
    ["undo", "link.txt"],
    ["log", "link.txt"],
  ];
  for (const [at, command] of commands.entries()) {
    const { code, stdout, stderr } = await project.run(command);
    if (at < 6) expect([command, code]).toEqual([command, 0]);
    if (at === 0) expect(stdout).toContain("not shown");
    const shown = (stdout + stderr).replaceAll(/(the text|old text|new text) "[^"]*"/g, "");
    expect(shown, command.join(" ")).not.toMatch(/hunter|^[ +-]?A=/m);
  }
  expect(project.hash(".env")).not.toBe(before);
});

test("what a person starts has no limit of time", async () => {
  // A clock that goes on by an hour whenever it is asked: any limit would be over at once.
  const clock = "let now=Date.now();Date.now=()=>(now+=3600000)";
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(clock)}` };
  const text = `# T\n\n${"one line\n".repeat(3_000)}`;
  const diff = "--- a/a.md\n+++ b/a.md\n@@ -1502 +1502 @@\n-one line\n+two line\n";
  const commands: readonly (readonly string[])[] = [
    ["edit", "a.md", "--old", "one line", "--new", "two line", "--all", "--atomic"],
    ["patch", "a.md", "p.diff", "--atomic"],
    ["apply", "p.diff", "--atomic"],
    ["section", "a.md", "T", "p.diff"],
  ];
  for (const command of commands) {
    const done = await new Project({ "a.md": text, "p.diff": diff }).run(command, { env });
    expect([done.code, done.stderr], command.join(" ")).toEqual([0, ""]);
  }
});
