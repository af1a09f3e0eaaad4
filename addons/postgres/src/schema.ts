import type { ConversationRefusal } from "@holdfast/core/conversation/values";
import { refuse } from "@holdfast/core/files/values";
import { type RawBuilder, sql } from "kysely";
import { forFleets } from "./schema-for-fleets.js";
import type { Change, Database } from "./tables.js";

/** Each takes the schema one version further, in the transaction of the climb: all of it or nothing. */
const migrations: readonly ((schema: string) => readonly RawBuilder<unknown>[])[] = [firstTables, forFleets];

/**
 * Makes the tables, or brings them to the version of this release. Programs that start at the same moment
 * wait for each other.
 *
 * @returns `newer_version` where a newer release has been here.
 */
export async function migrate(
  database: Database,
  schema: string,
): Promise<ConversationRefusal<"newer_version"> | undefined> {
  // Without a lock and without the right to change tables, which most programs of a fleet need not have.
  let version = await versionOf(database, schema);
  if (version < migrations.length) {
    version = await database.transaction().execute(async (change) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`holdfast migrations ${schema}`}, 0))`.execute(
        change,
      );
      return await climb(change, schema);
    });
  }
  if (version === migrations.length) return undefined;
  return refuse(
    "newer_version",
    `The tables of schema ${schema} are of version ${version}, this release knows ${migrations.length}; install a newer release.`,
  );
}

async function climb(change: Change, schema: string): Promise<number> {
  const from = await versionOf(change, schema);
  if (from === 0) await makeHome(change, schema);
  for (const [at, steps] of migrations.entries()) {
    if (at < from) continue;
    for (const step of steps(schema)) await step.execute(change);
    await change
      .withSchema(schema)
      .insertInto("migrations")
      .values({ version: at + 1 })
      .execute();
  }
  return Math.max(from, migrations.length);
}

/** 0 where there are no tables yet. */
async function versionOf(database: Database | Change, schema: string): Promise<number> {
  const { rows } = await sql<{ readonly there: boolean }>`select exists (
    select from pg_catalog.pg_tables where schemaname = ${schema} and tablename = 'migrations') as there`.execute(
    database,
  );
  if (rows[0]?.there !== true) return 0;
  const newest = await database
    .withSchema(schema)
    .selectFrom("migrations")
    .select(({ fn }) => fn.max("version").as("version"))
    .executeTakeFirst();
  return newest?.version ?? 0;
}

async function makeHome(change: Change, schema: string): Promise<void> {
  const { rows } = await sql`select from pg_catalog.pg_namespace where nspname = ${schema}`.execute(change);
  if (rows.length === 0) await sql`create schema ${sql.id(schema)}`.execute(change);
  await sql`create table if not exists ${sql.id(schema, "migrations")} (
    version integer primary key,
    applied_at timestamptz not null default clock_timestamp()
  )`.execute(change);
}

function firstTables(schema: string): readonly RawBuilder<unknown>[] {
  const table = (name: string) => sql.id(schema, name);
  return [
    sql`create table ${table("sessions")} (
      id text collate "C" primary key,
      title text,
      cwd text,
      head text not null,
      seq integer not null,
      created_ms double precision not null,
      modified_ms double precision not null,
      size_bytes double precision not null,
      lease_token uuid,
      lease_holder text,
      lease_until timestamptz
    ) with (fillfactor = 70)`,
    // Every turn changes its row; with room in the page no index has to follow.
    sql`create table ${table("events")} (
      session_id text collate "C" not null references ${table("sessions")} on delete cascade,
      seq integer not null,
      ts double precision not null,
      type text not null,
      change_id uuid not null,
      body text not null,
      primary key (session_id, seq)
    )`,
    sql`create table ${table("blobs")} (
      sha256 text collate "C" primary key,
      bytes bytea not null
    )`,
    sql`create table ${table("session_blobs")} (
      session_id text collate "C" not null references ${table("sessions")} on delete cascade,
      sha256 text collate "C" not null references ${table("blobs")},
      primary key (session_id, sha256)
    )`,
    sql`create index session_blobs_by_blob on ${table("session_blobs")} (sha256)`,
  ];
}
