import { spawnSync } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const house = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The bounded part of `npm run proof -- clients`: it needs a build, and npm's registry once. */
describe("the real Gemini CLI, Claude Code and Codex as clients of holdfast mcp", () => {
  it("lose nothing, are told the truth, and recover", { timeout: 640_000 }, ({ skip }) => {
    const run = spawnSync(process.execPath, [join(house, "proof/run.mjs"), "clients", "--quick"], {
      encoding: "utf8",
      timeout: 600_000,
    });
    const rows = run.stdout.split("\n").filter((line) => /^\| C\d/.test(line));
    if (process.env.CI === undefined && run.stdout.includes("not to be had")) skip(rows.join("\n"));
    expect(run.status, `${run.stdout}\n${run.stderr}`).toBe(0);
    const figures = Array.from({ length: 14 }, (_, at) => `C${at + 1}`);
    expect(rows.map((row) => row.split(" ")[1])).toEqual(figures);
    expect(run.stdout).toContain("Nothing was bad.");
  });
});
