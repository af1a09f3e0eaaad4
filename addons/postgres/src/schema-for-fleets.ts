import { type RawBuilder, sql } from "kysely";

/**
 * Version 2: a tenant in every row and every key, snapshots, the index of the list, and settings of autovacuum. What
 * is there belongs to the tenant '', which is that of a store without one. docs/postgres-operators.md has the way back.
 */
export function forFleets(schema: string): readonly RawBuilder<unknown>[] {
  const table = (name: string) => sql.id(schema, name);
  const tenant = (name: string) =>
    sql`alter table ${table(name)} add column tenant text collate "C" not null default ''`;
  return [
    tenant("sessions"),
    tenant("events"),
    tenant("blobs"),
    tenant("session_blobs"),
    ...otherKeys(table),
    // In hours: every turn changes the time, and the index has to follow the row only once an hour.
    sql`alter table ${table("sessions")} add column title_key text,
      add column changed_hour double precision not null generated always as (floor(modified_ms / 3600000)) stored`,
    sql`update ${table("sessions")} set title_key = lower(title) where title is not null`,
    sql`create index sessions_by_change on ${table("sessions")} (tenant, changed_hour desc)`,
    ...snapshotTables(table),
    // A fifth of ten million rows is too late to look after a table that only grows.
    sql`alter table ${table("events")} set (autovacuum_vacuum_insert_scale_factor = 0.02,
      autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`,
    sameRights(schema),
  ];
}

type Name = (name: string) => RawBuilder<unknown>;

function otherKeys(table: Name): readonly RawBuilder<unknown>[] {
  return [
    sql`alter table ${table("session_blobs")} drop constraint session_blobs_session_id_fkey,
      drop constraint session_blobs_sha256_fkey, drop constraint session_blobs_pkey`,
    sql`alter table ${table("events")} drop constraint events_session_id_fkey, drop constraint events_pkey`,
    sql`alter table ${table("blobs")} drop constraint blobs_pkey, add primary key (tenant, sha256)`,
    sql`alter table ${table("sessions")} drop constraint sessions_pkey, add primary key (tenant, id)`,
    sql`alter table ${table("events")} add primary key (tenant, session_id, seq),
      add foreign key (tenant, session_id) references ${table("sessions")} on delete cascade`,
    sql`alter table ${table("session_blobs")} add primary key (tenant, session_id, sha256),
      add foreign key (tenant, session_id) references ${table("sessions")} on delete cascade,
      add foreign key (tenant, sha256) references ${table("blobs")}`,
    sql`drop index ${table("session_blobs_by_blob")}`,
    sql`create index session_blobs_by_blob on ${table("session_blobs")} (tenant, sha256)`,
  ];
}

function snapshotTables(table: Name): readonly RawBuilder<unknown>[] {
  const ofSession = sql`tenant text collate "C" not null, session_id text collate "C" not null`;
  const reference = sql`foreign key (tenant, session_id) references ${table("sessions")} on delete cascade`;
  return [
    sql`create table ${table("snapshots")} (${ofSession},
      seq integer not null,
      anchor text not null,
      state text not null,
      lines text not null,
      primary key (tenant, session_id),
      ${reference}
    )`,
    sql`create table ${table("snapshot_parts")} (${ofSession},
      part integer not null,
      body text not null,
      primary key (tenant, session_id, part),
      ${reference}
    )`,
  ];
}

/** Whoever may do something to events may do it to snapshots: a fleet need not be granted anything again. */
function sameRights(schema: string): RawBuilder<unknown> {
  const literal = sql.lit(schema);
  return sql`do $$
    declare had record;
    begin
      for had in select grantee, privilege_type from information_schema.role_table_grants
        where table_schema = ${literal} and table_name = 'events' and grantee <> current_user
      loop
        execute format('grant %s on %I.snapshots, %I.snapshot_parts to %s', had.privilege_type,
          ${literal}, ${literal},
          case when had.grantee = 'PUBLIC' then 'public' else quote_ident(had.grantee) end);
      end loop;
    end $$`;
}
