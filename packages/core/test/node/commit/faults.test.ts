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
import { nativeExtension } from "../../../src/node/disk/folder.js";
import { sha256 } from "../../../src/node/disk/reading.js";
import { openPorts } from "../../../src/node/workspace/open.js";
import { hangMs } from "../../support.js";
import { type Call, callsIn, endsOf, heldUp, striking, traced } from "../strikes.js";
import {
  bytesOf,
  freshFolder,
  hasStrace,
  must,
  runTraced,
  stagesIn,
  startTraced,
  textAt,
} from "../support.js";

/** One write under strace, struck where it hurts most. `npm run proof -- faults` strikes at every call of every tool. */
interface Trial {
  readonly root: string;
  readonly stateDir: string;
  readonly file: string;
}

const fresh = "the new content";
const old = "the old content";

function newTrial(text: string | null = old): Trial {
  const base = realpathSync(freshFolder());
  const root = join(base, "root");
  mkdirSync(root);
  const file = join(root, "file");
  if (text !== null) writeFileSync(file, text);
  return { root, stateDir: join(base, "state"), file };
}

const argumentsOf = ({ root, stateDir }: Trial) => [root, stateDir, "file", fresh];
const runWrite = (trial: Trial, options: readonly string[]) =>
  runTraced(options, "write.mjs", ...argumentsOf(trial));
type Struck = Pick<Call, "name" | "count">;
const contentOf = ({ root, file }: Trial) => (readdirSync(root).includes("file") ? textAt(file) : null);

/** What the write prints where this call meets this fault. */
function told(trial: Trial, call: Struck, fault: string) {
  const { stdout } = runWrite(trial, striking(call, fault));
  return stdout === "" ? undefined : JSON.parse(stdout);
}

/**
 * The same where the call has to stand behind the last of `step`. Node makes calls of its own, not always as many: the trace of
 * the strike shows what was hit, and what missed is tried again, a call further on or back.
 */
function toldBehind(step: string, text: string | null, call: Struck, fault: string, tries = 8) {
  const trial = newTrial(text);
  const log = join(trial.root, "..", "trace");
  const inject = `inject=${call.name}:${fault}:when=${call.count}`;
  const run = runWrite(trial, ["-o", log, "-e", `trace=${call.name},${step}`, "-e", inject]);
  const lines = readFileSync(log, "utf8").split("\n");
  const hit = lines.findIndex((line) => line.includes("(INJECTED)"));
  const done = lines.findLastIndex((line) => line.includes(` ${step}(`));
  if (done >= 0 && hit > done) return { trial, answer: JSON.parse(run.stdout) };
  if (tries === 0) throw new Error(`no ${call.name} behind ${step} could be struck`);
  const next = { ...call, count: call.count + (hit < 0 ? -1 : 1) };
  return toldBehind(step, text, next, fault, tries - 1);
}

const traces = new Map<string | null, readonly Call[]>();

/** The calls of a replacement, or of a creation where there is no text. */
function callsOf(text: string | null = old): readonly Call[] {
  const known = traces.get(text);
  if (known !== undefined) return known;
  const trial = newTrial(text);
  const log = join(trial.root, "..", "trace");
  expect(JSON.parse(runWrite(trial, ["-o", log, "-e", `trace=${traced}`]).stdout)).toEqual({
    verdict: "committed",
  });
  traces.set(text, callsIn(log));
  return callsOf(text);
}

function find(text: string | null, name: string, part = "", last = false): Call {
  const fitting = callsOf(text).filter((call) => call.name === name && call.text.includes(part));
  const call = last ? fitting.at(-1) : fitting[0];
  if (call === undefined) throw new Error(`no ${name} of ${part}`);
  return call;
}

/** What the next start finds and leaves: nothing of ours in the project, and a history that is true. */
async function recovered(trial: Trial) {
  const ports = must(await openPorts({ roots: [trial.root], stateDir: trial.stateDir }));
  const entries = await ports.history.entries(trial.file);
  await must(await ports.locks.acquire(trial.file, 0)).release();
  await ports.close();
  expect(stagesIn(trial.root)).toEqual([]);
  return { entries, intents: readdirSync(join(trial.stateDir, "intents")) };
}

const keptAs = (trial: Trial, text: string) => {
  const hash = sha256(bytesOf(text));
  return textAt(join(trial.stateDir, "blobs", hash.slice(0, 2), hash));
};
/** Those that mean a refusal before the step, and two that never do. */
const errnos = ["EACCES", "EPERM", "EIO", "EBUSY", "EROFS", "ENOSPC", "EDQUOT", "EMFILE", "ENOENT", "EINVAL"];
const firstSwap = { name: "renameat2", count: 1 };

