import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { Project } from "../process.js";

const sampleScript = fileURLToPath(new URL("../../../../scripts/sample-session.mjs", import.meta.url));

const project = new Project({ "work/.keep": "" });
const stateDir = join(project.folder, "state");
const room = join(stateDir, "conversations");
let id = "";
let file = "";
let whole = "";

const run = (...args: readonly string[]) => project.run([...args, "--state-dir", stateDir]);

beforeEach(() => {
  rmSync(stateDir, { recursive: true, force: true });
  id = execFileSync(process.execPath, [sampleScript, stateDir, join(project.folder, "work")], {
    encoding: "utf8",
  }).trim();
  file = join(room, `${id}.jsonl`);
  whole = readFileSync(file, "utf8");
});

describe("holdfast sessions repair", () => {
  test("shows what it would do, does it when it is told to, and names what it kept", async () => {
    writeFileSync(file, whole.replace('"ts":', '"tz":').replace(/"seq":9,"ts":/, '"seq":9,"tz":'));
    const before = readFileSync(file);
    const plan = await run("sessions", "repair", id);
    expect(plan.code).toBe(0);
    expect(plan.stdout).toContain(`${id} is damaged: 3 problems, 2 lost places.`);
    expect(plan.stdout).toContain(`To do it: holdfast sessions repair ${id} --apply\n`);
    expect(readFileSync(file)).toEqual(before);
    expect((await run("sessions", "verify", id)).code).toBe(3);

    const done = await run("sessions", "repair", id.slice(0, 10), "--apply");
    const [, backup = ""] = /^What was there is kept in (.*)$/m.exec(done.stdout) ?? [];
    expect(readFileSync(backup)).toEqual(before);
    expect(await run("sessions", "verify", id)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ sound .* placeholders? for what is lost/),
    });
    expect((await run("history", "view", id)).stdout).toContain("lost: record 9");
    expect((await run("sessions", "repair", id, "--apply")).stdout).toContain("nothing to repair");
    expect(readdirSync(room).filter((name) => name.includes(".damaged-"))).toHaveLength(1);
    const { stdout } = await run("sessions", "repair", id, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ success: true, state: "sound", backup: null });
  });

  test("ends every list of complaints after twenty lines, and says how many more there are", async () => {
    // Every other line, so that no two of the lost places are one.
    const lines = Array.from({ length: 120 }, (_, at) => (at % 2 === 0 ? `{"torn ${at}` : ""));
    writeFileSync(file, `${whole}${lines.filter((line) => line !== "").join("\n")}\n`);
    for (const action of ["verify", "show", "repair"]) {
      const { stdout } = await run("sessions", action, id);
      expect(stdout.split("\n").filter((line) => line.includes("not as it was written"))).toHaveLength(20);
      expect(stdout).toMatch(/… and \d+ more/);
    }
    const { stderr } = await run("sessions", "export", id, "-o", join(project.folder, "out.jsonl"));
    expect(stderr.split("\n").filter((line) => line.startsWith("Not in the export"))).toHaveLength(21);
    expect(stderr).toMatch(/… and \d+ more/);
  });

  test("leaves a session sound and every branch of it renderable, whichever record was lost", async () => {
    const lines = whole.trimEnd().split("\n");
    // Each in turn is lost in the core's own tests.
    for (const at of [0, 1, lines.length >> 1, lines.length - 1]) {
      writeFileSync(file, `${lines.filter((_, line) => line !== at).join("\n")}\n`);
      expect([at, (await run("sessions", "repair", id, "--apply")).code]).toEqual([at, 0]);
      const verified = await run("sessions", "verify", id);
      expect([at, verified.code, verified.stdout]).toEqual([at, 0, expect.stringContaining(" sound ")]);
    }
  });
});
