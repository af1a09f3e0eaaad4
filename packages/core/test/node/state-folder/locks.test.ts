import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { endProcess } from "../../../../../test/end-process.js";
import { hangMs, until } from "../../../../../test/until.js";
import type { Locks } from "../../../src/files/index.js";
import { readLink } from "../../../src/node/disk/reading.js";
import { breakLock, keyOf, openLocks } from "../../../src/node/state-folder/locks.js";
import { formatIdentity, openPresence, ownIdentity } from "../../../src/node/state-folder/sessions.js";
import type { StateFolder } from "../../../src/node/state-folder/state-folder.js";
import { builtRoom, fixture, freshFolder, must, stateAt, textAt, verdict } from "../support.js";

let state: StateFolder;
let locks: Locks;
let children: ChildProcess[] = [];
const path = "/some/file";
const linkPath = () => state.at("locks", keyOf(path));

beforeEach(() => {
  state = stateAt(join(freshFolder(), "state"));
  locks = openLocks(state);
});
afterEach(async () => {
  await Promise.all(children.map(endProcess));
  children = [];
});

function start(name: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [fixture(name), builtRoom(), state.path, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  return child;
}

async function startHolder(): Promise<ChildProcess> {
  const child = start("hold.mjs", path);
  const [line] = await once(child.stdout!, "data");
  expect(String(line)).toBe("lock\n");
  return child;
}

async function timed<T>(work: Promise<T>): Promise<readonly [T, number]> {
  const began = performance.now();
  return [await work, performance.now() - began];
}

/** A lock as another process would have left it. */
function plant(identity: Partial<ReturnType<typeof ownIdentity>>, ageMs = 0): string {
  const text = `abandoned:${formatIdentity({ ...ownIdentity(), ...identity })}`;
  mkdirSync(state.at("locks"), { recursive: true });
  symlinkSync(text, linkPath());
  const time = (Date.now() - ageMs) / 1_000;
  lutimesSync(linkPath(), time, time);
  return text;
}

describe("a lock of a session that has shown itself", () => {
  const shown = () => {
    const presence = openPresence(state);
    presence.show();
    const [name = ""] = readdirSync(state.at("sessions"));
    return { presence, sign: state.at("sessions", name), locks: openLocks(state, presence) };
  };

  it("is a further name of its sign, and goes without it", async () => {
    const { presence, sign, locks } = shown();
    const lock = must(await locks.acquire(path, 0));
    expect(lstatSync(linkPath()).ino).toBe(lstatSync(sign).ino);
    expect(await lock.held()).toBe(true);
    expect(verdict(await openLocks(state).acquire(path, 0))).toBe("busy");
    presence.close();
    expect(await lock.held()).toBe(true);
    await lock.release();
    expect(readdirSync(state.at("locks"))).toEqual([]);
  });

  it("looks fresh when it is taken, however old the sign is", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    vi.setSystemTime(Date.now() - 3_600_000);
    const { locks } = shown();
    vi.setSystemTime(Date.now() + 3_600_000);
    const lock = must(await locks.acquire(path, 0));
    expect(Math.abs(lstatSync(linkPath()).mtimeMs - Date.now())).toBeLessThan(2_000);
    await lock.release();
  });

  it("is a link of its own where the sign is gone", async () => {
    const { sign, locks } = shown();
    unlinkSync(sign);
    const lock = must(await locks.acquire(path, 0));
    expect(lstatSync(linkPath()).nlink).toBe(1);
    expect(await lock.held()).toBe(true);
    await lock.release();
  });

  it("leaves the other locks of its session alone", async () => {
    const { locks } = shown();
    const first = must(await locks.acquire(path, 0));
    const second = must(await locks.acquire("/another", 0));
    await second.release();
    expect(await first.held()).toBe(true);
    await first.release();
    expect(readdirSync(state.at("locks"))).toEqual([]);
  });
});

describe("in one process", () => {
  it("one holds the lock, the others wait in line, in the order in which they came", async () => {
    const order: number[] = [];
    let inside = 0;
    await Promise.all(
      Array.from({ length: 50 }, async (_, at) => {
        const lock = must(await locks.acquire(path, hangMs));
        inside += 1;
        expect(inside).toBe(1);
        order.push(at);
        await new Promise((resolve) => setImmediate(resolve));
        expect(await lock.held()).toBe(true);
        inside -= 1;
        await lock.release();
      }),
    );
    expect(order).toEqual(Array.from({ length: 50 }, (_, at) => at));
    expect(readdirSync(state.at("locks"))).toEqual([]);
  });

  it("two workspaces on one state folder share the line; other paths do not wait", async () => {
    const lock = must(await locks.acquire(path, 100));
    const [answer, took] = await timed(openLocks(state).acquire(path, 60));
    expect(verdict(answer)).toBe("busy");
    expect(took).toBeGreaterThan(50);
    expect(took).toBeLessThan(hangMs);
    const other = must(await locks.acquire("/another", 0));
    await other.release();
    await lock.release();
    await must(await locks.acquire(path, 0)).release();
  });

  it("one who gave up waiting does not hold up those behind", async () => {
    const first = must(await locks.acquire(path, 100));
    const impatient = locks.acquire(path, 20);
    const patient = locks.acquire(path, hangMs);
    expect(verdict(await impatient)).toBe("busy");
    await first.release();
    await must(await patient).release();
  });

  it("notices that the lock was taken away, and does not remove another's", async () => {
    const lock = must(await locks.acquire(path, 100));
    unlinkSync(linkPath());
    expect(await lock.held()).toBe(false);
    symlinkSync("somebody:else", linkPath());
    expect(await lock.held()).toBe(false);
    await lock.release();
    expect(readLink(linkPath())).toBe("somebody:else");
    expect(await lock.held()).toBe(false);
  });

  it("is released for good even while a mistaken breaker has it aside", async () => {
    const lock = must(await locks.acquire(path, 100));
    renameSync(linkPath(), `${linkPath()}.aside`);
    expect(await lock.held()).toBe(false);
    await lock.release();
    expect(readdirSync(state.at("locks"))).toEqual([]);
  });

  it("beats while it is held for long", async () => {
    const lock = must(await locks.acquire(path, 100));
    const old = Date.now() / 1_000 - 1_000;
    lutimesSync(linkPath(), old, old);
    await until(() => lstatSync(linkPath()).mtimeMs > (old + 500) * 1_000);
    await lock.release();
  });
});

