import { chownSync, statSync } from "node:fs";
import { replay } from "@holdfast/core/conversation/journal";
import type { SessionStore } from "@holdfast/core/conversation/values";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { message, renamed, started } from "../../../packages/core/test/conversation/journal/store-events.js";
import { isRoot, mountTmpfs } from "../../../packages/core/test/node/support.js";
import { runRace } from "../../../proof/postgres/race.mjs";
import { type BreakingWay, breakingWay } from "./breaking-way.js";
import { codeOf, must, type PostgresGround } from "./support.js";

export function describeTrouble(ground: PostgresGround): void {
  describe("a lost answer of PostgreSQL", () => describeLostAnswers(ground));
  describeCrashes(ground);
  describeRace(ground);
}

function describeLostAnswers({ ask, cluster, newSchema, open }: PostgresGround): void {
  let way: BreakingWay;
  let store: SessionStore;
  let schema: string;
  beforeEach(async () => {
    way = await breakingWay(cluster().connection.port);
    schema = newSchema();
    store = await open(schema, { connection: { ...cluster().connection, port: way.port }, retryMs: 0 });
  });
  afterEach(async () => {
    way.mend();
    await store.close();
    await way.close();
  });
  const titles = async () => {
    const read = must(await must(await open(schema)).open("s-1", "read"));
    return read.records.slice(1).map(({ event }) => (event.type === "renamed" ? event.title : event.type));
  };

  it.each(["before", "after"] as const)(
    "looks whether it was written where the connection breaks %s the commit",
    async (when) => {
      const session = must(await store.create("s-1", [started("s-1")]));
      for (const [at, title] of ["one", "two", "three"].entries()) {
        way.breakCommit(when, false);
        session.append(renamed(title));
        expect(await session.flush()).toEqual({ kind: "acknowledged", seq: at + 2 });
      }
      expect(way.broken()).toBe(3);
      expect(await titles()).toEqual(["one", "two", "three"]);
    },
  );

  it.each(["before", "after"] as const)(
    "makes a session once where the connection breaks %s its commit",
    async (when) => {
      way.breakCommit(when, false);
      must(await store.create("s-1", [started("s-1")]));
      expect(way.broken()).toBe(1);
      expect(codeOf(await store.create("s-1", [started("s-1")]))).toBe("duplicate_id");
    },
  );

  it.each(["before", "after"] as const)(
    "takes back what it refused because the server went away %s the commit",
    async (when) => {
      const session = must(await store.create("s-1", [started("s-1")]));
      way.breakCommit(when, true);
      session.append(renamed("refused"));
      session.append(renamed("refused as well"));
      expect(codeOf(await session.flush())).toBe("store_failed");
      expect(way.broken()).toBe(1);
      expect(await titles()).toEqual(when === "after" ? ["refused", "refused as well"] : []);
      session.append(renamed("still away"));
      expect(codeOf(await session.flush())).toBe("store_failed");
      way.mend();
      expect(session.append(renamed("kept"))).toBe(2);
      expect(await session.flush()).toEqual({ kind: "acknowledged", seq: 2 });
      expect(await titles()).toEqual(["kept"]);
      expect(must(await store.list())).toMatchObject([{ title: "kept" }]);
    },
  );

  it.each(["before", "after"] as const)(
    "takes nothing that it refused for what came later, where the connection breaks %s it was taken back",
    async (when) => {
      const session = must(await store.create("s-1", [started("s-1")]));
      way.breakCommit("after", true);
      session.append(renamed("refused"));
      expect(codeOf(await session.flush())).toBe("store_failed");
      way.mend();
      way.breakCommit(when, false);
      session.append(renamed("kept"));
      expect(await session.flush()).toEqual({ kind: "acknowledged", seq: 2 });
      expect(way.broken()).toBe(2);
      expect(await titles()).toEqual(["kept"]);
    },
  );

  it.each([
    ["before", false, ["first"], "store_failed", "acknowledged"],
    ["after", false, ["repaired"], "replaced", "read_only"],
    ["after", true, ["repaired"], "store_failed", "conflict"],
  ] as const)(
    "writes nothing upon what a repair replaced, where the connection breaks %s its commit, away: %s",
    async (when, thenAway, stand, answer, later) => {
      const session = must(await store.create("s-1", [started("s-1"), renamed("first")]));
      way.breakCommit(when, thenAway);
      const replaced = await session.replace?.([started("s-1"), renamed("repaired")]);
      expect(codeOf(replaced ?? {})).toBe(answer);
      way.mend();
      expect(await titles()).toEqual(stand);
      session.append(renamed("later"));
      expect(codeOf(await session.flush())).toBe(later);
      await session.close();
      expect(await titles()).toEqual(later === "acknowledged" ? [...stand, "later"] : stand);
      expect(codeOf(await store.open("s-1", "write"))).toBe("session");
    },
  );

  it("acknowledges what was written before its lease passed on, though the answer came after", async () => {
    const session = must(await store.create("s-1", [started("s-1")]));
    const passOn = `update ${schema}.sessions set lease_token = gen_random_uuid()`;
    way.breakCommit("after", false, () => ask(passOn));
    session.append(renamed("written in time"));
    expect(await session.flush()).toEqual({ kind: "acknowledged", seq: 2 });
    session.append(renamed("too late"));
    expect(codeOf(await session.flush())).toBe("busy");
    expect(await titles()).toEqual(["written in time"]);
  });

  it("takes back what it refused also where nothing is written any more", async () => {
    const session = must(await store.create("s-1", [started("s-1", { title: "First" })]));
    const before = must(await store.list()).map((facts) => ({ ...facts, heldBy: undefined }));
    way.breakCommit("after", true);
    session.append(renamed("refused"));
    expect(codeOf(await session.flush())).toBe("store_failed");
    way.mend();
    await session.close();
    expect(await titles()).toEqual([]);
    expect(must(await store.list())).toEqual(before);
    expect(must(await store.list({ title: "refused" }))).toEqual([]);
    expect(codeOf(await store.open("s-1", "write"))).toBe("session");
  });
}

