import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocket } from "node:net";
import { commandPlaces, type SandboxOptions } from "@holdfast/agent/host";
import { isRefusal } from "@holdfast/core/files/values";
import { describe, expect, test } from "vitest";
import { until } from "../../../packages/agent/test/host/ground.js";
import { afterThisTest } from "../../../test/cleanups.js";
import { openSandbox } from "../src/index.js";
import { sandboxGround } from "./ground.js";

const { top, at, told, options, session, inside, starts } = sandboxGround();
writeFileSync(at("config/keys.json"), "secret\n");
mkdirSync(at("project/.vscode"));
writeFileSync(at("project/.vscode/tasks.json"), "{}\n");
const isThere = await starts();

describe("where a command runs", () => {
  const places = (setting: "on" | "auto" | "off", more: Partial<SandboxOptions> = {}) => {
    const sandbox = openSandbox(options(more));
    return commandPlaces(setting, () => sandbox.fault(), options().told);
  };

  test("is outside where it is off", async () => {
    expect(await places("off")()).toBe("outside");
  });

  test("is inside where one starts, whoever allowed it, else outside, which is told once", async () => {
    const auto = places("auto");
    for (const _ of [1, 2]) expect(await auto()).toBe(isThere ? "inside" : "outside");
    expect(told.splice(0)).toHaveLength(isThere ? 0 : 1);
  });

  test("is outside in words, or nowhere where it has to be inside, if none can start", async () => {
    const none = { path: at("project") };
    expect(await places("auto", none)()).toBe("outside");
    expect(told.splice(0)).toEqual([
      expect.stringMatching(
        /^Commands run outside a sandbox, .*(bwrap|sandbox-exec|program).* is not there\.$/u,
      ),
    ]);
    expect(await places("on", none)()).toMatchObject({ kind: "refusal", code: "denied" });
  });

  test("is never decided by a program that a command can write", async () => {
    mkdirSync(at("project/bin"));
    writeFileSync(at("project/bin/bwrap"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    expect(await openSandbox(options({ path: at("project/bin") })).fault()).toContain("is not there");
  });
});

const inSandbox = () => {
  test("writes into the workspace and what settings open, and into temporary folders and caches of its own", async () => {
    writeFileSync(at("cache/tool"), "theirs\n");
    const { run, commands } = session();
    const own = `echo b > /tmp/b && echo b > /var/tmp/b && echo c > ${at("cache/c")}`;
    const done = await run(`echo a > a.txt && echo f > ${at("free/f")} && mkdir -p x/y && ${own}`);
    expect(done).toMatchObject({ exitCode: 0, leftBehind: 0, printed: "", writes: [] });
    expect([readFileSync(at("project/a.txt"), "utf8"), existsSync(at("project/x/y"))]).toEqual(["a\n", true]);
    expect([at("free/f"), "/tmp/b", "/var/tmp/b", at("cache/c")].map(existsSync)).toEqual([
      true,
      false,
      false,
      false,
    ]);
    // Its temporary folders last as long as the session, its caches longer.
    // The programs on the path are there as well, also those that lie in /tmp, such as of a clone.
    const programs = [...(process.env.PATH ?? "").split(":"), process.execPath, process.cwd()];
    const ignored = programs.map((path) => `--ignore='${path.split("/")[2] ?? "-"}'`).join(" ");
    const kept = `cat /tmp/b /var/tmp/b ${at("cache/c")}; ls ${ignored} ${at("cache")} $TMPDIR/.`;
    expect((await run(kept)).printed).toBe(`b\nb\nc\n${at("cache")}:\nc\n\n/tmp/.:\nb\n`);
    await commands.close();
    expect((await inside(`cat /tmp/b; cat ${at("cache/c")}`)).printed).toMatch(/No such file.*\nc\n$/u);
    expect(readFileSync(at("cache/tool"), "utf8")).toBe("theirs\n");
  });

  test.each([
    ["another folder", "../other/x"],
    ["the home folder", "../x"],
    ["the state folder", "../state/x"],
    ["the settings", "../config/keys.json"],
    ["an editor's tasks", ".vscode/tasks.json"],
    ["what the kernel runs", "/proc/sys/kernel/core_pattern"],
    ["the system", "/etc/holdfast-sandbox"],
  ])("does not write into %s", async (_, path) => {
    const done = await inside(`echo evil >> ${path}`);
    expect([done.exitCode, done.printed]).toEqual([1, expect.stringMatching(/read-only|denied/iu)]);
  });

  test("writes nothing but temporary files in plan mode, and reads all of it", async () => {
    const { run } = session();
    writeFileSync(at("project/read.txt"), "there\n");
    const places = ["not-there", at("free/x"), at("cache/x"), ".git/x", "/dev/../etc/x"];
    for (const path of places) {
      const done = await run(`echo evil > ${path}`, true);
      expect([done.exitCode, done.printed], path).toEqual([
        1,
        expect.stringMatching(/read-only|no such|denied/iu),
      ]);
    }
    const looked = "echo a > /tmp/a && cat /tmp/a read.txt && touch /var/tmp/a && git log -1 --format=%s";
    execFileSync("git", ["init", "-q"], { cwd: at("project") });
    execFileSync(
      "git",
      ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "First", "--allow-empty"],
      {
        cwd: at("project"),
      },
    );
    expect(await run(looked, true)).toMatchObject({ exitCode: 0, printed: "a\nthere\nFirst\n" });
    expect((await run("git commit --allow-empty -m Second", true)).exitCode).not.toBe(0);
    expect(existsSync("/tmp/a")).toBe(false);
    // The same session writes again once the plan is approved.
    expect((await run("echo a > y.txt && git status --short")).exitCode).toBe(0);
  });

  test.each([true, ["localhost"]])(
    "keeps what a command exported, and hands it to none outside, with network %j",
    async (network) => {
      const { run, commands } = session({ network });
      await run("export A=1 PATH=/evil:$PATH");
      expect((await run('echo "$A,$(echo "$PATH" | cut -d: -f1)"')).printed).toBe("1,/evil\n");
      const outside = commands.start('echo "$A,$(echo "$PATH" | cut -d: -f1)"', ".");
      if (isRefusal(outside)) throw new Error(outside.message);
      await outside.ended;
      expect(outside.log.text()).toMatch(/^,(?!\/evil)/u);
    },
  );

  test("cannot move away what is read-only, nor mount over it", async () => {
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

  test("reaches only the hosts that are named, by their names, and says which others it asked for", async () => {
    const server = createServer((_, answer) => answer.end("hello")).listen(0, "127.0.0.1");
    afterThisTest(() => server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const ask = (host: string, method: string) =>
      `require("http").request({ host: "127.0.0.1", port: 3128, method: "${method}", path: "${host}", headers: { host: "${host}" } })
        .on("connect", (a, s) => { console.log(a.statusCode); s.destroy(); })
        .on("response", (a) => { console.log(a.statusCode); a.pipe(process.stdout); }).end();`;
    const node = (program: string) => `"${process.execPath}" -e '${program}'`;
    const named = { network: ["localhost"] };
    const get = await inside(node(ask(`http://localhost:${port}/`, "GET")), named);
    expect(get).toMatchObject({ printed: "200\nhello", notes: [] });
    expect((await inside(node(ask(`localhost:${port}`, "CONNECT")), named)).printed).toBe("200\n");
    const other = await inside(node(ask(`127.0.0.1:${port}`, "CONNECT")), named);
    expect(other.printed).toContain("403");
    expect(other.notes).toEqual([
      `It asked for 127.0.0.1:${port}; commands reach only localhost (shell.network).`,
    ]);
    const past = node(`require("net").connect(${port}, "127.0.0.1").on("error", (e) => console.log(e.code))`);
    expect((await inside(past, named)).printed).toBe("ECONNREFUSED\n");
  });

  test("reaches no socket on which a program outside listens, wherever it lies, unless a setting names it", async () => {
    const path = at("other/agent.sock");
    const server = createSocket((socket) => socket.end("secret")).listen(path);
    afterThisTest(() => server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const ask = `"${process.execPath}" -e 'require("net").connect("${path}").on("error", (e) => console.log(e.code)).pipe(process.stdout)'; echo "[$MY_AGENT]"`;
    const own = { ...process.env, MY_AGENT: `unix:path=${path},x=1` };
    for (const [sockets, printed] of [
      [[], /^E\w+\n\[\]\n$/u],
      [["MY_AGENT"], /^secret\[unix:path=.*\]\n$/u],
      [[path], /^secret\[unix:path=.*\]\n$/u],
    ] as const)
      expect((await session({ sockets }, at("project"), own).run(ask)).printed).toMatch(printed);
  });

  test("is not told of the person's programs", async () => {
    const own = {
      ...process.env,
      TMUX: "/tmp/x,1,0",
      SSH_AUTH_SOCK: "/x",
      DBUS_SESSION_BUS_ADDRESS: "unix:abstract=x",
      DISPLAY: ":0",
    };
    const { printed } = await session({}, at("project"), own).run("env");
    expect(printed).not.toMatch(/^(TMUX|SSH_AUTH_SOCK|DBUS_\w+|DISPLAY)=/mu);
    expect(printed).toMatch(/^TMPDIR=\/tmp$/mu);
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
    for (const path of ["hooks/pre-commit", "config"]) {
      const done = await inside(`echo x >> ${at("other/.git")}/${path}`, {}, at("tree"));
      expect(done.writes).toEqual([at(`other/.git/${path.split("/")[0]}`)]);
    }
    expect(git("status", "--porcelain")).toHaveLength(0);
    expect(existsSync(at("other/.git/hooks/pre-commit"))).toBe(false);
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
