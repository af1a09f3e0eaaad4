import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Project, program, runHoldfast } from "../process.js";

/**
 * The agent is killed at any moment of a turn and started again: files and conversation agree, nothing that was written
 * is unknown to it, nothing is written twice. `HOLDFAST_AGENT_KILLS=200` makes it a long run.
 */
const kills = Number(process.env.HOLDFAST_AGENT_KILLS ?? 8);

const append = (line: string) => ({
  name: "append_to_file",
  args: { file_path: "log.txt", content: `${line}\n` },
});
const write = (name: string) => ({ name: "write_file", args: { file_path: name, content: `${name}\n` } });
const edit = (from: string, to: string) => ({
  name: "edit_file",
  args: {
    file_path: "a.ts",
    base_content_sha256: "{{sha256:a.ts}}",
    edits: [{ old_string: from, new_string: to }],
  },
});
const delayMs = 15;
const script = [
  { delayMs, calls: [{ name: "read_file", args: { file_path: "a.ts" } }, append("one")] },
  { delayMs, thought: "Hm.", calls: [edit("v0", "v1"), write("new.ts"), append("two")] },
  { delayMs, calls: [{ name: "run_shell_command", args: { command: "echo shell >> shell.txt" } }] },
  { delayMs, calls: [append("three"), edit("v1", "v2")] },
  { delayMs, text: "Done." },
];
const lines = ["", "one\n", "one\ntwo\n", "one\ntwo\nthree\n"];
const versions = ["v0", "v1", "v2"].map((version) => `const a = "${version}";\n`);

/** @param afterMs counted from the moment at which the session is open; negative: from the start of the program. */
async function killedOnce(afterMs: number): Promise<string> {
  const project = new Project({ "a.ts": versions[0] ?? "", "log.txt": "" });
  const home = new Project({ "script.json": JSON.stringify(script) });
  const env = { HOME: home.folder, XDG_STATE_HOME: join(home.folder, "state") };
  const args = ["-p", "Go.", "--approval-mode", "yolo", "--script", join(home.folder, "script.json")];
  const child = spawn(process.execPath, [program, ...args, "-o", "stream-json"], {
    cwd: project.folder,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<void>((done) => child.on("close", () => done()));
  const begun = new Promise<void>((done) => child.stdout.once("data", () => done()));
  child.stdout.resume();
  if (afterMs >= 0) await Promise.race([ended, begun]);
  await Promise.race([ended, wait(Math.abs(afterMs))]);
  child.kill("SIGKILL");
  await ended;
  // What the disk holds is what some beginning of the work leaves.
  expect(lines).toContain(project.text("log.txt"));
  expect(versions).toContain(project.text("a.ts"));
  const state = [project.text("log.txt"), project.text("a.ts"), project.has("new.ts")].join("|");
  home.put("script.json", JSON.stringify([{ text: "Here." }]));
  const again = await runHoldfast([...args.slice(0, 1), "Go on.", "-c", "-o", "json", ...args.slice(4)], {
    cwd: project.folder,
    env,
  });
  if (again.code === 42) return "before the session";
  expect(again.code, again.stderr).toBe(0);
  expect([project.text("log.txt"), project.text("a.ts"), project.has("new.ts")].join("|")).toBe(state);
  const { session_id: id, notices } = JSON.parse(again.stdout);
  // What a command did is nobody's write; all that tools wrote is in the tree.
  expect(notices.filter((notice: string) => !notice.includes("shell.txt"))).toEqual([]);
  const verified = await runHoldfast(["sessions", "verify", id], { cwd: project.folder, env });
  expect(verified.code, verified.stdout + verified.stderr).toBe(0);
  const files = await runHoldfast(["sessions", "files", id, "--json"], { cwd: project.folder, env });
  expect(files.code, files.stdout + files.stderr).toBe(0);
  return state;
}

describe("an agent that is killed", () => {
  it(`finds files and conversation in agreement when it is started again (${kills} kills)`, async () => {
    const seen = new Map<string, number>();
    for (let kill = 0; kill < kills; kill += 1) {
      const afterMs = kill === 0 ? -200 : (kill / kills) * 350 + Math.random() * 60;
      const state = await killedOnce(afterMs);
      seen.set(state, (seen.get(state) ?? 0) + 1);
    }
    // Moments in the middle of the work were met.
    expect(seen.size).toBeGreaterThan(2);
    console.log(
      `agents killed: ${kills}; ${[...seen].map(([state, count]) => `${count} × ${JSON.stringify(state)}`).join(", ")}`,
    );
  }, 600_000);
});
