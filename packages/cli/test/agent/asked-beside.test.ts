import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { afterThisFile } from "../../../../test/cleanups.js";
import { endProcess } from "../../../../test/end-process.js";
import { program } from "../process.js";
import { done, type Scripted, scripted, shell, write } from "./provided.js";
import { seenOf } from "./terminal.js";

const writing = (...names: readonly string[]) => ({ calls: names.map((name) => write(name, `${name}\n`)) });

/** `holdfast -p` in a pseudo terminal; `behind` goes after its command line. */
function asking({ project, home, env }: Scripted, args: readonly string[], behind = "") {
  const words = [
    process.execPath,
    program,
    "-p",
    "Go.",
    "--script",
    join(home.folder, "script.json"),
    ...args,
  ];
  const line = `${words.map((word) => `'${word}'`).join(" ")}${behind}`;
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    cwd: project.folder,
    env: { PATH: process.env.PATH ?? "", TERM: "xterm", ...env },
  });
  afterThisFile(() => endProcess(child));
  return seenOf(child);
}

describe.runIf(process.platform === "linux")("one prompt in a terminal", () => {
  it("asks, and does what a person allows", async () => {
    const at = scripted([writing("a.txt"), shell("npm test -- a"), done]);
    const seen = asking(at, []);
    await seen.until("--- a.txt");
    await seen.until("[y]es, [n]o");
    seen.type("y");
    await seen.until("run_shell_command: npm test -- a");
    await seen.until("It runs outside the sandbox.");
    await seen.until("[a]lways (npm test …, in this session), always [e]xactly this: ");
    seen.type("not now");
    await seen.until("Not done: run_shell_command (denied).");
    expect(await seen.ended).toBe(64);
    expect(at.project.has("a.txt")).toBe(true);
  });

  it("takes nothing as an answer that was typed before the question", async () => {
    const at = scripted([shell("sleep 2; echo slept > slept.txt"), writing("a.txt"), done]);
    const rules = [{ tool: "run_shell_command", decision: "allow" }];
    at.home.put("settings.jsonc", JSON.stringify({ approval: { rules } }));
    const seen = asking(at, []);
    await new Promise((resolve) => setTimeout(resolve, 500));
    seen.type("y");
    await seen.until("Do it? [y]es");
    // What was typed is dropped within this time; the question stays open.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(at.project.has("a.txt")).toBe(false);
    seen.type("n");
    expect(await seen.ended).toBe(64);
    expect(at.project.has("a.txt")).toBe(false);
  });

  it("is cancelled by Ctrl-C in a question", async () => {
    const at = scripted([writing("a.txt"), done]);
    const seen = asking(at, []);
    await seen.until("Do it? [y]es");
    seen.press("\u0003");
    expect(await seen.ended).toBe(130);
    expect(at.project.has("a.txt")).toBe(false);
  });

  it.each([
    ["for JSON", ["-o", "json"], ""],
    ["where nobody sees the question", [], " 2>errors.txt"],
    ["without a terminal for the answer", [], " </dev/null"],
  ])("asks nobody %s", async (_, args, behind) => {
    const at = scripted([writing("a.txt"), done]);
    const seen = asking(at, args, behind);
    expect(await seen.ended).toBe(64);
    expect(seen.text()).not.toContain("Do it?");
    expect(at.project.has("a.txt")).toBe(false);
  });
});
