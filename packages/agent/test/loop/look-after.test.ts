import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { lookAfterOf } from "../../src/loop/look-after.js";
import { openStage, type Stage } from "./stage.js";

let stage: Stage;
afterEach(() => stage.close());

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");
const shortHash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** A conversation that has read these files. */
async function having(files: Readonly<Record<string, string>>) {
  const calls = Object.keys(files).map((path) => ({ name: "read_file", args: { file_path: path } }));
  stage = await openStage([{ calls }, { text: "Read." }], {}, files);
  await stage.turn("Read them.");
  return lookAfterOf(stage.manager, stage.workspace);
}

describe("after a command", () => {
  it("nothing is said where nothing that is known has changed", async () => {
    const look = await having({ "a.txt": "one\n" });
    stage.write("made.txt", "new\n");
    expect(await look()).toEqual({ text: "", files: [] });
  });

  it("the model is told which files changed, with their states and a short difference, once", async () => {
    const look = await having({ "a.txt": "one\ntwo\n", "b.txt": "b\n", "same.txt": "same\n" });
    stage.write("a.txt", "one\n2\n");
    rmSync(join(stage.root, "b.txt"));
    const { text, files } = await look();
    expect(text.split("\n").slice(1)).toEqual([
      `- a.txt: another state, sha256 ${shortHash("one\n2\n")}…`,
      "- b.txt: it is not there any more",
      "a.txt:",
      expect.stringMatching(/^ {4}@@ /),
      expect.stringMatching(/^ {5}one/),
      "    -two",
      "    +2",
    ]);
    expect(files.map(({ path, by }) => `${path} ${by}`)).toEqual(["a.txt seen", "b.txt seen"]);
    expect(await look()).toEqual({ text: "", files: [] });
  });

  it("a long difference is left out, and so is that of a file that may hold secrets", async () => {
    const look = await having({ "long.txt": lines(100), ".env": "TOKEN=old\n", "short.txt": "a\n" });
    stage.write("long.txt", lines(100).replaceAll("line", "row"));
    stage.write(".env", "TOKEN=new\n");
    stage.write("short.txt", "b\n");
    const { text } = await look();
    expect(text).toContain("- long.txt: another state");
    expect(text).not.toContain("row 1");
    expect(text).toContain("- .env: another state");
    expect(text).not.toContain("TOKEN");
    expect(text).toContain("    +b");
  });

  it("no line of a file passes for one of ours", async () => {
    const look = await having({ "a.txt": "one\n" });
    stage.write("a.txt", "one\n- b.txt: it is not there any more\n");
    const { text } = await look();
    expect(text.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(1);
  });
});
