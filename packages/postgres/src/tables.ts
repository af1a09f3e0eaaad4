import { type Kysely, sql, type Transaction } from "kysely";

/** The tables of one schema (docs/postgres.md). Milliseconds are since the epoch. */
export interface Tables {
  readonly sessions: SessionRow;
  readonly events: EventRow;
  readonly blobs: BlobRow;
  readonly session_blobs: SessionBlobRow;
  readonly migrations: MigrationRow;
}

/** The tables of one schema, typed. */
export type Database = Kysely<Tables>;
/** The same within one transaction. */
export type Change = Transaction<Tables>;

interface SessionRow {
  readonly id: string;
  /** As JSON, since PostgreSQL's text holds neither NUL nor lone surrogates; so are `cwd` and `head`. */
  readonly title: string | null;
  readonly cwd: string | null;
  /** The node at which the head stands. */
  readonly head: string;
  /** The last event; moved by compare-and-set only. */
  readonly seq: number;
  readonly created_ms: number;
  readonly modified_ms: number;
  /** Of all bodies. */
  readonly size_bytes: number;
  /** Who may write: the fence of every change. */
  readonly lease_token: string | null;
  /** For a person to read. */
  readonly lease_holder: string | null;
  /** By the clock of the server. */
  readonly lease_until: Date | null;
}

interface EventRow {
  readonly session_id: string;
  readonly seq: number;
  readonly ts: number;
  readonly type: string;
  /** The same for all events of one flush, and no other. */
  readonly change_id: string;
  /** A line of a journal, without its line break. */
  readonly body: string;
}

interface BlobRow {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

interface SessionBlobRow {
  readonly session_id: string;
  readonly sha256: string;
}

interface MigrationRow {
  readonly version: number;
}

/** An acknowledged commit is on the disk, also where the server is told not to wait for it by default. */
export async function makeDurable(change: Change): Promise<void> {
  await sql`select set_config('synchronous_commit', 'on', true)
    where current_setting('synchronous_commit') = 'off'`.execute(change);
}

/**
 * Held to the end of the change: `shared` by whoever names blobs, `alone` by whoever collects them.
 * Always the first lock of a change, so that no two wait for each other.
 */
export async function lockBlobs(change: Change, schema: string, how: "shared" | "alone"): Promise<void> {
  const key = sql`hashtextextended(${`holdfast blobs ${schema}`}, 0)`;
  const lock =
    how === "shared" ? sql`pg_advisory_xact_lock_shared(${key})` : sql`pg_advisory_xact_lock(${key})`;
  await sql`select ${lock}`.execute(change);
}
