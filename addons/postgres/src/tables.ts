import { type ColumnType, type Kysely, sql, type Transaction } from "kysely";

/** The tables of one schema (docs/postgres.md). Milliseconds are since the epoch. Every row is of one tenant. */
export interface Tables {
  readonly sessions: SessionRow;
  readonly events: EventRow;
  readonly blobs: BlobRow;
  readonly session_blobs: SessionBlobRow;
  readonly snapshots: SnapshotRow;
  readonly snapshot_parts: SnapshotPartRow;
  readonly migrations: MigrationRow;
}

/** The tables of one schema, typed. */
export type Database = Kysely<Tables>;
/** The same within one transaction. */
export type Change = Transaction<Tables>;

interface SessionRow {
  readonly tenant: string;
  readonly id: string;
  /** As JSON, since PostgreSQL's text holds neither NUL nor lone surrogates; so are `cwd` and `head`. */
  readonly title: string | null;
  /** The title in lower case, as JSON: what a list is filtered by. */
  readonly title_key: string | null;
  readonly cwd: string | null;
  /** The node at which the head stands. */
  readonly head: string;
  /** The last event; moved by compare-and-set only. */
  readonly seq: number;
  readonly created_ms: number;
  readonly modified_ms: number;
  /** Made by the server of `modified_ms`, in hours: an index by it need not follow every turn. */
  readonly changed_hour: ColumnType<number, never, never>;
  /** Of all bodies, with the texts and media that they name. */
  readonly size_bytes: number;
  /** Who may write: the fence of every change. */
  readonly lease_token: string | null;
  /** For a person to read. */
  readonly lease_holder: string | null;
  /** By the clock of the server. */
  readonly lease_until: Date | null;
}

interface EventRow {
  readonly tenant: string;
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
  readonly tenant: string;
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

interface SessionBlobRow {
  readonly tenant: string;
  readonly session_id: string;
  readonly sha256: string;
}

/** What a session is after one event (`SnapshotHead`). A copy: it may be deleted at any time. */
interface SnapshotRow {
  readonly tenant: string;
  readonly session_id: string;
  readonly seq: number;
  /** The end of that event's body, with its check: what it has to be for the snapshot to fit. */
  readonly anchor: string;
  readonly state: string;
  /** Lines of a journal, each but the last with its line break. */
  readonly lines: string;
}

interface SnapshotPartRow {
  readonly tenant: string;
  readonly session_id: string;
  /** From 1, in the order in which they are read. */
  readonly part: number;
  readonly body: string;
}

interface MigrationRow {
  readonly version: number;
}

/** What is asked of the tables of one tenant, each question as one transaction. Throws the server's errors. */
export class Home {
  constructor(
    private readonly database: Database,
    readonly schema: string,
    readonly tenant: string,
  ) {}

  /** For a question of one statement. */
  get tables(): Database {
    return this.database.withSchema(this.schema);
  }

  /** An acknowledged commit is on the disk, also where the server is told not to wait for it by default. */
  async change<Answer>(make: (change: Change) => Promise<Answer>): Promise<Answer> {
    const transaction = this.database.transaction().setIsolationLevel("read committed");
    return await transaction.execute(async (change) => {
      await sql`select set_config('synchronous_commit', 'on', true)
        where current_setting('synchronous_commit') = 'off'`.execute(change);
      return await make(change.withSchema(this.schema));
    });
  }

  /** Reads as of one moment. */
  async moment<Answer>(read: (moment: Change) => Promise<Answer>): Promise<Answer> {
    const transaction = this.database
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only");
    return await transaction.execute((moment) => read(moment.withSchema(this.schema)));
  }
}

/** Nobody has the lease, or somebody who gave no sign for too long. */
export const isFree = sql<boolean>`(lease_token is null or lease_until < clock_timestamp())`;

/** Far below the 65,535 parameters that a statement may have. */
export const maxRowsPerStatement = 1_000;

/** In pieces that a statement carries: by their number and by their size. */
export function* inPieces<Row>(
  rows: readonly Row[],
  bytesOf: (row: Row) => number,
): Generator<readonly Row[]> {
  let piece: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = bytesOf(row);
    if (piece.length >= maxRowsPerStatement || (piece.length > 0 && bytes + size > bytesAtOnce)) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(row);
    bytes += size;
  }
  if (piece.length > 0) yield piece;
}

const bytesAtOnce = 8 * 1024 * 1024;
