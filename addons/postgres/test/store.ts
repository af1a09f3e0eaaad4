import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openConversation } from "@holdfast/core/conversation";
import { repairSession } from "@holdfast/core/conversation/journal";
import type { OpenSession, SessionStore } from "@holdfast/core/conversation/values";
import { afterEach, describe, expect, it } from "vitest";
import { crc32 } from "../../../packages/core/src/conversation/journal/journal-codec.js";
import { describeStore } from "../../../packages/core/test/conversation/journal/store-conformance.js";
import { message, renamed, started } from "../../../packages/core/test/conversation/journal/store-events.js";
import { openPostgresStore } from "../src/index.js";
import { codeOf, must, type PostgresGround, until } from "./support.js";

export function describeStoreOn(ground: PostgresGround): void {
  let tenants = 0;
  let schema: string | undefined;
  describeStore("a PostgreSQL store", async () => {
    const { open, ask } = ground;
    // A tenant for each test: to make the tables again would take longer than most of the tests.
    schema ??= ground.newSchema();
    const events = `${schema}.events`;
    const tenant = `t${++tenants}`;
    // So that what the suite opens by its state has a snapshot in its place.
    const reopen = () => open(schema ?? "", { snapshotEvents: 8, tenant });
    const mendGround = async () => {
      await ask(`drop trigger if exists full_disk on ${events}`);
    };
    return {
      store: await reopen(),
      reopen,
      // What the server answers when the disk of a table is full.
      breakGround: async () => {
        await ask(`create or replace function ${schema}.full() returns trigger language plpgsql
          as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
          create trigger full_disk before insert on ${events} execute function ${schema}.full()`);
      },
      mendGround,
      dispose: mendGround,
    };
  });
  describe("a PostgreSQL schema", () => describeSchema(ground));
  describe("a PostgreSQL lease", () => describeLeases(ground));
  describe("PostgreSQL rows", () => describeRows(ground));
}

function describeSchema({ cluster, ask, newSchema, room }: PostgresGround): void {
  it("is made once by programs that start at the same moment", async () => {
    const schema = newSchema();
    const options = { connection: cluster().connection, schema };
    const starts = Array.from({ length: 3 }, () => startWriter(room(), options, "start"));
    expect(await Promise.all(starts.map(({ line }) => line()))).toEqual(starts.map(() => "started"));
    const versions = await ask(`select version from ${schema}.migrations order by version`);
    expect(versions).toEqual([{ version: 1 }, { version: 2 }]);
  });

  it("says why a server cannot be used, and never the password", async () => {
    await ask("create database narrow encoding 'SQL_ASCII' template template0");
    const at = cluster().connection;
    const cases = [
      [{ ...at, port: 1 }, "store_failed"],
      [{ ...at, database: "nowhere" }, "store_failed"],
      [{ ...at, database: "narrow" }, "store_failed"],
      [{ ...at, user: "nobody-of-that-name", password: "pa55word" }, "permission_denied"],
      [`postgresql://u:pa55word@127.0.0.1:1/x`, "store_failed"],
      ["postgresql://u:pa55word@[::bad/x", "invalid_arguments"],
    ] as const;
    for (const [connection, code] of cases) {
      const answer = await openPostgresStore({ connection, retryMs: 0 });
      expect(answer).toMatchObject({ kind: "refusal", code });
      expect(JSON.stringify(answer)).not.toContain("pa55word");
    }
    for (const schema of ["", "Sessions", "a b", 'a"b', "x".repeat(64)])
      expect(codeOf(await openPostgresStore({ connection: at, schema }))).toBe("invalid_arguments");
  });
}

