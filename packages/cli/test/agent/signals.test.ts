import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { endProcess } from "../../../../test/end-process.js";
import { Project, program } from "../process.js";

/** Notes its process id and goes on for long. */
const lasting = (name: string, background: boolean) => ({
  calls: [{ name: "run_shell_command", args: { command: `echo $$ > ${name}; exec sleep 300`, background } }],
});

async function until(isSo: () => boolean): Promise<void> {
  for (let waits = 0; !isSo(); waits += 1) {
    if (waits > 1_000) throw new Error("it never came to that");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(process.platform === "win32")("a signal that ends the agent", () => {
  it.each([
    ["SIGHUP", 129],
    ["SIGQUIT", 131],
    ["SIGTERM", 143],
  ] as const)("%s ends its commands, too, with exit code %i", async (signal, exitCode) => {
    const script = [lasting("behind.pid", true), lasting("before.pid", false), { text: "Done." }];
    const project = new Project();
    const outside = new Project({ "script.json": JSON.stringify(script) });
    const flags = ["--script", join(outside.folder, "script.json"), "--approval-mode", "yolo"];
    const child = spawn(process.execPath, [program, "-p", "Go.", ...flags], {
      cwd: project.folder,
      env: {
        PATH: process.env.PATH ?? "",
        HOME: outside.folder,
        HOLDFAST_STATE_DIR: `${outside.folder}/state`,
      },
      stdio: ["ignore", "ignore", "ignore"],
    });
    onTestFinished(() => endProcess(child));
    const names = ["behind.pid", "before.pid"];
    await until(() => names.every((name) => project.has(name) && project.text(name).endsWith("\n")));
    const pids = names.map((name) => Number(project.text(name)));
    onTestFinished(() => {
      for (const pid of pids) if (isThere(pid)) process.kill(pid, "SIGKILL");
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill(signal);
    expect(await ended).toBe(exitCode);
    await until(() => !pids.some(isThere));
  });
});
