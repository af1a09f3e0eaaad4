import { chmodSync, chownSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRoot } from "../../../../test/tools.js";
import { isThere } from "../addon-there.js";
import { Project, runAs, runHoldfast } from "../process.js";

const nobody = 65_534;

/** A project of another user; two of its folders are closed to everybody but root. */
function closedProject(): string {
  const { folder } = new Project({
    "a.txt": "one\n",
    "closed/b.txt": "one\n",
    "open/c.txt": "one\n",
    "open/closed/d.txt": "one\n",
  });
  for (const name of ["", "a.txt", "open", "open/c.txt"]) chownSync(join(folder, name), nobody, nobody);
  for (const name of ["closed", "open/closed"]) chmodSync(join(folder, name), 0o700);
  return folder;
}

interface Case {
  readonly args: readonly string[];
  readonly note: string;
  readonly json: object;
}

const two = "2 folders that may not be entered";
const cases: readonly Case[] = [
  {
    args: ["search", "one"],
    note: `Not searched: ${two}.\n`,
    json: { searched_files: 2, skipped: { unreadable: 0, closed_folders: 2 } },
  },
  {
    args: ["find", "**/*.txt"],
    note: `Not looked in: ${two}.\n`,
    json: { files: [{ path: "a.txt" }, { path: "open/c.txt" }], closed_folders: 2 },
  },
  { args: ["list", "--depth", "9"], note: `Not looked in: ${two}.\n`, json: { closed_folders: 2 } },
];

test.skipIf(!isRoot).each(cases)(
  "$args.0 names the folders that may not be entered",
  async ({ args, note, json }) => {
    const folder = closedProject();
    const said = await runAs(nobody, [...args, "--root", folder]);
    expect(said.stderr).toBe(note);
    expect(said.code).toBe(0);
    const told = await runAs(nobody, [...args, "--json", "--root", folder]);
    expect(JSON.parse(told.stdout)).toMatchObject(json);
  },
);

test.skipIf(!isRoot)("a folder that nobody asked to look into is not named", async () => {
  const said = await runAs(nobody, ["list", "--root", closedProject()]);
  expect(said).toMatchObject({ code: 0, stderr: "" });
  expect(said.stdout).toContain("closed/");
});

test.skipIf(!isRoot)("serves a user whom the system does not know, without a home", async () => {
  const project = new Project({ "a.txt": "one\n" });
  chmodSync(project.folder, 0o755);
  const { code, stdout } = await runAs(61_234, ["read", "--root", project.folder, "a.txt"]);
  expect([code, stdout]).toEqual([0, "one\n"]);
});

test.skipIf(!isRoot)("says what a home that is read-only stands in the way of, and reads", async () => {
  const project = new Project({ "a.txt": "one\n", "home/.keep": "" });
  for (const name of ["", "home"]) chmodSync(join(project.folder, name), 0o755);
  const home = join(project.folder, "home");
  const run = (...args: string[]) =>
    runAs(nobody, ["--root", project.folder, "--state-dir", join(home, "state"), ...args], { HOME: home });
  expect(await run("read", "a.txt")).toMatchObject({ code: 0, stdout: "one\n" });
  const doctor = await run("doctor");
  expect([doctor.code, doctor.stdout]).toEqual([7, expect.stringMatching(/✗ state folder .*cannot be made/)]);
  expect(await run("undo", "a.txt")).toMatchObject({
    code: 7,
    stderr: expect.stringContaining("permission"),
  });
  if (isThere("hosts"))
    expect(await run("setup", "claude", "--yes")).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/permission/),
    });
  expect(readdirSync(home)).toEqual([".keep"]);
});

test.skipIf(!isRoot)("uses no state folder and no settings of another user", async () => {
  const project = new Project({
    "a.txt": "one\n",
    "state/.keep": "",
    "home/.config/holdfast/settings.jsonc": "{}",
  });
  const home = join(project.folder, "home");
  for (const name of ["", "home", "home/.config", "home/.config/holdfast"])
    chmodSync(join(project.folder, name), 0o755);
  chmodSync(join(home, ".config/holdfast/settings.jsonc"), 0o600);
  const theirs = await runAs(nobody, ["read", "a.txt", "--root", project.folder], {
    HOLDFAST_STATE_DIR: join(project.folder, "state"),
  });
  expect(theirs).toMatchObject({ code: 7, stderr: expect.stringContaining("belongs to another user") });
  const checked = await runAs(nobody, ["config", "check"], { HOME: home });
  expect(checked).toMatchObject({ code: 52, stderr: expect.stringContaining("may not be read") });
});

test("takes no file of the current folder for a person's settings where HOME is empty", async () => {
  const project = new Project({ ".config/holdfast/settings.jsonc": '{"model": {"default": "mine/own"}}' });
  const shown = await runHoldfast(["config", "list"], { cwd: project.folder, env: { HOME: "" } });
  expect(shown.stdout).not.toContain("mine/own");
});

test.runIf(isThere("hosts"))("sets nothing up for a person without a home, and says why", async () => {
  const project = new Project();
  const { code, stderr } = await runHoldfast(["setup", "claude"], { cwd: project.folder, env: { HOME: "" } });
  expect(code).toBe(2);
  expect(stderr).toContain("set HOME");
});
