import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  ConversationRefusal,
  OpenSession,
  SessionStore,
} from "../../../src/conversation/values/index.js";
import { isRefusal } from "../../../src/files/values/index.js";
import { openJournalStore } from "../../../src/node/journal/store.js";
import { collectGarbage } from "../../../src/node/workspace/gc.js";
import { describeStore } from "../../conversation/journal/store-conformance.js";
import { longLife, message, renamed, started } from "../../conversation/journal/store-events.js";
import { builtRoom, fixture, freshFolder, mountTmpfs, openDescriptors } from "../support.js";

function storeAt(stateDir: string): SessionStore {
  const store = openJournalStore({ stateDir });
  if (isRefusal(store)) throw new Error(store.message);
  return store;
}

/** From here on no file of this process may grow: every write is refused, as by a disk that fails. */
function limitFileSize(bytes: number | "unlimited"): void {
  execFileSync("prlimit", [`--pid=${process.pid}`, `--fsize=${bytes}:`]);
}

// The system sends it before it refuses the write.
const ignore = () => {};
beforeAll(() => void process.on("SIGXFSZ", ignore));
afterAll(() => void process.off("SIGXFSZ", ignore));

describeStore("journal files", async () => {
  const stateDir = join(freshFolder(), "state");
  return {
    store: storeAt(stateDir),
    reopen: async () => storeAt(stateDir),
    breakGround: () => limitFileSize(1),
    mendGround: () => limitFileSize("unlimited"),
    dispose: () => limitFileSize("unlimited"),
  };
});

interface Ground {
  readonly stateDir: string;
  readonly room: string;
  readonly journal: string;
  readonly store: SessionStore;
}

const life = longLife("s", 30);

/** A session `s` of `count` records, closed. */
async function ground(count = 6): Promise<Ground> {
  const stateDir = join(freshFolder(), "state");
  const store = storeAt(stateDir);
  await must(await store.create("s", life.slice(0, count))).close();
  const room = join(stateDir, "conversations");
  return { stateDir, room, journal: join(room, "s.jsonl"), store };
}

function must<Answer extends object>(answer: Answer | ConversationRefusal): Answer {
  if (isRefusal(answer)) throw new Error(`${answer.code}: ${answer.message}`);
  return answer;
}

function codeOf(answer: { readonly kind: string } | ConversationRefusal): string {
  return isRefusal(answer) ? answer.code : answer.kind;
}

function seqs(session: OpenSession): readonly number[] {
  return session.records.map(({ seq }) => seq);
}

const half = '{"v":1,"seq":7,"ts":7,"type":"ren';

