import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** A process of its own, since here `@holdfast/…` means the sources and there what was built of them. */
it("what the program says is what golden/ holds, byte for byte", { timeout: 600_000 }, () => {
  const run = spawnSync(process.execPath, [fileURLToPath(new URL("../golden/run.mjs", import.meta.url))], {
    encoding: "utf8",
  });
  expect(`${run.stdout}${run.stderr}`).toMatch(/^golden: \d+ scenes, \d+ files, all equal\.\n$/);
  expect(run.status).toBe(0);
});
