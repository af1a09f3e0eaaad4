import { type ContextManager, createConversation, openConversation } from "@holdfast/core/conversation";
import { repairSession, replay } from "@holdfast/core/conversation/journal";
import type { SessionStore } from "@holdfast/core/conversation/values";
import pg from "pg";
import { expect, it } from "vitest";
import { message, renamed, started } from "../../../packages/core/test/conversation/journal/store-events.js";
import { countedIds, reply, say, steadyClock } from "../../../packages/core/test/conversation/support.js";
import { openPostgresStore, type StoreMetric } from "../src/index.js";
import { breakingWay } from "./breaking-way.js";
import { codeOf, must, type PostgresGround, until } from "./support.js";

/** Rounds of the race of blobs; `HOLDFAST_RUNS=500` for a long one. */
const rounds = Number(process.env.HOLDFAST_RUNS ?? 4);

export function describeFleet(ground: PostgresGround): void {
  describeLimits(ground);
  describeRemoval(ground);
  describeSnapshots(ground);
  describeAbsence(ground);
}

async function life(store: SessionStore, id: string, texts: readonly string[]): Promise<void> {
  const session = must(await store.create(id, [started(id)]));
  let head = id;
  for (const [at, text] of texts.entries()) {
    session.append(message(`${id}-${at}`, head, text));
    head = `${id}-${at}`;
  }
  must(await session.flush());
  await session.close();
}

function describeLimits({ cluster, newSchema, open }: PostgresGround): void {
  it("refuses a text that is too large before anything is acknowledged, and goes on", async () => {
    const store = await open(newSchema(), { textBytes: 50_000 });
    const session = must(await store.create("s-1", [started("s-1")]));
    for (const text of ["x".repeat(50_001), `${"\u00e9".repeat(25_001)}`, `${"y".repeat(50_001)}\ud83d`]) {
      session.append(message("m-1", "s-1", text));
      expect(codeOf(await session.flush())).toBe("too_large");
    }
    session.append(message("m-1", "s-1", "z".repeat(50_000)));
    expect(await session.flush()).toEqual({ kind: "acknowledged", seq: 2 });
    const huge = [started("s-2"), message("m-1", "s-2", "x".repeat(50_001))];
    expect(codeOf(await store.create("s-2", huge))).toBe("too_large");
    expect(must(await store.list()).map(({ id }) => id)).toEqual(["s-1"]);
    expect(must(await store.open("s-1", "read")).problems).toEqual([]);
    await store.close();
    const beyond = await openPostgresStore({ connection: cluster().connection, textBytes: 256_000_001 });
    expect(codeOf(beyond)).toBe("invalid_arguments");
  });
}

function describeRemoval({ ask, cluster, newSchema, open }: PostgresGround): void {
  it("lets every other session flush while a removal waits for one slow writer", async () => {
    const schema = newSchema();
    const store = await open(schema);
    const shared = "shared ".repeat(5_000);
    await life(store, "old", [shared]);
    await life(store, "other", ["text"]);
    const slow = new pg.Client(cluster().connection);
    await slow.connect();
    // As a flush does that names the same text and has not come to its commit.
    await slow.query(`begin; select from ${schema}.blobs for key share`);
    let isRemoved = false;
    const removal = store.remove("old").then((answer) => {
      isRemoved = true;
      return answer;
    });
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock'";
    await until(async () => (await ask(waiting)).length > 0);
    const session = must(await store.open("other", "write"));
    for (const text of [shared, "of its own ".repeat(5_000)]) {
      session.append(renamed(text.slice(0, 9)));
      session.append(message(`m-${text.length}`, "other", text));
      must(await session.flush());
    }
    expect(isRemoved).toBe(false);
    await slow.query("commit");
    await slow.end();
    expect(must(await removal)).toEqual({ kind: "removed" });
    await session.close();
    const found = must(await store.open("other", "read"));
    expect(found.problems).toEqual([]);
    expect(await ask(`select count(*)::int as blobs from ${schema}.blobs`)).toEqual([{ blobs: 2 }]);
    await store.close();
  });

  it("loses no text that sessions share, and leaves none over, in a race of flushes and removals", async () => {
    const schema = newSchema();
    const stores = await Promise.all(Array.from({ length: 6 }, () => open(schema)));
    const texts = Array.from({ length: 5 }, (_, at) => `text ${at} `.repeat(3_000));
    await Promise.all(
      stores.map(async (store, writer) => {
        for (let round = 0; round < rounds; round += 1) {
          const id = `w-${writer}-${round}`;
          const chosen = texts.filter((_, at) => (at + writer + round) % 3 !== 0);
          await life(store, id, writer % 2 === 0 ? chosen : chosen.toReversed());
          if (round % 4 === 0) continue;
          const listed = must(await store.list({ idPrefix: `w-${(writer + 1) % stores.length}-` }));
          if (round % 2 === 0)
            expect(["removed", "unknown_session"]).toContain(codeOf(await store.remove(id)));
          else must(await store.prune(listed.slice(0, 2)));
        }
      }),
    );
    const [store] = stores;
    const left = must((await store?.list()) ?? []);
    expect(left.length).toBeGreaterThan(0);
    for (const { id } of left)
      expect(must(await must(await open(schema)).open(id, "read")).problems).toEqual([]);
    const named = `exists (select from ${schema}.session_blobs s where s.sha256 = b.sha256)`;
    expect(await ask(`select sha256 from ${schema}.blobs b where not ${named}`)).toEqual([]);
    for (const one of stores) await one.close();
  });
}

