import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Acknowledged,
  type ConversationRefusal,
  type JournalRecord,
  type OpenSession,
  type SessionFacts,
  type SessionStore,
  type TimedEvent,
  versionOf,
} from "../../../src/conversation/values/index.js";
import type { ConversationCode } from "../../../src/files/values/index.js";
import { isRefusal } from "../../../src/files/values/index.js";
import { awkwardEvents, longLife, message, renamed, started } from "./store-events.js";
import { describeMedia } from "./store-media.js";
import { describePages } from "./store-pages.js";
import { describeReplace } from "./store-replace.js";

/** A store under trial, and what the trial has to do to the ground on which it stands. */
export interface StoreTrial {
  readonly store: SessionStore;
  /** Another store over the same sessions, as another program would open it. The suite closes it. */
  reopen(): Promise<SessionStore>;
  /** From here on nothing can be written, as on a full disk; reading may fail as well. */
  breakGround(): Promise<void> | void;
  mendGround(): Promise<void> | void;
  /** After the stores were closed. */
  dispose(): Promise<void> | void;
}

/**
 * What every session store keeps to (conversation/values/store.ts). One suite: what holds for one holds for all.
 *
 * @param open a store without sessions.
 */
export function describeStore(name: string, open: () => Promise<StoreTrial>): void {
  describe(`the sessions of ${name}`, () => {
    let trial: StoreTrial;
    const others: SessionStore[] = [];
    const ground: Ground = {
      store: () => trial.store,
      trial: () => trial,
      reopen: async () => {
        const other = await trial.reopen();
        others.push(other);
        return other;
      },
    };
    beforeEach(async () => {
      trial = await open();
    });
    afterEach(async () => {
      for (const other of others.splice(0)) await other.close();
      await trial.store.close();
      await trial.dispose();
    });
    describeRecords(ground);
    describeContents(ground);
    describeMedia(ground);
    describeReplace(ground);
    describeLease(ground);
    describeFailures(ground);
    describeList(ground);
    describePages(ground);
    describeIds(ground);
  });
}

interface Ground {
  store(): SessionStore;
  trial(): StoreTrial;
  reopen(): Promise<SessionStore>;
}

function describeRecords({ store, reopen }: Ground): void {
  it("is durable as soon as it was made, and a second of its id is refused", async () => {
    await made(store(), "s-1", { title: "first" });
    expect(codeOf(await store().create("s-1", [started("s-1")]))).toBe("duplicate_id");
    expect(codeOf(await (await reopen()).create("s-1", [started("s-1")]))).toBe("duplicate_id");
    const read = await opened(await reopen(), "s-1", "read");
    expect(read.records.map(({ event }) => event)).toEqual([started("s-1", { title: "first" }).event]);
  });

  it("is made once where it is made twice at the same moment", async () => {
    const other = await reopen();
    const answers = await Promise.all([
      store().create("s-1", [started("s-1")]),
      other.create("s-1", [started("s-1")]),
    ]);
    expect(answers.map(codeOf).sort()).toEqual(["duplicate_id", "session"]);
  });

  it("gives back what was acknowledged: the same records in the same order, seq from 1 without gaps", async () => {
    const session = await made(store(), "s-1");
    const events = longLife("s-1", 40).slice(1);
    expect(events.map((event) => session.append(event))).toEqual(events.map((_, at) => at + 2));
    expect(await session.flush()).toEqual({ kind: "acknowledged", seq: events.length + 1 });
    await session.close();
    const read = await opened(await reopen(), "s-1", "read");
    expectRecords(read.records, [started("s-1"), ...events]);
    expect(read.problems).toEqual([]);
    expect([read.kind, read.id, read.mode]).toEqual(["session", "s-1", "read"]);
  });

  it("keeps of what was not flushed a beginning or nothing, and never half an event", async () => {
    const session = await made(store(), "s-1");
    const kept = message("m-1", "s-1", "kept");
    session.append(kept);
    acknowledged(await session.flush());
    const unflushed = [message("m-2", "m-1", "perhaps"), message("m-3", "m-2", "p".repeat(100_000))];
    for (const event of unflushed) session.append(event);
    await session.close();
    const read = await opened(await reopen(), "s-1", "read");
    const all = [started("s-1"), kept, ...unflushed];
    expect(read.records.length).toBeGreaterThanOrEqual(2);
    expectRecords(read.records, all.slice(0, read.records.length));
    expect(read.problems).toEqual([]);
  });

  it("acknowledges at least what was appended before, with many flushes at once", async () => {
    const session = await made(store(), "s-1");
    const events = longLife("s-1", 60).slice(1);
    const answers = await Promise.all(
      events.map(async (event) => {
        const seq = session.append(event);
        return { seq, upTo: acknowledged(await session.flush()).seq };
      }),
    );
    for (const { seq, upTo } of answers) expect(upTo).toBeGreaterThanOrEqual(seq);
    await session.close();
    expectRecords((await opened(await reopen(), "s-1", "read")).records, [started("s-1"), ...events]);
  });
}

