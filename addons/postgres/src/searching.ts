import type { JournalRecord, RecordPage, RecordQuery } from "@holdfast/core/conversation/values";
import { sha256 } from "@holdfast/core/node";
import { type RawBuilder, sql } from "kysely";
import { mostReadableBytes, refuseUnreadable } from "./limits.js";
import { asInJson, blobsOf, likeText } from "./reading.js";
import { readRows, textBlobsOf } from "./rows.js";
import type { Home } from "./tables.js";

/** An event in which a text may stand. */
interface FoundRow {
  readonly session_id: string;
  readonly seq: number;
  readonly size: number;
  readonly body: string | null;
}

/** Looks for texts where they are kept, and sends only the events in which they stand. Throws the server's errors. */
export class Searching {
  constructor(private readonly home: Home) {}

  async page(query: RecordQuery): Promise<RecordPage> {
    const rows = await this.rows(query);
    const records: { readonly sessionId: string; readonly record: JournalRecord }[] = [];
    const unread: { readonly id: string; readonly message: string }[] = [];
    for (const row of rows) {
      const found = await this.record(row);
      if (typeof found === "string") unread.push({ id: row.session_id, message: found });
      else if (found !== undefined) records.push({ sessionId: row.session_id, record: found });
    }
    const last = rows.at(-1);
    const isMore = rows.length >= query.limit && last !== undefined;
    return {
      kind: "page",
      records,
      unread,
      ...(isMore ? { next: { sessionId: last.session_id, seq: last.seq } } : {}),
    };
  }

  private async rows({
    sessions,
    anyOf,
    ignoreCase,
    after,
    limit,
  }: RecordQuery): Promise<readonly FoundRow[]> {
    const rest = after === undefined ? sessions : sessions.slice(sessions.indexOf(after.sessionId));
    const [first] = rest;
    if (first === undefined) return [];
    const { tenant, schema } = this.home;
    const events = sql.id(schema, "events");
    const holds = anyOf === undefined ? sql`true` : holding(anyOf, ignoreCase === true, this.home);
    const { rows } = await sql<FoundRow>`
      select session_id, seq, octet_length(body) as size,
        case when octet_length(body) <= ${sql.lit(mostReadableBytes)} then body end as body
      from ${events} as e
      where tenant = ${tenant} and session_id = any(${rest}::text[])
        and (session_id <> ${first} or seq > ${after?.seq ?? 0})
        and type in ('session_started', 'nodes_added') and ${holds}
      order by array_position(${rest}::text[], session_id), seq limit ${limit}`.execute(this.home.tables);
    return rows;
  }

  /** @returns why it cannot be read, as a sentence; undefined where it is damaged, which `verify` tells. */
  private async record({
    session_id: id,
    seq,
    size,
    body,
  }: FoundRow): Promise<JournalRecord | string | undefined> {
    if (body === null) return refuseUnreadable(id, `event ${seq}`, size).message;
    const found = await blobsOf(this.home.tables, this.home.tenant, textBlobsOf([body]), id);
    if ("kind" in found) return refuseUnreadable(id, found.what, found.bytes).message;
    const sound = found.filter((blob) => sha256(blob.bytes) === blob.sha256);
    const blobs = new Map(sound.map((blob) => [blob.sha256, blob.bytes]));
    return readRows([{ seq, body }], { from: seq - 1, to: seq }, blobs).records[0];
  }
}

/** Whether one of these texts stands in an event or in a large text of it. Rather too often than too seldom. */
function holding(
  texts: readonly string[],
  ignoreCase: boolean,
  { schema, tenant }: Home,
): RawBuilder<unknown> {
  const like = sql.raw(ignoreCase ? "ilike" : "like");
  const pattern = (text: string) => `%${ignoreCase ? withoutKin(likeText(text)) : likeText(text)}%`;
  const inBody = texts.map((text) => sql`body ${like} ${pattern(asInJson(text))}`);
  // In the way that bytes are written down as text; beyond ASCII nothing is sought.
  const inBlob = texts.map(
    (text) => sql`encode(b.bytes, 'escape') ${like} ${pattern(text.replaceAll("\\", "\\\\"))}`,
  );
  const or = sql` or `;
  return sql`(${sql.join(inBody, or)} or (body like '%,"blobs":{%' and exists (
    select from regexp_matches(substring(body from ',"blobs":[{].*$'), '"([0-9a-f]{64})"', 'g') as named
    join ${sql.id(schema, "blobs")} as b on b.tenant = ${tenant} and b.sha256 = named[1]
    where octet_length(b.bytes) <= ${sql.lit(mostSearchedBytes)} and (${sql.join(inBlob, or)})
    or octet_length(b.bytes) > ${sql.lit(mostSearchedBytes)})))`;
}

/** A text of more bytes is not looked through by the server, whose escapes may take four times as many: it is sent. */
const mostSearchedBytes = 64_000_000;

/** Two letters of ASCII have kin beyond it that RE2 takes for the same: the Kelvin sign and the long s. */
function withoutKin(pattern: string): string {
  return pattern.replace(/[ks]/giu, "_");
}