describe("between processes", () => {
  it("3 processes count to 90 exactly", async () => {
    const file = join(state.path, "..", "count");
    writeFileSync(file, "0");
    const counters = Array.from({ length: 3 }, () => start("count.mjs", file, "30"));
    const codes = await Promise.all(counters.map(async (child) => (await once(child, "exit"))[0]));
    expect(codes).toEqual([0, 0, 0]);
    expect(textAt(file)).toBe("90");
  });

  it("waits for a living holder, and names it when the time is up", async () => {
    const holder = await startHolder();
    const [answer, took] = await timed(locks.acquire(path, 150));
    expect(answer).toMatchObject({ code: "busy", message: expect.stringContaining(`process ${holder.pid}`) });
    expect(took).toBeGreaterThan(140);
    const waiting = locks.acquire(path, hangMs);
    holder.stdin?.end();
    await must(await waiting).release();
  });

  it("leaves a holder alone that is stopped, but alive", async () => {
    const holder = await startHolder();
    holder.kill("SIGSTOP");
    const old = Date.now() / 1_000 - 3_600;
    lutimesSync(linkPath(), old, old);
    expect(verdict(await locks.acquire(path, 200))).toBe("busy");
    expect(readLink(linkPath())).toContain(`:${holder.pid}:`);
  });

  it("takes the lock of a dead holder over at once", async () => {
    const holder = await startHolder();
    holder.kill("SIGKILL");
    await once(holder, "exit");
    // No patience at all: it does not wait for the dead.
    await must(await openLocks(state).acquire(path, 0)).release();
    expect(readdirSync(state.at("locks"))).toEqual([]);
  });

  it("does not take a later process of the same pid for the holder", async () => {
    plant({ pid: process.pid, start: "1" });
    await must(await locks.acquire(path, 0)).release();
  });

  it("judges a holder of another boot or container by its beat alone", async () => {
    for (const foreign of [{ boot: "another-boot" }, { namespace: "17" }]) {
      plant({ ...foreign, pid: 999_999 }, 30_000);
      expect(verdict(await locks.acquire(path, 30))).toBe("busy");
      unlinkSync(linkPath());
      plant({ ...foreign, pid: 999_999 }, 61_000);
      await must(await locks.acquire(path, 0)).release();
      plant({ ...foreign, pid: 999_999 }, -3_600_000);
      await must(await locks.acquire(path, 0)).release();
    }
  });

  it("gives up a lock whose text is not ours only after a long silence", async () => {
    mkdirSync(state.at("locks"), { recursive: true });
    symlinkSync("rubbish", linkPath());
    expect(verdict(await locks.acquire(path, 20))).toBe("busy");
    lutimesSync(linkPath(), 1, 1);
    await must(await locks.acquire(path, 0)).release();
  });
});

describe("breaking", () => {
  it("puts back a lock that a third made in between", () => {
    const text = plant({ pid: 999_999 });
    // What the slower of two breakers has read is gone; the lock there now is a living one.
    unlinkSync(linkPath());
    symlinkSync("third", linkPath());
    expect(breakLock(linkPath(), text)).toBe(false);
    expect(readLink(linkPath())).toBe("third");
  });

  it("never lets two of many breakers in at once", async () => {
    const file = join(state.path, "..", "count");
    writeFileSync(file, "0");
    const key = state.at("locks", keyOf(file));
    let planting = true;
    mkdirSync(state.at("locks"), { recursive: true });
    const dead = formatIdentity({ ...ownIdentity(), pid: 999_999 });
    const counters = Array.from({ length: 3 }, () => start("count.mjs", file, "25"));
    const plants = (async () => {
      while (planting) {
        try {
          symlinkSync(`dead:${dead}`, key);
        } catch {
          // Somebody holds it.
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const codes = await Promise.all(counters.map(async (child) => (await once(child, "exit"))[0]));
    planting = false;
    await plants;
    expect(codes).toEqual([0, 0, 0]);
    expect(textAt(file)).toBe("75");
  });
});