function describeSnapshots({ ask, newSchema, open }: PostgresGround): void {
  const sources = () => ({ ids: countedIds("n"), now: steadyClock() });
  const turns = async (
    manager: ContextManager,
    from: number,
    to: number,
    flushed: () => Promise<void> = async () => undefined,
  ) => {
    for (let turn = from; turn < to; turn += 1) {
      const said = say(manager, `turn ${turn} ${turn % 5 === 0 ? "large ".repeat(4_000) : ""}`);
      if (turn % 3 === 0)
        must(manager.setMetadata(turn % 2 === 0 ? said.id : manager.context.sessionId, { label: `${turn}` }));
      reply(manager, "answer");
      must(await manager.flush());
      await flushed();
    }
  };
  /** A snapshot is written beside the turns; turns that do not wait for it may all be over before it stands. */
  const untilKept = (schema: string, everyEvents: number) => async () => {
    const behind = `select (select max(seq) from ${schema}.events) - coalesce(max(seq), 0) as behind from ${schema}.snapshots`;
    await until(async () => Number((await ask(behind))[0]?.behind) < everyEvents);
  };
  const grown = async (options = { snapshotEvents: 8 }) => {
    const schema = newSchema();
    const store = await open(schema, options);
    const ids = sources();
    const made = must(await createConversation(store, { ...ids, title: "t" }));
    await turns(made.manager, 0, 12, untilKept(schema, options.snapshotEvents));
    must(await made.close());
    return { schema, store, id: made.manager.context.sessionId, ids };
  };
  const plain = ({ nodes, tasks, pruned, ...rest }: ContextManager["context"]): unknown =>
    // What is undefined and what is left out is the same to JSON, and the order of keys to the comparison.
    JSON.parse(
      JSON.stringify({
        ...rest,
        nodes: [...nodes].sort(([one], [other]) => (one < other ? -1 : 1)),
        tasks: [...tasks].sort(([one], [other]) => (one < other ? -1 : 1)),
        pruned: [...pruned],
      }),
    );
  const whole = async (store: SessionStore, id: string) =>
    plain(replay(id, must(await store.open(id, "read")).records).context);

  it("open a session by a snapshot and the events behind it, to the same state, turn after turn", async () => {
    const { schema, store, id, ids } = await grown();
    for (let from = 12; from < 30; from += 3) {
      const opened = must(await openConversation(store, id, "write", ids));
      const { begun, records } = opened.session;
      expect(begun?.seq).toBeGreaterThanOrEqual(8);
      expect(records.map(({ seq }) => seq)).toEqual(records.map((_, at) => (begun?.seq ?? 0) + at + 1));
      expect(records.length).toBeLessThan(20);
      expect(plain(opened.manager.context)).toEqual(await whole(store, id));
      await turns(opened.manager, from, from + 3, untilKept(schema, 8));
      must(await opened.close());
    }
    const [row] = await ask(`select count(*)::int as parts, max(part) as last from ${schema}.snapshot_parts`);
    expect(row).toEqual({ parts: row?.last, last: row?.parts });
    const all = must(await store.open(id, "read"));
    expect(all.records.map(({ seq }) => seq)).toEqual(all.records.map((_, at) => at + 1));
    must(await store.remove(id));
    expect(await ask(`select from ${schema}.snapshot_parts`)).toEqual([]);
    await store.close();
  });

  it("read all events where a snapshot does not fit, and write another one", async () => {
    const { schema, store, id, ids } = await grown();
    const damages = [
      ["a letter of its head", "update SCHEMA.snapshots set state = replace(state, '\"head\"', '\"haed\"')"],
      [
        "a letter of a part",
        "update SCHEMA.snapshot_parts set body = replace(body, 'answer', 'answar') where part = 1",
      ],
      ["a part that is missing", "delete from SCHEMA.snapshot_parts where part = 1"],
      ["another event in its place", "update SCHEMA.snapshots set anchor = 'ffffffff\"}'"],
      ["a snapshot of a newer release", "update SCHEMA.snapshots set state = '{\"v\":99}'"],
    ] as const;
    for (const [at, [what, damage]] of damages.entries()) {
      await ask(damage.replaceAll("SCHEMA", schema));
      const opened = must(await openConversation(store, id, "write", ids));
      expect([what, opened.session.begun, opened.problems]).toEqual([what, undefined, []]);
      expect(plain(opened.manager.context), what).toEqual(await whole(store, id));
      await turns(opened.manager, 12 + at, 13 + at);
      must(await opened.close());
      const again = must(await openConversation(store, id, "read", ids));
      expect(again.session.begun?.seq, what).toBeGreaterThan(20);
      expect(plain(again.manager.context), what).toEqual(await whole(store, id));
    }
    await store.close();
  });

  it("tell of damage behind the snapshot as ever, and keep none of what is damaged", async () => {
    const { schema, store, id, ids } = await grown({ snapshotEvents: 9 });
    await ask(
      `update ${schema}.events set body = replace(body, 'answer', 'answar') where seq > (select seq from ${schema}.snapshots)`,
    );
    await ask(`delete from ${schema}.events where seq = (select max(seq) from ${schema}.events)`);
    const before = await ask(`select seq from ${schema}.snapshots`);
    const opened = must(await openConversation(store, id, "write", ids));
    expect(opened.session.begun).toBeUndefined();
    expect(opened.problems.length).toBeGreaterThan(0);
    await turns(opened.manager, 12, 20);
    must(await opened.close());
    expect(await ask(`select seq from ${schema}.snapshots`)).toEqual(before);
    expect(must(await repairSession(store, id, { apply: true })).kind).toBe("repaired");
    expect(await ask(`select seq from ${schema}.snapshots`), "it spoke of events that are gone").toEqual([]);
    const mended = must(await openConversation(store, id, "read", ids));
    expect([mended.problems, mended.losses]).toEqual([[], []]);
    expect(plain(mended.manager.context)).toEqual(await whole(store, id));
    await store.close();
  });
}

