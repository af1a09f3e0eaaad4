import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRefusal } from "@holdfast/core/files/values";
import { type HostRequest, runHostTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { afterThisTest } from "../../../../test/cleanups.js";
import { Commands } from "../../src/host/commands.js";
import { judgedShell } from "../../src/host/shell-state.js";
import { shellTool } from "../../src/host/shell-tool.js";
import { Gate } from "../../src/loop/gate.js";

/** Commands in a folder with one below it, one after another. */
function session(shell?: string, own: Readonly<Record<string, string>> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-shell-")));
  mkdirSync(join(root, "sub"));
  const environment = { PATH: process.env.PATH ?? "", KEPT: "kept", ...own };
  const commands = new Commands({
    ...{ roots: [root], tempDir: join(root, ".tmp"), environment, lasts: true },
    ...(shell === undefined ? {} : { shell }),
  });
  afterThisTest(async () => {
    await commands.close();
    rmSync(root, { recursive: true, force: true });
  });
  const run = async (command: string, agent?: object) => {
    const started = commands.start(command, undefined, false, { agent });
    if (isRefusal(started)) throw new Error(started.message);
    const end = await started.ended;
    const printed = Buffer.from(started.log.shown().head).toString().trimEnd();
    return { printed, notes: started.notes, code: end.exitCode, signal: end.signal };
  };
  return { root, commands, run };
}

const shells = ["/bin/bash", "/bin/sh", "/bin/dash"].filter(existsSync);

describe.skipIf(process.platform === "win32").each(shells)("the session of a shell, %s", (shell) => {
  it("keeps folder, exported variables and a virtual environment from one command to the next", async () => {
    const { root, run } = session(shell);
    writeFileSync(
      join(root, "activate"),
      'VIRTUAL_ENV="$PWD/venv"; export VIRTUAL_ENV; PATH="$VIRTUAL_ENV/bin:$PATH"; export PATH\n',
    );
    mkdirSync(join(root, "venv/bin"), { recursive: true });
    writeFileSync(join(root, "venv/bin/python"), "#!/bin/sh\necho of the venv\n", { mode: 0o755 });
    const moved = await run(". ./activate; cd sub && export A='one\ntwo' && own=3; unset KEPT");
    expect(moved).toMatchObject({ code: 0, notes: ["The next command begins in sub."] });
    const next = await run('pwd; echo "$A,$own,$KEPT"; python');
    expect(next).toMatchObject({ printed: `${join(root, "sub")}\none\ntwo,,\nof the venv`, notes: [] });
    expect((await run("cd ..; exit 3")).code).toBe(3);
    expect((await run("pwd")).printed).toBe(root);
  });

  it("keeps nothing where more is handed over than any environment holds", async () => {
    const { run } = session(shell);
    expect((await run("export A=1; head -c 3000000 /dev/zero >&4")).code).toBe(0);
    expect((await run('echo "[$A]"')).printed).toBe("[]");
  });

  it("begins at the root again where the folder is gone or outside, and says so", async () => {
    const { root, run } = session(shell);
    await run("cd sub");
    rmSync(join(root, "sub"), { recursive: true });
    expect(await run("pwd")).toMatchObject({
      printed: root,
      notes: [expect.stringMatching(/^There is no folder .*sub; the command began in the workspace\.$/u)],
    });
    expect((await run("cd /")).notes).toEqual([
      "/ is outside of the workspace; the next command begins in the workspace.",
    ]);
    expect((await run("pwd")).printed).toBe(root);
  });

  it("keeps nothing by which every program is another one, and tells a signal from an exit", async () => {
    const { run } = session(shell);
    await run("export GIT_DIR=x LD_PRELOAD= BASH_ENV=y; export B=1");
    expect((await run('echo "$GIT_DIR,$BASH_ENV,$B"')).printed).toBe(",,1");
    expect(await run("sh -c 'kill -9 $$'")).toMatchObject({ signal: "SIGKILL" });
  });

  it("is one of its own for each agent", async () => {
    const { root, run } = session(shell);
    const [one, other] = [{}, {}];
    await run("cd sub; export A=1", one);
    expect((await run('echo "$A"; pwd', other)).printed).toBe(`\n${root}`);
    expect((await run('echo "$A"', one)).printed).toBe("1");
  });
});

describe.skipIf(process.platform === "win32")("the folder that lasts", () => {
  it("is what a person is asked about, and is not kept of a command in the background", async () => {
    const { commands } = session();
    const asked: (unknown | undefined)[] = [];
    const gate = new Gate({
      namesOf: async (path) => ({ named: [path], real: [path], within: [] }),
      commandFolder: (agent) => commands.folder(agent),
      ask: async (list) =>
        list.map((one) => {
          asked.push(one.kind === "run" ? (one.request as HostRequest).args.directory : undefined);
          return { kind: "yes" };
        }),
    });
    const tool = gate.guarded(shellTool({ commands }));
    const run = (args: object) => runHostTool(tool, args, { progress: () => {} });
    await run({ command: "cd sub" });
    expect((await run({ command: "pwd; cd ..", background: true })).text).toContain("/sub");
    await run({ command: "pwd" });
    expect(asked).toEqual([undefined, "sub", "sub"]);
  });

  it("leaves a command without input, which fails at once with a word on it", async () => {
    const { commands } = session();
    const command = "echo 'EOFError: EOF when reading a line'; read name || exit 1";
    const { text } = await runHostTool(shellTool({ commands }), { command }, { progress: () => {} });
    expect(text).toContain("A command has no input: give the answer in its arguments");
  });
});

describe("the person's shell", () => {
  it.each([
    ["/bin/bash", "/bin/bash"],
    ["/usr/bin/dash", "/usr/bin/dash"],
    ["/bin/zsh", undefined],
    ["/usr/bin/fish", undefined],
    ["bash", undefined],
    [undefined, undefined],
  ])("%s is used where rules are judged in its syntax: %s", (shell, used) => {
    expect(judgedShell(shell)).toBe(used);
  });
});
