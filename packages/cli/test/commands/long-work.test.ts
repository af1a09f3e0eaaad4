import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { endProcess } from "../../../../test/end-process.js";
import { Project, program } from "../process.js";

const entries = 300_000;

/** A session of pi that takes long to be read. */
function largeSession(project: Project): string {
  const lines = [JSON.stringify({ type: "session", version: 3, id: "large", cwd: "/" })];
  for (let at = 0; at < entries; at++) {
    const message = { role: "user", content: `words of turn ${at}` };
    lines.push(
      JSON.stringify({ type: "message", id: `e${at}`, parentId: at === 0 ? null : `e${at - 1}`, message }),
    );
  }
  const file = join(project.folder, "large.jsonl");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

function ended(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  onTestFinished(() => endProcess(child));
  return new Promise((resolve) => child.on("close", resolve));
}

/** Everything that is kept of sessions, half or whole. */
function kept(stateDir: string): readonly string[] {
  const folder = join(stateDir, "conversations");
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
}

describe.runIf(process.platform === "linux")("a large import", () => {
  test("shows on a terminal how far it is; Ctrl-C ends it, and nothing stands half done", async () => {
    const project = new Project();
    const stateDir = join(project.folder, "state");
    const command = [
      process.execPath,
      program,
      "sessions",
      "import",
      largeSession(project),
      "--state-dir",
      stateDir,
    ];
    const child = spawn("script", ["-qec", command.map((part) => `'${part}'`).join(" "), "/dev/null"], {
      env: { PATH: process.env.PATH ?? "", HOME: project.folder, TERM: "xterm" },
    });
    const code = ended(child);
    let shown = "";
    let isAsked = false;
    child.stdout.on("data", (part: Buffer) => {
      shown += part.toString();
      if (isAsked || !shown.includes("Importing: ")) return;
      isAsked = true;
      // As a person's key: the terminal makes a signal of it.
      child.stdin.write("\u0003");
    });
    expect(await code).toBe(130);
    const cleared = "\r\u001b[K";
    expect(shown).toContain(`${cleared}Importing: `);
    // The line is cleared before the last word.
    const word = "Interrupted: nothing was imported, and the sessions stand as they were.\r\n";
    expect(shown.endsWith(`${cleared}${word}`)).toBe(true);
    expect(kept(stateDir)).toEqual([]);
    const listed = await project.run(["sessions", "list", "--json", "--state-dir", stateDir]);
    expect(JSON.parse(listed.stdout)).toMatchObject({ success: true, sessions: [] });
  });

  test("shows nothing to a pipe, and is ended there likewise", async () => {
    const project = new Project();
    const stateDir = join(project.folder, "state");
    const args = [program, "sessions", "import", "-", "--state-dir", stateDir];
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH ?? "", HOME: project.folder },
    });
    const code = ended(child);
    let told = "";
    child.stderr.on("data", (part: Buffer) => {
      told += part.toString();
    });
    // More than a pipe holds: when it is taken, the program is reading.
    const half = readFileSync(largeSession(project)).subarray(0, 10_000_000);
    await new Promise((taken) => child.stdin.write(half, taken));
    child.kill("SIGINT");
    expect(await code).toBe(130);
    expect(told).toBe("Interrupted: nothing was imported, and the sessions stand as they were.\n");
    expect(kept(stateDir)).toEqual([]);
  });
});
