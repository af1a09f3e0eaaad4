import { type RawBuilder, sql } from "kysely";
import { columnsOf, sumsOf } from "./columns.js";
import { type EncodedEvent, type SessionSums, textBlobsOf } from "./rows.js";
import { type Change, type Database, lockBlobs, makeDurable } from "./tables.js";

/** Some events that follow on event `from` of a session, under a lease. */
export interface Advance {
  readonly id: string;
  readonly token: string;
  /** Its own for every change, whatever comes of it, so that a look can tell it from all others. */
  readonly changeId: string;
  readonly from: number;
  readonly events: readonly EncodedEvent[];
  /** Of the session with these events. */
  readonly sums: SessionSums;
}

/** A row as it is listed. */
export interface ListedRow extends SessionSums {
  readonly id: string;
  readonly heldBy: string | undefined;
}

/** What of a session is there to be read, as of one moment. */
export interface StoredRows {
  readonly seq: number;
  readonly sums: SessionSums;
  readonly events: readonly { readonly seq: number; readonly body: string }[];
  readonly blobs: readonly { readonly sha256: string; readonly bytes: Uint8Array }[];
}

/**
 * What is asked of the tables, each as one transaction. Throws the server's errors. Leases go by the clock
 * of the server.
 */
export class SessionTable {
  constructor(
    private readonly database: Database,
    private readonly schema: string,
    private readonly leaseMs: number,
    private readonly holderName: string,
  ) {}

  /** @returns false where there is a session of this id. The same again is no second session. */
  async create({ id, token, changeId, events, sums }: Omit<Advance, "from">): Promise<boolean> {
    return await this.change(blobsOf(events), async (change) => {
      const made = await change
        .insertInto("sessions")
        .values({
          ...columnsOf(sums),
          id,
          created_ms: sums.createdMs,
          seq: events.length,
          ...this.lease(token),
        })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .returning("id")
        .executeTakeFirst();
      if (made === undefined) return (await this.holderWithin(change, id))?.token === token;
      await this.insert(change, id, changeId, events);
      return true;
    });
  }

  /** @returns false where the session does not stand at `from` any more, or the lease is another's. */
  async advance({ id, token, changeId, from, events, sums }: Advance): Promise<boolean> {
    return await this.change(blobsOf(events), async (change) => {
      const moved = await change
        .updateTable("sessions")
        .set({ ...columnsOf(sums), seq: from + events.length, ...this.lease(token) })
        .where("id", "=", id)
        .where("seq", "=", from)
        .where("lease_token", "=", token)
        .returning("id")
        .executeTakeFirst();
      if (moved === undefined) return false;
      await this.insert(change, id, changeId, events);
      return true;
    });
  }

  /**
   * Puts these events in the place of all that a session has, and what it has under another id.
   *
   * @returns false where the session does not stand at `from` any more, or the lease is another's.
   */
  async replace({ id, token, changeId, from, events, sums }: Advance, backup: string): Promise<boolean> {
    return await this.change(blobsOf(events), async (change) => {
      const row = await change
        .selectFrom("sessions")
        .selectAll()
        .where("id", "=", id)
        .where("seq", "=", from)
        .where("lease_token", "=", token)
        .forUpdate()
        .executeTakeFirst();
      if (row === undefined) return false;
      const free = { lease_token: null, lease_holder: null, lease_until: null };
      await change
        .insertInto("sessions")
        .values({ ...row, ...free, id: backup })
        .execute();
      // The rows move; nothing of them is written again.
      for (const table of ["events", "session_blobs"] as const)
        await change.updateTable(table).set({ session_id: backup }).where("session_id", "=", id).execute();
      await change
        .insertInto("session_blobs")
        .columns(["session_id", "sha256"])
        .expression(({ selectFrom, val }) =>
          selectFrom("session_blobs")
            .select([val(id).as("session_id"), "sha256"])
            .where("session_id", "=", backup),
        )
        .execute();
      await change
        .updateTable("sessions")
        .set({ ...columnsOf(sums), seq: events.length, ...this.lease(token) })
        .where("id", "=", id)
        .execute();
      await this.insert(change, id, changeId, events);
      return true;
    });
  }

