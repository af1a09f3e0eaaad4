import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Project, runAs, runHoldfast } from "../process.js";

it.skipIf(process.getuid?.() !== 0)(
  "serves a user whom the system does not know, without a home",
  async () => {
    const project = new Project({ "a.txt": "one\n" });
    chmodSync(project.folder, 0o755);
    const { code, stdout } = await runAs(61_234, ["read", "--root", project.folder, "a.txt"]);
    expect([code, stdout]).toEqual([0, "one\n"]);
  },
);

it("takes no file of the current folder for a person's settings where HOME is empty", async () => {
  const project = new Project();
  const folder = join(project.folder, ".config/holdfast");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "settings.jsonc"), '{"model": {"default": "mine/own"}}');
  const shown = await runHoldfast(["config", "list"], { cwd: project.folder, env: { HOME: "" } });
  expect(shown.stdout).not.toContain("mine/own");
});

it("sets nothing up for a person without a home, and says why", async () => {
  const project = new Project();
  const { code, stderr } = await runHoldfast(["setup", "claude"], { cwd: project.folder, env: { HOME: "" } });
  expect(code).toBe(2);
  expect(stderr).toContain("set HOME");
});
