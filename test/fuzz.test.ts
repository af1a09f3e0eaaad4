import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const home = fileURLToPath(new URL("../", import.meta.url));

/** The command with its findings in a folder of its own. */
function fuzz(...args: readonly string[]) {
  const findings = mkdtempSync(join(tmpdir(), "holdfast-findings-"));
  onTestFinished(() => rmSync(findings, { recursive: true, force: true }));
  const command = ["fuzz/run.mjs", "--findings", findings, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: home, encoding: "utf8" });
  return { status, stdout, stderr, findings };
}

describe("the fuzzer", () => {
  it("finds nothing in its corpus and in some mutations of it, the same ones each time", {
    timeout: 900_000,
  }, () => {
    const { status, stdout, stderr } = fuzz("--runs", "50", "--seed", "20261122");
    expect(stdout + stderr).toContain("No finding.");
    expect(status).toBe(0);
    const rows = [...stdout.matchAll(/^\| ([a-z]+) \| (\d+) \| ([\d,]+) \|/gm)];
    const names = rows.map(([, name]) => name);
    expect([...names].sort()).toEqual(readdirSync(join(home, "fuzz/corpus")).sort());
    for (const [, name, corpus, runs] of rows)
      expect([name, Number(runs?.replaceAll(",", ""))]).toEqual([name, Number(corpus) + 50]);
  });

  it("finds a fault that only coverage leads to, writes the input down and says how to repeat it", () => {
    const { status, stdout, findings } = fuzz("--only", "planted", "--runs", "10000", "--seed", "1");
    expect(status).toBe(1);
    const [name = ""] = readdirSync(join(findings, "planted"));
    expect(stdout).toContain("--only planted --repeat");
    const again = fuzz("--only", "planted", "--repeat", join(findings, "planted", name));
    expect([again.status, again.stdout]).toEqual([1, expect.stringContaining("the planted fault is found")]);
  });

  it("takes work without an end for a finding, by counting steps", () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-endless-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "input"), "endless");
    const { status, stdout } = fuzz("--only", "planted", "--repeat", join(folder, "input"));
    expect([status, stdout]).toEqual([1, expect.stringContaining("steps")]);
  });
});
