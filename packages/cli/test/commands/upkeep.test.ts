import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isThere } from "../addon-there.js";
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
    // What was used within a second may be a session's that has just begun: it stays.
    const blobs = join(project.folder, "state/blobs");
    const before = Date.now() / 1_000 - 60;
    for (const name of readdirSync(blobs, { recursive: true, encoding: "utf8" }))
      utimesSync(join(blobs, name), before, before);
    const dry = await collect("--max-megabytes", "1", "--dry-run");
    expect(dry.removed.bytes).toBe(1_500_000);
    expect((await collect()).kept.states).toBe(2);
    expect((await collect("--max-megabytes", "1")).removed.states).toBe(1);
    const undone = await project.run(["undo", "a.txt", ...state]);
    expect(undone.stderr).toContain("bytes_gone");
    expect(undone.code).toBe(3);
    expect(project.text("a.txt")).toBe("small");
  });

  test("deletes the states of secrets when their days are over, or at once", async () => {
    const project = new Project();
    const state = ["--state-dir", join(project.folder, "state")];
    const run = (...args: string[]) => project.run([...args, ...state], { input: "" });
    const collect = async (...args: string[]) => JSON.parse((await run("gc", "--json", ...args)).stdout);
    await project.run(["write", ".env", ...state], { input: "A=1\n" });
    await project.run(["write", ".env", "--atomic", ...state], { input: "A=2\n" });
    expect((await run("doctor")).stdout).toMatch(/^! secrets +2 states kept apart/m);
    expect(await collect()).toMatchObject({ removed: { secrets: 0 }, kept: { states: 0, secrets: 2 } });
    const folder = join(project.folder, "state/secrets");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.includes("-7"),
    );
    for (const name of files.slice(0, 1)) utimesSync(join(folder, name), 1, 1);
    expect((await run("gc", "--dry-run")).stdout).toBe(
      "Would remove 0 states (0 bytes), 1 state of secrets.\nKept 0 states (0 bytes), 1 state of secrets.\n",
    );
    expect(await collect()).toMatchObject({ removed: { secrets: 1 }, kept: { secrets: 1 } });
    expect(await collect("--secrets")).toMatchObject({ removed: { secrets: 1 }, kept: { secrets: 0 } });
    expect(readdirSync(folder)).toEqual([]);
    expect((await run("undo", ".env")).stderr).toContain("bytes_gone");
  });

  test("--keep-secrets none keeps none: a write over one needs the approval that it names", async () => {
    const project = new Project();
    const state = ["--state-dir", join(project.folder, "state"), "--keep-secrets", "none"];
    const write = (input: string, ...more: string[]) =>
      project.run(["write", ".env", ...state, ...more], { input });
    expect(await write("A=1\n")).toMatchObject({ code: 0 });
    const refused = await write("A=2\n", "--atomic");
    expect(refused.code).toBe(5);
    expect(refused.stderr).toMatch(/protected_path: .*cannot|protected_path: .*--allow-protected/);
    expect(await write("A=2\n", "--atomic", "--allow-protected", ".env")).toMatchObject({ code: 0 });
    expect(project.text(".env")).toBe("A=2\n");
    const wrong = await project.run(["gc", "--keep-secrets", "soon"]);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("whole number") });
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

  test.runIf(isThere("importers"))("counts the conversations, and those that cannot be read", async () => {
    const project = new Project();
    const stateDir = join(project.folder, "state");
    const state = ["--state-dir", stateDir];
    const line = { type: "session", version: 3, id: "x", timestamp: "2026-01-01T00:00:00Z", cwd: "/x" };
    const said = { type: "message", id: "a", parentId: null, message: { role: "user", content: "Hi." } };
    const imported = await project.run(["sessions", "import", "-", ...state], {
      input: `${JSON.stringify(line)}\n${JSON.stringify(said)}\n`,
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
