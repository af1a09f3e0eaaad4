import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { OpenSession, SessionStore } from "../../../src/conversation/values/index.js";
import { isRefusal } from "../../../src/files/values/index.js";
import { openJournalStore } from "../../../src/node/journal/store.js";
import { longLife, renamed } from "../../conversation/journal/store-events.js";
import { freshFolder, hasStrace, runTraced } from "../support.js";

/** A turn is struck where it hurts most; `npm run proof -- store` strikes at every call of every call of the store. */
const before = longLife("s", 4).slice(0, 4);

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

/** A turn of three events, then one more, in which this fault comes down at this call into the journal. */
async function struck(call: string, when: number, fault: string) {
  const stateDir = join(freshFolder(), "state");
  const made = await storeAt(stateDir).create("s", before);
  if (isRefusal(made)) throw new Error(made.message);
  await made.close();
  const copy = join(freshFolder(), "state");
  cpSync(stateDir, copy, { recursive: true });
  const only = ["-P", join(copy, "conversations", "s.jsonl"), "-e", `trace=${call}`];
  const { stdout } = runTraced(
    [...only, "-e", `inject=${call}:${fault}:when=${when}`],
    "journal-turn.mjs",
    copy,
    "s",
  );
  const told = stdout.split("\n").filter((line) => /^\d+$/.test(line));
  return { stateDir: copy, isOver: stdout.includes("over"), acknowledged: Number(told.at(-1) ?? 4) };
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

describe.skipIf(!hasStrace)("a turn under strace", () => {
  it.each([
    ["write", 1],
    ["fdatasync", 1],
    ["fdatasync", 2],
  ])(
    "killed at %s %i loses nothing that was acknowledged and leaves no half of an event",
    async (call, when) => {
      const { stateDir, isOver, acknowledged } = await struck(call, when, "signal=KILL");
      expect(isOver).toBe(false);
      const length = await lengthAfter(stateDir);
      expect(length).toBeGreaterThanOrEqual(acknowledged);
      expect(length).toBeLessThanOrEqual(acknowledged + 3);
    },
  );

  it.each([
    ["write", "ENOSPC"],
    ["fdatasync", "EIO"],
  ])("in which %s fails with %s leaves exactly what was acknowledged", async (call, error) => {
    const { stateDir, isOver, acknowledged } = await struck(call, 1, `error=${error}`);
    expect(isOver).toBe(true);
    expect(acknowledged).toBeLessThan(10);
    expect(await lengthAfter(stateDir)).toBe(acknowledged);
  });

  it("syncs eight sessions of one process side by side, on more than one thread", () => {
    const log = join(freshFolder(), "trace");
    const options = [
      "-y",
      "-o",
      log,
      "-e",
      "trace=access,fdatasync",
      "-e",
      "inject=fdatasync:delay_enter=50000",
    ];
    expect(runTraced(options, "journal-eight.mjs", join(freshFolder(), "state")).stdout).toBe("8\n");
    const lines = readFileSync(log, "utf8").split("\n");
    const from = lines.findIndex((line) => line.includes("holdfast-begin"));
    const synced = lines.slice(from + 1).filter((line) => /fdatasync\(.*\.jsonl>/.test(line));
    expect(synced).toHaveLength(8);
    expect(new Set(synced.map((line) => line.split(" ")[0])).size).toBeGreaterThan(1);
  });
});
