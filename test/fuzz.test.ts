import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { corpusFolder, readInputs } from "../fuzz/corpus.mjs";
import { fuzz } from "../fuzz/loop.js";
import { findTarget } from "../fuzz/targets/index.js";

const home = fileURLToPath(new URL("../", import.meta.url));

// CI runs the command itself on them, with counters in the sources.
describe("nothing is found in the corpus and in some mutations of it, the same ones each time", () => {
  it.each(readdirSync(corpusFolder))("%s", async (name) => {
    const target = findTarget(name);
    if (target === undefined) throw new Error(`no target ${name}`);
    const corpus = readInputs(join(corpusFolder, name)).map(({ input }) => input);
    const until = { runs: 10 };
    const report = await fuzz({ target, edges: 0, seed: 20_261_122, corpus, until, begin: () => {} });
    await target.close?.();
    expect(report.found).toEqual([]);
    expect(report.executions).toBe(corpus.length + 10);
  });
});

/** The command, on the planted fault, with its findings in a folder of its own. */
function fuzzPlanted(...args: readonly string[]) {
  const findings = mkdtempSync(join(tmpdir(), "holdfast-findings-"));
  onTestFinished(() => rmSync(findings, { recursive: true, force: true }));
  const command = ["fuzz/run.mjs", "--findings", findings, "--only", "planted", ...args];
  const { status, stdout } = spawnSync(process.execPath, command, { cwd: home, encoding: "utf8" });
  return { status, stdout, findings };
}

describe("the fuzzer", () => {
  it("finds a fault that only coverage leads to, writes the input down and says how to repeat it", () => {
    const { status, stdout, findings } = fuzzPlanted("--runs", "10000", "--seed", "1");
    expect(status).toBe(1);
    const [name = ""] = readdirSync(join(findings, "planted"));
    expect(stdout).toContain("--only planted --repeat");
    const again = fuzzPlanted("--repeat", join(findings, "planted", name));
    expect([again.status, again.stdout]).toEqual([1, expect.stringContaining("the planted fault is found")]);
  });

  it("takes work without an end for a finding, by counting steps", () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-endless-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "input"), "endless");
    const { status, stdout } = fuzzPlanted("--repeat", join(folder, "input"));
    expect([status, stdout]).toEqual([1, expect.stringContaining("steps")]);
  });
});
