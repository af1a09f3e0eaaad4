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

  test("a root that is not there is a fault, and the exit code says so", async () => {
    const project = new Project();
    const done = await project.run(["doctor", "--root", join(project.folder, "none")]);
    expect(done.stdout).toMatch(/^✗ root/m);
    expect(done.code).toBe(7);
  });
});