describe("a journal whose writer was killed", () => {
  it("is cut back to its last line, and what was cut off is kept and told", async () => {
    const { store, room, journal } = await ground();
    const whole = readFileSync(journal);
    appendFileSync(journal, half);
    const session = must(await store.open("s", "write"));
    expect(seqs(session)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(session.problems.map(({ line, what }) => [line, what])).toEqual([[7, "torn_tail"]]);
    expect(readFileSync(journal).equals(whole)).toBe(true);
    const [aside] = readdirSync(room).filter((name) => name.includes(".torn-"));
    expect(readFileSync(join(room, String(aside)), "utf8")).toBe(half);
    expect(session.problems[0]?.message).toContain(String(aside));
    expect(session.append(renamed("next"))).toBe(7);
    expect(await session.flush()).toEqual({ kind: "acknowledged", seq: 7 });
    await session.close();
    expect(must(await store.open("s", "read")).problems).toEqual([]);
  });

  it("gets back the line break that alone is missing", async () => {
    const { store, journal } = await ground();
    const whole = readFileSync(journal);
    writeFileSync(journal, whole.subarray(0, -1));
    const session = must(await store.open("s", "write"));
    expect(seqs(session)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(session.problems.map(({ what }) => what)).toEqual(["torn_tail"]);
    expect(readFileSync(journal).equals(whole)).toBe(true);
    await session.close();
  });

  it("is not touched by a reader, who is told of it all the same", async () => {
    const { store, room, journal } = await ground();
    appendFileSync(journal, Buffer.concat([Buffer.from(half), Buffer.alloc(3_000)]));
    const [before, names] = [readFileSync(journal), readdirSync(room)];
    const session = must(await store.open("s", "read"));
    expect(session.problems.map(({ line, what }) => [line, what])).toEqual([[7, "torn_tail"]]);
    expect(readFileSync(journal).equals(before)).toBe(true);
    expect(readdirSync(room)).toEqual(names);
  });

  it("keeps what stands around a damaged line, and goes on behind it", async () => {
    const { store, journal } = await ground();
    const bytes = readFileSync(journal);
    for (const at of [bytes.indexOf(10) + 20, bytes.length - 20]) bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(journal, bytes);
    const session = must(await store.open("s", "write"));
    expect(seqs(session)).toEqual([1, 3, 4, 5]);
    expect(session.problems.map(({ line, what }) => [line, what])).toEqual([
      [2, "damaged_line"],
      [6, "damaged_line"],
    ]);
    // Not 6: that may be what the damaged line was called.
    expect(session.append(renamed("next"))).toBe(7);
    expect(codeOf(await session.flush())).toBe("acknowledged");
    await session.close();
    const again = must(await store.open("s", "read"));
    expect(seqs(again)).toEqual([1, 3, 4, 5, 7]);
    expect(again.problems.length).toBe(2);
    expect(readFileSync(journal).subarray(0, bytes.length).equals(bytes)).toBe(true);
  });
});

describe("a journal that cannot be written", () => {
  it("of a newer release opens read-only and says why", async () => {
    const { store, journal } = await ground();
    const newer = '{"v":1,"seq":7,"ts":7,"type":"teleported"';
    const { crc32 } = await import("node:zlib");
    appendFileSync(journal, `${newer},"crc":"${crc32(newer).toString(16).padStart(8, "0")}"}\n`);
    const session = must(await store.open("s", "write"));
    expect([session.mode, session.readOnlyBecause?.code]).toEqual(["read", "newer_version"]);
    session.append(renamed("never"));
    expect(codeOf(await session.flush())).toBe("read_only");
    expect(must(must(await store.list()))[0]?.heldBy).toBeUndefined();
  });

  it.each([
    ["empty", ""],
    ["of something else", "# Notes\n\nNothing of ours.\n"],
    ["of half a line", half],
    ["of nothing", "\0".repeat(5_000)],
  ])(
    "is no session where it is %s: it is listed, left alone, and no other takes its name",
    async (_, text) => {
      const { store, room } = await ground();
      writeFileSync(join(room, "x.jsonl"), text);
      for (const mode of ["read", "write"] as const)
        expect(codeOf(await store.open("x", mode))).toBe("not_a_session");
      expect(codeOf(await store.create("x", [started("x")]))).toBe("duplicate_id");
      const facts = must(await store.list()).find(({ id }) => id === "x");
      expect(facts?.problem).toBe("Nothing in it can be read.");
      expect(readFileSync(join(room, "x.jsonl"), "utf8")).toBe(text);
    },
  );

  it("of another session, under this name, is not opened as this one", async () => {
    const { store, room, journal } = await ground();
    renameSync(journal, join(room, "t.jsonl"));
    expect(codeOf(await store.open("t", "write"))).toBe("not_a_session");
  });
});

describe("the lease", () => {
  it("of another process is told by its number, is gone with it, and stays while it is stopped", async () => {
    const { store, stateDir } = await ground();
    const holder = await holding(stateDir);
    expect(codeOf(await store.open("s", "write"))).toBe("busy");
    const refused = await store.open("s", "write");
    expect(isRefusal(refused) && refused.message).toContain(`process ${holder.pid}`);
    expect(must(await store.list())[0]?.heldBy).toBe(`process ${holder.pid}`);
    holder.kill("SIGSTOP");
    expect(codeOf(await store.open("s", "write"))).toBe("busy");
    expect(must(await store.open("s", "read")).records.length).toBe(6);
    holder.kill("SIGKILL");
    await once(holder, "close");
    await must(await store.open("s", "write")).close();
  });

  it("that was lost ends the writer, and the file is left to the next", async () => {
    const { store, stateDir, journal } = await ground();
    const session = must(await store.open("s", "write"));
    for (const name of readdirSync(join(stateDir, "locks"))) rmSync(join(stateDir, "locks", name));
    const holder = await holding(stateDir);
    const before = readFileSync(journal);
    session.append(renamed("too late"));
    expect(codeOf(await session.flush())).toBe("busy");
    expect(session.append(renamed("too late"))).toBe(7);
    expect(codeOf(await session.flush())).toBe("busy");
    await session.close();
    expect(readFileSync(journal).equals(before)).toBe(true);
    holder.kill("SIGKILL");
  });

  it("is no reason to write over what somebody without it has written", async () => {
    const { store, journal } = await ground();
    const session = must(await store.open("s", "write"));
    appendFileSync(journal, "of somebody else\n");
    const before = readFileSync(journal);
    session.append(renamed("next"));
    expect(codeOf(await session.flush())).toBe("conflict");
    expect(readFileSync(journal).equals(before)).toBe(true);
    await session.close();
  });

  it("is passed on between processes turn by turn, and no turn is lost", async () => {
    const { store, stateDir } = await ground(1);
    const turns = process.env.HOLDFAST_SWEEP === "all" ? 500 : 8;
    const writers = ["a", "b", "c"].map((name) => run(stateDir, "take-turns", name, String(turns)));
    const ends = await Promise.all(writers.map((writer) => once(writer, "close")));
    expect(ends.map(([status]) => status)).toEqual([0, 0, 0]);
    const session = must(await store.open("s", "read"));
    expect(session.problems).toEqual([]);
    const titles = session.records.map(({ event }) => (event.type === "renamed" ? event.title : ""));
    expect(new Set(titles).size).toBe(3 * turns + 1);
    expect(seqs(session)).toEqual(Array.from({ length: 3 * turns + 1 }, (_, at) => at + 1));
  });
});

function run(stateDir: string, ...args: readonly string[]): ChildProcess {
  const command = [fixture("journal.mjs"), builtRoom(), stateDir, "s", ...args];
  return spawn(process.execPath, command, { stdio: ["pipe", "pipe", "inherit"] });
}

async function holding(stateDir: string): Promise<ChildProcess> {
  const holder = run(stateDir, "hold");
  const [said] = await once(holder.stdout ?? holder, "data");
  expect(String(said)).toBe("session\n");
  return holder;
}

const disk = mountTmpfs(4_096);
afterAll(() => disk?.unmount());

describe.skipIf(disk === undefined)("a full disk", () => {
  it("refuses the turn and leaves the session whole; with room again the next turn is never glued to a half", async () => {
    const top = disk?.path ?? "";
    const store = storeAt(join(top, "state"));
    const session = must(await store.create("s", [started("s")]));
    const filler = join(top, "filler");
    let [head, refused] = ["s", 0];
    for (let turn = 0; turn < 60; turn += 1) {
      // Some of these texts stand in their line, some in files of their own.
      const next = message(`m-${turn}`, head, `${turn} `.repeat(turn % 2 === 0 ? 5_000 : 12_000));
      if (turn % 3 === 1) fill(top, filler, turn * 300);
      session.append(next);
      const answer = await session.flush();
      rmSync(filler, { force: true });
      if (isRefusal(answer)) {
        expect(answer.code).toBe("disk_full");
        refused += 1;
        continue;
      }
      head = `m-${turn}`;
      const { records, problems } = must(await store.open("s", "read"));
      expect([records.at(-1)?.event, problems]).toEqual([next.event, []]);
      expect(records.length).toBe(turn + 2 - refused);
    }
    expect(refused).toBeGreaterThan(5);
    await session.close();
    expect(must(await store.open("s", "write")).problems).toEqual([]);
    await store.close();
  });
});

/** Leaves so many bytes free, or a little less. */
function fill(top: string, filler: string, free: number): void {
  const { bavail, bsize } = statfsSync(top);
  writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - free)));
}

