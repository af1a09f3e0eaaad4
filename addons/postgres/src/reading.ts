import type { SessionQuery } from "@holdfast/core/conversation/values";
import { sql } from "kysely";
import { sumsOf } from "./columns.js";
import { mostReadableBytes } from "./limits.js";
import { type SessionSums, textBlobsOf } from "./rows.js";
import type { SnapshotHead } from "./snapshot.js";
import { type Change, type Database, type Home, inPieces, isFree } from "./tables.js";

/** A row as it is listed. */
interface ListedRow extends SessionSums {
  readonly id: string;
  readonly heldBy: string | undefined;
}

/** A blob, as it is. */
interface StoredBlob {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** Something that no client can be sent. */
interface Unreadable {
  readonly kind: "unreadable";
  /** Such as `event 5`. */
  readonly what: string;
  readonly bytes: number;
}

/** A snapshot that stands beside the session, with all that is needed to read it but the blobs. */
interface StoredSnapshot extends SnapshotHead {
  readonly parts: readonly string[];
}

/** What of a session is there to be read, as of one moment. */
export interface StoredRows {
  readonly kind: "rows";
  /** The last event. */
  readonly seq: number;
  readonly sums: SessionSums;
  readonly snapshot: StoredSnapshot | undefined;
  /** All, or those behind the snapshot. */
  readonly events: readonly { readonly seq: number; readonly body: string }[];
  readonly blobs: readonly StoredBlob[];
}

/** What readers ask of the tables. Throws the server's errors. */
export class Reading {
  constructor(private readonly home: Home) {}

  /** @param from `snapshot`: only what no snapshot says already, where one fits. @returns undefined where there is none. */
  async read(id: string, from: "start" | "snapshot"): Promise<StoredRows | Unreadable | undefined> {
    return await this.home.moment(async (moment) => {
      const row = await moment
        .selectFrom("sessions")
        .selectAll()
        .where("tenant", "=", this.home.tenant)
        .where("id", "=", id)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const snapshot = from === "start" ? undefined : await this.snapshot(moment, id);
      const events = await this.events(moment, id, snapshot?.seq ?? 0);
      if ("kind" in events) return events;
      const bodies = [
        ...events.map(({ body }) => body),
        ...(snapshot?.lines ?? []),
        ...(snapshot?.parts ?? []),
      ];
      const blobs = await blobsOf(moment, this.home.tenant, textBlobsOf(bodies), id);
      if ("kind" in blobs) return blobs;
      return { kind: "rows", seq: row.seq, sums: sumsOf(row), snapshot, events, blobs };
    });
  }

  /** The bytes of this name that a session keeps, as they are; undefined where there are none. */
  async blob(id: string, sha256: string): Promise<Uint8Array | Unreadable | undefined> {
    const found = await blobsOf(this.home.tables, this.home.tenant, [sha256], id);
    return "kind" in found ? found : found[0]?.bytes;
  }

  /** The last changed first. Reads the index hour by hour, so that a page costs what it shows. */
  async list(query: SessionQuery): Promise<readonly ListedRow[]> {
    const { limit, after, changedBefore, changedSince, title, idPrefix } = query;
    if (idPrefix !== undefined && !/^[a-z0-9_-]*$/u.test(idPrefix)) return [];
    let rows = this.home.tables
      .selectFrom("sessions")
      .selectAll()
      .select(isFree.as("is_free"))
      .where("tenant", "=", this.home.tenant)
      .orderBy("changed_hour", "desc")
      .orderBy("modified_ms", "desc")
      .orderBy("id");
    if (limit !== undefined) rows = rows.limit(limit);
    if (after !== undefined)
      rows = rows
        .where("changed_hour", "<=", hourOf(after.modifiedMs))
        .where(
          sql<boolean>`(modified_ms, ${after.id}::text collate "C") < (${after.modifiedMs}::float8, id)`,
        );
    if (changedBefore !== undefined)
      rows = rows.where("changed_hour", "<=", hourOf(changedBefore)).where("modified_ms", "<", changedBefore);
    if (changedSince !== undefined)
      rows = rows.where("changed_hour", ">=", hourOf(changedSince)).where("modified_ms", ">=", changedSince);
    if (title !== undefined)
      rows = rows.where("title_key", "like", `%${likeText(asInJson(title.toLowerCase()))}%`);
    // No id has a letter behind the tilde.
    if (idPrefix !== undefined) rows = rows.where("id", ">=", idPrefix).where("id", "<", `${idPrefix}~`);
    return (await rows.execute()).map((row) => ({
      ...sumsOf(row),
      id: row.id,
      heldBy: row.is_free ? undefined : (row.lease_holder ?? undefined),
    }));
  }

