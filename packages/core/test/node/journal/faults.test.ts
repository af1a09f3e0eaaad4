import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { OpenSession, SessionStore } from "../../../src/conversation/index.js";
import { isRefusal } from "../../../src/files/index.js";
import { openJournalStore } from "../../../src/node/journal/store.js";
import { longLife, renamed } from "../../conversation/store-events.js";
import { freshFolder, hasStrace, runTraced } from "../support.js";

/** `HOLDFAST_SWEEP=all` strikes at every call; `npm run proof -- store` does more of it. */
const stride = process.env.HOLDFAST_SWEEP === "all" ? 1 : 5;
const before = longLife("s", 4).slice(0, 4);

interface Call {
  readonly name: string;
  /** The how-manyeth call of that name in its thread. */
  readonly count: number;
}

function storeAt(stateDir: string): SessionStore {
  const store = openJournalStore({ stateDir });
  if (isRefusal(store)) throw new Error(store.message);
  return store;
}

async function open(stateDir: string): Promise<OpenSession> {
  const session = await storeAt(stateDir).open("s", "write");
  if (isRefusal(session)) throw new Error(session.message);
  return session;
}

/** A state folder with session `s`, to be copied for each strike. */
async function ground(): Promise<string> {
  const stateDir = join(freshFolder(), "state");
  const session = await storeAt(stateDir).create("s", before);
  if (isRefusal(session)) throw new Error(session.message);
  await session.close();
  return stateDir;
}

function copyOf(stateDir: string): string {
  const copy = join(freshFolder(), "state");
  cpSync(stateDir, copy, { recursive: true });
  return copy;
}

const names = [
  "openat",
  "write",
  "pwrite64",
  "fdatasync",
  "fsync",
  "ftruncate",
  "rename",
  "symlink",
  "readlink",
];

/**
 * The calls of the main thread between the marks, in the run of five with the fewest: Node makes some of its own now
 * and then (V8 asks once a process for the number of cores, in the thread that first waits), and none less.
 */
function callsOf(stateDir: string): readonly Call[] {
  const runs = Array.from({ length: 5 }, () => traceOf(stateDir));
  return runs.reduce((fewest, run) => (run.total < fewest.total ? run : fewest)).calls;
}

interface Trace {
  readonly calls: readonly Call[];
  /** Of the main thread, with those before the first mark. */
  readonly total: number;
}