function describeContents({ store, reopen }: Ground): void {
  it.each(Object.entries(awkwardEvents()))("gives back to the letter %s", async (_, event) => {
    const session = await made(store(), "s-1");
    session.append(event);
    acknowledged(await session.flush());
    await session.close();
    expectRecords((await opened(await reopen(), "s-1", "read")).records, [started("s-1"), event]);
  });

  it("gives back to the letter what a session begins with", async () => {
    const events = [started("s-1"), ...Object.values(awkwardEvents())];
    await (await made(store(), "s-1", {}, events)).close();
    expectRecords((await opened(await reopen(), "s-1", "read")).records, events);
  });
}

function describeLease({ store, reopen }: Ground): void {
  it("has one writer; a second is told who it is and may read", async () => {
    await made(store(), "s-1");
    for (const second of [store(), await reopen()]) {
      const refused = await second.open("s-1", "write");
      expect(codeOf(refused)).toBe("busy");
      const [facts] = listed(await second.list());
      expect(facts?.heldBy).toBeTruthy();
      if (isRefusal(refused)) expect(refused.message).toContain(facts?.heldBy);
      expect(codeOf(await second.open("s-1", "read"))).toBe("session");
    }
  });

  it("is free again once its writer has closed it, or the writer's whole store", async () => {
    const session = await made(store(), "s-1");
    await session.close();
    const other = await reopen();
    await opened(other, "s-1", "write");
    expect(codeOf(await store().open("s-1", "write"))).toBe("busy");
    await other.close();
    await (await opened(store(), "s-1", "write")).close();
    expect(listed(await store().list())[0]?.heldBy).toBeUndefined();
  });

  it("has one writer where many ask at the same moment", async () => {
    await (await made(store(), "s-1")).close();
    const askers = [store(), await reopen(), await reopen(), await reopen()];
    const answers = await Promise.all(askers.map((asker) => asker.open("s-1", "write")));
    expect(answers.map(codeOf).sort()).toEqual(["busy", "busy", "busy", "session"]);
  });

  it("shows a reader what is acknowledged while its writer goes on", async () => {
    const session = await made(store(), "s-1");
    const other = await reopen();
    const events = longLife("s-1", 8);
    for (const [at, event] of events.entries()) {
      if (at === 0) continue;
      session.append(event);
      acknowledged(await session.flush());
      expectRecords((await opened(other, "s-1", "read")).records, events.slice(0, at + 1));
    }
  });

  it("refuses to write what was opened to be read", async () => {
    await made(store(), "s-1");
    const reader = await opened(await reopen(), "s-1", "read");
    reader.append(message("m-1", "s-1", "smuggled"));
    expect(codeOf(await reader.flush())).toBe("read_only");
    await reader.close();
    expectRecords((await opened(store(), "s-1", "read")).records, [started("s-1")]);
    expect(codeOf(await store().open("s-1", "write"))).toBe("busy");
  });

  it("takes nothing more from a writer that has closed", async () => {
    const session = await made(store(), "s-1");
    await session.close();
    await session.close();
    session.append(message("m-1", "s-1", "too late"));
    expect(isRefusal(await session.flush())).toBe(true);
    expectRecords((await opened(await reopen(), "s-1", "read")).records, [started("s-1")]);
  });
}

