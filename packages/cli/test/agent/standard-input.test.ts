import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { endProcess } from "../../../../test/end-process.js";
import { Project, program, runHoldfast } from "../process.js";

function scripted(answer: object) {
  const project = new Project();
  const outside = new Project({ "script.json": JSON.stringify([answer]) });
  const script = ["--script", join(outside.folder, "script.json")];
  const env = { HOLDFAST_STATE_DIR: join(outside.folder, "state"), HOME: outside.folder };
  return { project, script, env };
}

/** Starts the program beside a pipe that stays open. */
function beside(args: readonly string[], { project, script, env }: ReturnType<typeof scripted>) {
  const child = spawn(process.execPath, [program, ...args, ...script], {
    cwd: project.folder,
    env: { PATH: process.env.PATH ?? "", ...env },
  });
  onTestFinished(() => endProcess(child));
  const told = { stdout: "", stderr: "" };
  child.stdout.on("data", (data) => {
    told.stdout += data;
  });
  child.stderr.on("data", (data) => {
    told.stderr += data;
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  return { child, told, ended };
}

describe("standard input beside a prompt", () => {
  it("that stays open and silent is not waited for", async () => {
    const { told, ended } = beside(["-p", "Go."], scripted({ text: "Done." }));
    expect(await ended).toBe(0);
    expect(told).toEqual({
      stdout: "Done.\n",
      stderr: "Nothing came by standard input within 3 s: the prompt stands alone.\n",
    });
  });

  it("that begins late is waited for to its end", async () => {
    const answer = { text: "Done.", expects: ["one two\n\nGo."] };
    const { child, told, ended } = beside(["-p", "Go."], scripted(answer));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    child.stdin.write("one ");
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    child.stdin.end("two");
    expect(await ended).toBe(0);
    expect(told).toEqual({ stdout: "Done.\n", stderr: "" });
  });
});

describe("an empty prompt", () => {
  it.each(["json", "stream-json"])("is an object of -o %s, too", async (format) => {
    const { project, script, env } = scripted({ text: "Done." });
    const ran = await runHoldfast(["-p", " ", "-o", format, ...script], { cwd: project.folder, env });
    expect(ran.code).toBe(42);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      status: "error",
      exit_code: 42,
      error: { message: "there is nothing to do: the prompt is empty." },
    });
    expect(ran.stderr).toBe("holdfast: there is nothing to do: the prompt is empty.\n");
  });
});
