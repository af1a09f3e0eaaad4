import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { endProcess } from "../../../../test/end-process.js";
import { Project, program } from "../process.js";

const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };

/** What the shipped server answers to calls whose messages come in one piece, by the order of the calls. */
async function answersTo(project: Project, calls: readonly object[]): Promise<readonly string[]> {
  const env = { PATH: process.env.PATH ?? "", HOLDFAST_STATE_DIR: join(new Project().folder, "state") };
  const server = spawn(process.execPath, [program, "mcp", "--root", project.folder], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => endProcess(server));
  const say = (messages: readonly object[]) =>
    server.stdin.write(
      messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""),
    );
  const answers: string[] = [];
  let left = calls.length;
  say([{ id: "hello", method: "initialize", params: hello }]);
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes('"id":"hello"'))
      say([
        { method: "notifications/initialized" },
        ...calls.map((params, id) => ({ id, method: "tools/call", params })),
      ]);
    else answers[Number(/"id":(\d+)/.exec(line)?.[1])] = line;
    if (!line.includes('"id":"hello"') && --left === 0) break;
  }
  return answers;
}

test("a call that is sent twice in one piece is made once", async () => {
  const project = new Project({ "a.txt": "one\n" });
  const call = { name: "append_to_file", arguments: { file_path: "a.txt", content: "two\n" } };
  const [first, second] = await answersTo(project, [call, call]);
  expect(first).toContain("applied");
  expect(second).toContain("already_applied");
  expect(project.text("a.txt")).toBe("one\ntwo\n");
});

test("a read that comes in one piece with an overwrite is no licence for it", async () => {
  const project = new Project({ "a.txt": "one\n" });
  const base = project.hash("a.txt");
  const read = { name: "read_file", arguments: { file_path: "a.txt" } };
  const write = {
    name: "write_file",
    arguments: { file_path: "a.txt", content: "blind\n", base_content_sha256: base },
  };
  const [, written] = await answersTo(project, [read, write]);
  expect(written).toContain("FAILED (unseen_lines)");
  expect(project.text("a.txt")).toBe("one\n");
});
