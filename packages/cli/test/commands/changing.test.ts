import { linkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Project, replaceLine, runHoldfast, sha256 } from "../process.js";

const poem = "one\ntwo\nthree\n";

describe("patch", () => {
  test("a diff with wrong numbers lands, and the repair is told", async () => {
    const project = new Project({ "a.txt": poem, "fix.diff": replaceLine("two", "TWO") });
    const done = await project.run(["patch", "a.txt", "fix.diff", "--base", project.hash("a.txt")]);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(project.text("a.txt")).toBe("one\nTWO\nthree\n");
    expect(done.stdout).toContain("Patch applied successfully.");
    expect(done.stdout).toContain("line number");
    expect(done.stdout).toMatch(/^-two$/m);
    expect(done.stdout).toMatch(/^\+TWO$/m);
    expect(done.stdout).toContain(project.hash("a.txt"));
  });

  test("the diff comes from standard input, and twelve digits of the hash are enough", async () => {
    const project = new Project({ "a.txt": poem });
    const base = project.hash("a.txt").slice(0, 12);
    for (const args of [
      ["patch", "a.txt", "-", "--base", base],
      ["patch", "a.txt", "--base", base],
    ]) {
      project.put("a.txt", poem);
      expect(await project.run(args, { input: replaceLine("two", "TWO") })).toMatchObject({ code: 0 });
      expect(project.text("a.txt")).toBe("one\nTWO\nthree\n");
    }
  });

  const removal = (path: string) =>
    `diff --git a/${path} b/${path}\ndeleted file mode 100644\n--- a/${path}\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n`;
  const renaming = "diff --git a/a.txt b/c.txt\nsimilarity index 100%\nrename from a.txt\nrename to c.txt\n";
  test.each([
    {
      what: "deletes",
      input: removal("a.txt"),
      says: "This diff deletes the file",
      to: "To delete it, use `holdfast delete`.",
    },
    {
      what: "renames",
      input: renaming,
      says: 'This diff renames the file to "c.txt"',
      to: "To rename it, use `holdfast move`;",
    },
    {
      what: "deletes several",
      input: removal("a.txt") + removal("b.txt"),
      says: "It deletes or renames files, and this tool changes only lines",
      to: "To change them together, use `holdfast apply`.",
    },
  ])("a diff that $what is refused, and the command that does it is named", async ({ input, says, to }) => {
    const project = new Project({ "a.txt": poem, "b.txt": poem });
    const refused = await project.run(["patch", "a.txt", "--atomic"], { input });
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toContain(says);
    expect(refused.stderr).toContain(to);
    for (const path of ["a.txt", "b.txt"]) expect(project.text(path)).toBe(poem);
    expect(await project.run(["apply", "--atomic"], { input })).toMatchObject({ code: 0 });
    expect(project.has("a.txt")).toBe(false);
  });

  test("--atomic needs no hash", async () => {
    const project = new Project({ "a.txt": poem });
    const done = await project.run(["patch", "a.txt", "--atomic"], { input: replaceLine("two", "TWO") });
    expect(done.code).toBe(0);
    expect(project.text("a.txt")).toBe("one\nTWO\nthree\n");
  });

  test("a creation diff makes the file, against the hash of nothing or with --atomic", async () => {
    const input = "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n";
    for (const how of [["--base", sha256("")], ["--atomic"]]) {
      const project = new Project();
      expect(await project.run(["patch", "new.txt", ...how], { input })).toMatchObject({ code: 0 });
      expect(project.text("new.txt")).toBe("one\ntwo\n");
    }
  });

  test("a stale base is refused, the file is untouched, and --json brings the fresh state", async () => {
    const project = new Project({ "a.txt": poem });
    const base = project.hash("a.txt");
    await project.run(["patch", "a.txt", "--base", base], { input: replaceLine("two", "TWO") });
    const now = project.text("a.txt");
    const diff = replaceLine("three", "3");
    const plain = await project.run(["patch", "a.txt", "--base", base], { input: diff });
    expect(plain).toMatchObject({ code: 3, stdout: "" });
    expect(plain.stderr).toMatch(/^holdfast: state_mismatch: State Mismatch: File has changed on disk/);
    const json = await project.run(["patch", "a.txt", "--base", base, "--json"], { input: diff });
    expect(json).toMatchObject({ code: 3, stderr: "" });
    expect(JSON.parse(json.stdout)).toMatchObject({
      success: false,
      code: "state_mismatch",
      latest_file_state: { file_path: "a.txt", sha256: sha256(now), content: now },
    });
    expect(project.text("a.txt")).toBe(now);
  });

  test("the same call twice is already applied", async () => {
    const project = new Project({ "a.txt": poem });
    const base = project.hash("a.txt");
    const input = replaceLine("two", "TWO");
    await project.run(["patch", "a.txt", "--base", base], { input });
    const again = await project.run(["patch", "a.txt", "--base", base, "--json"], { input });
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ success: true, code: "already_applied" });
    expect(project.text("a.txt")).toBe("one\nTWO\nthree\n");
  });
});