describe("large texts", () => {
  const large = "a line of a file\n".repeat(2_000);

  it("stand beside the journal by their hash, once, and come back", async () => {
    const { store, room } = await ground(1);
    const session = must(await store.open("s", "write"));
    for (const id of ["m-1", "m-2"]) session.append(message(id, id === "m-1" ? "s" : "m-1", large));
    expect(codeOf(await session.flush())).toBe("acknowledged");
    await session.close();
    expect(readdirSync(join(room, "s.blobs"))).toHaveLength(1);
    expect(readFileSync(join(room, "s.jsonl"), "utf8").length).toBeLessThan(2_000);
    const again = must(await store.open("s", "read"));
    expect(again.records.at(-1)?.event).toEqual(message("m-2", "m-1", large).event);
  });

  it("that are gone or damaged are told, and cost nothing but themselves", async () => {
    const { store, room } = await ground(1);
    const session = must(await store.open("s", "write"));
    session.append(message("m-1", "s", large));
    session.append(message("m-2", "m-1", `${large}other`));
    session.append(message("m-3", "m-2", "small"));
    expect(codeOf(await session.flush())).toBe("acknowledged");
    await session.close();
    const [one, other] = readdirSync(join(room, "s.blobs")).map((name) => join(room, "s.blobs", name));
    rmSync(String(one));
    writeFileSync(String(other), "something else");
    const again = must(await store.open("s", "write"));
    expect(seqs(again)).toEqual([1, 2, 3, 4]);
    expect(again.problems.map(({ what }) => what)).toEqual(["missing_blob", "missing_blob"]);
    // The same text again is kept again, whatever lies there.
    again.append(message("m-4", "m-3", large));
    again.append(message("m-5", "m-4", `${large}other`));
    expect(codeOf(await again.flush())).toBe("acknowledged");
    await again.close();
    expect(must(await store.open("s", "read")).problems).toEqual([]);
  });

  it("are never collected, and go with their session", async () => {
    const { store, stateDir, room } = await ground(1);
    const session = must(await store.open("s", "write"));
    session.append(message("m-1", "s", large));
    expect(codeOf(await session.flush())).toBe("acknowledged");
    await session.close();
    for (const name of ["tmp.left", "gone.blobs", "gone.torn-1", "s.blobs/tmp.left"])
      writeFileSync(join(room, name), "left");
    const old = Date.now() / 1_000 - 400 * 24 * 60 * 60;
    for (const name of readdirSync(room, { recursive: true })) utimesSync(join(room, String(name)), old, old);
    await collectGarbage({ stateDir, maxAgeMs: 0, maxBytes: 0 });
    expect(readdirSync(room).sort()).toEqual(["s.blobs", "s.jsonl"]);
    expect(must(await store.open("s", "read")).problems).toEqual([]);
    expect(codeOf(await store.remove("s"))).toBe("removed");
    expect(readdirSync(room)).toEqual([]);
  });
});

