import { spawn } from "node:child_process";
import { chmodSync, existsSync, openSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isRoot } from "../../../test/tools.js";
import { Project, program, runAs, runHoldfast } from "./process.js";

const poem = "one\ntwo\nthree\n";

describe("the program", () => {
  test("works through a link, as npm makes one", async () => {
    const project = new Project({ "a.txt": poem });
    symlinkSync(program, join(project.folder, "holdfast"));
    const child = spawn(process.execPath, [join(project.folder, "holdfast"), "--version"]);
    let printed = "";
    child.stdout.on("data", (part) => {
      printed += part;
    });
    await new Promise((resolve) => child.on("close", resolve));
    expect(printed).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  const commands =
    "read list find search patch apply write undo log restore sessions history gc doctor mcp setup guard completion tour".split(
      " ",
    );
  test.each(commands)("%s has help with examples", async (name) => {
    const done = await runHoldfast([name, "--help"]);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toContain(`Usage: holdfast ${name}`);
    expect(done.stdout).toMatch(new RegExp(`Examples:\\n  .*holdfast ${name}`));
  });

  test("a process of its own and one that ran others before end alike", async () => {
    const lines =
      "append a.txt b.txt;undo a.txt;move a.txt c.txt --atomic;delete c.txt;config list;history view none".split(
        ";",
      );
    const [one, other] = [new Project(), new Project()];
    for (const project of [one, other]) for (const name of ["a.txt", "b.txt"]) project.put(name, poem);
    const codes = await Promise.all(
      [one, other].map(async (project) => {
        const ended: string[] = [];
        for (const line of lines) {
          const done = await project.run(line.split(" "), { process: project === one });
          ended.push(`${line}: ${done.code}, ${done.stderr.replaceAll(project.folder, "")}`);
        }
        return ended;
      }),
    );
    expect(codes[0]).toEqual(codes[1]);
    expect(codes[0]?.filter((code) => code.includes(": 0, ")).length).toBe(4);
  });

  test("colours only where it is asked to", async () => {
    const project = new Project();
    const args = ["read", "none.txt"];
    const seen = async (env: Record<string, string>, extra: string[] = []) =>
      (await project.run([...args, ...extra], { env })).stderr.includes("\u001b[");
    expect(await seen({})).toBe(false);
    expect(await seen({ FORCE_COLOR: "1" })).toBe(true);
    expect(await seen({ FORCE_COLOR: "1" }, ["--no-color"])).toBe(false);
    expect(await seen({ FORCE_COLOR: "0" })).toBe(false);
  });

  test("a reader that stops early is no error", async () => {
    const project = new Project({ "a.txt": "0123456789abcde\n".repeat(15_000) });
    const child = spawn(process.execPath, [program, "read", "a.txt"], { cwd: project.folder });
    let complaint = "";
    child.stderr.on("data", (part) => {
      complaint += part;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect(code).toBe(0);
    expect(complaint).not.toMatch(/EPIPE|internal/);
  });
});

describe("exit codes", () => {
  const hash = "0".repeat(64);
  test.each([
    ["unknown option", ["read", "a.txt", "--nope"]],
    ["missing required argument", ["read"]],
    ["missing required argument", ["patch"]],
    ["too many arguments", ["read", "a.txt", "b.txt"]],
    ["unknown command", ["frobnicate"]],
    ["--offset", ["read", "a.txt", "--offset", "0"]],
    ["--wire", ["mcp", "--wire", "xml"]],
    ["there is no tool", ["mcp", "--tools", "read_file,rm"]],
    ["FILE@SHA256", ["restore", "a.txt"]],
    ["--atomic", ["patch", "a.txt", "--base", hash, "--atomic"]],
    ["--jsonl", ["patch", "--jsonl", "a.txt"]],
  ])("2: %s", async (says, args) => {
    const done = await new Project({ "a.txt": poem }).run(args);
    expect(done).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(says) });
  });

  test("a usage error is one line and a hint", async () => {
    const done = await runHoldfast(["read", "a.txt", "--nope"]);
    expect(done.stderr).toBe("holdfast: unknown option '--nope'\nSee: holdfast read --help\n");
  });

  test.runIf(isRoot)("7: a file that may not be read", async () => {
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