function describeLeases({ cluster, ask, open, newSchema, room }: PostgresGround): void {
  const opened: SessionStore[] = [];
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  const two = async (options: { readonly leaseMs?: number } = {}) => {
    const schema = newSchema();
    const stores = [await open(schema, options), await open(schema, options)] as const;
    opened.push(...stores);
    return { schema, one: stores[0], other: stores[1] };
  };
  const expire = (schema: string) =>
    ask(`update ${schema}.sessions set lease_until = clock_timestamp() - interval '1 second'`);

  it("keeps the lease of a writer that is silent for longer than it lasts", async () => {
    const { schema, one, other } = await two({ leaseMs: 6_000 });
    must(await one.create("s-1", [started("s-1")]));
    const end = async () =>
      Number((await ask(`select extract(epoch from lease_until) as end from ${schema}.sessions`))[0]?.end);
    const first = await end();
    await until(async () => (await end()) > first);
    expect(codeOf(await other.open("s-1", "write"))).toBe("busy");
  });

  it("keeps out a writer whose lease ran out and went to another, before the other writes and after", async () => {
    for (const writesFirst of [false, true]) {
      const { schema, one, other } = await two();
      const late = must(await one.create("s-1", [started("s-1")]));
      await expire(schema);
      const next = must(await other.open("s-1", "write"));
      if (writesFirst) await wrote(next, "s-1");
      late.append(message("late", "s-1", "late"));
      expect(codeOf(await late.flush())).toBe(writesFirst ? "conflict" : "busy");
      late.append(message("later", "s-1", "later"));
      expect(codeOf(await late.flush())).toBe(writesFirst ? "conflict" : "busy");
      await late.close();
      if (!writesFirst) await wrote(next, "s-1");
      expect(codeOf(await one.open("s-1", "write"))).toBe("busy");
      expect(must(await one.open("s-1", "read")).records).toHaveLength(2);
    }
  });

  it("goes on with a lease that ran out and that nobody took", async () => {
    const { schema, one } = await two();
    const session = must(await one.create("s-1", [started("s-1")]));
    await expire(schema);
    expect(must(await one.list())[0]?.heldBy).toBeUndefined();
    await wrote(session, "s-1");
    expect(must(await one.list())[0]?.heldBy).toBeDefined();
  });

  it("passes on the lease of a writer that was killed, when its time is over", async () => {
    const { schema, one } = await two();
    await must(await one.create("s-1", [started("s-1")])).close();
    const options = { connection: cluster().connection, schema, leaseMs: 2_000, holder: "the dead" };
    const writer = startWriter(room(), options, "hold", "s-1");
    expect(await writer.line()).toBe("holding");
    writer.child.kill("SIGKILL");
    await once(writer.child, "exit");
    await until(async () => codeOf(await one.open("s-1", "write")) === "session");
  });

  it("keeps out a writer that was stopped and wakes up when another has gone on", async () => {
    const { schema, one } = await two();
    await must(await one.create("s-1", [started("s-1")])).close();
    const options = { connection: cluster().connection, schema, holder: "the sleeper" };
    const writer = startWriter(room(), options, "hold", "s-1");
    expect(await writer.line()).toBe("holding");
    expect(await one.open("s-1", "write")).toMatchObject({
      code: "busy",
      message: expect.stringContaining("the sleeper"),
    });
    writer.child.kill("SIGSTOP");
    await expire(schema);
    const session = must(await one.open("s-1", "write"));
    await wrote(session, "s-1");
    writer.child.kill("SIGCONT");
    writer.child.stdin.write("from the past\n");
    expect(["busy", "conflict"]).toContain(await writer.line());
    writer.child.stdin.end();
    await once(writer.child, "exit");
    expect(must(await one.list())).toMatchObject([{ title: undefined }]);
    expect(must(await one.open("s-1", "read")).records).toHaveLength(2);
  });

  it("writes nothing where the head has moved, though the lease is its own", async () => {
    const { schema, one } = await two();
    const session = must(await one.create("s-1", [started("s-1")]));
    await ask(`insert into ${schema}.events (session_id, seq, ts, type, change_id, body)
      select session_id, 2, ts, type, change_id, body from ${schema}.events;
      update ${schema}.sessions set seq = 2`);
    session.append(message("m-1", "s-1", "beside the head"));
    expect(codeOf(await session.flush())).toBe("conflict");
    expect(await ask(`select seq from ${schema}.events order by seq`)).toEqual([{ seq: 1 }, { seq: 2 }]);
  });

  it("tells a writer that its session was removed under it", async () => {
    const { schema, one, other } = await two();
    const session = must(await one.create("s-1", [started("s-1")]));
    await expire(schema);
    expect(await other.remove("s-1")).toEqual({ kind: "removed" });
    session.append(message("m-1", "s-1", "into nothing"));
    expect(codeOf(await session.flush())).toBe("conflict");
    expect(must(await one.list())).toEqual([]);
  });
}