describe("write", () => {
  test("a new file needs no base, its folders are made", async () => {
    const project = new Project();
    const done = await project.run(["write", "deep/er/a.txt"], { input: poem });
    expect(done.code).toBe(0);
    expect(project.text("deep/er/a.txt")).toBe(poem);
    expect(done.stdout).toContain(sha256(poem));
  });

  test("an existing file is replaced only with its hash", async () => {
    const project = new Project({ "a.txt": poem, "new.txt": "new\n" });
    const refused = await project.run(["write", "a.txt", "new.txt"]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("missing_base");
    expect(project.text("a.txt")).toBe(poem);
    const done = await project.run(["write", "a.txt", "new.txt", "--base", sha256(poem)]);
    expect(done.code).toBe(0);
    expect(project.text("a.txt")).toBe("new\n");
  });

  test("--exact writes the bytes as they are", async () => {
    const project = new Project();
    const bytes = Buffer.from([0, 1, 2, 255, 13, 10]);
    const done = await project.run(["write", "a.bin", "-", "--exact"], { input: bytes });
    expect(done.code).toBe(0);
    expect(project.bytes("a.bin").equals(bytes)).toBe(true);
  });

  test("--json has the four keys in every exit", async () => {
    const project = new Project();
    for (const code of [0, 3]) {
      const done = await project.run(["write", "a.txt", "--json"], { input: code === 0 ? poem : "other" });
      expect(done.code).toBe(code);
      expect(Object.keys(JSON.parse(done.stdout))).toEqual([
        "success",
        "code",
        "message",
        "latest_file_state",
      ]);
    }
  });

  test("a protected path is written only with --allow-protected", async () => {
    const project = new Project();
    const args = ["write", ".vscode/tasks.json"];
    expect((await project.run(args, { input: "{}" })).code).toBe(5);
    expect(project.has(".vscode/tasks.json")).toBe(false);
    const done = await project.run([...args, "--allow-protected", ".vscode/**"], { input: "{}" });
    expect(done.code).toBe(0);
    expect(project.text(".vscode/tasks.json")).toBe("{}");
  });
});

describe("undo, log, restore", () => {
  test("the history of a file is told, walked back and restored", async () => {
    const project = new Project({ "a.txt": poem });
    const first = project.hash("a.txt");
    await project.run(["patch", "a.txt", "--atomic"], { input: replaceLine("two", "TWO") });
    const second = project.hash("a.txt");
    await project.run(["patch", "a.txt", "--atomic"], { input: replaceLine("one", "ONE") });
    const third = project.hash("a.txt");

    const log = await project.run(["log", "a.txt"]);
    expect(log.code).toBe(0);
    const lines = log.stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      new RegExp(`^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  ${third.slice(0, 16)}  .*\\* now$`),
    );
    expect(lines[1]).toContain(second.slice(0, 12));

    const json = JSON.parse((await project.run(["log", "a.txt", "--json"])).stdout);
    expect(json.entries.map((entry: { sha256: string }) => entry.sha256)).toEqual([third, second]);
    expect(json.entries[0]).toMatchObject({ before: second, current: true, kept: true });

    expect((await project.run(["undo", "a.txt"])).code).toBe(0);
    expect(project.hash("a.txt")).toBe(second);
    expect((await project.run(["undo", "a.txt"])).code).toBe(0);
    expect(project.hash("a.txt")).toBe(first);
    const nothing = await project.run(["undo", "a.txt"]);
    expect(nothing.code).toBe(3);
    expect(nothing.stderr).toContain("nothing_to_undo");

    const restore = ["restore", `a.txt@${third.slice(0, 12)}`, "--base", first];
    expect((await project.run(restore)).code).toBe(0);
    expect(project.hash("a.txt")).toBe(third);
  });

  test("undo refuses once somebody else has written", async () => {
    const project = new Project({ "a.txt": poem });
    await project.run(["patch", "a.txt", "--atomic"], { input: replaceLine("two", "TWO") });
    project.put("a.txt", "by hand\n");
    expect((await project.run(["undo", "a.txt"])).code).toBe(3);
    expect(project.text("a.txt")).toBe("by hand\n");
  });

  test("a state that was never recorded cannot be restored", async () => {
    const project = new Project({ "a.txt": poem });
    const done = await project.run(["restore", `a.txt@${"a".repeat(64)}`]);
    expect(done.code).toBe(3);
    expect(project.text("a.txt")).toBe(poem);
  });

  test("a file without history has an empty log", async () => {
    const project = new Project({ "a.txt": poem });
    const done = await project.run(["log", "a.txt"]);
    expect(done).toMatchObject({ code: 0, stdout: "" });
    expect(JSON.parse((await project.run(["log", "a.txt", "--json"])).stdout).entries).toEqual([]);
  });
});

