import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nativeExtension } from "../../../src/node/disk/attributes.js";
import { sha256 } from "../../../src/node/disk/digest.js";
import { openPorts } from "../../../src/node/workspace/open.js";
import {
  builtRoom,
  bytesOf,
  freshFolder,
  hasStrace,
  must,
  runTraced,
  stagesIn,
  startTraced,
  textAt,
} from "../support.js";

interface Trial {
  readonly root: string;
  readonly stateDir: string;
  readonly file: string;
  readonly old: string | null;
}

const fresh = "the new content";

function newTrial(old: string | null): Trial {
  const base = realpathSync(freshFolder());
  const root = join(base, "root");
  mkdirSync(root);
  const file = join(root, "file");
  if (old !== null) writeFileSync(file, old);
  return { root, stateDir: join(base, "state"), file, old };
}

function runWrite(trial: Trial, options: readonly string[]) {
  return runTraced(options, "write.mjs", ...argumentsOf(trial));
}

function argumentsOf(trial: Trial): readonly string[] {
  return [trial.root, trial.stateDir, "file", fresh];
}

function contentOf(trial: Trial): string | null {
  return readdirSync(trial.root).includes("file") ? textAt(trial.file) : null;
}

interface Call {
  readonly name: string;
  /** The how-manyeth call of that name in its thread. */
  readonly count: number;
  readonly text: string;
}

/** The calls of the main thread from the marker on, and the whole trace of it. */
function traceOf(old: string | null, names: readonly string[]): readonly Call[] {
  const trial = newTrial(old);
  const log = join(trial.root, "..", "trace");
  const run = runWrite(trial, ["-o", log, "-e", `trace=${names.join(",")}`]);
  expect(JSON.parse(run.stdout)).toEqual({ verdict: "committed" });
  const lines = readFileSync(log, "utf8").split("\n");
  const marker = lines.find((line) => line.includes("holdfast-marker"));
  const main = marker?.split(" ")[0];
  const counts = new Map<string, number>();
  const calls: Call[] = [];
  let begun = false;
  for (const line of lines) {
    const [, pid, name, text] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    if (pid !== main || name === undefined || text === undefined) continue;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (begun) calls.push({ name, count: counts.get(name) ?? 0, text });
    if (line === marker) begun = true;
  }
  return calls;
}

/** What the next start finds and leaves: nothing of ours in the project, and a history that is true. */
async function recovered(trial: Trial) {
  const ports = must(await openPorts({ roots: [trial.root], stateDir: trial.stateDir }));
  const entries = await ports.history.entries(trial.file);
  const lock = must(await ports.locks.acquire(trial.file, 0));
  await lock.release();
  await ports.close();
  expect(stagesIn(trial.root)).toEqual([]);
  const intents = join(trial.stateDir, "intents");
  return { entries, intents: statSync(intents, { throwIfNoEntry: false }) ? readdirSync(intents) : [] };
}

const changing = [
  "access",
  "openat",
  "write",
  "pwrite64",
  "fsync",
  "rename",
  "renameat2",
  "link",
  "unlink",
  "symlink",
  "readlink",
  "fchmod",
  "fchown",
  "mkdir",
  "statx",
  "close",
  "utimensat",
  "ftruncate",
];

/** Which calls are made to fail. All our writes have a position: `write` is Node waking itself. */
const making = [
  "openat",
  "pwrite64",
  "fsync",
  "rename",
  "renameat2",
  "link",
  "unlink",
  "symlink",
  "mkdir",
  "ftruncate",
];
const failing = { EIO: [...making, "statx", "readlink", "fchmod", "fchown", "utimensat"], ENOSPC: making };

/** The long sweep strikes at every system call; the short one, for CI, at a dozen or every seventh, and at every step. */
const stride = process.env.HOLDFAST_SWEEP === "all" ? 1 : 7;

function someOf(calls: readonly Call[]): readonly Call[] {
  const between = Math.min(stride, Math.ceil(calls.length / 12));
  return calls.filter(({ name }, at) => name.startsWith("rename") || at % between === 0);
}