function traceOf(stateDir: string): Trace {
  const log = join(freshFolder(), "trace");
  const run = runTraced(
    ["-y", "-o", log, "-e", `trace=access,${names.join(",")}`],
    "journal-turn.mjs",
    copyOf(stateDir),
    "s",
  );
  expect(run.stdout).toBe("7\n10\nover\n");
  const lines = readFileSync(log, "utf8").split("\n");
  const [begin, end] = ["begin", "end"].map((mark) =>
    lines.findIndex((line) => line.includes(`holdfast-${mark}`)),
  );
  const main = lines[begin ?? 0]?.split(" ")[0];
  const counts = new Map<string, number>();
  const calls: Call[] = [];
  for (const line of lines.slice(0, end)) {
    const [, pid, name = "", text = ""] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    // Node wakes itself by `write`, now and then: only those into the journal are counted.
    if (pid !== main || (name === "write" && !text.includes("s.jsonl>"))) continue;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    // Who we are is asked of /proc once a process; without an answer our lock is given up after a minute only.
    if (
      lines.indexOf(line) > (begin ?? 0) &&
      !text.includes("/proc/") &&
      !/^\d+<(anon_inode|pipe)/.test(text)
    )
      calls.push({ name, count });
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { calls: calls.filter(({ name }) => names.includes(name)), total };
}

/** A turn in which this fault comes down at this call. */
function struck(stateDir: string, { name, count }: Call, fault: string): string {
  const only = name === "write" ? ["-P", join(stateDir, "conversations", "s.jsonl")] : [];
  const options = [...only, "-e", `trace=${name}`, "-e", `inject=${name}:${fault}:when=${count}`];
  return runTraced(options, "journal-turn.mjs", stateDir, "s").stdout;
}

/**
 * Killed at this call, in a copy of the state folder. A run may still differ from the traced ones in a call (Node asks
 * for its control group as it starts, and may be moved between two): the kill does not come down then, and is tried again.
 */
function killed(stateDir: string, call: Call): { readonly copy: string; readonly told: string } {
  for (let left = 3; ; left--) {
    const copy = copyOf(stateDir);
    const told = struck(copy, call, "signal=KILL");
    if (!told.includes("over")) return { copy, told };
    expect(left, `${call.name} ${call.count} is not reached`).toBeGreaterThan(1);
  }
}

/** What stands there afterwards, and that it can be gone on with. */
async function lengthAfter(stateDir: string): Promise<number> {
  const session = await open(stateDir);
  const length = session.records.length;
  expect(session.records.map(({ seq }) => seq)).toEqual(Array.from({ length }, (_, at) => at + 1));
  expect(session.records.slice(0, 4).map(({ event }) => event)).toEqual(before.map(({ event }) => event));
  expect(session.problems.filter(({ what }) => what !== "torn_tail")).toEqual([]);
  expect(session.append(renamed("after it"))).toBe(length + 1);
  expect(await session.flush()).toEqual({ kind: "acknowledged", seq: length + 1 });
  await session.close();
  const again = await open(stateDir);
  expect([again.records.length, again.problems]).toEqual([length + 1, []]);
  await again.close();
  return length;
}

function acknowledged(stdout: string): number {
  const told = stdout.split("\n").filter((line) => /^\d+$/.test(line));
  return Number(told.at(-1) ?? 4);
}

describe.skipIf(!hasStrace)("a turn under strace", () => {
  it("killed at any system call loses nothing that was acknowledged and leaves no half of an event", async () => {
    const stateDir = await ground();
    const calls = callsOf(stateDir);
    expect(calls.length).toBeGreaterThan(12);
    for (const call of calls.filter((_, at) => at % stride === 0)) {
      const { copy, told } = killed(stateDir, call);
      const length = await lengthAfter(copy);
      expect(length, `${call.name} ${call.count}`).toBeGreaterThanOrEqual(acknowledged(told));
      expect(length, `${call.name} ${call.count}`).toBeLessThanOrEqual(acknowledged(told) + 3);
    }
  }, 600_000);

  it.each(["EIO", "ENOSPC"])(
    "in which any system call fails with %s leaves exactly what was acknowledged",
    async (error) => {
      const stateDir = await ground();
      const calls = callsOf(stateDir);
      for (const call of calls.filter((_, at) => at % stride === 1 % stride)) {
        const copy = copyOf(stateDir);
        const told = struck(copy, call, `error=${error}`);
        expect(told, `${call.name} ${call.count}`).toContain("over");
        expect(await lengthAfter(copy), `${call.name} ${call.count}`).toBe(acknowledged(told));
      }
    },
    600_000,
  );
});

describe.skipIf(!hasStrace)("eight sessions of one process", () => {
  function traced(options: readonly string[]) {
    const log = join(freshFolder(), "trace");
    const stateDir = join(freshFolder(), "state");
    const run = runTraced(
      ["-y", "-o", log, "-e", "trace=access,fdatasync", ...options],
      "journal-eight.mjs",
      stateDir,
    );
    const lines = readFileSync(log, "utf8").split("\n");
    const from = lines.findIndex((line) => line.includes("holdfast-begin"));
    const synced = lines.slice(from + 1).filter((line) => /fdatasync\(.*\.jsonl>/.test(line));
    return { stdout: run.stdout, threads: synced.map((line) => line.split(" ")[0]) };
  }

  it("are synced side by side, on more than one thread", () => {
    const { stdout, threads } = traced(["-e", "inject=fdatasync:delay_enter=50000"]);
    expect(stdout).toBe("8\n");
    expect(threads).toHaveLength(8);
    expect(new Set(threads).size).toBeGreaterThan(1);
  });
});