function describeRows({ ask, open, newSchema }: PostgresGround): void {
  const life = async () => {
    const schema = newSchema();
    const store = await open(schema);
    const session = must(await store.create("s-1", [started("s-1")]));
    for (const at of [1, 2, 3, 4])
      session.append(message(`m-${at}`, at === 1 ? "s-1" : `m-${at - 1}`, "text"));
    must(await session.flush());
    await session.close();
    return { schema, store };
  };
  const sealed = (json: object): string => {
    const text = JSON.stringify(json).slice(0, -1);
    const bytes = new TextEncoder().encode(text);
    return `${text},"crc":"${crc32(bytes, 0, bytes.length).toString(16).padStart(8, "0")}"}`;
  };

  it.each([
    ["a changed letter", "set body = replace(body, 'text', 'test')", "damaged_line"],
    ["a row cut short", "set body = left(body, 40)", "damaged_line"],
    ["nothing at all", "set body = ''", "damaged_line"],
    ["the row of another event", "set body = (select body from SCHEMA.events where seq = 2)", "damaged_line"],
  ])("loses one event to %s, and no other", async (_, damage, what) => {
    const { schema, store } = await life();
    await ask(`update ${schema}.events ${damage.replace("SCHEMA", schema)} where seq = 3`);
    const session = must(await store.open("s-1", "write"));
    expect(session.records.map(({ seq }) => seq)).toEqual([1, 2, 4, 5]);
    expect(session.problems).toMatchObject([{ line: 3, what }]);
    expect(session.append(renamed("goes on"))).toBe(6);
    must(await session.flush());
    await store.close();
  });

  it.each([
    ["in the middle", "seq in (2, 3)", [1, 4, 5], 2],
    ["at the end", "seq = 5", [1, 2, 3, 4], 5],
    ["at the beginning", "seq = 1", [2, 3, 4, 5], 1],
  ])("reports events that are missing %s, and goes on behind the last", async (_, which, seqs, line) => {
    const { schema, store } = await life();
    await ask(`delete from ${schema}.events where ${which}`);
    const session = must(await store.open("s-1", "write"));
    expect(session.records.map(({ seq }) => seq)).toEqual(seqs);
    expect(session.problems).toMatchObject([{ line, what: "missing_record" }]);
    expect(session.append(renamed("goes on"))).toBe(6);
    expect(await session.flush()).toEqual({ kind: "acknowledged", seq: 6 });
    await store.close();
  });

  it.each([
    ["damaged", "update SCHEMA.events set body = left(body, 40) where seq = 3", ["m-2"]],
    ["missing", "delete from SCHEMA.events where seq in (2, 3)", ["m-2"]],
    ["the last one", "update SCHEMA.events set body = '' where seq = 5", ["lost-5"]],
  ])(
    "is repaired where rows are lost (%s), and keeps what was there as a session",
    async (_, damage, ids) => {
      const { schema, store } = await life();
      await ask(damage.replace("SCHEMA", schema));
      const sources = { ids: () => "turn", now: () => 7 };
      const open = must(await openConversation(store, "s-1", "write", sources));
      expect(open.losses.map(({ placeholders }) => placeholders)).toEqual([ids]);
      must(open.manager.commitStagedItems("after it"));
      must(await open.close());
      const plan = must(await repairSession(store, "s-1", { apply: false }));
      expect(plan.kind).toBe("planned");
      const done = must(await repairSession(store, "s-1", { apply: true }));
      expect(done).toMatchObject({ kind: "repaired", losses: plan.losses });
      const kept = must(await store.open(done.backup ?? "", "read"));
      expect(kept.records).toHaveLength(plan.records);
      const { manager, problems, losses } = must(await openConversation(store, "s-1", "write", sources));
      expect([problems, losses]).toEqual([[], []]);
      expect(manager.getCurrentNode()).toMatchObject({ id: "turn", payload: { text: "after it" } });
      must(await manager.close());
      expect(must(await repairSession(store, "s-1", { apply: true })).kind).toBe("sound");
      await store.close();
    },
  );

  it.each([
    ["newer_version", { v: 99, seq: 3, ts: 1, type: "renamed", title: "t" }],
    ["unknown_event", { v: 1, seq: 3, ts: 1, type: "teleported" }],
  ])("opens a session with an event of a newer release to be read: %s", async (what, json) => {
    const { schema, store } = await life();
    await ask(`update ${schema}.events set body = '${sealed(json)}' where seq = 3`);
    const session = must(await store.open("s-1", "write"));
    expect(session).toMatchObject({ mode: "read", readOnlyBecause: { code: "newer_version" } });
    expect(session.problems).toMatchObject([{ line: 3, what }]);
    session.append(renamed("never"));
    expect(codeOf(await session.flush())).toBe("read_only");
    expect(must(await store.list())).toMatchObject([{ heldBy: undefined }]);
    await store.close();
  });

  it("keeps a large text once for all sessions, and as long as one of them has it", async () => {
    const schema = newSchema();
    const store = await open(schema);
    const large = "large ".repeat(10_000);
    for (const id of ["s-1", "s-2"]) {
      const session = must(await store.create(id, [started(id)]));
      session.append(message("m-1", id, large));
      must(await session.flush());
      await session.close();
    }
    const blobs = () => ask(`select sha256 from ${schema}.blobs`);
    expect(await blobs()).toHaveLength(1);
    expect(must(await store.list()).every(({ sizeBytes }) => sizeBytes > large.length)).toBe(true);
    must(await store.remove("s-1"));
    expect(await blobs()).toHaveLength(1);
    expect(JSON.stringify(must(await store.open("s-2", "read")).records[1])).toContain(large);
    must(await store.remove("s-2"));
    expect(await blobs()).toHaveLength(0);
    await store.close();
  });

  it("says which large text is lost, and shows what is there", async () => {
    const schema = newSchema();
    const store = await open(schema);
    const session = must(await store.create("s-1", [started("s-1")]));
    session.append(message("m-1", "s-1", "large ".repeat(10_000)));
    must(await session.flush());
    await ask(`update ${schema}.blobs set bytes = set_byte(bytes, 100, 0)`);
    const read = must(await store.open("s-1", "read"));
    expect(read.problems).toMatchObject([{ line: 2, what: "missing_blob" }]);
    expect(read.records).toHaveLength(2);
    await store.close();
  });

  it("leaves its rows for other programs to read", async () => {
    const { schema, store } = await life();
    const [row] =
      await ask(`select s.head::json #>> '{}' as head, e.seq, e.type, e.change_id is not null as written,
      e.body::json -> 'nodes' -> 0 -> 'payload' ->> 'text' as text
      from ${schema}.sessions s join ${schema}.events e on e.session_id = s.id and e.seq = s.seq`);
    expect(row).toEqual({ head: "m-4", seq: 5, type: "nodes_added", written: true, text: "text" });
    await store.close();
  });
}

async function wrote(session: OpenSession, parentId: string): Promise<void> {
  session.append(message("m-1", parentId, "written"));
  expect(codeOf(await session.flush())).toBe("acknowledged");
}

function startWriter(room: string, options: object, ...order: readonly string[]) {
  const script = fileURLToPath(new URL("./fixtures/writer.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, room, JSON.stringify(options), ...order], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, line: async () => String((await lines.next()).value) };
}