describe("a writer", () => {
  it("writes what is appended a moment later, before anybody flushes", async () => {
    const { store, journal } = await ground(1);
    const session = must(await store.open("s", "write"));
    session.append(renamed("soon"));
    await expect.poll(() => readFileSync(journal, "utf8")).toContain("soon");
    await session.close();
  });

  it("that failed in the background says so at the next flush, and drops all since the last", async () => {
    const { store } = await ground(1);
    const session = must(await store.open("s", "write"));
    limitFileSize(1);
    session.append(renamed("lost"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    limitFileSize("unlimited");
    // It builds on what was lost.
    session.append(renamed("lost, too"));
    expect(codeOf(await session.flush())).toBe("store_failed");
    expect(session.append(renamed("kept"))).toBe(2);
    expect(codeOf(await session.flush())).toBe("acknowledged");
    await session.close();
    expect(must(await store.open("s", "read")).records.map(({ event }) => event.type)).toEqual([
      "session_started",
      "renamed",
    ]);
  });

  it("that could write only a part cuts it off again", async () => {
    const { store, journal } = await ground(1);
    const session = must(await store.open("s", "write"));
    const whole = readFileSync(journal);
    limitFileSize(whole.length + 40);
    session.append(renamed("longer than what there is room for"));
    expect(codeOf(await session.flush())).toBe("store_failed");
    limitFileSize("unlimited");
    expect(readFileSync(journal).equals(whole)).toBe(true);
    await session.close();
  });

  it("leaves no descriptor open", async () => {
    const { store } = await ground();
    const before = openDescriptors();
    for (let time = 0; time < 20; time += 1) {
      const session = must(await store.open("s", "write"));
      await store.open("s", "read");
      await store.open("s", "write");
      await session.close();
      await store.list();
    }
    await store.close();
    expect(openDescriptors()).toBe(before);
  });

  it("makes nothing that others could read", async () => {
    const { store, room, journal } = await ground();
    await must(await store.create("t", [started("t"), message("m", "t", "x".repeat(40_000))])).close();
    expect(statSync(room).mode & 0o077).toBe(0);
    expect(statSync(journal).mode & 0o077).toBe(0);
    expect(statSync(join(room, "t.blobs")).mode & 0o077).toBe(0);
  });
});

describe("the list", () => {
  it("is the same with its index, without it, and with a damaged one", async () => {
    const stateDir = join(freshFolder(), "state");
    const store = storeAt(stateDir);
    for (let at = 0; at < 30; at += 1) {
      const id = `s-${at}`;
      await must(
        await store.create(id, [started(id, { title: `first ${at}` }), renamed(`second ${at}`, at)]),
      ).close();
    }
    const room = join(stateDir, "conversations");
    const old = Date.now() / 1_000 - 60;
    for (const name of readdirSync(room)) utimesSync(join(room, name), old, old);
    const first = must(await store.list());
    expect(existsSync(join(room, "index.cache"))).toBe(true);
    expect(first.map(({ title }) => title)).toContain("second 7");
    expect(must(await store.list())).toEqual(first);
    const session = must(await store.open("s-7", "write"));
    session.append(renamed("third 7", Date.now()));
    expect(codeOf(await session.flush())).toBe("acknowledged");
    await session.close();
    const [newest] = must(await store.list());
    expect([newest?.id, newest?.title]).toEqual(["s-7", "third 7"]);
    const index = readFileSync(join(room, "index.cache"));
    index[index.length - 20] = 0x20;
    writeFileSync(join(room, "index.cache"), index);
    expect(must(await store.list()).length).toBe(30);
    rmSync(join(room, "index.cache"));
    expect(must(await store.list())[0]?.title).toBe("third 7");
  });

  it("tells the size of all that is kept, and no change before the beginning", async () => {
    const { store } = await ground(1);
    const [small] = must(await store.list());
    const session = must(await store.open("s", "write"));
    const payload = { kind: "user_message", text: "large ".repeat(50_000) } as const;
    const nodes = [{ id: "n", parentId: "s", timestamp: 1, payload }];
    // Of a session that was made of another: its records are older than itself.
    session.append({ ts: 1, event: { type: "nodes_added", nodes, head: "n" } });
    expect(codeOf(await session.flush())).toBe("acknowledged");
    await session.close();
    const [large] = must(await store.list());
    expect(large?.sizeBytes).toBeGreaterThan((small?.sizeBytes ?? 0) + 300_000);
    expect(large?.modifiedMs).toBeGreaterThanOrEqual(large?.createdMs ?? Number.NaN);
  });

  it("says by another word that a session has changed, and by none that it is gone", async () => {
    const { store } = await ground(1);
    const stamp = await store.stampOf?.("s");
    expect(stamp).toBeTypeOf("string");
    expect(await store.stampOf?.("s")).toBe(stamp);
    const session = must(await store.open("s", "write"));
    session.append(renamed("another"));
    await session.flush();
    expect(await store.stampOf?.("s")).not.toBe(stamp);
    await session.close();
    await store.remove("s");
    for (const id of ["s", "../s"]) expect(await store.stampOf?.(id)).toBeUndefined();
  });

  it("takes no name out of what was said", async () => {
    const { store } = await ground(1);
    const session = must(await store.open("s", "write"));
    const nested = { type: "renamed", title: "not a name" };
    session.append(renamed("the name"));
    const payload = { kind: "tool_call", callId: "c", name: "t", args: { at: 1, ...nested } } as const;
    const nodes = [{ id: "n", parentId: "s", timestamp: 1, payload }];
    session.append({ ts: 9, event: { type: "nodes_added", nodes, head: "n" } });
    expect(codeOf(await session.flush())).toBe("acknowledged");
    await session.close();
    expect(must(await store.list())[0]?.title).toBe("the name");
  });

  it("names a session whose beginning is damaged", async () => {
    const { store, journal } = await ground();
    const bytes = readFileSync(journal);
    bytes[10] = 0;
    writeFileSync(journal, bytes);
    const [facts] = must(await store.list());
    expect([facts?.id, facts?.problem, facts?.cwd]).toEqual(["s", undefined, undefined]);
    expect(must(await store.open("s", "write")).problems[0]?.what).toBe("damaged_line");
    await store.close();
  });
});
