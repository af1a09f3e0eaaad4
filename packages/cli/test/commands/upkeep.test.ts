import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Project } from "../process.js";

describe("gc", () => {
  test("keeps what is young, drops what is over the limit, and --dry-run only says so", async () => {
    const project = new Project();
    const state = ["--state-dir", join(project.folder, "state")];
    const big = "x".repeat(1_500_000);
    await project.run(["write", "a.txt", ...state], { input: big });
    await project.run(["write", "a.txt", "--atomic", ...state], { input: "small" });
    const collect = async (...args: string[]) =>
      JSON.parse((await project.run(["gc", "--json", ...state, ...args])).stdout);
    expect(await collect()).toMatchObject({ success: true, removed: { states: 0 }, kept: { states: 2 } });
    const dry = await collect("--max-megabytes", "1", "--dry-run");
    expect(dry.removed.bytes).toBe(1_500_000);
    expect((await collect()).kept.states).toBe(2);
    expect((await collect("--max-megabytes", "1")).removed.states).toBe(1);
    const undone = await project.run(["undo", "a.txt", ...state]);
    expect(undone.stderr).toContain("bytes_gone");
    expect(undone.code).toBe(3);
    expect(project.text("a.txt")).toBe("small");
  });

  test("says what it did", async () => {
    const project = new Project();
    const done = await project.run(["gc", "--state-dir", join(project.folder, "state")]);
    expect(done).toMatchObject({
      code: 0,
      stdout: "Removed 0 states (0 bytes).\nKept 0 states (0 bytes).\n",
    });
  });
});

describe("doctor", () => {
  test.each([
    [".vscode/tasks.json", /protected: editor settings that can run commands \(Visual Studio Code: /],
    ["sub/lefthook-local.yml", /protected: a hook that runs commands \(lefthook: /],
    [".env", /looks like a secret/],
    ["src/a.ts", /open to reading and writing/],
  ])("says what holds for %s", async (path, says) => {
    const done = await new Project().run(["doctor", path]);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(says) });
  });

  test("says of a path that leads out what any request for it is told", async () => {
    const done = await new Project().run(["doctor", "../out"]);
    expect(done).toMatchObject({ code: 7, stdout: expect.stringContaining("outside_workspace") });
  });

  test("finds nothing wrong on this machine", async () => {
    const project = new Project();
    const done = await project.run(["doctor"]);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).not.toContain("✗");
    expect(done.stdout).toContain(process.versions.node);
    const json = JSON.parse((await project.run(["doctor", "--json"])).stdout);
    expect(json).toMatchObject({ success: true });
    expect(json.findings).toContainEqual({ name: "root", verdict: "good", says: project.folder });
  });

  test("counts the conversations, and those that cannot be read", async () => {
    const project = new Project();
    const stateDir = join(project.folder, "state");
    const state = ["--state-dir", stateDir];
    const line = { type: "session", version: 3, id: "x", timestamp: "2026-01-01T00:00:00Z", cwd: "/x" };
    const imported = await project.run(["sessions", "import", "-", ...state], {
      input: JSON.stringify(line),
    });
    expect(imported).toMatchObject({ code: 0 });
    expect((await project.run(["doctor", ...state])).stdout).toMatch(/^✓ conversations +1 kept$/m);
    writeFileSync(journalIn(stateDir), "no journal\n");
    const done = await project.run(["doctor", ...state]);
    expect(done.stdout).toMatch(/^! conversations +1 kept, of which 1 cannot be read/m);
    expect(done.code).toBe(0);
  });

  test("a root that is not there is a fault, and the exit code says so", async () => {
    const project = new Project();
    const done = await project.run(["doctor", "--root", join(project.folder, "none")]);
    expect(done.stdout).toMatch(/^✗ root/m);
    expect(done.code).toBe(7);
  });
});

/** The one stored conversation of a state folder. */
function journalIn(stateDir: string): string {
  const folder = join(stateDir, "conversations");
  const name = readdirSync(folder).find((entry) => entry.endsWith(".jsonl"));
  if (name === undefined) throw new Error("there is no journal");
  return join(folder, name);
}