function describeAbsence({ cluster, newSchema, open }: PostgresGround): void {
  it("waits for a server that crashed and starts again: no operation is refused, nothing is lost", async () => {
    const metrics: StoreMetric[] = [];
    const store = await open(newSchema(), { retryMs: 60_000, onMetric: (metric) => metrics.push(metric) });
    const session = must(await store.create("s-1", [started("s-1")]));
    session.append(renamed("one"));
    await cluster().stop("immediate");
    const answers = Promise.all([
      session.flush(),
      store.list(),
      store.open("s-1", "read"),
      openPostgresStore({ connection: cluster().connection, retryMs: 60_000 }),
      session.readBlob("0".repeat(64)),
    ]);
    // Long enough for each to find the server away, on a slow machine as well.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await cluster().start();
    const [flushed, ...others] = await answers;
    expect(flushed).toEqual({ kind: "acknowledged", seq: 2 });
    for (const answer of others)
      expect(answer === undefined ? "none" : codeOf(answer)).not.toBe("store_failed");
    expect(must(await store.open("s-1", "read")).records).toHaveLength(2);
    await store.close();
    const waited = metrics.filter((metric) => metric.kind === "operation" && metric.retries > 0);
    expect(waited.map((metric) => metric.kind === "operation" && metric.operation)).toEqual(
      expect.arrayContaining(["flush", "list", "open", "read_blob"]),
    );
  });

  it("refuses with a code when its patience is over, and tells what each operation took", async () => {
    const way = await breakingWay(cluster().connection.port);
    const metrics: StoreMetric[] = [];
    const onMetric = (metric: StoreMetric) => {
      metrics.push(metric);
      throw new Error("a watcher that fails");
    };
    const connection = { ...cluster().connection, port: way.port };
    const store = await open(newSchema(), { connection, retryMs: 400, onMetric });
    const session = must(await store.create("s-1", [started("s-1")]));
    session.append(renamed("kept"));
    must(await session.flush());
    way.breakCommit("before", true);
    session.append(renamed("refused"));
    expect(codeOf(await session.flush())).toBe("store_failed");
    expect(codeOf(await store.list())).toBe("store_failed");
    way.mend();
    must(await store.list());
    must(await store.remove("none").then((answer) => ({ answer })));
    await store.close();
    await way.close();
    const told = metrics.map((metric) =>
      metric.kind === "operation" ? `${metric.operation} ${metric.outcome} ${metric.rows}` : metric.kind,
    );
    expect(told).toEqual([
      "prepare done 0",
      "create done 1",
      "flush done 1",
      "flush store_failed 0",
      "list store_failed 0",
      "list done 1",
      "remove unknown_session 0",
    ]);
    for (const metric of metrics) if (metric.kind === "operation") expect(metric.ms).toBeGreaterThan(0);
  });
}
