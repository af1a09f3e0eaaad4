import { readFileSync } from "node:fs";
import type { SessionStore } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import pg from "pg";
import { expect, it } from "vitest";
import { message, started } from "../../../packages/core/test/conversation/journal/store-events.js";
import { openPostgresStore } from "../src/index.js";
import { codeOf, must, type PostgresGround } from "./support.js";

const page = readFileSync(new URL("../../../docs/postgres-operators.md", import.meta.url), "utf8");
const old = readFileSync(new URL("fixtures/schema-of-0.1.sql", import.meta.url), "utf8");

/** A block of the page for operators. */
function tried(name: string): string {
  const [, sql] = page.match(new RegExp(`<!-- tried: ${name} -->\\n\`\`\`sql\\n([\\s\\S]*?)\`\`\``)) ?? [];
  if (sql === undefined) throw new Error(`the page has no block ${name}`);
  return sql;
}

export function describeOperators(ground: PostgresGround): void {
  describeTenants(ground);
  describeUpgrade(ground);
}

async function life(store: SessionStore, id: string, text: string): Promise<void> {
  const session = must(await store.create(id, [started(id, { title: `of ${text.slice(0, 5)}` })]));
  session.append(message(`${id}-m`, id, text));
  must(await session.flush());
  await session.close();
}

function describeTenants({ ask, cluster, newSchema, open }: PostgresGround): void {
  it("keeps tenants apart: ids, lists, searches, texts, removals", async () => {
    const schema = newSchema();
    const [a, b] = [await open(schema, { tenant: "a" }), await open(schema, { tenant: "b" })];
    const shared = "shared ".repeat(5_000);
    await life(a, "s-1", shared);
    await life(b, "s-1", shared);
    await life(b, "s-2", "secret of b");
    expect(must(await a.list()).map(({ id }) => id)).toEqual(["s-1"]);
    expect(must(await a.list({ title: "secre" }))).toEqual([]);
    expect(codeOf(await a.open("s-2", "read"))).toBe("unknown_session");
    expect(codeOf(await a.remove("s-2"))).toBe("unknown_session");
    expect(must(await a.prune(must(await b.list({ idPrefix: "s-2" })))).removed).toEqual([]);
    const sought = { sessions: ["s-1", "s-2"], limit: 10 };
    expect(must(await a.recordsHolding(sought)).records).toHaveLength(2);
    expect(must(await b.recordsHolding(sought)).records).toHaveLength(4);
    expect(await ask(`select tenant from ${schema}.blobs order by tenant`)).toEqual([
      { tenant: "a" },
      { tenant: "b" },
    ]);
    must(await a.remove("s-1"));
    expect(must(await b.open("s-1", "read")).problems).toEqual([]);
    for (const tenant of ["x\0", "a b", "é", "-a"])
      expect(codeOf(await openPostgresStore({ connection: cluster().connection, tenant }))).toBe(
        "invalid_arguments",
      );
    await a.close();
    await b.close();
  });

  it("keeps them apart against queries by hand, with the roles and policies of the page", async () => {
    await ask(
      `${tried("roles")}; create role tenant_a login in role holdfast_app; create role tenant_b login in role holdfast_app`,
    );
    const as = (user: string) => ({ ...cluster().connection, user });
    await must(await openPostgresStore({ connection: as("holdfast_owner") })).close();
    await ask(tried("policies"));
    const stores = await Promise.all(
      ["tenant_a", "tenant_b"].map(async (tenant) =>
        must(await openPostgresStore({ connection: as(tenant), tenant, snapshotEvents: 1 })),
      ),
    );
    const [a, b] = stores;
    if (a === undefined || b === undefined) throw new Error("no stores");
    await life(a, "s-1", "large text of a ".repeat(2_000));
    await life(b, "s-1", "large text of b ".repeat(2_000));
    expect(must(await a.list()).map(({ title }) => title)).toEqual(["of large"]);
    const client = new pg.Client(as("tenant_a"));
    await client.connect();
    const count = async (sql: string) => (await client.query(sql)).rowCount;
    for (const table of ["sessions", "events", "blobs", "session_blobs", "snapshots", "snapshot_parts"]) {
      expect(await count(`select from holdfast.${table} where tenant <> 'tenant_a'`)).toBe(0);
      expect(await count(`delete from holdfast.${table} where tenant = 'tenant_b'`)).toBe(0);
    }
    expect(await count("select from holdfast.events")).toBe(2);
    expect(await count("update holdfast.sessions set tenant = 'tenant_a' where tenant = 'tenant_b'")).toBe(0);
    await expect(count("update holdfast.blobs set tenant = 'tenant_b'")).rejects.toThrow(
      /row-level security/,
    );
    await expect(count("insert into holdfast.blobs values ('x', '', 'tenant_b')")).rejects.toThrow(
      /row-level security/,
    );
    await expect(count("drop table holdfast.events")).rejects.toThrow(/owner/);
    await client.end();
    const liar = must(await openPostgresStore({ connection: as("tenant_a"), tenant: "tenant_b" }));
    expect(must(await liar.list())).toEqual([]);
    expect(codeOf(await liar.open("s-1", "read"))).toBe("unknown_session");
    expect(codeOf(await liar.create("s-9", [started("s-9")]))).toBe("permission_denied");
    for (const store of [a, b, liar]) await store.close();
    expect(await ask("select tenant from holdfast.sessions order by tenant")).toEqual([
      { tenant: "tenant_a" },
      { tenant: "tenant_b" },
    ]);
    await ask(tried("after-restore"));
    expect(await ask(tried("pieces"))).toEqual([]);
    await ask("drop schema holdfast cascade");
  });
}

