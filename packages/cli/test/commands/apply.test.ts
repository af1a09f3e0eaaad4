import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { has } from "../../../../test/tools.js";
import { Project, program, sha256 } from "../process.js";

const poem = "one\ntwo\nthree\n";
const done = "one\nTWO\nthree\n";
const update = (path: string) => `--- a/${path}\n+++ b/${path}\n@@ -9,3 +9,3 @@\n one\n-two\n+TWO\n three\n`;
const removal = (path: string) => `--- a/${path}\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n`;
const creation = "--- /dev/null\n+++ b/new/d.txt\n@@ -0,0 +1 @@\n+new\n";
const renaming = (path: string, to: string) =>
  `diff --git a/${path} b/${to}\nsimilarity index 100%\nrename from ${path}\nrename to ${to}\n`;

const diff = update("a.txt") + removal("b.txt") + creation + renaming("c.txt", "moved.txt");
const files = { "a.txt": poem, "b.txt": poem, "c.txt": poem, "all.diff": diff };
const bases = ["a.txt", "b.txt", "c.txt"].flatMap((path) => ["--base", `${path}=${sha256(poem)}`]);

function expectDone(project: Project): void {
  expect(project.text("a.txt")).toBe(done);
  expect(project.has("b.txt")).toBe(false);
  expect(project.has("c.txt")).toBe(false);
  expect(project.text("moved.txt")).toBe(poem);
  expect(project.text("new/d.txt")).toBe("new\n");
}

function expectUntouched(project: Project): void {
  for (const path of ["a.txt", "b.txt", "c.txt"]) expect(project.text(path)).toBe(poem);
  expect(project.has("new/d.txt")).toBe(false);
}

