import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anthropicWire } from "../../../agent/test/loopback/index.js";
import { Project, runHoldfast } from "../process.js";
import { provided } from "./provided.js";

const read = { calls: [{ name: "read_file", args: { file_path: "a.ts" } }] };
const done = { text: "Done." };
const files = { "a.ts": "const one = 1;\n" };

describe("the file of --debug", () => {
  it("that cannot be written is refused before anything is sent", async () => {
    const { run, server } = await provided(anthropicWire, [done], files);
    const ran = await run(["-p", "Go.", "--debug", "no/such/folder/debug.jsonl"]);
    expect(ran.code).toBe(52);
    expect(ran.stderr).toContain("holdfast: The file of --debug cannot be written: ENOENT");
    expect(server.requests).toEqual([]);
  });

  it.runIf(existsSync("/dev/full"))("that gets full is told once, and the turn goes on", async () => {
    const { run } = await provided(anthropicWire, [read, done], files);
    const ran = await run(["-p", "Go.", "--debug", "/dev/full"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(ran.stderr.match(/\/dev\/full ends here, the run goes on: ENOSPC/g)).toHaveLength(1);
  });
});

describe("the file of --record", () => {
  it.skipIf(process.platform === "win32")(
    "that can be written no longer is told once, and the turn goes on",
    async () => {
      const project = new Project(files);
      const command = "rm recording.jsonl && mkdir recording.jsonl";
      const turn = { calls: [{ name: "run_shell_command", args: { command } }] };
      const outside = new Project({ "script.json": JSON.stringify([turn, read, done]) });
      const flags = ["--script", join(outside.folder, "script.json"), "--approval-mode", "yolo"];
      const ran = await runHoldfast(["-p", "Go.", "--record", "recording.jsonl", ...flags], {
        cwd: project.folder,
      });
      expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: "Done.\n" });
      expect(ran.stderr.match(/recording.jsonl ends here, the run goes on: EISDIR/g)).toHaveLength(1);
    },
  );
});