  private async snapshot(moment: Change, id: string): Promise<StoredSnapshot | undefined> {
    const { tenant } = this.home;
    const head = await moment
      .selectFrom("snapshots")
      .innerJoin("events", (join) =>
        join
          .onRef("events.tenant", "=", "snapshots.tenant")
          .onRef("events.session_id", "=", "snapshots.session_id")
          .onRef("events.seq", "=", "snapshots.seq")
          .on(sql<boolean>`right(events.body, ${anchorUnits}) = snapshots.anchor`),
      )
      .select(["snapshots.seq", "snapshots.state", "snapshots.lines"])
      .where("snapshots.tenant", "=", tenant)
      .where("snapshots.session_id", "=", id)
      .executeTakeFirst();
    if (head === undefined) return undefined;
    const parts = await moment
      .selectFrom("snapshot_parts")
      .select("body")
      .where("tenant", "=", tenant)
      .where("session_id", "=", id)
      .orderBy("part")
      .execute();
    return {
      seq: head.seq,
      state: head.state,
      lines: head.lines.split("\n"),
      parts: parts.map(({ body }) => body),
    };
  }

  private async events(
    moment: Change,
    id: string,
    after: number,
  ): Promise<StoredRows["events"] | Unreadable> {
    const events: StoredRows["events"][number][] = [];
    for (let last = after; ; ) {
      const rows = await moment
        .selectFrom("events")
        .select(["seq", readableBody.as("body"), sql<number>`octet_length(body)`.as("size")])
        .where("tenant", "=", this.home.tenant)
        .where("session_id", "=", id)
        .where("seq", ">", last)
        .orderBy("seq")
        .limit(eventsAtOnce)
        .execute();
      for (const { seq, body, size } of rows) {
        if (body === null) return { kind: "unreadable", what: `event ${seq}`, bytes: size };
        events.push({ seq, body });
      }
      if (rows.length < eventsAtOnce) return events;
      last = rows.at(-1)?.seq ?? last;
    }
  }
}

/** Each question is answered in time, however long the session is. */
const eventsAtOnce = 5_000;
/** The end of a body: its check, in quotes, and a brace. */
export const anchorUnits = 10;
/** The hour of `changed_hour`. */
const hourOf = (ms: number) => Math.floor(ms / 3_600_000);

/** A body that can be sent, else nothing. Its size is asked of where it is kept, without reading it. */
const readableBody = sql<
  string | null
>`case when octet_length(body) <= ${sql.lit(mostReadableBytes)} then body end`;

/**
 * The bytes of these names, in portions.
 *
 * @param sessionId only what this session names.
 */
export async function blobsOf(
  database: Database | Change,
  tenant: string,
  names: readonly string[],
  sessionId: string,
): Promise<readonly StoredBlob[] | Unreadable> {
  const found: StoredBlob[] = [];
  for (const some of inPieces(names, () => 0)) {
    const sizes = await database
      .selectFrom("session_blobs")
      .innerJoin("blobs", (join) =>
        join
          .onRef("blobs.tenant", "=", "session_blobs.tenant")
          .onRef("blobs.sha256", "=", "session_blobs.sha256"),
      )
      .select(["blobs.sha256", sql<number>`octet_length(blobs.bytes)`.as("size")])
      .where("session_blobs.tenant", "=", tenant)
      .where("session_id", "=", sessionId)
      .where("session_blobs.sha256", "in", some)
      .execute();
    const tooLarge = sizes.find(({ size }) => size > mostReadableBytes);
    if (tooLarge !== undefined)
      return { kind: "unreadable", what: `the text or medium ${tooLarge.sha256}`, bytes: tooLarge.size };
    for (const portion of inPieces(sizes, ({ size }) => size)) {
      const rows = await database
        .selectFrom("blobs")
        .select(["sha256", "bytes"])
        .where("tenant", "=", tenant)
        .where(
          "sha256",
          "in",
          portion.map(({ sha256 }) => sha256),
        )
        .execute();
      found.push(...rows);
    }
  }
  return found;
}

/** A text as it stands in JSON, without its quotes. */
export function asInJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** A text that `like` takes for itself. */
export function likeText(text: string): string {
  return text.replace(/[\\%_]/gu, "\\$&");
}
