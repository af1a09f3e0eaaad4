import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { endProcess } from "../../../../test/end-process.js";
import { Project, program } from "../process.js";

/** Runs the program while it may open so many files. */
function runWithin(most: number, args: readonly string[]) {
  const shell = ["-c", `ulimit -n ${most}; exec "$@"`, "sh", process.execPath, program, ...args];
  const env = { PATH: process.env.PATH ?? "", HOLDFAST_STATE_DIR: `${new Project().folder}/state` };
  return spawnSync("/bin/sh", shell, { env, encoding: "utf8", input: "" });
}

/** Each level of the walk holds a descriptor; the process begins with some twenty. */
const depth = 60;
const path = `${"d/".repeat(depth)}f.txt`;

test.skipIf(process.platform === "win32").each([
  ["search", ["search", "one"]],
  ["find", ["find", "**/*.txt"]],
  ["list", ["list", "--depth", String(depth)]],
])("%s says that it could not look everywhere, for want of descriptors", (_, args) => {
  const { folder } = new Project({ [path]: "one\n" });
  const { status, stdout, stderr } = runWithin(74, ["--root", folder, ...args]);
  expect(`${stdout}${stderr}`).toContain("too many files open");
  expect(status).toBe(7);
});

/** Where Node itself begins, and how much it opens at once while it loads, differ by its version: 20 needs far more than 24. */
const startLimits = [17, 18, 19, 20, 21, 22, 23, 24];

test.skipIf(process.platform === "win32")(
  "a command that cannot open its own files says which limit to raise",
  () => {
    const folder = new Project().folder;
    const sentences = startLimits.flatMap((most) => {
      const { status, stderr } = runWithin(most, ["list", "--root", folder]);
      // It starts, or Node itself could not: neither has these words.
      if (!stderr.includes("holdfast: the limit")) return [];
      return [{ most, status, stderr }];
    });
    expect(sentences.length).toBeGreaterThan(0);
    for (const { most, status, stderr } of sentences) {
      expect(stderr).toBe(
        `holdfast: the limit of open files of this process (${most}) is too low: raise it, as with "ulimit -n 1024", and start it again.\n`,
      );
      expect(status).toBe(7);
    }
  },
);

/** Where the limit of a running process can be changed. */
const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;

/** A server of the shipped program, and what it answers to one call after the other. */
async function serve(project: Project) {
  const env = { PATH: process.env.PATH ?? "", HOLDFAST_STATE_DIR: `${new Project().folder}/state` };
  const server = spawn(process.execPath, [program, "mcp", "--root", project.folder], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => endProcess(server));
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const say = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = async (method: string, params: object) => {
    say({ id: 1, method, params });
    return String((await lines.next()).value);
  };
  const hello = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  await ask("initialize", hello);
  say({ method: "notifications/initialized" });
  const call = (name: string, args: object) => ask("tools/call", { name, arguments: args });
  const mayOpen = (most: number) => spawnSync("prlimit", ["--pid", String(server.pid), `--nofile=${most}:`]);
  return { call, mayOpen };
}

test.skipIf(!hasPrlimit)("a server without descriptors is busy for as long as it has none", async () => {
  const { call, mayOpen } = await serve(new Project({ "a.txt": "one\n" }));
  const calls = [
    ["search_files", { pattern: "one" }],
    ["search_files", { pattern: "one", glob: "*.txt" }],
    ["read_many_files", { globs: ["*.txt"] }],
  ] as const;
  mayOpen(1);
  for (const [name, args] of calls) expect(await call(name, args)).toContain("busy");
  mayOpen(1_000);
  for (const [name, args] of calls) expect(await call(name, args)).toMatch(/a\.txt/);
});
