import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { endProcess } from "../../../../test/end-process.js";
import { Project, program } from "../process.js";

type Server = ChildProcessByStdio<Writable, Readable, null>;

/** The program as it is shipped, with little room for its objects, and a client that behaves badly. */
function start(project: Project): Server {
  const args = ["--max-old-space-size=100", program, "mcp", "--root", project.folder];
  const env = { PATH: process.env.PATH ?? "", HOLDFAST_STATE_DIR: join(new Project().folder, "state") };
  const server = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => endProcess(server));
  server.stdin.on("error", () => {});
  return server;
}

const say = (server: Server, message: object) =>
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** Until the process has used no processor for a while: it waits for us, or is held up, which only makes this shorter. */
async function untilIdle({ pid }: Server): Promise<void> {
  const used = () => readFileSync(`/proc/${pid}/stat`, "utf8").split(" ").slice(13, 15).join(" ");
  for (let before = ""; before !== used(); ) {
    before = used();
    await new Promise((resolve) => setTimeout(resolve, 700));
  }
}

/** The most memory that the process ever had. */
function peakMegabytes({ pid }: Server): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** Reads answers until this id's, and returns how many there were. */
async function answersUpTo(server: Server, last: string): Promise<number> {
  let count = 0;
  for await (const line of createInterface({ input: server.stdout })) {
    count += 1;
    if (line.includes(`"id":"${last}"`)) break;
  }
  return count;
}

const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };

test.skipIf(!existsSync("/proc/self/status"))(
  "a client that does not read waits in its pipe: no answer is lost, and the memory stays bounded",
  async () => {
    const project = new Project({ "a.txt": `${"x".repeat(99)}\n`.repeat(2_400) });
    const server = start(project);
    say(server, { id: "hello", method: "initialize", params: hello });
    say(server, { method: "notifications/initialized" });
    const params = { name: "read_file", arguments: { file_path: "a.txt" } };
    for (let at = 0; at < 2_000; at++) say(server, { id: `call ${at}`, method: "tools/call", params });
    await untilIdle(server);
    expect(peakMegabytes(server)).toBeLessThan(300);
    say(server, { id: "ping", method: "ping" });
    expect(await answersUpTo(server, "ping")).toBeGreaterThan(2_000 - 32);
    expect(peakMegabytes(server)).toBeLessThan(300);
  },
);

test.skipIf(!existsSync("/proc/self/status"))(
  "a line of 150 MB is refused, and the memory stays bounded",
  async () => {
    const server = start(new Project());
    say(server, { id: "hello", method: "initialize", params: hello });
    const piece = "x".repeat(1_000_000);
    for (let at = 0; at < 150; at++)
      if (!server.stdin.write(piece)) await new Promise((resolve) => server.stdin.once("drain", resolve));
    server.stdin.write("\n");
    say(server, { id: "ping", method: "ping" });
    expect(await answersUpTo(server, "ping")).toBe(3);
    expect(peakMegabytes(server)).toBeLessThan(300);
  },
);

test.skipIf(!existsSync("/proc/self/status"))(
  "an import leaves a line of 150 MB out and names it",
  async () => {
    const project = new Project();
    const file = join(project.folder, "long.jsonl");
    const long = `{"text":"${"x".repeat(150_000_000)}"}\n`;
    const env = { PATH: process.env.PATH ?? "", HOLDFAST_STATE_DIR: join(project.folder, "state") };
    const args = ["--max-old-space-size=100", program, "sessions", "import", file];
    const run = () => spawnSync(process.execPath, args, { env, encoding: "utf8" });
    writeFileSync(file, long);
    const refused = run();
    expect(refused.stderr).toContain("not_a_session");
    expect(refused.stderr).toContain("Line 1 is too long (150,000,011 bytes)");
    expect(refused.status).toBe(6);
    const session = {
      type: "session",
      version: 3,
      id: "p",
      timestamp: "2026-01-05T10:00:00Z",
      cwd: "/project",
    };
    const message = { role: "user", content: "Where?", timestamp: 1 };
    const turn = { type: "message", id: "a", parentId: null, timestamp: "2026-01-05T10:00:01Z", message };
    writeFileSync(file, `${JSON.stringify(session)}\n${long}${JSON.stringify(turn)}\n`);
    const imported = run();
    expect(imported.stderr).toContain("Line 2 is too long (150,000,011 bytes); it was left out.");
    expect(imported.stdout).toContain("from a session of pi");
    expect(imported.status).toBe(0);
  },
);

test.skipIf(!existsSync("/proc/self/status")).each([
  { command: ["guard"], code: 2, says: "larger than 33554432 bytes" },
  { command: ["write", "f"], code: 6, says: "larger than 67108864 bytes" },
  { command: ["patch", "f"], code: 6, says: "larger than 67108864 bytes" },
])("$command is refused an input of 150 MB, with little room for its objects", ({ command, code, says }) => {
  const project = new Project();
  const input = Buffer.alloc(150_000_000, "x");
  const env = { PATH: process.env.PATH ?? "", HOLDFAST_STATE_DIR: join(project.folder, "state") };
  const args = ["--max-old-space-size=60", program, ...command];
  const refused = spawnSync(process.execPath, args, { cwd: project.folder, env, input, encoding: "utf8" });
  expect(refused.stderr).toContain(says);
  expect(refused.status).toBe(code);
});