  /** Whether this very change took effect. Waits for one that is under way. */
  async isWritten({ id, changeId, from }: Advance): Promise<boolean> {
    return await this.change(none, async (change) => {
      await change.selectFrom("sessions").select("id").where("id", "=", id).forUpdate().execute();
      const row = await change
        .selectFrom("events")
        .select("seq")
        .where("session_id", "=", id)
        .where("seq", "=", from + 1)
        .where("change_id", "=", changeId)
        .executeTakeFirst();
      return row !== undefined;
    });
  }

  /** Takes away what was written behind event `seq`, where the lease is still this one. */
  async takeBack(id: string, token: string, seq: number): Promise<void> {
    await this.change(none, async (change) => {
      const moved = await change
        .updateTable("sessions")
        .set({ seq })
        .where("id", "=", id)
        .where("seq", ">", seq)
        .where("lease_token", "=", token)
        .returning("id")
        .executeTakeFirst();
      if (moved === undefined) return;
      await change.deleteFrom("events").where("session_id", "=", id).where("seq", ">", seq).execute();
    });
  }

  /** @returns whether the lease was free, or was this one already. */
  async take(id: string, token: string): Promise<boolean> {
    const taken = await this.tables()
      .updateTable("sessions")
      .set(this.lease(token))
      .where("id", "=", id)
      .where(({ or, eb }) => or([eb("lease_token", "=", token), isFree]))
      .returning("id")
      .executeTakeFirst();
    return taken !== undefined;
  }

  /** @returns the tokens of those leases that were renewed; the others have passed to somebody else. */
  async renew(
    leases: readonly { readonly id: string; readonly token: string }[],
  ): Promise<ReadonlySet<string>> {
    const rows = await this.tables()
      .updateTable("sessions")
      .set({ lease_until: this.until() })
      .where(
        "id",
        "in",
        leases.map(({ id }) => id),
      )
      .where(
        "lease_token",
        "in",
        leases.map(({ token }) => token),
      )
      .returning("lease_token")
      .execute();
    return new Set(rows.flatMap(({ lease_token }) => (lease_token === null ? [] : [lease_token])));
  }

  async release(id: string, token: string): Promise<void> {
    await this.tables()
      .updateTable("sessions")
      .set({ lease_token: null, lease_holder: null, lease_until: null })
      .where("id", "=", id)
      .where("lease_token", "=", token)
      .execute();
  }

  /** Who has the lease or had it last, and where the session stands. */
  async holder(id: string): ReturnType<SessionTable["holderWithin"]> {
    return await this.holderWithin(this.tables(), id);
  }

  /** @returns `held` where somebody has the lease. */
  async remove(id: string): Promise<"removed" | "held" | "unknown"> {
    return await this.database.transaction().execute(async (transaction) => {
      await lockBlobs(transaction, this.schema, "alone");
      const change = this.home(transaction);
      await makeDurable(change);
      const named = await change
        .selectFrom("session_blobs")
        .select("sha256")
        .where("session_id", "=", id)
        .execute();
      const gone = await change
        .deleteFrom("sessions")
        .where("id", "=", id)
        .where(isFree)
        .returning("id")
        .executeTakeFirst();
      if (gone === undefined) return (await this.holderWithin(change, id)) === undefined ? "unknown" : "held";
      await collect(
        change,
        named.map(({ sha256 }) => sha256),
      );
      return "removed";
    });
  }

  /** As of one moment; undefined where there is no such session. */
  async read(id: string): Promise<StoredRows | undefined> {
    const transaction = this.database
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only");
    return await transaction.execute(async (moment) => {
      const change = this.home(moment);
      const row = await change.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
      if (row === undefined) return undefined;
      const events = await change
        .selectFrom("events")
        .select(["seq", "body"])
        .where("session_id", "=", id)
        .orderBy("seq")
        .execute();
      const blobs = await this.blobs(change, id, textBlobsOf(events));
      return { seq: row.seq, sums: sumsOf(row), events, blobs };
    });
  }

