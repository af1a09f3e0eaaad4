import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { HistoryEntry } from "../../../src/files/index.js";
import { beginWrite } from "../../../src/node/change-sets/record.js";
import { defaultStateFolder } from "../../../src/node/disk/platform.js";
import { newId, sha256 } from "../../../src/node/disk/reading.js";
import { keyOf } from "../../../src/node/state-folder/locks.js";
import { formatIdentity, openPresence, ownIdentity } from "../../../src/node/state-folder/sessions.js";
import { openStateFolder } from "../../../src/node/state-folder/state-folder.js";
import { collectGarbage } from "../../../src/node/workspace/gc.js";
import { inspectState } from "../../../src/node/workspace/inspect.js";
import { openPorts } from "../../../src/node/workspace/open.js";
import {
  bytesOf,
  freshFolder,
  isRoot,
  logIn,
  mountTmpfs,
  must,
  stagesIn,
  stateAt,
  textAt,
  verdict,
} from "../support.js";

let base: string;
let root: string;
let stateDir: string;

beforeEach(() => {
  base = realpathSync(freshFolder());
  root = join(base, "root");
  stateDir = join(base, "state");
  mkdirSync(root);
});

const open = async () => must(await openPorts({ roots: [root], stateDir }));
const entryFor = (path: string, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  id: newId(),
  realPath: path,
  time: 1,
  session: "s",
  tool: "write_file",
  before: null,
  after: sha256(bytesOf("x")),
  ...more,
});
const logFile = () => logIn(stateDir);
const blobFile = (hash: string) => join(stateDir, "blobs", hash.slice(0, 2), hash);

describe("the state folder", () => {
  it("is not made by a session that only looks, and is private when it is made", async () => {
    const ports = await open();
    await must(await ports.disk.enter("file", "refuse")).close();
    expect(existsSync(stateDir)).toBe(false);
    await ports.blobs.put(sha256(bytesOf("x")), bytesOf("x"));
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
    expect(statSync(blobFile(sha256(bytesOf("x")))).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(blobFile(sha256(bytesOf("x"))))).mode & 0o777).toBe(0o700);
    await ports.close();
  });

  it("keeps the mode that it was made with, and is refused where others can write in it, or it is another's or no folder", async () => {
    mkdirSync(stateDir);
    chmodSync(stateDir, 0o755);
    expect(verdict(openStateFolder(stateDir))).toBe("state");
    expect(statSync(stateDir).mode & 0o777).toBe(0o755);
    chmodSync(stateDir, 0o777);
    expect(verdict(openStateFolder(stateDir))).toBe("permission_denied");
    chmodSync(stateDir, 0o700);
    writeFileSync(join(base, "file"), "");
    expect(verdict(openStateFolder(join(base, "file")))).toBe("not_a_file");
    if (!isRoot) return;
    chownSync(stateDir, 1234, 1234);
    expect(verdict(openStateFolder(stateDir))).toBe("permission_denied");
    expect(verdict(await openPorts({ roots: [root], stateDir }))).toBe("permission_denied");
  });

  it("lies where the environment says", () => {
    expect(defaultStateFolder({ HOLDFAST_STATE_DIR: "/a" })).toBe("/a");
    expect(defaultStateFolder({ XDG_STATE_HOME: "/b" })).toBe("/b/holdfast");
    expect(defaultStateFolder({ XDG_STATE_HOME: "relative" })).toMatch(/\.local\/state\/holdfast$/);
    expect(defaultStateFolder({ HOLDFAST_STATE_DIR: "" })).toMatch(/\.local\/state\/holdfast$/);
  });

  it("comes back when it is deleted in the middle of a session", async () => {
    const ports = await open();
    await ports.history.record(entryFor("/p"));
    rmSync(stateDir, { recursive: true });
    await ports.history.record(entryFor("/p"));
    expect(await ports.history.entries("/p")).toHaveLength(1);
    expect(await ports.blobs.put(sha256(bytesOf("y")), bytesOf("y"))).toBe(true);
    await ports.close();
  });

  it("that cannot be written refuses a write before it begins", async ({ skip }) => {
    const small = mountTmpfs(16);
    if (small === undefined) return skip("needs root and mount");
    try {
      const ports = must(await openPorts({ roots: [root], stateDir: small.path }));
      await ports.history.record(entryFor("/p"));
      spawnSync("sh", ["-c", `cat /dev/zero > ${small.path}/filler`]);
      expect(await ports.blobs.put(sha256(bytesOf("z".repeat(9_000))), bytesOf("z".repeat(9_000)))).toBe(
        false,
      );
      const long = entryFor("/p", { tool: "t".repeat(5_000) });
      expect(() => beginWrite(stateAt(ports.stateDir), long)).toThrow("ENOSPC");
      rmSync(join(small.path, "filler"));
      await ports.history.record(entryFor("/p"));
      expect(await ports.history.entries("/p")).toHaveLength(2);
      await ports.close();
    } finally {
      small.unmount();
    }
  });
});

