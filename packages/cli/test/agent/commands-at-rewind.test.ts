import { describe, expect, it } from "vitest";
import { call, done, scripted, shell, write } from "./provided.js";

const yolo = ["--approval-mode", "yolo", "-o", "json"];

describe("what commands changed", () => {
  it("is told where a rewind leaves it, beside what comes back", async () => {
    const at = scripted([done], { files: { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" } });
    await at.run(["-p", "First.", ...yolo]);
    at.play([
      { calls: [write("made.txt", "made\n")] },
      shell("echo more >> a.txt; rm b.txt; echo new > d.txt"),
      { calls: [call("read_file", { file_path: "c.txt" })] },
      shell("echo more >> c.txt"),
      done,
    ]);
    await at.run(["-c", "-p", "Second.", ...yolo]);
    const stay = "3 files were changed by commands and stay: a.txt, b.txt, d.txt.";
    const asked = await at.bare.run(["-c", "-p", "/history rewind"]);
    expect(asked.stdout + asked.stderr).toContain(stay);
    expect(asked.stdout + asked.stderr).toContain(
      "A command of this conversation changed this file since, and no tool did",
    );
    const back = await at.bare.run(["-c", "-p", "/history rewind --files restore --conflicts leave"]);
    expect(back.stdout).toMatch(
      /put back: made\.txt\..* In conflict and left as they are: c\.txt\. 3 files were changed by commands/u,
    );
    expect([at.project.has("made.txt"), at.project.text("d.txt")]).toEqual([false, "new\n"]);
  });

  it("is told where nothing else is different, and of commands that were not looked at", async () => {
    const at = scripted([done], { files: { "a.txt": "a\n" } });
    await at.run(["-p", "First.", ...yolo]);
    at.play([
      shell("echo more >> a.txt"),
      shell("sleep 0.1; echo x > b.txt; sleep 5", { background: true }),
      done,
    ]);
    await at.run(["-c", "-p", "Second.", ...yolo]);
    const { stdout } = await at.bare.run(["-c", "-p", "/history rewind"]);
    expect(stdout).toContain(
      "1 file was changed by commands and stays: a.txt. What 1 command changed was not looked at.",
    );
  });

  it("is told of a command in the background once it has ended, but for what the session itself wrote", async () => {
    const at = scripted([done], { files: { "a.txt": "a\n" } });
    await at.run(["-p", "First.", ...yolo]);
    at.play([
      shell("sleep 2; echo x > b.txt", { background: true }),
      { calls: [call("write_file", { file_path: "c.txt", content: "mine" })] },
      { calls: [call("read_output", { id: "c1", until_end: true, wait_seconds: 60 })] },
      done,
    ]);
    await at.run(["-c", "-p", "Second.", ...yolo]);
    const { stdout, stderr } = await at.bare.run(["-c", "-p", "/history rewind"]);
    expect(stdout + stderr).toContain("1 file was changed by commands and stays: b.txt.");
    expect(stdout + stderr).not.toContain("not looked at");
  });

  it("says nothing where commands changed nothing", async () => {
    const at = scripted([done], { files: { "a.txt": "a\n" } });
    await at.run(["-p", "First.", ...yolo]);
    at.play([shell("cat a.txt"), done]);
    await at.run(["-c", "-p", "Second.", ...yolo]);
    expect((await at.bare.run(["-c", "-p", "/history rewind"])).stdout).not.toContain("command");
  });
});
