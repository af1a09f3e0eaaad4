import { spawnSync } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const house = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The bounded part of `npm run proof -- clients`: it needs a build, and npm's registry once. */
describe("the real Gemini CLI as client of holdfast mcp", () => {
  it("loses nothing, is told the truth, and recovers", { timeout: 240_000 }, ({ skip }) => {
    const run = spawnSync(process.execPath, [join(house, "proof/run.mjs"), "clients", "--quick"], {
      encoding: "utf8",
      timeout: 200_000,
    });
    const rows = run.stdout.split("\n").filter((line) => /^\| C\d/.test(line));
    if (process.env.CI === undefined && run.stdout.includes("not to be had")) skip(rows.join("\n"));
    expect(run.status, `${run.stdout}\n${run.stderr}`).toBe(0);
    expect(rows.slice(0, 6).map((row) => row.slice(2, 4))).toEqual(["C1", "C2", "C3", "C4", "C5", "C6"]);
    expect(run.stdout).toContain("Nothing was bad.");
  });
});