describe("blobs", () => {
  it("come back byte for byte, and are gone when they are damaged", async () => {
    const ports = await open();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), async (bytes) => {
        expect(await ports.blobs.put(sha256(bytes), bytes)).toBe(true);
        expect(Buffer.compare((await ports.blobs.get(sha256(bytes))) ?? Buffer.of(1), bytes)).toBe(0);
      }),
      { numRuns: Number(process.env.HOLDFAST_RUNS ?? 15) },
    );
    const bytes = bytesOf("some content");
    const hash = sha256(bytes);
    for (const damage of [
      () => writeFileSync(blobFile(hash), "SOME content"),
      () => truncateSync(blobFile(hash), 3),
      () => truncateSync(blobFile(hash), 0),
      () => rmSync(blobFile(hash)),
      () => {
        rmSync(blobFile(hash), { force: true });
        symlinkSync(blobFile(hash), blobFile(hash));
      },
    ]) {
      await ports.blobs.put(hash, bytes);
      expect(await ports.blobs.get(hash)).toBeDefined();
      damage();
      expect(await ports.blobs.get(hash)).toBeUndefined();
    }
    await ports.close();
  });

  it("are found damaged by their length when they are put again", async () => {
    const ports = await open();
    const bytes = bytesOf("some content");
    await ports.blobs.put(sha256(bytes), bytes);
    truncateSync(blobFile(sha256(bytes)), 3);
    await ports.blobs.put(sha256(bytes), bytes);
    expect(await ports.blobs.get(sha256(bytes))).toEqual(Buffer.from(bytes));
    await ports.close();
  });
});