describe("the folders", () => {
  test("--root says where a relative path counts from, before or after the command", async () => {
    const project = new Project({ "a.txt": poem });
    for (const args of [
      ["--root", project.folder, "read", "a.txt"],
      ["read", "a.txt", "--root", project.folder],
    ]) {
      expect(await runHoldfast(args, { cwd: "/" })).toMatchObject({ code: 0, stdout: poem });
    }
  });

  test("--state-dir keeps the history where it says, and nowhere else", async () => {
    const project = new Project({ "a.txt": poem });
    const other = new Project();
    const state = ["--state-dir", join(other.folder, "state")];
    await project.run(["patch", "a.txt", "--atomic", ...state], { input: replaceLine("two", "TWO") });
    expect((await project.run(["log", "a.txt"])).stdout).toBe("");
    expect((await project.run(["log", "a.txt", ...state])).stdout).not.toBe("");
  });

  test("the project gets no file that is not the user's", async () => {
    const project = new Project({ "a.txt": poem });
    await project.run(["patch", "a.txt", "--atomic"], { input: replaceLine("two", "TWO") });
    const listed = JSON.parse((await project.run(["list", "--all", "--depth", "9", "--json"])).stdout);
    expect(listed.entries.map((entry: { path: string }) => entry.path)).toEqual(["a.txt"]);
  });
});

describe("what a rename would lose", () => {
  test("a hard link is refused, and kept with --in-place", async () => {
    const project = new Project({ "a.txt": poem });
    linkSync(join(project.folder, "a.txt"), join(project.folder, "b.txt"));
    const args = ["patch", "a.txt", "--atomic"];
    const refused = await project.run(args, { input: replaceLine("two", "TWO") });
    expect(refused.stderr).toContain("cannot_preserve");
    expect(refused.stderr).toContain("--in-place");
    expect(refused.code).toBe(6);
    const done = await project.run([...args, "--in-place"], { input: replaceLine("two", "TWO") });
    expect(done.code).toBe(0);
    expect(project.text("b.txt")).toBe("one\nTWO\nthree\n");
  });
});

describe("several processes at once", () => {
  test("each change lands, none is lost", async () => {
    const lines = Array.from({ length: 8 }, (_, at) => `line ${at}`);
    const project = new Project({ "a.txt": `${lines.join("\n")}\n` });
    const runs = lines.map((line) =>
      project.run(["patch", "a.txt", "--atomic"], { input: replaceLine(line, `${line} changed`) }),
    );
    expect((await Promise.all(runs)).map(({ code }) => code)).toEqual(lines.map(() => 0));
    expect(project.text("a.txt")).toBe(lines.map((line) => `${line} changed\n`).join(""));
  });
});

test("no command shows a difference of a file that may hold secrets", async () => {
  const project = new Project({ ".env": "A=1\nTOKEN=hunter2\n" });
  const edited = await project.run(["edit", ".env", "--old", "A=1", "--new", "A=2", "--atomic"]);
  const undone = await project.run(["undo", ".env"]);
  expect([edited.code, undone.code]).toEqual([0, 0]);
  for (const { stdout, stderr } of [edited, undone]) expect(stdout + stderr).not.toMatch(/hunter2|A=/);
  expect(edited.stdout).toContain("not shown");
});

describe("move and delete", () => {
  test("change the state that --base names, and undo takes them back", async () => {
    const project = new Project({ "a.txt": poem, "c.txt": "c\n" });
    const base = project.hash("a.txt");
    const moved = await project.run(["move", "a.txt", "sub/b.txt", "--base", base]);
    expect(moved).toMatchObject({ code: 0, stderr: "" });
    expect(moved.stdout).toContain("Renamed from a.txt.");
    expect([project.has("a.txt"), project.text("sub/b.txt")]).toEqual([false, poem]);
    const stale = await project.run(["delete", "sub/b.txt", "--base", project.hash("c.txt")]);
    expect(stale).toMatchObject({ code: 3, stdout: "" });
    expect(stale.stderr).toContain(base);
    expect((await project.run(["move", "c.txt", "sub/b.txt", "--atomic"])).code).toBe(3);
    expect((await project.run(["delete", "sub/b.txt"])).code).toBe(3);
    expect((await project.run(["delete", "sub/b.txt", "--atomic"])).stdout).toContain("File deleted.");
    expect(project.has("sub/b.txt")).toBe(false);
    await project.run(["undo", "sub/b.txt"]);
    await project.run(["undo", "sub/b.txt"]);
    expect(project.text("a.txt")).toBe(poem);
  });
});
