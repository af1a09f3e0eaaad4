import { type RawBuilder, sql } from "kysely";
import { columnsOf } from "./columns.js";
import type { EncodedEvent, SessionSums } from "./rows.js";
import { type Change, type Database, type Home, inPieces, isFree } from "./tables.js";

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

/** Who has the lease of a session or had it last, and where the session stands. */
interface Holder {
  readonly seq: number;
  readonly token: string | null;
  readonly name: string | null;
}

/**
 * What writers ask of the tables, each as one transaction. Throws the server's errors. Leases go by the clock
 * of the server. A change locks its session first and then blobs in the order of their names, so that no two wait
 * for each other.
 */
export class SessionTable {
  constructor(
    private readonly home: Home,
    private readonly leaseMs: number,
    private readonly holderName: string,
  ) {}

  /** @returns false where there is a session of this id. The same again is no second session. */
  async create({ id, token, changeId, events, sums }: Omit<Advance, "from">): Promise<boolean> {
    const { tenant } = this.home;
    return await this.home.change(async (change) => {
      const made = await change
        .insertInto("sessions")
        .values({
          ...columnsOf(sums),
          tenant,
          id,
          created_ms: sums.createdMs,
          seq: events.length,
          ...this.lease(token),
        })
        .onConflict((conflict) => conflict.columns(["tenant", "id"]).doNothing())
        .returning("id")
        .executeTakeFirst();
      if (made === undefined) return (await this.holderWithin(change, id))?.token === token;
      await this.insert(change, id, changeId, events);
      return true;
    });
  }