describe("apply", () => {
  test.each([
    { how: "a base for each file", args: ["all.diff", ...bases] },
    { how: "short bases and another spelling", args: ["all.diff", ...bases.map(shorten)] },
    { how: "--atomic", args: ["all.diff", "--atomic"] },
    { how: "one base, the others --atomic", args: ["all.diff", ...bases.slice(0, 2), "--atomic"] },
  ])("changes, deletes, renames and creates together: $how", async ({ args }) => {
    const project = new Project(files);
    const run = await project.run(["apply", ...args]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expectDone(project);
    expect(run.stdout).toMatch(/^\+TWO$/m);
    expect(run.stdout).toContain("b.txt  does not exist\n");
    expect(run.stdout).toContain(`moved.txt  sha256 ${sha256(poem)}\n`);
    expect(run.stdout).toMatch(/Change set applied: .*a\.txt.*new\/d\.txt/);
  });

  test("the diff comes from standard input, and the same call again is already applied", async () => {
    const project = new Project(files);
    expect(await project.run(["apply", ...bases], { input: diff })).toMatchObject({ code: 0 });
    const again = await project.run(["apply", "-", ...bases, "--json"], { input: diff });
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ success: true, code: "already_applied" });
    expectDone(project);
  });

  test("one stale base refuses all, names the file, and --json brings its fresh state", async () => {
    const project = new Project(files);
    await project.run(["read", "a.txt"]);
    await project.run(["write", "a.txt", "--atomic"], { input: "one\nsomebody else\nthree\n" });
    const plain = await project.run(["apply", "all.diff", ...bases]);
    expect(plain).toMatchObject({ code: 3, stdout: "" });
    expect(plain.stderr).toMatch(/^a\.txt\nholdfast: state_mismatch: /);
    expect(plain.stderr).toMatch(/^Nothing was written: /m);
    expect(plain.stderr).not.toContain("c.txt");
    const json = await project.run(["apply", "all.diff", ...bases, "--json"]);
    expect(json).toMatchObject({ code: 3, stderr: "" });
    const answer = JSON.parse(json.stdout);
    expect(answer).toMatchObject({ success: false, code: "state_mismatch" });
    const states = answer.changes.map((change: { code: string }) => change.code);
    expect(states).toContain("state_mismatch");
    expect(states).toContain("not_applied");
    expect(JSON.stringify(answer)).toContain("somebody else");
    project.put("a.txt", poem);
    expectUntouched(project);
  });

  const refused = [
    { code: 3, says: "missing_base", args: [], input: diff },
    { code: 3, says: "unknown_base", args: ["--atomic", "--base", `a.txt=${"1".repeat(64)}`], input: diff },
    { code: 3, says: "file_missing", args: ["nope.diff"], input: "" },
    { code: 3, says: "exists", args: ["--atomic"], input: update("a.txt") + renaming("c.txt", "all.diff") },
    { code: 4, says: "invalid_diff", args: ["--atomic"], input: update("a.txt").replace("-two", "-2") },
    { code: 4, says: "invalid_diff", args: ["--atomic"], input: "please" },
    {
      code: 4,
      says: 'names "x.txt", which the diff does not change',
      args: ["--base", `x.txt=${"1".repeat(64)}`],
      input: diff,
    },
    { code: 4, says: "invalid_hash", args: ["--atomic", "--base", "a.txt=yesterday"], input: diff },
    { code: 5, says: "outside_workspace", args: ["--atomic"], input: update("../x.txt") + diff },
  ];
  test.each(refused)("$code: $says ($args)", async ({ code, says, args, input }) => {
    const project = new Project(files);
    const run = await project.run(["apply", ...args], { input });
    expect(run.stderr).toContain(says);
    expect(run).toMatchObject({ code, stdout: "" });
    expectUntouched(project);
  });

  test.each([
    { says: "PATH=SHA256", given: ["--base", "a.txt"] },
    { says: "PATH=SHA256", given: ["--base", "a.txt="] },
    { says: "twice", given: [...bases, "--base", `./a.txt=${sha256(poem)}`] },
  ])("2: a base that says nothing ($given)", async ({ says, given }) => {
    const project = new Project(files);
    const run = await project.run(["apply", "all.diff", ...given]);
    expect(run.stderr).toContain(says);
    expect(run.code).toBe(2);
    expectUntouched(project);
  });

  const mode = (path: string) => `diff --git a/${path} b/${path}\nold mode 100644\nnew mode 100755\n`;
  const special = (kind: string) =>
    `diff --git a/x b/x\nnew file mode ${kind}\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a.txt\n`;
  test.each([
    { what: "a mode alone", input: mode("a.txt"), says: 'gives "a.txt" the mode 100755' },
    {
      what: "a mode beside lines",
      input: mode("a.txt") + update("a.txt"),
      says: "Say with --modes or --no-modes",
    },
    {
      what: "a mode beside a rename",
      input: renaming("a.txt", "moved.txt").replace(/^similarity/m, "old mode 100644\nnew mode 100755\n$&"),
      says: 'gives "a.txt" the mode',
    },
    { what: "a link", input: special("120000"), says: '"x" is about a symbolic link' },
    { what: "a submodule", input: special("160000"), says: '"x" is about a submodule' },
  ])("what a git diff asks for and is not done refuses all of it: $what", async ({ input, says }) => {
    const project = new Project(files);
    const run = await project.run(["apply", "--atomic"], { input: update("b.txt") + input });
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(run.stderr).toContain(says);
    expectUntouched(project);
    expect(project.has("x")).toBe(false);
  });

  test.each([
    { flag: "--modes", can: true, says: "It may be run now (mode 100755)" },
    { flag: "--no-modes", can: false, says: "Left out: the mode 100755 of a.txt" },
  ])("the mode of a file that exists, with $flag", async ({ flag, can, says }) => {
    const project = new Project(files);
    const run = await project.run(["apply", "--atomic", flag], { input: mode("a.txt") + update("a.txt") });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain(says);
    expect((statSync(join(project.folder, "a.txt")).mode & 0o111) !== 0).toBe(can);
    expect(await project.run(["undo", "a.txt"])).toMatchObject({ code: 0 });
    expectUntouched(project);
    expect(statSync(join(project.folder, "a.txt")).mode & 0o111).toBe(0);
  });

  test("a new file that the diff makes executable is, as far as the umask lets it", async () => {
    const project = new Project(files);
    const input = special("100755") + creation;
    expect(await project.run(["apply"], { input })).toMatchObject({ code: 0, stderr: "" });
    const modes = ["x", "new/d.txt"].map((path) => statSync(join(project.folder, path)).mode & 0o777);
    expect(modes).toEqual([0o777 & ~process.umask(), 0o666 & ~process.umask()]);
    expect((await project.run(["apply"], { input })).stdout).toContain("may be run was not looked at");
    project.put("x", "");
    expect((await project.run(["apply"], { input })).stdout).toContain("the mode is not changed to 100755");
  });

  const bom = "\ufeff";
  const first = (from: string, to: string, end = "\n") =>
    `--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-${from}${end}+${to}${end} two${end}`;
  test.each([
    { what: "goes", before: `${bom}one`, after: "one" },
    { what: "comes", before: "one", after: `${bom}one` },
    { what: "stays before another line", before: `${bom}one`, after: `${bom}ONE` },
    { what: "goes with its line", before: `${bom}one`, after: "ONE" },
    { what: "stands alone in its line", before: bom, after: `${bom}ONE` },
    { what: "stands twice", before: bom + bom, after: bom },
    { what: "goes with the file", before: `${bom}one`, after: undefined },
  ])("a byte order mark that the diff shows $what, as with git apply", async ({ before, after }) => {
    for (const end of ["\n", "\r\n"]) {
      const project = new Project({ "a.txt": `${before}${end}two${end}` });
      const input =
        after === undefined
          ? `--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-${before}${end}-two${end}`
          : first(before, after, end);
      expect(await project.run(["apply", "--atomic"], { input })).toMatchObject({ code: 0, stderr: "" });
      if (after === undefined) expect(project.has("a.txt")).toBe(false);
      else expect(project.text("a.txt")).toBe(`${after}${end}two${end}`);
    }
  });

  test("a diff that shows no mark leaves the one of the file, and none is put before it", async () => {
    const project = new Project({ "a.txt": `${bom}one\ntwo\n` });
    const run = (input: string) => project.run(["apply", "--atomic"], { input });
    expect(await run(first("one", `${bom}one`))).toMatchObject({ code: 0 });
    expect(project.text("a.txt")).toBe(`${bom}one\ntwo\n`);
    expect(await run(first("one", "ONE"))).toMatchObject({ code: 0 });
    expect(project.text("a.txt")).toBe(`${bom}ONE\ntwo\n`);
  });

  test("a name with blanks at its ends is that name, as with git apply", async () => {
    const header = (name: string) => `diff --git a/${name} b/${name}\n`;
    const project = new Project({ "t ": "1\n", t: "1\n", " u": "1\n" });
    const run = (input: string) => project.run(["apply", "--atomic"], { input });
    const gone = `${header("t ")}deleted file mode 100644\n--- a/t \t\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n`;
    expect(await run(gone)).toMatchObject({ code: 0 });
    expect([project.has("t "), project.text("t")]).toEqual([false, "1\n"]);
    const moved = `diff --git a/ u b/v \nsimilarity index 100%\nrename from  u\nrename to v \n`;
    expect(await run(moved)).toMatchObject({ code: 0 });
    expect([project.has(" u"), project.text("v ")]).toEqual([false, "1\n"]);
  });

  test("a diff that is no UTF-8 is taken byte by byte, and one in UTF-8 in the file's encoding", async () => {
    const latin = (text: string) => Buffer.from(text, "latin1");
    const lines = update("t").replaceAll("two", "gr\u00fc\u00df").replace("TWO", "\u00c4");
    const [before, after] = ["one\ngr\u00fc\u00df\nthree\n", "one\n\u00c4\nthree\n"].map(latin);
    const project = new Project({ t: before ?? "", "latin.diff": latin(lines), "utf8.diff": lines });
    for (const way of [
      ["apply", "--atomic"],
      ["patch", "t", "--atomic"],
    ]) {
      expect(await project.run([...way, "latin.diff"])).toMatchObject({ code: 0 });
      expect(project.bytes("t")).toEqual(after);
      project.put("t", before ?? "");
    }
    const args = ["patch", "t", "--encoding", "ISO-8859-1", "--atomic", "utf8.diff"];
    expect(await project.run(args)).toMatchObject({ code: 0 });
    expect(project.bytes("t")).toEqual(after);
  });

  test("a file in an encoding that is guessed or not known is changed, and deleted, in the one that is named", async () => {
    const latin = (text: string) => Buffer.from(text, "latin1");
    const lines = "gr\u00fc\u00df\n";
    const project = new Project({ t: latin(`one\n${lines}three\n`), gone: latin(lines) });
    const removed = `--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-${lines}`;
    const input = update("t").replaceAll("two\n", lines).replace("TWO", "\u00c4") + removed;
    const wrong = await project.run(["apply", "--atomic", "--encoding", "utf-8"], { input });
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain("undecodable");
    const args = ["apply", "--atomic", "--encoding", "ISO-8859-1"];
    expect(await project.run(args, { input })).toMatchObject({ code: 0 });
    expect(project.bytes("t")).toEqual(latin("one\n\u00c4\nthree\n"));
    expect(project.has("gone")).toBe(false);
  });

  describe("each part is carried out, or the whole is refused by the part's name", () => {
    const blob = spawnSync("git", ["hash-object", "--stdin"], { input: poem }).stdout.toString().slice(0, 7);
    const part = (name: string, ...more: string[]) =>
      [`diff --git a/${name} b/${name}`, ...more, ""].join("\n");
    const goes = (id: string) => part("b.txt", "deleted file mode 100644", `index ${id}..0000000`);
    const comes = (id: string) =>
      part("new.txt", "new file mode 100644", `index 0000000..${id}`, "--- /dev/null") +
      `+++ b/new.txt\n@@ -0,0 +1,3 @@\n${poem.replace(/^(?=.)/gm, "+")}`;
    test.each([
      ["headers and a line index", part("b.txt", "index 1234567..89abcde 100644"), "b.txt"],
      ["--- and +++ alone", "--- a/b.txt\n+++ b/b.txt\n", "b.txt"],
      ["a hunk without lines", "--- a/b.txt\n+++ b/b.txt\n@@ -1,3 +1,3 @@\n", "b.txt"],
      ["an Index line alone", `Index: b.txt\n${"=".repeat(67)}\n`, "b.txt"],
      ["a command of diff alone", "diff -ru a/b.txt b/b.txt\n", "b.txt"],
      ["a rename of 80 % without its lines", renaming("b.txt", "d.txt").replace("100%", "80%"), "d.txt"],
      [
        "a new file whose name of its content tells of more",
        part("n", "new file mode 100644", "index 0000000..1234567"),
        "n",
      ],
      ["a deletion without lines of another content", goes("1234567"), "index"],
      ["a new file with lines that are not all", comes("1234567"), "index"],
      [
        "a binary file",
        part("b.txt", "index 1234567..89abcde", "GIT binary patch", "literal 1", "IcmZPo000310RR91", ""),
        "nothing proves them",
      ],
    ])("refused: %s", async (_, lost, name) => {
      for (const input of [update("a.txt") + lost, lost + update("a.txt")]) {
        const project = new Project(files);
        const run = await project.run(["apply", "--atomic"], { input });
        expect(run).toMatchObject({ stdout: "" });
        expect(run.code).not.toBe(0);
        expect(run.stderr).toContain(name);
        expectUntouched(project);
      }
    });
    test.each([
      ["git's deletion without lines, by the name of the content", goes(blob), { "b.txt": undefined }],
      ["git's new file with the name of its content", comes(blob), { "new.txt": poem }],
      [
        "GNU diff's deletion by the beginning of 1970, whatever the zone",
        `diff -ruN a/b.txt b/b.txt\n${removal("b.txt").replace("+++ /dev/null", "+++ b/b.txt\t1970-01-01 05:30:00.000000000 +0530")}`,
        { "b.txt": undefined },
      ],
      [
        "Subversion's deletion",
        `Index: b.txt\n${"=".repeat(67)}\n${removal("b.txt").replace("a/b.txt", "b.txt\t(revision 3)").replace("/dev/null", "b.txt\t(nonexistent)")}`,
        { "b.txt": undefined },
      ],
      [
        "a signature, whatever it says",
        `${update("b.txt").replace(/-9/, "-1")}-- \nAnn\n+49 30\n`,
        { "b.txt": done },
      ],
    ])("carried out: %s", async (_, input, made) => {
      const project = new Project(files);
      expect(await project.run(["apply", "--atomic"], { input })).toMatchObject({ code: 0 });
      for (const [name, text] of Object.entries(made))
        if (text === undefined) expect(project.has(name)).toBe(false);
        else expect(project.text(name)).toBe(text);
    });
  });

  test("-p takes so many folders off, and text around a diff is named", async () => {
    const project = new Project({ "d/a.txt": poem });
    const input = `Why it is so.\n${update("x/d/a.txt")}`;
    expect((await project.run(["apply", "--atomic"], { input })).code).not.toBe(0);
    const run = await project.run(["apply", "--atomic", "-p", "2"], { input });
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toContain('1 line around the diff, "Why it is so."');
    expect(project.text("d/a.txt")).toBe(done);
  });

  test("a name may hold the sign that parts it from its hash", async () => {
    const project = new Project({ "k=v.txt": poem });
    const args = ["apply", "--base", `k=v.txt=${sha256(poem)}`];
    expect(await project.run(args, { input: update("k=v.txt") })).toMatchObject({ code: 0 });
    expect(project.text("k=v.txt")).toBe(done);
  });

  test("--atomic creates no file over another", async () => {
    const project = new Project({ "new/d.txt": "somebody's\n" });
    const run = await project.run(["apply", "--atomic"], { input: creation });
    expect(run.code).toBe(3);
    expect(project.text("new/d.txt")).toBe("somebody's\n");
  });

  test("log shows what was written together, and undo takes all of it back", async () => {
    const project = new Project(files);
    await project.run(["apply", "all.diff", ...bases]);
    const log = async (path: string) =>
      JSON.parse((await project.run(["log", path, "--json"])).stdout).entries;
    const [entry] = await log("a.txt");
    const [other] = await log("moved.txt");
    expect(entry.change_set).toMatch(/^\w{20,}$/);
    expect(other.change_set).toBe(entry.change_set);
    const table = await project.run(["log", "a.txt"]);
    expect(table.stdout).toContain(`holdfast apply (set ${entry.change_set.slice(0, 8)})`);
    expect(await project.run(["undo", "a.txt"])).toMatchObject({ code: 0 });
    expectUntouched(project);
  });

  test.runIf(has("strace"))(
    "what a killed change set left is settled, and told on standard error",
    async () => {
      const project = new Project(files);
      killInTheMiddle(project);
      project.put("new/d.txt", "somebody wrote here meanwhile\n");
      const run = await project.run(["read", "a.txt", "--state-dir", stateOf(project)]);
      expect(run).toMatchObject({ code: 0, stdout: poem });
      expect(run.stderr).toContain("holdfast: Took back 1 change set that was interrupted");
      const left = join(project.folder, "new/d.txt");
      expect(run.stderr).toContain(
        `holdfast: Left alone, because somebody else wrote it meanwhile: ${left}\n`,
      );
      expect(project.text("new/d.txt")).toBe("somebody wrote here meanwhile\n");
    },
  );
});

/** Kills `apply` at its renames, one later each time, until it has taken a step and not all of them. */
function killInTheMiddle(project: Project): void {
  for (let when = 1; when <= 20 && !project.has("new/d.txt"); when++) {
    const kill = `inject=rename,renameat,renameat2:signal=KILL:when=${when}`;
    const command = [process.execPath, program, "apply", "all.diff", "--atomic"];
    const args = ["-f", "-qq", "-o", "/dev/null", "-e", kill, ...command, "--state-dir", stateOf(project)];
    spawnSync("strace", args, { cwd: project.folder });
  }
  // Had it taken all of them, nothing would be left to take back.
  expect(project.text("new/d.txt")).toBe("new\n");
}

function stateOf(project: Project): string {
  return join(project.folder, ".state");
}

function shorten(word: string): string {
  return word.startsWith("--") ? word : `./${word.slice(0, word.indexOf("=") + 13)}`;
}
