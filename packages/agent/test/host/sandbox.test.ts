import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { isRefusal } from "@holdfast/core/files";
import { describe, expect, test } from "vitest";
import { afterThisFile, afterThisTest } from "../../../../test/cleanups.js";
import { folderOutsideTemp } from "../../../../test/outside-temp.js";
import { Commands } from "../../src/host/commands.js";
import { commandEnvironment } from "../../src/host/environment.js";
import { Sandbox, type SandboxOptions } from "../../src/host/sandbox.js";
import { until } from "./ground.js";

/** Not among the temporary folders, which are writable anyway. */
const top = folderOutsideTemp();
afterThisFile(() => rmSync(top, { recursive: true, force: true }));
const at = (name: string) => join(top, name);
for (const name of ["project", "other", "cache", "state", "config"]) mkdirSync(at(name));
writeFileSync(at("config/keys.json"), "secret\n");
for (const name of [".git/hooks", ".vscode"]) mkdirSync(at(join("project", name)), { recursive: true });

const told: string[] = [];
const options = (more: Partial<SandboxOptions> = {}): SandboxOptions => ({
  setting: "auto",
  roots: [at("project")],
  writable: [at("cache")],
  readOnly: [at("state"), at("config")],
  hidden: [at("config/keys.json")],
  network: true,
  path: process.env.PATH ?? "",
  told: (line) => told.push(line),
  ...more,
});

/** Runs a command inside to its end. */
async function inside(command: string, more: Partial<SandboxOptions> = {}, root = at("project")) {
  const sandbox = new Sandbox(options({ roots: [root], ...more }));
  const environment = commandEnvironment({ own: process.env });
  const commands = new Commands({ roots: [root], tempDir: at("state/tmp"), environment, sandbox });
  afterThisTest(() => commands.close());
  const started = commands.start(command, ".", false, { sandboxed: true });
  if (isRefusal(started)) throw new Error(started.message);
  const end = await started.ended;
  return { ...end, printed: Buffer.from(started.log.shown().head).toString() };
}

const isThere = (await new Sandbox(options()).fault()) === undefined;

describe("where a command runs", () => {
  test("is outside where it is off", async () => {
    expect(await new Sandbox(options({ setting: "off" })).place()).toBe("outside");
  });

  test("is inside where one starts, whoever allowed it, else outside, which is told once", async () => {
    const auto = new Sandbox(options());
    for (const _ of [1, 2]) expect(await auto.place()).toBe(isThere ? "inside" : "outside");
    expect(told.splice(0)).toHaveLength(isThere ? 0 : 1);
  });

  test("is outside in words, or nowhere where it has to be inside, if none can start", async () => {
    const none = { path: at("project") };
    expect(await new Sandbox(options(none)).place()).toBe("outside");
    expect(told.splice(0)).toEqual([
      expect.stringMatching(
        /^Commands run outside a sandbox, .*(bwrap|sandbox-exec|program).* is not there\.$/u,
      ),
    ]);
    const on = await new Sandbox(options({ ...none, setting: "on" })).place();
    expect(on).toMatchObject({ kind: "refusal", code: "denied" });
  });

  test("is never decided by a program that a command can write", async () => {
    mkdirSync(at("project/bin"));
    writeFileSync(at("project/bin/bwrap"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    expect(await new Sandbox(options({ path: at("project/bin") })).fault()).toContain("is not there");
  });
});

const inSandbox = () => {
  test("writes into the workspace, temporary folders and caches", async () => {
    const temporary = realpathSync(mkdtempSync("/tmp/holdfast-sandbox-"));
    afterThisTest(() => rmSync(temporary, { recursive: true, force: true }));
    const done = await inside(
      `echo a > a.txt && echo b > ${temporary}/b && echo c > ${at("cache/c")} && mkdir -p x/y`,
    );
    expect(done).toMatchObject({ exitCode: 0, leftBehind: 0, printed: "" });
    expect(readFileSync(at("project/a.txt"), "utf8")).toBe("a\n");
    expect([existsSync(at("cache/c")), existsSync(at("project/x/y"))]).toEqual([true, true]);
  });

  test.each([
    ["another folder", "../other/x"],
    ["the home folder", "../x"],
    ["the state folder", "../state/x"],
    ["the settings", "../config/keys.json"],
    ["git's hooks", ".git/hooks/pre-commit"],
    ["an editor's tasks", ".vscode/tasks.json"],
    ["the system", "/etc/holdfast-sandbox"],
  ])("does not write into %s", async (_, path) => {
    const done = await inside(`echo evil >> ${path}`);
    expect([done.exitCode, done.printed]).toEqual([1, expect.stringMatching(/read-only|denied/iu)]);
  });

  test("cannot move away what is read-only, nor mount over it", async () => {
    expect((await inside("mv .git away")).exitCode).not.toBe(0);
    expect((await inside(`rm -rf ${top}/config`)).exitCode).not.toBe(0);
    expect((await inside("mount -o remount,rw / && touch /etc/holdfast-sandbox")).exitCode).not.toBe(0);
    expect(existsSync("/etc/holdfast-sandbox")).toBe(false);
  });

  test("reads other files, but no keys", async () => {
    expect((await inside("cat /etc/hostname")).exitCode).toBe(0);
    const keys = await inside("cat ../config/keys.json");
    expect([keys.exitCode, keys.printed]).toEqual([1, expect.not.stringContaining("secret")]);
  });

  test("reaches this machine's network, or none", async () => {
    const server = createServer((_, answer) => answer.end("hello")).listen(0, "127.0.0.1");
    afterThisTest(() => server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const get = `${process.execPath} -e "fetch('http://127.0.0.1:${port}').then((a) => a.text()).then(console.log)"`;
    expect(await inside(get)).toMatchObject({ printed: "hello\n" });
    expect(await inside(get, { network: false })).toMatchObject({ exitCode: 1 });
  });

  test("sees no process of this machine, and ends with all that it started", async () => {
    expect((await inside(`kill -0 ${process.pid}`)).exitCode).not.toBe(0);
    const sleep = `7${process.pid}.5`;
    const done = await inside(`(trap '' TERM; sleep ${sleep}) & setsid sleep ${sleep} & echo started`);
    expect(done.printed).toBe("started\n");
    expect(done.leftBehind).toBeGreaterThan(0);
    await until(() => !isRunning(sleep));
  });

  test("commits in a worktree of git, whose folder lies elsewhere, and sets no hook there", async () => {
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        cwd: at("other"),
        stdio: "pipe",
      });
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "First");
    git("worktree", "add", "-q", at("tree"));
    const commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m Second";
    expect(await inside(commit, {}, at("tree"))).toMatchObject({ exitCode: 0 });
    for (const path of ["hooks/pre-commit", "config"])
      expect((await inside(`echo x >> ${at("other/.git")}/${path}`, {}, at("tree"))).exitCode).toBe(1);
  });
};

// Without the program, or the right to make namespaces, the cases above say what holds.
if (isThere) describe("a command in the sandbox", inSandbox);

function isRunning(word: string): boolean {
  return readdirSync("/proc").some((name) => {
    try {
      return /^\d+$/u.test(name) && readFileSync(`/proc/${name}/cmdline`, "latin1").includes(word);
    } catch {
      return false;
    }
  });
}