describe("history", () => {
  it("gives entries oldest first, each path its own; what was dropped is not there", async () => {
    const ports = await open();
    const entries = [entryFor("/p"), entryFor("/p", { undoes: "x" }), entryFor("/other")];
    for (const entry of entries) await ports.history.record(entry);
    beginWrite(stateAt(stateDir), entryFor("/p")).dropped();
    beginWrite(stateAt(stateDir), entryFor("/p"));
    expect(await ports.history.entries("/p")).toEqual(entries.slice(0, 2));
    expect(await ports.history.entries("/none")).toEqual([]);
    await ports.close();
  });

  it("loses only the damaged line, whichever byte of the file is cut or changed", async () => {
    const ports = await open();
    const entries = Array.from({ length: 3 }, (_, at) => entryFor("/p", { time: at }));
    for (const entry of entries) await ports.history.record(entry);
    const whole = readFileSync(logFile());
    const ends = [...whole.keys()].filter((at) => whole[at] === 0x0a && at > 0 && whole[at - 1] !== 0x0a);
    for (let at = 0; at < whole.length; at++) {
      writeFileSync(logFile(), whole.subarray(0, at));
      const complete = entries.filter((_, index) => (ends[index] ?? 0) <= at);
      expect(await ports.history.entries("/p"), `cut at ${at}`).toEqual(complete);
    }
    for (let at = 0; at < whole.length; at++) {
      const flipped = Buffer.from(whole);
      flipped.writeUInt8((whole[at] ?? 0) ^ 1, at);
      writeFileSync(logFile(), flipped);
      const read = await ports.history.entries("/p");
      expect(entries, `flipped at ${at}`).toEqual(expect.arrayContaining([...read]));
      expect(read.length, `flipped at ${at}`).toBeGreaterThanOrEqual(whole[at] === 0x0a ? 1 : 2);
    }
    await ports.close();
  });

  it("does not glue a new entry to the half line that a full disk left", async () => {
    const ports = await open();
    const entries = [entryFor("/p"), entryFor("/p"), entryFor("/p")] as const;
    await ports.history.record(entries[0]);
    await ports.history.record(entries[1]);
    truncateSync(logFile(), statSync(logFile()).size - 20);
    await ports.history.record(entries[2]);
    expect(await ports.history.entries("/p")).toEqual([entries[0], entries[2]]);
    await ports.close();
  });

  it("says to one who reads it on what it says to one who reads it afresh", async () => {
    const step = fc.constantFrom("record", "record", "half a line", "oldest gone", "file gone", "read");
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        rmSync(stateDir, { recursive: true, force: true });
        const [writer, reader] = [await open(), await open()];
        for (const what of steps) {
          if (what === "record") await writer.history.record(entryFor("/p"));
          else if (what !== "read" && existsSync(logFile())) disturb(logFile(), what);
          const afresh = await open();
          expect(await reader.history.entries("/p")).toEqual(await afresh.history.entries("/p"));
          await afresh.close();
        }
        await Promise.all([writer.close(), reader.close()]);
      }),
      { numRuns: Number(process.env.HOLDFAST_RUNS ?? 12) },
    );
  });

  it("keeps the intent where the entry cannot be added, for recovery to add it", async () => {
    const ports = await open();
    const file = join(root, "file");
    writeFileSync(file, "x");
    const entry = entryFor(file);
    mkdirSync(logFile(), { recursive: true });
    beginWrite(stateAt(stateDir), entry).done({}, entry);
    await ports.close();
    rmSync(logFile(), { recursive: true });
    forgeOwner();
    const next = await open();
    expect(await next.history.entries(file)).toEqual([entry]);
    await next.close();
  });
});

function disturb(file: string, how: "half a line" | "oldest gone" | "file gone"): void {
  const text = readFileSync(file, "utf8");
  if (how === "file gone") rmSync(file);
  else writeFileSync(file, how === "half a line" ? `${text}["0123` : text.slice(text.indexOf("\n", 1) + 1));
}

/** Makes all intents look as if the process that wrote them were gone. */
function forgeOwner(): void {
  forgeIntents(() => ({ owner: formatIdentity({ ...ownIdentity(), pid: 999_999 }) }));
}

/** A record is the text of a link, or, where that would be too long, a file. */
function forgeIntents(change: (value: { change: HistoryEntry }) => object): void {
  const folder = join(stateDir, "intents");
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isLink = lstatSync(path).isSymbolicLink();
    const value = JSON.parse(isLink ? readlinkSync(path) : textAt(path));
    const text = JSON.stringify({ ...value, ...change(value) });
    rmSync(path);
    if (isLink) symlinkSync(text, path);
    else writeFileSync(path, text);
  }
}

