import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { endProcess } from "../../../../test/end-process.js";
import { Project, program, runHoldfast } from "../process.js";

const run = (command: string) => ({ calls: [{ name: "run_shell_command", args: { command } }] });

describe.skipIf(process.platform === "win32")("a reader of standard output that goes away", () => {
  it("ends the turn as a cancel does, and the exit code says so", async () => {
    const project = new Project();
    const script = [run("sleep 1"), run("touch later.txt"), { text: "Done." }];
    const outside = new Project({ "script.json": JSON.stringify(script) });
    const env = { HOLDFAST_STATE_DIR: join(outside.folder, "state") };
    const flags = ["--script", join(outside.folder, "script.json"), "--approval-mode", "yolo"];
    const child = spawn(process.execPath, [program, "-p", "Go.", "-o", "stream-json", ...flags], {
      cwd: project.folder,
      env: { PATH: process.env.PATH ?? "", HOME: outside.folder, ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => endProcess(child));
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.stdout.once("data", () => child.stdout.destroy());
    expect(await ended).toBe(141);
    expect(project.has("later.txt")).toBe(false);
    const args = ["-c", "-p", "/history view", ...flags];
    const after = await runHoldfast(args, { cwd: project.folder, env });
    expect(after.code, after.stderr).toBe(0);
    expect(after.stdout).toContain("Go.");
  });

  it("costs a run nothing that has ended", async () => {
    const project = new Project();
    const outside = new Project({ "script.json": JSON.stringify([{ text: "Done." }]) });
    const command = `"$0" "$1" -p Go. --script "${join(outside.folder, "script.json")}" | true; echo "\${PIPESTATUS[0]}"`;
    const child = spawn("bash", ["-c", command, process.execPath, program], {
      cwd: project.folder,
      env: { PATH: process.env.PATH ?? "", HOME: outside.folder },
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => endProcess(child));
    let shown = "";
    child.stdout.on("data", (data) => {
      shown += data;
    });
    await new Promise((resolve) => child.once("close", resolve));
    expect(shown).toBe("0\n");
  });
});