  /** The bytes of this name that a session keeps, as they are; undefined where there are none. */
  async blob(id: string, sha256: string): Promise<Uint8Array | undefined> {
    const [found] = await this.blobs(this.tables(), id, [sha256]);
    return found?.bytes;
  }

  private async blobs(
    database: Database | Change,
    id: string,
    names: readonly string[],
  ): Promise<StoredRows["blobs"]> {
    const found: StoredRows["blobs"][number][] = [];
    for (let at = 0; at < names.length; at += rowsAtOnce) {
      const rows = await database
        .selectFrom("session_blobs")
        .innerJoin("blobs", "blobs.sha256", "session_blobs.sha256")
        .select(["blobs.sha256", "blobs.bytes"])
        .where("session_id", "=", id)
        .where("blobs.sha256", "in", names.slice(at, at + rowsAtOnce))
        .execute();
      found.push(...rows);
    }
    return found;
  }

  async list(): Promise<readonly ListedRow[]> {
    const rows = await this.tables()
      .selectFrom("sessions")
      .selectAll()
      .select(isFree.as("is_free"))
      .orderBy("modified_ms", "desc")
      .orderBy("id")
      .execute();
    return rows.map((row) => ({
      ...sumsOf(row),
      id: row.id,
      heldBy: row.is_free ? undefined : (row.lease_holder ?? undefined),
    }));
  }

  private async change<Answer>(
    blobs: ReadonlyMap<string, Uint8Array>,
    make: (change: Change) => Promise<Answer>,
  ): Promise<Answer> {
    return await this.database.transaction().execute(async (transaction) => {
      if (blobs.size > 0) await lockBlobs(transaction, this.schema, "shared");
      const change = this.home(transaction);
      await makeDurable(change);
      return await make(change);
    });
  }

  private async insert(
    change: Change,
    id: string,
    changeId: string,
    events: readonly EncodedEvent[],
  ): Promise<void> {
    // In one order for all, so that no two wait for each other.
    const blobs = [...blobsOf(events)].sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [sha256, bytes] of blobs) {
      await change
        .insertInto("blobs")
        .values({ sha256, bytes })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await change
        .insertInto("session_blobs")
        .values({ session_id: id, sha256 })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    for (let at = 0; at < events.length; at += rowsAtOnce) {
      const rows = events
        .slice(at, at + rowsAtOnce)
        .map(({ seq, ts, type, body }) => ({ session_id: id, seq, ts, type, change_id: changeId, body }));
      await change.insertInto("events").values(rows).execute();
    }
  }

  private async holderWithin(
    database: Database | Change,
    id: string,
  ): Promise<
    { readonly seq: number; readonly token: string | null; readonly name: string | null } | undefined
  > {
    return await database
      .selectFrom("sessions")
      .select(["seq", "lease_token as token", "lease_holder as name"])
      .where("id", "=", id)
      .executeTakeFirst();
  }

  private lease(token: string) {
    return { lease_token: token, lease_holder: this.holderName, lease_until: this.until() };
  }

  private until(): RawBuilder<Date> {
    return sql<Date>`clock_timestamp() + make_interval(secs => ${this.leaseMs / 1_000})`;
  }

  private tables(): Database {
    return this.database.withSchema(this.schema);
  }

  private home(change: Change): Change {
    return change.withSchema(this.schema);
  }
}

const none: ReadonlyMap<string, Uint8Array> = new Map();
/** Far below the 65,535 parameters that a statement may have. */
const rowsAtOnce = 1_000;
/** Nobody has the lease, or somebody who gave no sign for too long. */
const isFree = sql<boolean>`(lease_token is null or lease_until < clock_timestamp())`;

function blobsOf(events: readonly EncodedEvent[]): ReadonlyMap<string, Uint8Array> {
  return new Map(events.flatMap(({ blobs }) => [...blobs]));
}

/** Those of these blobs go that no session names any more. */
async function collect(change: Change, names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += rowsAtOnce) {
    await change
      .deleteFrom("blobs")
      .where("sha256", "in", names.slice(at, at + rowsAtOnce))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("session_blobs")
              .select("session_id")
              .whereRef("session_blobs.sha256", "=", "blobs.sha256"),
          ),
        ),
      )
      .execute();
  }
}