describe("recovery", () => {
  async function leave(entry: HistoryEntry): Promise<string> {
    const ports = await open();
    const { stageName } = beginWrite(stateAt(stateDir), entry);
    await ports.close();
    return stageName;
  }

  it("removes the stage of a dead writer, and adds the entry of a step that was taken, once", async () => {
    const [taken, not] = [join(root, "taken"), join(root, "not-taken")];
    writeFileSync(taken, "x");
    writeFileSync(not, "old");
    const entry = entryFor(taken);
    await leave(entry);
    writeFileSync(join(root, await leave(entryFor(not))), "stage");
    forgeOwner();
    for (let start = 0; start < 2; start++) {
      const ports = await open();
      expect(await ports.history.entries(taken)).toEqual([entry]);
      expect(await ports.history.entries(not)).toEqual([]);
      expect(stagesIn(root)).toEqual([]);
      expect(readdirSync(join(stateDir, "intents"))).toEqual([]);
      await ports.close();
    }
  });

  it("adds the entry of a deletion that was made", async () => {
    const entry = entryFor(join(root, "gone"), { before: sha256(bytesOf("x")), after: null });
    await leave(entry);
    forgeOwner();
    const ports = await open();
    expect(await ports.history.entries(entry.realPath)).toEqual([entry]);
    await ports.close();
  });

  it("leaves the writes of the living alone", async () => {
    const file = join(root, "file");
    const stage = await leave(entryFor(file));
    writeFileSync(join(root, stage), "being written");
    const ports = await open();
    expect(stagesIn(root)).toEqual([stage]);
    await ports.close();
  });

  it("removes nothing that does not bear a stage's name, and follows no link to it", async () => {
    const folder = join(root, "sub");
    mkdirSync(folder);
    mkdirSync(join(base, "outside"));
    writeFileSync(join(folder, "victim"), "mine");
    await leave(entryFor(join(folder, "a")));
    const stage = await leave(entryFor(join(root, "swapped/b")));
    writeFileSync(join(base, "outside", stage), "theirs");
    symlinkSync(join(base, "outside"), join(root, "swapped"));
    forgeIntents(({ change }) => (change.realPath.endsWith("/a") ? { stageName: "victim" } : {}));
    forgeOwner();
    await (await open()).close();
    expect(readdirSync(folder)).toEqual(["victim"]);
    expect(readdirSync(join(base, "outside"))).toEqual([stage]);
    expect(readdirSync(join(stateDir, "intents"))).toEqual([]);
  });

  it("knows a write whose path is too long for a link", async () => {
    const names = Array.from({ length: 18 }, (_, at) => `${at}`.padEnd(200, "x"));
    const folder = join(root, ...names);
    mkdirSync(folder, { recursive: true });
    const stage = await leave(entryFor(join(folder, "file")));
    writeFileSync(join(folder, stage), "stage");
    forgeOwner();
    await (await open()).close();
    expect([readdirSync(folder), readdirSync(join(stateDir, "intents"))]).toEqual([[], []]);
  });

  it("drops half-written records once they are old, and does not stumble over them before", async () => {
    const intents = join(stateDir, "intents");
    mkdirSync(intents, { recursive: true });
    writeFileSync(join(intents, "young"), '{"stageName":');
    writeFileSync(join(intents, "old"), "");
    utimesSync(join(intents, "old"), 1, 1);
    await (await open()).close();
    expect(readdirSync(intents)).toEqual(["young"]);
  });

  it("clears up as soon as the lock of a dead writer is taken over, without a new start", async () => {
    const ports = await open();
    const file = join(root, "file");
    const stage = await leave(entryFor(file));
    writeFileSync(join(root, stage), "stage");
    forgeOwner();
    mkdirSync(join(stateDir, "locks"), { recursive: true });
    symlinkSync(
      `t:${formatIdentity({ ...ownIdentity(), pid: 999_999 })}`,
      join(stateDir, "locks", keyOf(file)),
    );
    await must(await ports.locks.acquire(file, 100)).release();
    expect(stagesIn(root)).toEqual([]);
    await ports.close();
  });
});

