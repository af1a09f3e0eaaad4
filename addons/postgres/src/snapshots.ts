import { setImmediate as nextTurn } from "node:timers/promises";
import type { ConversationContext, JournalRecord } from "@holdfast/core/conversation/values";
import { sha256 } from "@holdfast/core/node";
import { sql } from "kysely";
import type { Asking } from "./asking.js";
import { anchorUnits } from "./reading.js";
import { type SnapshotHead, snapshotHead, snapshotParts } from "./snapshot.js";
import { type Home, inPieces } from "./tables.js";

/** A snapshot on its way to the tables. */
interface NewSnapshot {
  readonly id: string;
  readonly token: string;
  readonly head: SnapshotHead;
  /** How many parts stand already and hold. */
  readonly standing: number;
  readonly parts: readonly string[];
}

/** The snapshots in the tables. Throws the server's errors. */
export class SnapshotTable {
  constructor(private readonly home: Home) {}

  /** @returns false where the session is not this writer's any more. */
  async write({ id, token, head, standing, parts }: NewSnapshot): Promise<boolean> {
    const { tenant, schema } = this.home;
    return await this.home.change(async (change) => {
      const held = await change
        .selectFrom("sessions")
        .select("id")
        .where("tenant", "=", tenant)
        .where("id", "=", id)
        .where("lease_token", "=", token)
        .forKeyShare()
        .executeTakeFirst();
      if (held === undefined) return false;
      await change
        .deleteFrom("snapshot_parts")
        .where("tenant", "=", tenant)
        .where("session_id", "=", id)
        .where("part", ">", standing)
        .execute();
      const rows = parts.map((body, at) => ({ tenant, session_id: id, part: standing + at + 1, body }));
      for (const piece of inPieces(rows, ({ body }) => body.length))
        await change.insertInto("snapshot_parts").values(piece).execute();
      await sql`insert into ${sql.id(schema, "snapshots")} (tenant, session_id, seq, anchor, state, lines)
        select tenant, session_id, seq, right(body, ${anchorUnits}), ${head.state}, ${head.lines.join("\n")}
        from ${sql.id(schema, "events")} where tenant = ${tenant} and session_id = ${id} and seq = ${head.seq}
        on conflict (tenant, session_id) do update
        set seq = excluded.seq, anchor = excluded.anchor, state = excluded.state, lines = excluded.lines`.execute(
        change,
      );
      return true;
    });
  }
}

/** What is known of a session's snapshot when it is opened. */
export interface KnownSnapshot {
  /** Parts that hold; 0 where there is none, or none that fits. */
  readonly parts: number;
  /** Nodes whose metadata have changed since their part was written. */
  readonly changed: readonly string[];
}

/**
 * Writes a snapshot of one session every so many events, beside the turns: no flush waits for it, and one that cannot be
 * written is none.
 */
export class SnapshotKeeper {
  private parts: number;
  private readonly changed: Set<string>;
  /** What no part holds yet. */
  private readonly unkept: JournalRecord[];
  /** How many records came since a state was offered; who never offers one needs none remembered. */
  private sinceOffer = 0;
  private isOff = false;
  /** So many have to be there for the next try. */
  private due: number;
  private work: Promise<void> | undefined;

  constructor(
    private readonly place: {
      readonly table: SnapshotTable;
      readonly asking: Asking;
      readonly id: string;
      readonly token: string;
      readonly everyEvents: number;
    },
    known: KnownSnapshot,
    records: readonly JournalRecord[],
  ) {
    this.parts = known.parts;
    this.changed = new Set(known.changed);
    this.unkept = [...records];
    this.due = place.everyEvents;
  }

  /** Records that are durable from now on. */
  added(records: readonly JournalRecord[]): void {
    if (this.isOff) return;
    this.sinceOffer += records.length;
    for (const record of records) this.unkept.push(record);
    if (this.sinceOffer <= mostUnoffered || this.work !== undefined) return;
    this.isOff = true;
    this.unkept.length = 0;
  }

  /** @param context what the session is after all that was added. */
  offer(context: ConversationContext, seq: number): void {
    this.sinceOffer = 0;
    if (
      this.isOff ||
      this.work !== undefined ||
      this.unkept.length < this.due ||
      this.unkept.at(-1)?.seq !== seq
    )
      return;
    this.work = this.keep(context, seq).finally(() => {
      this.work = undefined;
    });
  }

  /** Resolves when nothing is being written any more. */
  async idle(): Promise<void> {
    await this.work;
  }

  private async keep(context: ConversationContext, seq: number): Promise<void> {
    const { table, asking, id, token, everyEvents } = this.place;
    const records = [...this.unkept];
    const changed = new Set(this.changed);
    for (const { event } of records) if (event.type === "metadata_set") changed.add(event.nodeId);
    const parts: string[] = [];
    for (let at = 0; at < records.length; at += recordsAtOnce) {
      const more = snapshotParts(context, records.slice(at, at + recordsAtOnce), sha256);
      if (more === undefined) return;
      parts.push(...more);
      await nextTurn();
    }
    const head = snapshotHead(context, seq, changed, sha256);
    const { parts: standing } = this;
    const written = await asking.ask("snapshot", (tally) => {
      tally.rows = parts.length + 1;
      tally.bytes = parts.reduce((sum, part) => sum + part.length, head.state.length);
      return table.write({ id, token, head, standing, parts });
    });
    if (written !== true) {
      this.due = this.unkept.length + everyEvents;
      return;
    }
    this.parts += parts.length;
    this.unkept.splice(0, records.length);
    for (const name of changed) this.changed.add(name);
    this.due = everyEvents;
  }
}

const mostUnoffered = 10_000;
/** Made in some milliseconds. */
const recordsAtOnce = 256;
