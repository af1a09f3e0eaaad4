import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { endProcess } from "../../../../test/end-process.js";
import { isThere } from "../addon-there.js";
import { Project, program, runHoldfast } from "../process.js";

/**
 * One case a kind of what the server holds in memory. All tools, other texts, floods and long lines in every reader are
 * counted by `npm run proof -- floods`.
 */
const hasStatus = existsSync("/proc/self/status");

/** The clock of the server stands still: a busy machine may not make it in the time that a change has. */
const clock = `--import=data:text/javascript,${encodeURIComponent("const at = Date.now(); Date.now = () => at;")}`;

/** The program as it is shipped, with little room for its objects. */
function startServer(project: Project) {
  const flags = ["--max-old-space-size=128", clock, program, "mcp", "--root", project.folder];
  const env = { PATH: process.env.PATH ?? "", HOLDFAST_STATE_DIR: join(new Project().folder, "state") };
  const server = spawn(process.execPath, flags, { env, stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => endProcess(server));
  server.stdin.on("error", () => {});
  const say = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "t", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  say({ id: "hello", method: "initialize", params });
  say({ method: "notifications/initialized" });
  return {
    server,
    say,
    /** The most memory that the process ever had. */
    peakMegabytes: () =>
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1024,
  };
}

/** 252 to 261 MB were seen on Node 20, 360 with one copy more of the text; Node 24 takes 25 MB more at its start. */
const most = process.versions.node.startsWith("20.") ? 300 : 320;

test.skipIf(!hasStatus)(`50 MB are edited, and as they were by undo, in less than ${most} MB`, async () => {
  const lines = "a line of a log, of fifty characters with its end\n".repeat(500_000);
  const project = new Project({ "f.md": `${lines}one place\n${lines}` });
  // The state before and the one after as text are 100 MB of it.
  const { server, say, peakMegabytes } = startServer(project);
  const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const before = project.hash("f.md");
  const apply = async (name: string, args: object) => {
    const base = { file_path: "f.md", base_content_sha256: project.hash("f.md") };
    say({ id: name, method: "tools/call", params: { name, arguments: { ...base, ...args } } });
    let answer = "";
    while (!answer.includes(`"id":"${name}"`)) answer = String((await answers.next()).value);
    expect(answer).toContain("OK (applied)");
  };
  await apply("edit_file", { edits: [{ old_string: "one place", new_string: "another" }] });
  expect(project.hash("f.md")).not.toBe(before);
  await apply("undo_edit", {});
  expect(project.hash("f.md")).toBe(before);
  expect(peakMegabytes()).toBeLessThan(most);
});

test.each([
  ...(isThere("hosts") ? [{ command: ["guard"], code: 2, says: "larger than 33554432 bytes" }] : []),
  { command: ["write", "f"], code: 6, says: "larger than 67108864 bytes" },
  { command: ["patch", "f"], code: 6, says: "larger than 67108864 bytes" },
])("$command is refused an input that is too large", async ({ command, code, says }) => {
  const refused = await runHoldfast(command, {
    cwd: new Project().folder,
    input: Buffer.alloc(70_000_000, "x"),
  });
  expect(refused).toMatchObject({ code, stderr: expect.stringContaining(says) });
});