describe("the garbage collection", () => {
  const day = 24 * 60 * 60 * 1_000;
  const put = async (text: string, ageMs: number) => {
    const ports = await open();
    await ports.blobs.put(sha256(bytesOf(text)), bytesOf(text));
    await ports.close();
    const time = (Date.now() - ageMs) / 1_000;
    utimesSync(blobFile(sha256(bytesOf(text))), time, time);
  };
  const has = (text: string) => existsSync(blobFile(sha256(bytesOf(text))));

  it("removes what was not used for long; a dry run only counts it", async () => {
    await put("old one", 40 * day);
    await put("young", day);
    const wanted = { removedBlobs: 1, removedBytes: 7, keptBlobs: 1, keptBytes: 5 };
    expect(await collectGarbage({ stateDir, dryRun: true })).toMatchObject(wanted);
    expect(has("old one")).toBe(true);
    expect(await collectGarbage({ stateDir })).toMatchObject(wanted);
    expect([has("old one"), has("young")]).toEqual([false, true]);
    expect(await collectGarbage({ stateDir })).toMatchObject({ removedBlobs: 0, keptBlobs: 1 });
  });

  it("removes the longest unused beyond the total", async () => {
    for (const [text, age] of [
      ["aaaa", 3],
      ["bbbb", 1],
      ["cccc", 2],
    ] as const)
      await put(text, age * day);
    expect(await collectGarbage({ stateDir, maxBytes: 8 })).toMatchObject({ removedBlobs: 1, keptBytes: 8 });
    expect([has("aaaa"), has("bbbb"), has("cccc")]).toEqual([false, true, true]);
  });

  it("never removes what was used since the oldest living session began", async () => {
    await put("seen before", 40 * day);
    const ports = await open();
    for (const text of ["seen now", "touched"]) await ports.blobs.put(sha256(bytesOf(text)), bytesOf(text));
    const strict = { stateDir, maxAgeMs: 0, maxBytes: 0 };
    expect(await collectGarbage(strict)).toMatchObject({ removedBlobs: 1, keptBlobs: 2 });
    expect([has("seen before"), has("seen now")]).toEqual([false, true]);
    await ports.close();
    const before = Date.now() / 1_000 - 60;
    for (const text of ["seen now", "touched"]) utimesSync(blobFile(sha256(bytesOf(text))), before, before);
    expect(await collectGarbage(strict)).toMatchObject({ removedBlobs: 2, keptBlobs: 0 });
  });

  it("removes signs, locks, unfinished files and histories that nobody needs any more", async () => {
    const ports = await open();
    await ports.history.record(entryFor("/p"));
    const dead = formatIdentity({ ...ownIdentity(), pid: 999_999 });
    mkdirSync(join(stateDir, "locks"), { recursive: true });
    mkdirSync(join(stateDir, "blobs/aa"), { recursive: true });
    symlinkSync(`token:${dead}`, join(stateDir, "locks/one"));
    symlinkSync(`1:${dead}`, join(stateDir, "sessions/gone"));
    writeFileSync(join(stateDir, "blobs/aa/tmp-x"), "half");
    utimesSync(join(stateDir, "blobs/aa/tmp-x"), 1, 1);
    const day = join(stateDir, "operations", "1970-01-01.jsonl");
    renameSync(logFile(), day);
    utimesSync(day, 1, 1);
    expect(await collectGarbage({ stateDir })).toMatchObject({
      kind: "collected",
      removedLocks: 1,
      removedSessions: 1,
      removedHistories: 1,
      removedBlobs: 1,
    });
    expect(readdirSync(join(stateDir, "sessions"))).toHaveLength(1);
    await ports.close();
    expect(readdirSync(join(stateDir, "sessions"))).toEqual([]);
  });

  it("has nothing to do where there is no state", async () => {
    expect(await collectGarbage({ stateDir })).toMatchObject({
      removedBlobs: 0,
      keptBlobs: 0,
      removedLocks: 0,
    });
    expect(existsSync(stateDir)).toBe(false);
  });
});

describe("the inspection", () => {
  it("tells the facts without changing any", async () => {
    const empty = inspectState(stateDir, [root, join(base, "nowhere")]);
    expect(empty).toMatchObject({ walksByHandle: true, nodeVersion: process.versions.node });
    expect(empty.state).toMatchObject({ exists: false, mode: null, blobs: 0, leftIntents: 0 });
    expect(empty.roots.map(({ refusal }) => refusal?.code)).toEqual([undefined, "file_missing"]);
    expect(existsSync(stateDir)).toBe(false);
    const ports = await open();
    await ports.blobs.put(sha256(bytesOf("12345")), bytesOf("12345"));
    beginWrite(stateAt(stateDir), entryFor("/p"));
    forgeOwner();
    const facts = inspectState(stateDir, [root]).state;
    expect(facts).toMatchObject({
      exists: true,
      mode: "700",
      liveSessions: 1,
      blobs: 1,
      blobBytes: 5,
      leftIntents: 1,
      staleLocks: 0,
      histories: 0,
    });
    expect(must(facts).freeBytes).toBeGreaterThan(0);
    await ports.close();
  });
});

it("a presence is shown once, refreshed, and taken away", () => {
  const state = stateAt(stateDir);
  const presence = openPresence(state);
  presence.show();
  presence.show();
  expect(readdirSync(join(stateDir, "sessions"))).toHaveLength(1);
  presence.close();
  expect(readdirSync(join(stateDir, "sessions"))).toEqual([]);
});