/** Not of Node looking for its modules. */
function isOurs(call: Call): boolean {
  return !call.text.includes("node_modules") && !/"\/(etc|sys|usr|lib)/.test(call.text);
}

describe.skipIf(!hasStrace)("under strace", () => {
  for (const old of ["the old content", null]) {
    const what = old === null ? "creation" : "replacement";

    it(`a ${what} killed at any system call leaves the old state or the new one`, async () => {
      const calls = traceOf(old, changing).filter(
        (call) => isOurs(call) && !["statx", "readlink", "access"].includes(call.name),
      );
      const struck = someOf(calls);
      let killed = 0;
      let finished = 0;
      for (const call of struck) {
        const trial = newTrial(old);
        const run = runWrite(trial, [
          "-o",
          "/dev/null",
          "-e",
          `trace=${call.name}`,
          "-e",
          `inject=${call.name}:signal=KILL:when=${call.count}`,
        ]);
        if (run.signal === "SIGKILL" || run.status !== 0) killed += 1;
        const content = contentOf(trial);
        const where = `killed at ${call.name}(${call.text}`;
        expect([old, fresh], where).toContain(content);
        const { entries } = await recovered(trial);
        expect(
          entries.map((entry) => entry.after),
          where,
        ).toEqual(content === fresh ? [sha256(bytesOf(fresh))] : []);
        if (content !== null) expect(statSync(trial.file).nlink, where).toBe(1);
        expect(contentOf(trial), where).toBe(content);
        await recovered(trial);
        if (content === fresh) finished += 1;
      }
      expect(calls.length).toBeGreaterThan(25);
      expect(killed).toBeGreaterThan(struck.length * 0.8);
      expect(finished).toBeGreaterThan(3 / stride);
      expect(finished).toBeLessThan(struck.length);
    }, 120_000);

    for (const code of ["EIO", "ENOSPC"] as const) {
      it(`a ${what} whose every system call once fails with ${code} never lies about the state`, async () => {
        const calls = traceOf(old, changing).filter(
          (call) => isOurs(call) && failing[code].includes(call.name),
        );
        const struck = someOf(calls);
        let failed = 0;
        for (const call of struck) {
          const trial = newTrial(old);
          const run = runWrite(trial, [
            "-o",
            "/dev/null",
            "-e",
            `trace=${call.name}`,
            "-e",
            `inject=${call.name}:error=${code}:when=${call.count}`,
          ]);
          const where = `${code} at ${call.name}(${call.text}: ${run.stdout}${run.stderr}`;
          const content = contentOf(trial);
          expect([old, fresh], where).toContain(content);
          expect(run.status, where).toBe(0);
          const end = JSON.parse(run.stdout);
          if (end.verdict === "committed") expect(content, where).toBe(fresh);
          else if (end.verdict === "DiskFault" && end.state === "visible") expect(content, where).toBe(fresh);
          else if (end.verdict !== "DiskFault") expect(content, where).toBe(old);
          else expect([end.state, content], where).toEqual(["unchanged", old]);
          if (end.verdict !== "committed") failed += 1;
          await recovered(trial);
        }
        expect(failed).toBeGreaterThan(struck.length / 4);
        expect(calls.length).toBeGreaterThan(code === "EIO" ? 25 : 15);
      }, 120_000);
    }
  }

  it("syncs the content before the step, and the folder after it, before it answers", () => {
    const calls = traceOf("old", changing);
    const at = (test: (call: Call) => boolean) => calls.findIndex(test);
    const step = at((call) => call.name === "renameat2" && call.text.includes("/file"));
    const syncs = calls.flatMap((call, index) => (call.name === "fsync" ? [index] : []));
    const staged = at((call) => call.name === "pwrite64" && call.text.includes(fresh));
    const answered = at((call) => call.name === "write" && call.text.includes("committed"));
    expect(syncs).toHaveLength(2);
    const [content, folder] = syncs as [number, number];
    expect(
      [staged, content, step, folder, answered].every((index, place, all) => index > (all[place - 1] ?? -1)),
    ).toBe(true);
  });

  it("does not try an fsync that failed a second time", () => {
    const fsyncs = traceOf("old", changing).filter((call) => call.name === "fsync");
    const trial = newTrial("old");
    const log = join(trial.root, "..", "trace");
    const run = runWrite(trial, [
      "-o",
      log,
      "-e",
      "trace=fsync",
      "-e",
      `inject=fsync:error=EIO:when=${fsyncs[0]?.count}`,
    ]);
    expect(JSON.parse(run.stdout)).toEqual({
      verdict: "DiskFault",
      operation: "fsync",
      code: "EIO",
      state: "unchanged",
    });
    expect(readFileSync(log, "utf8").match(/fsync\(/g)).toHaveLength(1);
    expect(contentOf(trial)).toBe("old");
    expect(stagesIn(trial.root)).toEqual([]);
  });

  it("does not call a write a failure because a descriptor could not be closed after it", () => {
    const calls = traceOf("old", changing);
    const step = calls.findIndex((call) => call.name.startsWith("rename") && call.text.includes("/file"));
    const closes = calls.slice(step).filter(({ name }) => name === "close");
    expect(closes.length).toBeGreaterThan(3);
    for (const { count } of closes) {
      const trial = newTrial("old");
      const inject = `inject=close:error=EIO:when=${count}`;
      const run = runWrite(trial, ["-o", "/dev/null", "-e", "trace=close", "-e", inject]);
      expect([JSON.parse(run.stdout).verdict, contentOf(trial)], `close ${count}`).toEqual([
        "committed",
        fresh,
      ]);
    }
  });

  it.runIf(nativeExtension().kind === "loaded")("names the call that failed on extended attributes", () => {
    const lists = traceOf("old", ["access", "flistxattr"]).filter(({ name }) => name === "flistxattr");
    expect(lists.length).toBeGreaterThan(1);
    for (const code of ["EIO", "EINTR"]) {
      const trial = newTrial("old");
      const inject = `inject=flistxattr:error=${code}:when=${lists[0]?.count}`;
      const run = runWrite(trial, ["-o", "/dev/null", "-e", "trace=flistxattr", "-e", inject]);
      const failed = { verdict: "DiskFault", operation: "flistxattr", code: "EIO", state: "unchanged" };
      expect(JSON.parse(run.stdout)).toEqual(code === "EINTR" ? { verdict: "committed" } : failed);
    }
  });

  it("stands a record of its own that cannot be closed after it was read", () => {
    const top = realpathSync(freshFolder());
    writeFileSync(join(top, "record"), "text");
    const script = join(top, "read.mjs");
    writeFileSync(
      script,
      `import { readText } from ${JSON.stringify(builtRoom())};\nconsole.log(readText(${JSON.stringify(join(top, "record"))}));\n`,
    );
    const log = join(top, "trace");
    const run = (...options: string[]) =>
      spawnSync("strace", ["-f", "-qq", "-y", "-o", log, ...options, process.execPath, script], {
        encoding: "utf8",
      });
    run("-e", "trace=close");
    const closes = readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.includes("close("));
    const [pid] = closes.find((line) => line.includes("/record>"))?.split(" ") ?? [];
    const mine = closes.filter((line) => line.startsWith(`${pid} `));
    const count = mine.findIndex((line) => line.includes("/record>")) + 1;
    expect(count).toBeGreaterThan(0);
    expect(run("-e", "trace=close", "-e", `inject=close:error=EIO:when=${count}`).stdout).toBe("text\n");
  });

  it("says why a file cannot be looked at", () => {
    const looks = traceOf("old", changing).filter(
      ({ name, text }) => name === "statx" && text.includes('/file"'),
    );
    const verdicts = looks.map(({ count }) => {
      const inject = `inject=statx:error=EACCES:when=${count}`;
      const run = runWrite(newTrial("old"), ["-o", "/dev/null", "-e", "trace=statx", "-e", inject]);
      return JSON.parse(run.stdout).verdict;
    });
    expect(verdicts.length).toBeGreaterThan(3);
    expect(new Set(verdicts)).toEqual(new Set(["permission_denied"]));
  });

  it("knows a full quota, for which Node has no name", () => {
    const writes = traceOf("old", changing).filter(({ name }) => name === "pwrite64");
    const verdicts: string[] = [];
    for (const { count } of writes) {
      const trial = newTrial("old");
      const inject = `inject=pwrite64:error=EDQUOT:when=${count}`;
      const run = runWrite(trial, ["-o", "/dev/null", "-e", "trace=pwrite64", "-e", inject]);
      verdicts.push(JSON.parse(run.stdout).verdict);
    }
    // What comes first is the copy of the old state; the fixture goes on without it, a workspace does not.
    expect(verdicts).toContain("disk_full");
    expect(verdicts).not.toContain("DiskFault");
  });

  it("does not take a write of no bytes for progress", () => {
    const writes = traceOf("old", changing).filter(
      (call) => call.name === "pwrite64" && call.text.includes(fresh),
    );
    const trial = newTrial("old");
    const inject = `inject=pwrite64:retval=0:when=${writes[0]?.count}`;
    const run = runWrite(trial, ["-o", "/dev/null", "-e", "trace=pwrite64", "-e", inject]);
    expect(JSON.parse(run.stdout).verdict).toBe("DiskFault");
    expect(contentOf(trial)).toBe("old");
    expect(stagesIn(trial.root)).toEqual([]);
  });

  it("creates on a file system without hard links, too, and is first or not at all", () => {
    const trial = newTrial(null);
    const options = ["-o", "/dev/null", "-e", "trace=link", "-e", "inject=link:error=EPERM"];
    expect(JSON.parse(runWrite(trial, options).stdout)).toEqual({ verdict: "committed" });
    expect([contentOf(trial), statSync(trial.file).nlink]).toEqual([fresh, 1]);
    expect(statSync(trial.file).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(stagesIn(trial.root)).toEqual([]);
  });

  /** A write whose step takes its time; somebody without our lock acts in that time. */
  async function overtake(trial: Trial, step: string, act: () => void, ...how: string[]) {
    const options = ["-o", "/dev/null", "-e", `trace=${step}`, "-e", `inject=${step}:delay_enter=3000000`];
    const child = startTraced(options, "write.mjs", ...argumentsOf(trial), ...how);
    let printed = "";
    child.stdout?.on("data", (chunk) => {
      printed += chunk;
    });
    while (stagesIn(trial.root).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 500));
    act();
    await once(child, "close");
    expect(stagesIn(trial.root)).toEqual([]);
    return JSON.parse(printed);
  }

  // These three wait for most of their time: they do so at once.
  it.concurrent("hands back what was written into the old file between the last look and the rename", async () => {
    const trial = newTrial("old");
    const end = await overtake(trial, "rename", () => writeFileSync(trial.file, "theirs"), "by renaming");
    expect(end).toEqual({ verdict: "committed", displaced: "theirs" });
    expect(contentOf(trial)).toBe(fresh);
  });

  it.concurrent.each([
    ["writes into the file", (file: string) => writeFileSync(file, "theirs")],
    [
      "replaces the file",
      (file: string) => {
        writeFileSync(`${file}.new`, "theirs");
        renameSync(`${file}.new`, file);
      },
    ],
  ])("who %s between the last look and the exchange finds his work untouched", async (_, act) => {
    const trial = newTrial("old");
    const end = await overtake(trial, "renameat2", () => act(trial.file));
    expect(end).toEqual({ verdict: "changed" });
    expect(contentOf(trial)).toBe("theirs");
    expect(statSync(trial.file).nlink).toBe(1);
  });

  it.concurrent.each([
    ["a mode", (file: string) => chmodSync(file, 0o400), { mode: 0o400, nlink: 1 }],
    ["a further name", (file: string) => linkSync(file, `${file}.too`), { mode: 0o644, nlink: 2 }],
  ])("%s that a file gets between the last look and the exchange stays its own", async (_, act, has) => {
    const trial = newTrial("old");
    chmodSync(trial.file, 0o644);
    const end = await overtake(trial, "renameat2", () => act(trial.file));
    expect(end).toEqual({ verdict: "changed" });
    expect(contentOf(trial)).toBe("old");
    const { mode, nlink } = statSync(trial.file);
    expect({ mode: mode & 0o777, nlink }).toEqual(has);
  });

  it.each([
    { what: "the swap not taken", target: "old", aside: fresh, stands: "old", log: [] },
    {
      what: "the swap taken",
      target: fresh,
      aside: "old",
      stands: fresh,
      log: [{ after: sha256(bytesOf(fresh)) }],
    },
    { what: "somebody's work displaced", target: fresh, aside: "theirs", stands: "theirs", log: [] },
    {
      what: "somebody's work displaced, and another's in its place",
      target: "later",
      aside: "theirs",
      stands: "later",
      log: [{ after: sha256(bytesOf("theirs")), displaced: true }],
    },
  ])("a kill that leaves $what loses nothing", async ({ target, aside, stands, log }) => {
    const trial = newTrial("old");
    const run = runWrite(trial, [
      ...["-o", "/dev/null", "-e", "trace=renameat2", "-e", "inject=renameat2:signal=KILL:when=1"],
    ]);
    expect(run.stdout).toBe("");
    const [left] = stagesIn(trial.root);
    expect(left).toMatch(/-swap$/);
    // As any kill after the swap leaves it: only the content of the two names differs.
    writeFileSync(join(trial.root, left ?? ""), aside);
    writeFileSync(trial.file, target);
    const { entries, intents } = await recovered(trial);
    expect(contentOf(trial)).toBe(stands);
    expect(intents).toEqual([]);
    expect(entries).toMatchObject(log);
    expect(entries).toHaveLength(log.length);
    if (log.some((entry) => "displaced" in entry)) {
      const blob = sha256(bytesOf("theirs"));
      expect(textAt(join(trial.stateDir, "blobs", blob.slice(0, 2), blob))).toBe("theirs");
    }
  });

  /** Whether what strace runs is held up in `renameat2`, by its number on x86-64 or arm64. */
  function isExchanging(strace: number | undefined): boolean {
    const children = readFileSync(`/proc/${strace}/task/${strace}/children`, "utf8").trim();
    return children.split(" ").some((pid) => {
      try {
        return /^(316|276) /.test(readFileSync(`/proc/${pid}/syscall`, "utf8"));
      } catch {
        return false;
      }
    });
  }

  it("a program that saves while the next start gives another one's file back has the name, and both are there", async () => {
    const trial = newTrial("old");
    runWrite(trial, [
      "-o",
      "/dev/null",
      "-e",
      "trace=renameat2",
      "-e",
      "inject=renameat2:signal=KILL:when=1",
    ]);
    const [left = ""] = stagesIn(trial.root);
    writeFileSync(join(trial.root, left), "theirs");
    writeFileSync(trial.file, fresh);
    const delays = ["-o", "/dev/null", "-e", "trace=renameat2", "-e", "inject=renameat2:delay_enter=2000000"];
    const child = startTraced(delays, "start.mjs", trial.root, trial.stateDir);
    const closed = once(child, "close");
    while (!isExchanging(child.pid) && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 20));
    writeFileSync(`${trial.file}.new`, "latest");
    renameSync(`${trial.file}.new`, trial.file);
    await closed;
    expect(contentOf(trial)).toBe("latest");
    const { entries, intents } = await recovered(trial);
    expect([intents, stagesIn(trial.root)]).toEqual([[], []]);
    const blob = sha256(bytesOf("theirs"));
    expect(entries).toMatchObject([{ after: blob, displaced: true }]);
    expect(textAt(join(trial.stateDir, "blobs", blob.slice(0, 2), blob))).toBe("theirs");
  });
});