function describeFailures({ store, trial, reopen }: Ground): void {
  it("is whole after a refused flush, and the next flush works", async () => {
    const session = await made(store(), "s-1");
    session.append(message("m-1", "s-1", "before"));
    acknowledged(await session.flush());
    await trial().breakGround();
    expect(session.append(message("m-2", "m-1", "lost"))).toBe(3);
    session.append(message("m-3", "m-2", "lost as well"));
    const answers = await Promise.all([session.flush(), session.flush()]);
    expect(session.drops).toBe(1);
    for (const answer of answers) expect(["disk_full", "store_failed"]).toContain(codeOf(answer));
    await trial().mendGround();
    expect(session.append(message("m-4", "m-1", "after"))).toBe(3);
    expect(await session.flush()).toEqual({ kind: "acknowledged", seq: 3 });
    await session.close();
    const kept = [started("s-1"), message("m-1", "s-1", "before"), message("m-4", "m-1", "after")];
    const read = await opened(await reopen(), "s-1", "read");
    expectRecords(read.records, kept);
    expect(read.problems).toEqual([]);
  });

  it("is not made at all where it cannot be made", async () => {
    await trial().breakGround();
    const answer = await store().create("s-1", [started("s-1")]);
    expect(["disk_full", "store_failed"]).toContain(codeOf(answer));
    await trial().mendGround();
    expect(listed(await store().list())).toEqual([]);
    await made(store(), "s-1");
  });
}

function describeList({ store, reopen }: Ground): void {
  it("lists the last changed first, with names, folders and holders", async () => {
    expect(listed(await store().list())).toEqual([]);
    const before = Date.now();
    for (const id of ["s-a", "s-b", "s-c"]) {
      await later();
      await (await made(store(), id, { title: `about ${id}`, cwd: `/srv/${id}` }, [], Date.now())).close();
    }
    expect(listed(await store().list()).map(({ id }) => id)).toEqual(["s-c", "s-b", "s-a"]);
    await later();
    const session = await opened(store(), "s-a", "write");
    session.append(renamed("another name", Date.now()));
    acknowledged(await session.flush());
    const facts = listed(await (await reopen()).list());
    expect(facts.map(({ id }) => id)).toEqual(["s-a", "s-c", "s-b"]);
    expect(facts.map(({ title }) => title)).toEqual(["another name", "about s-c", "about s-b"]);
    expect(facts.map(({ cwd }) => cwd)).toEqual(["/srv/s-a", "/srv/s-c", "/srv/s-b"]);
    expect(facts.map(({ heldBy }) => heldBy !== undefined)).toEqual([true, false, false]);
    for (const fact of facts) expectFacts(fact, before);
  });

  it("lists a name to the letter, whatever it is made of", async () => {
    const session = await made(store(), "s-1", { title: "a\0b\ud800 🦊 \"'", cwd: "/wörk/\udfff" });
    expect(listed(await store().list())).toMatchObject([{ title: "a\0b\ud800 🦊 \"'", cwd: "/wörk/\udfff" }]);
    session.append(renamed("", Date.now()));
    acknowledged(await session.flush());
    expect(listed(await store().list())).toMatchObject([{ title: "" }]);
  });

  it("removes a session for good, and only one that nobody writes", async () => {
    const session = await made(store(), "s-1");
    await (await made(store(), "s-2")).close();
    expect(codeOf(await (await reopen()).remove("s-1"))).toBe("busy");
    await session.close();
    expect(await (await reopen()).remove("s-1")).toEqual({ kind: "removed" });
    expect(codeOf(await store().remove("s-1"))).toBe("unknown_session");
    expect(codeOf(await store().open("s-1", "write"))).toBe("unknown_session");
    expect(listed(await store().list()).map(({ id }) => id)).toEqual(["s-2"]);
    const again = await made(store(), "s-1");
    expectRecords(again.records, [started("s-1")]);
  });
}

