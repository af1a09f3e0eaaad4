import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Project } from "../process.js";

/** Refusals and tables say what is true of the very command that was given. */
describe("what a command says", () => {
  it("of a deletion or a move without a base names that act, and no tool that could not do it", async () => {
    const project = new Project({ "a.txt": "one\n" });
    for (const [args, act] of [
      [["delete", "a.txt"], "deleted"],
      [["move", "a.txt", "b.txt"], "moved"],
    ] as const) {
      const { code, stderr } = await project.run(args);
      expect(code).toBe(3);
      expect(stderr).toContain(`must name the state that is to be ${act} (--atomic`);
      expect(stderr).not.toContain("no read");
    }
    const written = await project.run(["patch", "a.txt"], { input: "@@\n-one\n+two\n" });
    expect(written.stderr).toContain("must name the state that is to be replaced");
    expect(written.stderr).toContain("need no read.");
  });

  it("of a state that is no hash speaks of a state, and not of a base", async () => {
    const project = new Project({ "a.txt": "one\n" });
    const { code, stderr } = await project.run(["restore", "a.txt@deadbeef"]);
    expect(code).toBe(4);
    expect(stderr).toContain(
      "A state is named by its sha256: 64 hexadecimal digits, or at least the first 12.",
    );
    expect(stderr).toContain("`holdfast log` lists those of the file.");
    expect(stderr).not.toContain("base");
  });

  it("of an undo speaks of the write that it would take back, and of a file that is gone", async () => {
    const project = new Project();
    await project.run(["write", "a.txt"], { input: "one\n" });
    project.put("a.txt", "two\n");
    const changed = await project.run(["undo", "a.txt"]);
    expect(changed.code).toBe(3);
    expect(changed.stderr).toContain("The file has changed on disk since the last write (");
    unlinkSync(join(project.folder, "a.txt"));
    const gone = await project.run(["undo", "a.txt"]);
    expect(gone.code).toBe(3);
    expect(gone.stderr).toContain("The file is gone: somebody deleted or moved it since the last write (");
    expect(changed.stderr + gone.stderr).not.toContain("last read");
  });

  it("of a log marks one row as the present state", async () => {
    const project = new Project();
    for (const input of ["one\n", "two\n"]) await project.run(["write", "a.txt", "--atomic"], { input });
    await project.run(["undo", "a.txt"]);
    const { stdout } = await project.run(["log", "a.txt"]);
    const rows = stdout.trimEnd().split("\n");
    expect(rows).toHaveLength(3);
    expect(rows.map((row) => row.endsWith("* now"))).toEqual([true, false, false]);
  });

  it("of a text in the place of a file says that a file is meant, and so does the help", async () => {
    const project = new Project();
    const { code, stderr } = await project.run(["write", "a.txt", "some text"]);
    expect(code).toBe(3);
    expect(stderr).toContain(
      'There is no input file "some text": this is the name of a file; without one standard input is read.',
    );
    for (const command of ["write", "append", "prepend", "insert", "section"])
      expect((await project.run([command, "--help"])).stdout).toContain("[content-file]");
  });

  it("of a change set that was refused counts its files", async () => {
    const project = new Project({ "a.txt": "one\n", "b.txt": "two\n" });
    const input = "--- a/a.txt\n+++ b/a.txt\n@@\n-one\n+1\n--- a/b.txt\n+++ b/b.txt\n@@\n-none\n+2\n";
    const { stderr } = await project.run(["apply"], { input });
    expect(stderr).toContain("Nothing was written: the 2 files stay as they are.\n");
  });

  it("of a base that is unknown knows of no session", async () => {
    const project = new Project({ "a.txt": "one\n" });
    const args = ["patch", "a.txt", "--base", "0123456789abcdef"];
    const { code, stderr } = await project.run(args, { input: "@@\n-one\n+two\n" });
    expect(code).toBe(3);
    expect(stderr).toContain("it is no earlier state of this file that is known here: a typo,");
    expect(stderr).not.toContain("session");
  });
});