function describeUpgrade({ ask, cluster }: PostgresGround): void {
  const connection = (database: string) => ({ ...cluster().connection, database });
  const prepared = async (database: string) => {
    await ask(`create database ${database}`);
    await ask(old.replaceAll(/\bold\./g, "holdfast.").replace("SCHEMA old", "SCHEMA holdfast"), database);
  };
  const columns = `select table_name, column_name, data_type, is_nullable, coalesce(column_default, '') as by_default
    from information_schema.columns where table_schema = 'holdfast' order by table_name, column_name`;
  const keys = `select conrelid::regclass::text as of, pg_get_constraintdef(oid) as what from pg_constraint
    where connamespace = 'holdfast'::regnamespace order by 1, 2`;
  const indexes = "select indexdef from pg_indexes where schemaname = 'holdfast' order by 1";

  it("takes a schema of 0.1 along: every session stands as it was and goes on; and goes the way back", async () => {
    await prepared("old_one");
    const shape = async () => [
      await ask(columns, "old_one"),
      await ask(keys, "old_one"),
      await ask(indexes, "old_one"),
    ];
    const before = await shape();
    await ask(
      "create role fleet_of_old login; grant usage on schema holdfast to fleet_of_old; grant select, insert, update, delete on all tables in schema holdfast to fleet_of_old",
      "old_one",
    );
    const user = { ...connection("old_one"), user: "fleet_of_old" };
    const early = await openPostgresStore({ connection: user });
    expect(codeOf(early)).toBe("permission_denied");
    expect(codeOf(await openPostgresStore({ connection: user, schema: "none" }))).toBe("permission_denied");
    expect(await shape()).toEqual(before);
    const store = must(await openPostgresStore({ connection: connection("old_one") }));
    expect(must(await store.list()).map(({ id, title }) => [id, title])).toEqual([
      ["s-two", "Another name"],
      ["s-three", 'Ärger mit "Zügen"'],
      ["s-one", "About s-one"],
    ]);
    expect(must(await store.list({ title: "another" })).map(({ id }) => id)).toEqual(["s-two"]);
    const counts: Record<string, number> = { "s-one": 6, "s-two": 7, "s-three": 6 };
    for (const [id, count] of Object.entries(counts)) {
      const session = must(await store.open(id, "write"));
      expect([session.records.length, session.problems]).toEqual([count, []]);
      session.append(message(`${id}-new`, `${id}-m5`, "gone on"));
      expect(await session.flush()).toEqual({ kind: "acknowledged", seq: count + 1 });
      await session.close();
    }
    must(await store.remove("s-one"));
    expect(must(await store.open("s-two", "read")).problems).toEqual([]);
    const plain = must(
      await openPostgresStore({
        connection: user,
        snapshotEvents: 1,
      }),
    );
    await life(plain, "s-new", "by a role that was granted nothing new");
    await ask("revoke insert on holdfast.events from fleet_of_old", "old_one");
    expect(codeOf(await plain.create("s-no", [started("s-no")]))).toBe("permission_denied");
    await plain.close();
    await store.close();
    await ask(tried("down"), "old_one");
    expect(await shape()).toEqual(before);
    expect(await ask("select version from holdfast.migrations", "old_one")).toEqual([{ version: 1 }]);
    const up = must(await openPostgresStore({ connection: connection("old_one") }));
    expect(
      must(await up.list())
        .map(({ id }) => id)
        .sort(),
    ).toEqual(["s-new", "s-three", "s-two"]);
    await up.close();
  });

  it("takes all of a schema along or nothing of it", async () => {
    await prepared("old_two");
    await ask("create table holdfast.snapshots (in_the_way integer)", "old_two");
    const refused = await openPostgresStore({ connection: connection("old_two") });
    expect(isRefusal(refused)).toBe(true);
    expect(await ask("select version from holdfast.migrations", "old_two")).toEqual([{ version: 1 }]);
    expect(
      await ask(`${columns.replace("order by", "and column_name = 'tenant' order by")}`, "old_two"),
    ).toEqual([]);
    await ask("drop table holdfast.snapshots", "old_two");
    const store = must(await openPostgresStore({ connection: connection("old_two") }));
    expect(must(await store.list())).toHaveLength(3);
    await ask("insert into holdfast.migrations (version) values (3)", "old_two");
    expect(codeOf(await openPostgresStore({ connection: connection("old_two") }))).toBe("newer_version");
    await store.close();
  });
}
