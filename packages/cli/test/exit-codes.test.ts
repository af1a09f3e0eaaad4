import { spawn } from "node:child_process";
import { chmodSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Project, program, replaceLine, runAs, runHoldfast, sha256 } from "./process.js";

const poem = "one\ntwo\nthree\n";

describe("exit codes", () => {
  const files = { "a.txt": "x\ny\nx\n", "b.bin": Buffer.from([0, 1, 2, 3]), "d/e.txt": poem };
  const hash = sha256(files["a.txt"]);
  const cases = [
    { code: 2, says: "unknown option", args: ["read", "a.txt", "--nope"] },
    { code: 2, says: "missing required argument", args: ["read"] },
    { code: 2, says: "missing required argument", args: ["patch"] },
    { code: 2, says: "too many arguments", args: ["read", "a.txt", "b.txt"] },
    { code: 2, says: "unknown command", args: ["frobnicate"] },
    { code: 2, says: "--offset", args: ["read", "a.txt", "--offset", "0"] },
    { code: 2, says: "--wire", args: ["mcp", "--wire", "xml"] },
    { code: 2, says: "there is no tool", args: ["mcp", "--tools", "read_file,rm"] },
    { code: 2, says: "FILE@SHA256", args: ["restore", "a.txt"] },
    { code: 2, says: "--atomic", args: ["patch", "a.txt", "--base", hash, "--atomic"] },
    { code: 2, says: "--jsonl", args: ["patch", "--jsonl", "a.txt"] },
    { code: 3, says: "file_missing", args: ["read", "none.txt"] },
    { code: 3, says: "missing_base", args: ["patch", "a.txt"], input: replaceLine("y", "Y") },
    {
      code: 3,
      says: "unknown_base",
      args: ["patch", "a.txt", "--base", "a".repeat(64)],
      input: replaceLine("y", "Y"),
    },
    { code: 3, says: "missing_base", args: ["write", "a.txt"], input: "new" },
    { code: 3, says: "file_missing", args: ["write", "a.txt", "none.txt", "--atomic"] },
    {
      code: 4,
      says: "invalid_diff",
      args: ["patch", "a.txt", "--base", hash],
      input: replaceLine("absent", "Y"),
    },
    {
      code: 4,
      says: "invalid_diff",
      args: ["patch", "a.txt", "--base", hash],
      input: "please change y to Y",
    },
    { code: 4, says: "invalid_diff", args: ["patch", "a.txt", "--base", hash], input: "" },
    { code: 4, says: "ambiguous", args: ["patch", "a.txt", "--base", hash], input: "@@\n-x\n+X\n" },
    {
      code: 4,
      says: "invalid_hash",
      args: ["patch", "a.txt", "--base", "yesterday"],
      input: replaceLine("y", "Y"),
    },
    { code: 4, says: "out_of_range", args: ["read", "a.txt", "--offset", "9"] },
    { code: 5, says: "outside_workspace", args: ["read", "../x.txt"] },
    { code: 5, says: "outside_workspace", args: ["read", "/etc/hostname"] },
    { code: 5, says: "outside_workspace", args: ["write", "/holdfast-never.txt"], input: "x" },
    { code: 5, says: "protected_path", args: ["write", ".git/hooks/pre-commit"], input: "x" },
    { code: 6, says: "is_directory", args: ["read", "d"] },
    { code: 6, says: "binary", args: ["read", "b.bin"] },
    { code: 6, says: "undecodable", args: ["write", "new.txt"], input: Buffer.from([0x66, 0xff]) },
    { code: 6, says: "is_directory", args: ["patch", "a.txt", "d", "--atomic"] },
  ];
  test.each(cases)("$code: $says ($args)", async ({ code, says, args, ...rest }) => {
    const project = new Project(files);
    const input = "input" in rest ? rest.input : undefined;
    const done = await project.run(args, input === undefined ? {} : { input });
    expect(done.stderr).toContain(says);
    expect(done.stderr).not.toMatch(/^\s+at /m);
    expect(done).toMatchObject({ code, stdout: "" });
    expect(project.text("a.txt")).toBe(files["a.txt"]);
  });

  test("a usage error is one line and a hint", async () => {
    const done = await runHoldfast(["read", "a.txt", "--nope"]);
    expect(done.stderr).toBe("holdfast: unknown option '--nope'\nSee: holdfast read --help\n");
  });

  test.runIf(process.getuid?.() === 0)("7: a file that may not be read", async () => {
    const project = new Project({ "a.txt": poem });
    chmodSync(join(project.folder, "a.txt"), 0o600);
    chmodSync(project.folder, 0o755);
    const done = await runAs(65_534, ["read", "a.txt", "--root", project.folder]);
    expect(done.stderr).toContain("permission_denied");
    expect(done.code).toBe(7);
  });

  test.runIf(existsSync("/dev/full"))("7: standard output is full", async () => {
    const project = new Project({ "a.txt": poem });
    const child = spawn(process.execPath, [program, "read", "a.txt"], {
      cwd: project.folder,
      stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
    });
    let stderr = "";
    child.stderr?.on("data", (part) => {
      stderr += part;
    });
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(7);
    expect(stderr).toContain("holdfast: standard output: ENOSPC\n");
  });

  test.skipIf(!existsSync("/proc/self/fdinfo"))("130: Ctrl-C while the input is waited for", async () => {
    const project = new Project();
    const child = spawn(process.execPath, [program, "write", "a.txt"], { cwd: project.folder });
    child.stderr.resume();
    const ended = new Promise((resolve) => child.on("close", (code) => resolve(code)));
    child.stdin.write("half a te");
    await waitsForInput(child.pid ?? 0);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(project.has("a.txt")).toBe(false);
  });
});

/** Until the process waits for its standard input: by then it has decided what an interruption means. */
async function waitsForInput(pid: number): Promise<void> {
  const watches = (fd: string) => {
    try {
      return /^tfd:\s+0\b/m.test(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8"));
    } catch {
      return false; // Closed since it was listed.
    }
  };
  const watched = () => readdirSync(`/proc/${pid}/fdinfo`).some(watches);
  while (!watched()) await new Promise((resolve) => setTimeout(resolve, 20));
}
