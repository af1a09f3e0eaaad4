import { spawn } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Project, program, runHoldfast } from "./process.js";

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

  test("tells its version quickly", async () => {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const start = performance.now();
      expect(await runHoldfast(["--version"])).toMatchObject({ code: 0, stderr: "" });
      times.push(performance.now() - start);
    }
    console.info(`holdfast --version: ${Math.min(...times).toFixed(0)} ms at best of ${times.length}`);
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