  /** @returns false where the session does not stand at `from` any more, or the lease is another's. */
  async advance({ id, token, changeId, from, events, sums }: Advance): Promise<boolean> {
    return await this.home.change(async (change) => {
      const moved = await change
        .updateTable("sessions")
        .set({ ...columnsOf(sums), seq: from + events.length, ...this.lease(token) })
        .where("tenant", "=", this.home.tenant)
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
    const { tenant, schema } = this.home;
    return await this.home.change(async (change) => {
      const row = await change
        .selectFrom("sessions")
        .select(["title", "title_key", "cwd", "head", "seq", "created_ms", "modified_ms", "size_bytes"])
        .where("tenant", "=", tenant)
        .where("id", "=", id)
        .where("seq", "=", from)
        .where("lease_token", "=", token)
        .forUpdate()
        .executeTakeFirst();
      if (row === undefined) return false;
      await change
        .insertInto("sessions")
        .values({ ...row, tenant, id: backup })
        .execute();
      // The rows move; nothing of them is written again.
      for (const table of ["events", "session_blobs"] as const)
        await change
          .updateTable(table)
          .set({ session_id: backup })
          .where("tenant", "=", tenant)
          .where("session_id", "=", id)
          .execute();
      const named = sql.id(schema, "session_blobs");
      await sql`insert into ${named} (tenant, session_id, sha256)
        select tenant, ${id}, sha256 from ${named} where tenant = ${tenant} and session_id = ${backup}`.execute(
        change,
      );
      // It says what the old events said.
      for (const table of ["snapshots", "snapshot_parts"] as const)
        await change.deleteFrom(table).where("tenant", "=", tenant).where("session_id", "=", id).execute();
      await change
        .updateTable("sessions")
        .set({ ...columnsOf(sums), seq: events.length, ...this.lease(token) })
        .where("tenant", "=", tenant)
        .where("id", "=", id)
        .execute();
      await this.insert(change, id, changeId, events);
      return true;
    });
  }

  /** Whether this very change took effect. Waits for one that is under way. */
  async isWritten({ id, changeId, from }: Advance): Promise<boolean> {
    const { tenant } = this.home;
    return await this.home.change(async (change) => {
      await change
        .selectFrom("sessions")
        .select("id")
        .where("tenant", "=", tenant)
        .where("id", "=", id)
        .forUpdate()
        .execute();
      const row = await change
        .selectFrom("events")
        .select("seq")
        .where("tenant", "=", tenant)
        .where("session_id", "=", id)
        .where("seq", "=", from + 1)
        .where("change_id", "=", changeId)
        .executeTakeFirst();
      return row !== undefined;
    });
  }

  /** Takes away what was written behind event `seq`, where the lease is still this one. @param sums of what stays. */
  async takeBack({
    id,
    token,
    seq,
    sums,
  }: Pick<Advance, "id" | "token" | "sums"> & { readonly seq: number }): Promise<void> {
    const { tenant } = this.home;
    await this.home.change(async (change) => {
      const moved = await change
        .updateTable("sessions")
        .set({ ...columnsOf(sums), seq })
        .where("tenant", "=", tenant)
        .where("id", "=", id)
        .where("seq", ">", seq)
        .where("lease_token", "=", token)
        .returning("id")
        .executeTakeFirst();
      if (moved === undefined) return;
      await change
        .deleteFrom("events")
        .where("tenant", "=", tenant)
        .where("session_id", "=", id)
        .where("seq", ">", seq)
        .execute();
    });
  }

  /** @returns whether the lease was free, or was this one already. */
  async take(id: string, token: string): Promise<boolean> {
    const taken = await this.home.tables
      .updateTable("sessions")
      .set(this.lease(token))
      .where("tenant", "=", this.home.tenant)
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
    const ids = leases.map(({ id }) => id);
    const tokens = leases.map(({ token }) => token);
    const rows = await this.home.tables
      .updateTable("sessions")
      .set({ lease_until: this.until() })
      .where("tenant", "=", this.home.tenant)
      .where("id", "in", ids)
      .where("lease_token", "in", tokens)
      .returning("lease_token")
      .execute();
    return new Set(rows.flatMap(({ lease_token }) => (lease_token === null ? [] : [lease_token])));
  }

  async release(id: string, token: string): Promise<void> {
    await this.home.tables
      .updateTable("sessions")
      .set({ lease_token: null, lease_holder: null, lease_until: null })
      .where("tenant", "=", this.home.tenant)
      .where("id", "=", id)
      .where("lease_token", "=", token)
      .execute();
  }

  /** Who has the lease or had it last, and where the session stands. */
  async holder(id: string): Promise<Holder | undefined> {
    return await this.holderWithin(this.home.tables, id);
  }

  private async insert(
    change: Change,
    id: string,
    changeId: string,
    events: readonly EncodedEvent[],
  ): Promise<void> {
    const { tenant } = this.home;
    for (const piece of inPieces(blobsOf(events), ({ bytes }) => bytes.length)) {
      await change
        .insertInto("blobs")
        .values(piece.map(({ sha256, bytes }) => ({ tenant, sha256, bytes })))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      // Its foreign key locks each blob against whoever would collect it.
      await change
        .insertInto("session_blobs")
        .values(piece.map(({ sha256 }) => ({ tenant, session_id: id, sha256 })))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    for (const piece of inPieces(events, ({ body }) => body.length)) {
      const rows = piece.map(({ seq, ts, type, body }) => ({
        tenant,
        session_id: id,
        seq,
        ts,
        type,
        change_id: changeId,
        body,
      }));
      await change.insertInto("events").values(rows).execute();
    }
  }

  private async holderWithin(database: Database | Change, id: string): Promise<Holder | undefined> {
    return await database
      .selectFrom("sessions")
      .select(["seq", "lease_token as token", "lease_holder as name"])
      .where("tenant", "=", this.home.tenant)
      .where("id", "=", id)
      .executeTakeFirst();
  }

  private lease(token: string) {
    return { lease_token: token, lease_holder: this.holderName, lease_until: this.until() };
  }

  private until(): RawBuilder<Date> {
    return sql<Date>`clock_timestamp() + make_interval(secs => ${this.leaseMs / 1_000})`;
  }
}

/** In one order for all who name them. */
function blobsOf(
  events: readonly EncodedEvent[],
): readonly { readonly sha256: string; readonly bytes: Uint8Array }[] {
  const named = new Map(events.flatMap(({ blobs }) => [...blobs]));
  return [...named]
    .map(([sha256, bytes]) => ({ sha256, bytes }))
    .sort((one, other) => (one.sha256 < other.sha256 ? -1 : 1));
}
