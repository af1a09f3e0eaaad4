import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Project, runHoldfast } from "../process.js";

/** One row of "Bad input": what a model calls, and how a run with it ends. */
interface Row {
  readonly name: string;
  readonly script: readonly object[];
  readonly code: number;
  /** Words that stand in the stream of events, or on standard error. */
  readonly says: string;
  readonly settings?: object;
}

const done = { text: "Done." };
const call = (name: string, args: object, callId?: string) => ({ name, args, ...(callId && { callId }) });
const shell = (command: string) => ({ calls: [call("run_shell_command", { command })] });
const write = (path: string, content: string, callId?: string) =>
  call("write_file", { file_path: path, content }, callId);
const failing = { calls: [call("read_file", { file_path: "nowhere.txt" })] };
const server = (program: string) => ({
  mcpServers: { bad: { command: process.execPath, args: ["-e", program] } },
});

const rows: readonly Row[] = [
  { name: "an unknown tool", script: [{ calls: [call("rm_rf", {})] }, done], code: 0, says: "rm_rf" },
  {
    name: "arguments of the wrong type",
    script: [{ calls: [call("read_file", { file_path: 7 })] }, done],
    code: 0,
    says: "file_path",
  },
  {
    name: "calls with the same id",
    script: [{ calls: [write("a.txt", "a\n", "same"), write("b.txt", "b\n", "same")] }, done],
    code: 1,
    says: "A call same is open already",
  },
  {
    name: "the same failing call again and again",
    script: Array(30).fill(failing),
    code: 53,
    says: "nowhere.txt",
  },
  {
    name: "output of 100 MB",
    script: [shell("head -c 100000000 /dev/zero | tr '\\0' x"), done],
    code: 0,
    says: "Exit code 0 after",
  },
  { name: "a tool that is killed", script: [shell("kill -9 $$"), done], code: 0, says: "SIGKILL" },
  {
    name: "an MCP server that dies at its start",
    script: [done],
    code: 0,
    says: "MCP server bad cannot be used",
    settings: server("process.exit(3)"),
  },
];

it.each(rows)("$name: ends with $code, and the tree is valid", { timeout: 30_000 }, async (row) => {
  const project = new Project({ "kept.txt": "kept\n" });
  const home = new Project({
    "settings.jsonc": JSON.stringify(row.settings ?? {}),
    "script.json": JSON.stringify([{ calls: [write("first.txt", "first\n", "first")] }, ...row.script]),
  });
  const env = { HOLDFAST_HOME: home.folder, XDG_STATE_HOME: join(home.folder, "state") };
  const args = ["-p", "Go.", "--approval-mode", "yolo", "-o", "stream-json", "--session-id", "bad"];
  const surroundings = { cwd: project.folder, env };
  const ran = await runHoldfast([...args, "--script", join(home.folder, "script.json")], surroundings);
  expect(ran.stdout + ran.stderr).toContain(row.says);
  expect(ran.stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
  expect(ran.code, ran.stderr).toBe(row.code);
  expect(project.text("first.txt")).toBe("first\n");
  expect(existsSync(join(project.folder, "kept.txt"))).toBe(true);
  const verified = await runHoldfast(["sessions", "verify", "bad"], surroundings);
  expect(verified.code, verified.stdout + verified.stderr).toBe(0);
});