function describeIds({ store }: Ground): void {
  it.each(awkwardIds)("refuses the id %j, and whatever would be there", async (id) => {
    expect(codeOf(await store().create(id, [started(id)]))).toBe("invalid_arguments");
    for (const mode of ["read", "write"] as const)
      expect(codeOf(await store().open(id, mode))).toBe("unknown_session");
    expect(codeOf(await store().remove(id))).toBe("unknown_session");
    expect(listed(await store().list())).toEqual([]);
  });

  it("begins with its own beginning or not at all", async () => {
    const foreign = [[], [message("m-1", "s-1", "headless")], [started("s-2")]];
    for (const events of foreign)
      expect(codeOf(await store().create("s-1", events))).toBe("invalid_arguments");
    expect(listed(await store().list())).toEqual([]);
  });
}

const awkwardIds = [
  "",
  "..",
  "../s-1",
  "a/b",
  "a\\b",
  "/etc/passwd",
  "S-1",
  "s.1",
  "s-1'; drop table sessions; --",
  "-s",
  "ſ-1",
  "\ud800",
  "__proto__",
  "x".repeat(129),
  "x".repeat(10_240),
];

/** So that also a clock of whole milliseconds tells one change from the next. */
async function later(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 15));
}

async function made(
  store: SessionStore,
  id: string,
  facts: { readonly title?: string; readonly cwd?: string } = {},
  events: readonly TimedEvent[] = [],
  ts?: number,
): Promise<OpenSession> {
  const first = events.length > 0 ? events : [started(id, facts, ts)];
  const session = await store.create(id, first);
  if (isRefusal(session)) throw new Error(session.message);
  expect([session.id, session.mode, session.records.length]).toEqual([id, "write", first.length]);
  return session;
}

async function opened(store: SessionStore, id: string, mode: "read" | "write"): Promise<OpenSession> {
  const session = await store.open(id, mode);
  if (isRefusal(session)) throw new Error(session.message);
  expect([session.mode, session.readOnlyBecause]).toEqual([mode, undefined]);
  return session;
}

function acknowledged(answer: Acknowledged | ConversationRefusal): Acknowledged {
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer;
}

function listed(answer: readonly SessionFacts[] | ConversationRefusal): readonly SessionFacts[] {
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer;
}

/** The code of a refusal, or the kind of what came instead. */
function codeOf(answer: { readonly kind: string } | ConversationRefusal): ConversationCode | string {
  return isRefusal(answer) ? answer.code : answer.kind;
}

function expectFacts(facts: SessionFacts, before: number): void {
  const now = Date.now();
  for (const time of [facts.createdMs, facts.modifiedMs]) {
    // A file system's clock may lag a little behind.
    expect(time).toBeGreaterThan(before - 1_000);
    expect(time).toBeLessThan(now + 1_000);
  }
  expect(facts.modifiedMs).toBeGreaterThanOrEqual(facts.createdMs);
  expect(facts.sizeBytes).toBeGreaterThan(100);
  expect(facts.problem).toBeUndefined();
}

function expectRecords(records: readonly JournalRecord[], events: readonly TimedEvent[]): void {
  expect(records.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  expect(records.map(({ v }) => v)).toEqual(events.map(({ event }) => versionOf(event)));
  expect(records.map(({ ts }) => ts)).toEqual(events.map(({ ts }) => ts));
  // As text, since keys keep their order: what a model is shown again has to be the same to the letter.
  const texts = records.map(({ event }) => JSON.stringify(event));
  // A whole million letters in a message helps nobody.
  for (const [at, text] of texts.entries())
    expect(text === JSON.stringify(events[at]?.event), `record ${at + 1}: ${text.slice(0, 300)}`).toBe(true);
}