describe.skipIf(!hasStrace)("under strace", () => {
  it.each([
    { what: "replacement", text: old, step: "renameat2", stands: old },
    { what: "replacement", text: old, step: "fsync", stands: fresh },
    { what: "creation", text: null, step: "link", stands: null },
    { what: "creation", text: null, step: "fsync", stands: fresh },
  ])(
    "a $what killed at its last $step leaves the old state or the new one",
    async ({ text, step, stands }) => {
      const trial = newTrial(text);
      expect(told(trial, find(text, step, "", true), "signal=KILL")).toBeUndefined();
      expect(contentOf(trial)).toBe(stands);
      for (let start = 0; start < 2; start++) {
        const { entries } = await recovered(trial);
        expect(entries.map(({ after }) => after)).toEqual(stands === fresh ? [sha256(bytesOf(fresh))] : []);
        expect(contentOf(trial)).toBe(stands);
      }
      if (stands !== null) expect(statSync(trial.file).nlink).toBe(1);
    },
  );

  it.each([
    { at: "renameat2", code: "EIO", says: { verdict: "DiskFault", state: "unchanged" }, stands: old },
    { at: "fsync", code: "EIO", says: { verdict: "committed", state: "visible" }, stands: fresh },
    { at: "unlink", code: "EIO", says: { verdict: "committed" }, stands: fresh },
  ])(
    "a replacement whose last $at fails with $code never lies about the state",
    async ({ at, code, says, stands }) => {
      const trial = newTrial();
      expect(told(trial, find(old, at, "", true), `error=${code}`)).toMatchObject(says);
      expect(contentOf(trial)).toBe(stands);
      await recovered(trial);
    },
  );

  it.each([
    { what: "replacement", text: old, step: "renameat2" },
    { what: "creation", text: null, step: "link" },
  ])(
    "a $what is done, whichever call after its step fails, and however",
    { timeout: 5 * hangMs },
    async ({ text, step }) => {
      const calls = callsOf(text);
      const after = calls.slice(calls.findLastIndex(({ name }) => name === step) + 1);
      const names = [...new Set(after.map(({ name }) => name))].filter((name) => name !== "write");
      expect(names).toEqual(expect.arrayContaining(["statx", "unlink", "fsync", "close"]));
      const struck = names.flatMap((name) => endsOf(after, (call) => call.name === name));
      for (const [at, call] of struck.entries()) {
        const code = errnos[at % errnos.length] ?? "EIO";
        const { trial, answer } = toldBehind(step, text, call, `error=${code}`);
        expect({ call, code, ...answer }).toMatchObject({ verdict: "committed" });
        expect(contentOf(trial)).toBe(fresh);
        const { entries, intents } = await recovered(trial);
        expect(entries.map((entry) => entry.after)).toEqual([sha256(bytesOf(fresh))]);
        expect([contentOf(trial), intents]).toEqual([fresh, []]);
      }
    },
  );

  it("syncs the content before the step, and the folder after it, before it answers", () => {
    const calls = callsOf();
    const at = (test: (call: Call) => boolean) => calls.findIndex(test);
    const syncs = calls.flatMap((call, index) => (call.name === "fsync" ? [index] : []));
    expect(syncs).toHaveLength(2);
    const order = [
      at(({ name, text }) => name === "pwrite64" && text.includes(fresh)),
      syncs[0] ?? -1,
      at(({ name, text }) => name === "renameat2" && text.includes("/file")),
      syncs[1] ?? -1,
      at(({ name, text }) => name === "write" && text.includes("committed")),
    ];
    expect(order.every((index, place) => index > (order[place - 1] ?? -1))).toBe(true);
  });

  it("does not try an fsync that failed a second time", () => {
    const trial = newTrial();
    const log = join(trial.root, "..", "trace");
    const run = runWrite(trial, ["-o", log, ...striking(find(old, "fsync"), "error=EIO").slice(2)]);
    const failed = { verdict: "DiskFault", operation: "fsync", code: "EIO", state: "unchanged" };
    expect(JSON.parse(run.stdout)).toEqual(failed);
    expect(readFileSync(log, "utf8").match(/fsync\(/g)).toHaveLength(1);
    expect([contentOf(trial), stagesIn(trial.root)]).toEqual([old, []]);
  });

  it("does not call a write a failure because a descriptor could not be closed after it", () => {
    const step = callsOf().findIndex(({ name }) => name === "renameat2");
    const close = callsOf()
      .slice(step)
      .find(({ name }) => name === "close");
    const { trial, answer } = toldBehind("renameat2", old, close ?? firstSwap, "error=EIO");
    expect(answer.verdict).toBe("committed");
    expect(contentOf(trial)).toBe(fresh);
  });

  it.runIf(nativeExtension().kind === "loaded")("names the call that failed on extended attributes", () => {
    const list = find(old, "flistxattr");
    const failed = { verdict: "DiskFault", operation: "flistxattr", code: "EIO", state: "unchanged" };
    expect(told(newTrial(), list, "error=EIO")).toEqual(failed);
    expect(told(newTrial(), list, "error=EINTR")).toEqual({ verdict: "committed" });
  });

  it.each([
    ["a file cannot be looked at", "statx", '/file"', "error=EACCES", "permission_denied"],
    // Node has no name for a full quota.
    ["the quota is full", "pwrite64", fresh, "error=EDQUOT", "disk_full"],
    ["a write of no bytes makes no progress", "pwrite64", fresh, "retval=0", "DiskFault"],
  ])("says that %s", (_, name, part, fault, verdict) => {
    const trial = newTrial();
    expect(told(trial, find(old, name, part), fault).verdict).toBe(verdict);
    expect([contentOf(trial), stagesIn(trial.root)]).toEqual([old, []]);
  });

  it("creates on a file system without hard links, too, and is first or not at all", () => {
    const trial = newTrial(null);
    const options = ["-o", "/dev/null", "-e", "trace=link", "-e", "inject=link:error=EPERM"];
    expect(JSON.parse(runWrite(trial, options).stdout)).toEqual({ verdict: "committed" });
    const { nlink, mode } = statSync(trial.file);
    expect([contentOf(trial), nlink, mode & 0o777]).toEqual([fresh, 1, 0o666 & ~process.umask()]);
    expect(stagesIn(trial.root)).toEqual([]);
  });

  const stays = { says: { verdict: "changed" }, has: { mode: 0o644, nlink: 1 }, how: [] as string[] };
  const save = (file: string, text = "theirs") => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  // They wait for most of their time: they do so at once.
  it.concurrent.each([
    {
      what: "writes into the old file before a rename",
      act: (file: string) => writeFileSync(file, "theirs"),
      ...stays,
      how: ["by renaming"],
      says: { verdict: "committed", displaced: "theirs" },
      stands: fresh,
    },
    {
      what: "writes into the file",
      act: (file: string) => writeFileSync(file, "theirs"),
      ...stays,
      stands: "theirs",
    },
    { what: "replaces the file", act: (file: string) => save(file), ...stays, stands: "theirs" },
    {
      what: "gives it a mode",
      act: (file: string) => chmodSync(file, 0o400),
      ...stays,
      stands: old,
      has: { mode: 0o400, nlink: 1 },
    },
    {
      what: "gives it a further name",
      act: (file: string) => linkSync(file, `${file}.too`),
      ...stays,
      stands: old,
      has: { mode: 0o644, nlink: 2 },
    },
  ])(
    "who $what between the last look and the step loses nothing",
    async ({ act, how, says, stands, has }) => {
      const trial = newTrial();
      chmodSync(trial.file, 0o644);
      const step = how.length === 0 ? "renameat2" : "rename";
      const options = ["-o", "/dev/null", "-e", `trace=${step}`, "-e", `inject=${step}:delay_enter=3000000`];
      const child = startTraced(options, "write.mjs", ...argumentsOf(trial), ...how);
      let printed = "";
      child.stdout?.on("data", (chunk) => {
        printed += chunk;
      });
      await heldUp(child, () => stagesIn(trial.root).length > 0);
      act(trial.file);
      await once(child, "close");
      expect([JSON.parse(printed), contentOf(trial), stagesIn(trial.root)]).toEqual([says, stands, []]);
      const { mode, nlink } = statSync(trial.file);
      expect({ mode: mode & 0o777, nlink }).toEqual(has);
    },
  );

  /** A write that was killed at its swap: its stage is there, with another name. */
  function killedAtSwap() {
    const trial = newTrial();
    expect(told(trial, firstSwap, "signal=KILL")).toBeUndefined();
    const [left = ""] = stagesIn(trial.root);
    expect(left).toMatch(/-swap$/);
    return { trial, aside: join(trial.root, left) };
  }

  it.each([
    { what: "the swap not taken", target: old, aside: fresh, stands: old, log: [] },
    {
      what: "the swap taken",
      target: fresh,
      aside: old,
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
    const left = killedAtSwap();
    // As any kill after the swap leaves it: only the content of the two names differs.
    writeFileSync(left.aside, aside);
    writeFileSync(left.trial.file, target);
    const { entries, intents } = await recovered(left.trial);
    expect([contentOf(left.trial), intents, entries.length]).toEqual([stands, [], log.length]);
    expect(entries).toMatchObject(log);
    if (stands === "later") expect(keptAs(left.trial, "theirs")).toBe("theirs");
  });

  it("a program that saves while the next start gives another one's file back has the name, and both are there", async () => {
    const { trial, aside } = killedAtSwap();
    writeFileSync(aside, "theirs");
    writeFileSync(trial.file, fresh);
    const child = startTraced(
      striking(firstSwap, "delay_enter=2000000"),
      "start.mjs",
      trial.root,
      trial.stateDir,
    );
    const closed = once(child, "close");
    await heldUp(child);
    save(trial.file, "latest");
    await closed;
    expect(contentOf(trial)).toBe("latest");
    const { entries, intents } = await recovered(trial);
    expect(intents).toEqual([]);
    expect(entries).toMatchObject([{ after: sha256(bytesOf("theirs")), displaced: true }]);
    expect(keptAs(trial, "theirs")).toBe("theirs");
  });
});