function describeCrashes({ cluster, newSchema, open, ask }: PostgresGround): void {
  it("keeps through crashes of the server exactly what was acknowledged", async () => {
    // The server is told to answer before it has written, which a store that acknowledges must not accept.
    await ask("alter role holdfast set synchronous_commit = off");
    const store = await open(newSchema(), { retryMs: 0 });
    const session = must(await store.create("s-1", [started("s-1")]));
    const kept: string[] = [];
    let refused = 0;
    let others: readonly string[] = [];
    const writing = (async () => {
      for (let at = 0; kept.length < 40 || refused === 0; at += 1) {
        const title = `${at} ${"x".repeat(at % 7 === 0 ? 40_000 : 10)}`;
        session.append(renamed(title));
        const answer = await session.flush();
        if (codeOf(answer) === "acknowledged") kept.push(title);
        else refused += 1;
        others = [codeOf(answer)].filter((code) => code !== "acknowledged" && code !== "store_failed");
        if (others.length > 0) return;
      }
    })();
    for (let crash = 0; crash < 2; crash += 1) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      await cluster().stop("immediate");
      // Long enough to be noticed, however slow the machine is.
      for (const before = refused; refused === before && kept.length < 40 && others.length === 0; )
        await new Promise((resolve) => setTimeout(resolve, 20));
      await cluster().start();
    }
    await writing;
    expect(others).toEqual([]);
    await session.close();
    const read = must(await store.open("s-1", "read"));
    expect(read.problems).toEqual([]);
    expect(read.records.slice(1).map(({ event }) => (event.type === "renamed" ? event.title : ""))).toEqual(
      kept,
    );
    expect(replay("s-1", read.records).problems).toEqual([]);
    await store.close();
    await ask("alter role holdfast reset synchronous_commit");
  });

  it("refuses what does not fit on a disk that is really full, and goes on when there is room", async (context) => {
    const disk = mountTmpfs(4_096);
    if (disk === undefined || !isRoot) return context.skip("needs root and a mount");
    try {
      const owner = statSync(cluster().data);
      chownSync(disk.path, owner.uid, owner.gid);
      const schema = newSchema();
      const store = await open(schema);
      const session = must(await store.create("s-1", [started("s-1")]));
      await ask(`create tablespace small location '${disk.path}'`);
      for (const table of ["events", "blobs"])
        await ask(`alter table ${schema}.${table} set tablespace small`);
      const text = (letters: number) =>
        Array.from({ length: letters / 8 }, () => Math.random().toString(36).slice(2, 10)).join("");
      session.append(message("m-1", "s-1", text(8_000_000)));
      expect(codeOf(await session.flush())).toBe("disk_full");
      session.append(message("m-2", "s-1", "small"));
      expect(await session.flush()).toEqual({ kind: "acknowledged", seq: 2 });
      expect(must(await store.open("s-1", "read")).records).toHaveLength(2);
      await store.close();
      await ask(`drop schema ${schema} cascade`);
      await ask("drop tablespace small");
    } finally {
      disk.unmount();
    }
  });
}

/** The races of eight processes, with leases that pass on and a server that crashes, are in `proof/postgres.mjs`. */
function describeRace({ cluster, newSchema, room }: PostgresGround): void {
  it("loses no turn of three processes that write into one session and each into its own", async () => {
    const how = { sessions: "both", processes: 3, turns: 4 } as const;
    const result = await runRace({ cluster: cluster(), room: room(), schema: newSchema(), ...how });
    const { tried, lost, doubled, forked, gaps, strangers, standing } = result;
    const none = { lost: 0, doubled: 0, forked: 0, gaps: 0, strangers: 0, standing: 0 };
    expect({ tried, lost, doubled, forked, gaps, strangers, standing }).toEqual({ tried: 12, ...none });
  });
}
