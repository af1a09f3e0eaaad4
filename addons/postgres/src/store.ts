import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { firstRecords } from "@holdfast/core/conversation/journal";
import {
  type ConversationRefusal,
  isSessionId,
  type OpenSession,
  type RecordPage,
  type RecordQuery,
  refuseCancelled,
  refuseHeldSession,
  refuseNewerSession,
  refuseNewSession,
  refuseUnknownSession,
  type SessionFacts,
  type SessionQuery,
  type SessionStore,
  type TimedEvent,
} from "@holdfast/core/conversation/values";
import { isRefusal, refuse } from "@holdfast/core/files/values";
import { sha256 } from "@holdfast/core/node";
import type { Pace } from "@holdfast/core/text";
import { Asking, type MetricListener, type Tally } from "./asking.js";
import { mostReadableBytes, refuseTooLarge, refuseUnreadable, usualTextBytes } from "./limits.js";
import { connect, inspectServer, type PostgresConnection } from "./pool.js";
import { Reading, type StoredRows } from "./reading.js";
import { Removing } from "./removing.js";
import { type EncodedEvent, encodeEvent, readRows } from "./rows.js";
import { migrate } from "./schema.js";
import { Searching } from "./searching.js";
import { type FoundSession, type Ground, PostgresSession, sumsAfter } from "./session.js";
import { SessionTable } from "./session-table.js";
import { readSnapshot } from "./snapshot.js";
import { SnapshotTable } from "./snapshots.js";
import { type Database, Home } from "./tables.js";

/** Which server is used, and how long its answers and the leases last. */
export interface PostgresStoreOptions {
  /** `postgresql://user:password@host:port/database`, or its parts. */
  readonly connection: string | PostgresConnection;
  /** Where the tables are; `holdfast` where it is not said. Lower-case letters, digits and `_`. */
  readonly schema?: string;
  /** A program that gives no sign for so long loses its leases. Signs come three times as often. */
  readonly leaseMs?: number;
  /** Who holds the leases, for a person to read; host and process where it is not said. */
  readonly holder?: string;
  /** How long an answer of the server is waited for. */
  readonly timeoutMs?: number;
  /**
   * Whose sessions these are: every row bears it, and nothing of another tenant is seen or shared. 1 to 128 letters,
   * digits and `_.:@-`; without one, the tenant of all who say none.
   */
  readonly tenant?: string;
  /** For how long an operation waits for a server that is away or starts; 10,000 where it is not said, 0 for not. */
  readonly retryMs?: number;
  /** The most bytes of one text, medium or event; 128,000,000 where it is not said, 256,000,000 at the most. */
  readonly textBytes?: number;
  /** How many events a snapshot is written after; 256 where it is not said, 0 for never. */
  readonly snapshotEvents?: number;
  /** Told what each operation took. It must return at once; what it throws is dropped. */
  readonly onMetric?: MetricListener;
}

/** @see openPostgresStore, which loads this only when it is needed. */
export async function openStore(options: PostgresStoreOptions): Promise<SessionStore | ConversationRefusal> {
  const { connection, schema = "holdfast", leaseMs = 30_000, timeoutMs = 30_000 } = options;
  const { tenant = "", textBytes = usualTextBytes, snapshotEvents = 256, retryMs = 10_000 } = options;
  const flaw = flawOf({ schema, tenant, textBytes });
  if (flaw !== undefined) return refuse("invalid_arguments", flaw);
  const holder = options.holder ?? `${hostname()}, process ${process.pid}`;
  const asking = new Asking(retryMs, options.onMetric);
  const database = connectTo(connection, timeoutMs);
  if ("kind" in database) return database;
  const refused = await asking.ask("prepare", () => prepared(database, schema));
  if (refused !== undefined) {
    await database.destroy();
    return refused;
  }
  const home = new Home(database, schema, tenant);
  const table = new SessionTable(home, leaseMs, holder);
  const ground = {
    table,
    reading: new Reading(home),
    snapshots: new SnapshotTable(home),
    asking,
    textBytes,
    snapshotEvents,
  };
  return new PostgresStore(database, home, ground, leaseMs);
}

function flawOf({
  schema,
  tenant,
  textBytes,
}: {
  readonly schema: string;
  readonly tenant: string;
  readonly textBytes: number;
}): string | undefined {
  if (!/^[a-z_][a-z0-9_]{0,62}$/u.test(schema))
    return "A schema is named in lower-case letters, digits and _.";
  if (!/^(?:[A-Za-z0-9][A-Za-z0-9_.:@-]{0,127})?$/u.test(tenant))
    return "A tenant is 1 to 128 letters, digits and _.:@-, beginning with a letter or a digit.";
  if (!(textBytes > 0 && textBytes <= mostReadableBytes))
    return `textBytes is at most ${mostReadableBytes}: more cannot be read back.`;
  return undefined;
}

function connectTo(
  connection: string | PostgresConnection,
  timeoutMs: number,
): Database | ConversationRefusal {
  try {
    return connect(connection, timeoutMs);
  } catch {
    // Its message might hold the password.
    return refuse("invalid_arguments", "This is no connection to a PostgreSQL server; see docs/postgres.md.");
  }
}

async function prepared(database: Database, schema: string): Promise<ConversationRefusal | undefined> {
  return (await inspectServer(database)) ?? (await migrate(database, schema));
}

class PostgresStore implements SessionStore {
  private readonly writers = new Map<string, PostgresSession>();
  private readonly opened = new Set<PostgresSession>();
  private readonly heart: NodeJS.Timeout;
  private beat: Promise<void> | undefined;

  private readonly removing: Removing;
  private readonly searching: Searching;

  constructor(
    private readonly database: Database,
    home: Home,
    private readonly ground: Ground,
    leaseMs: number,
  ) {
    this.removing = new Removing(home);
    this.searching = new Searching(home);
    this.heart = setInterval(
      () => {
        this.beat ??= this.renew().finally(() => {
          this.beat = undefined;
        });
      },
      Math.max(1, leaseMs / 3),
    ).unref();
  }

  async create(
    id: string,
    events: readonly TimedEvent[],
    pace: Pace = letOthersRun,
  ): Promise<OpenSession | ConversationRefusal> {
    const refused = refuseNewSession(id, events);
    if (refused !== undefined) return refused;
    const records = firstRecords(events);
    const rows: EncodedEvent[] = [];
    for (const [at, record] of records.entries()) {
      if (at % stepRecords === stepRecords - 1 && !(await pace({ done: at, of: records.length })))
        return refuseCancelled(id);
      rows.push(encodeEvent(record));
    }
    const { asking, table, textBytes } = this.ground;
    const tooLarge = refuseTooLarge(id, rows, textBytes);
    if (tooLarge !== undefined) return tooLarge;
    const sums = sumsAfter(undefined, records, rows);
    const token = randomUUID();
    const made = await asking.ask("create", async (tally) => {
      tally.rows = rows.length;
      tally.bytes = sums.sizeBytes;
      return await table.create({ id, token, changeId: token, events: rows, sums });
    });
    if (typeof made !== "boolean") return made;
    if (!made) return refuse("duplicate_id", `There is a session ${id} already.`);
    return this.hold({ id, seq: records.length, sums, records, problems: [] }, token);
  }

  async open(
    id: string,
    mode: "write" | "read",
    reading: "records" | "state" = "records",
  ): Promise<OpenSession | ConversationRefusal> {
    if (!isSessionId(id)) return refuseUnknownSession(id);
    return await this.ground.asking.measure("open", async (tally) => {
      if (mode === "read") {
        const found = await this.find(id, reading, tally);
        return isRefusal(found) ? found : this.hold(found, undefined);
      }
      return await this.openToWrite(id, reading, tally);
    });
  }

  private async openToWrite(
    id: string,
    reading: "records" | "state",
    tally: Tally,
  ): Promise<OpenSession | ConversationRefusal> {
    const { table } = this.ground;
    const token = randomUUID();
    const taken = await this.patiently(tally, () => table.take(id, token));
    if (typeof taken !== "boolean") return taken;
    if (!taken) return await this.refuseHeld(id, tally);
    const found = await this.find(id, reading, tally);
    const newer = isRefusal(found) ? undefined : refuseNewerSession(id, found.problems);
    if (!isRefusal(found) && newer === undefined) return this.hold(found, token);
    await this.patiently(tally, () => table.release(id, token));
    return isRefusal(found) ? found : this.hold(found, undefined, newer);
  }

  async list(query: SessionQuery = {}): Promise<readonly SessionFacts[] | ConversationRefusal> {
    return await this.ground.asking.ask("list", async (tally) => {
      const rows = await this.ground.reading.list(query);
      tally.rows = rows.length;
      return rows.map(({ head: _, ...facts }): SessionFacts => facts);
    });
  }

  async remove(id: string): Promise<{ readonly kind: "removed" } | ConversationRefusal> {
    if (!isSessionId(id)) return refuseUnknownSession(id);
    return await this.ground.asking.measure("remove", async (tally) => {
      const outcome = await this.patiently(tally, async () => {
        const answer = await this.removing.remove(id);
        // It was removed the first time, and the answer was lost.
        return answer === "unknown" && tally.retries > 0 ? "removed" : answer;
      });
      if (typeof outcome !== "string") return outcome;
      tally.rows = outcome === "removed" ? 1 : 0;
      switch (outcome) {
        case "removed":
          return { kind: "removed" } as const;
        case "held":
          return await this.refuseHeld(id, tally);
        case "unknown":
          return refuseUnknownSession(id);
        default:
          return outcome satisfies never;
      }
    });
  }

  async prune(listed: Parameters<SessionStore["prune"]>[0]): ReturnType<SessionStore["prune"]> {
    const named = listed.filter(({ id }) => isSessionId(id));
    if (named.length === 0) return { kind: "pruned", removed: [] };
    return await this.ground.asking.ask("prune", async (tally) => {
      const removed = await this.removing.prune(named);
      tally.rows = removed.length;
      return { kind: "pruned", removed } as const;
    });
  }

  async recordsHolding(query: RecordQuery): Promise<RecordPage | ConversationRefusal> {
    const sessions = query.sessions.filter(isSessionId);
    return await this.ground.asking.ask("search", async (tally) => {
      const page = await this.searching.page({ ...query, sessions });
      tally.rows = page.records.length;
      return page;
    });
  }

  async close(): Promise<void> {
    clearInterval(this.heart);
    await Promise.all([...this.opened].map((session) => session.close()));
    await this.beat;
    await this.database.destroy();
  }

  private async find(
    id: string,
    reading: "records" | "state",
    tally: Tally,
  ): Promise<FoundSession | ConversationRefusal> {
    const from = reading === "state" && this.ground.snapshotEvents > 0 ? "snapshot" : "start";
    const stored = await this.patiently(tally, () => this.ground.reading.read(id, from));
    if (stored === undefined) return refuseUnknownSession(id);
    if (stored.kind === "refusal") return stored;
    if (stored.kind === "unreadable") return refuseUnreadable(id, stored.what, stored.bytes);
    tally.rows += stored.events.length + (stored.snapshot?.parts.length ?? 0);
    tally.bytes += bytesOf(stored);
    return foundIn(id, stored) ?? (await this.find(id, "records", tally));
  }

  /** Within an operation that is measured as a whole. */
  private async patiently<Answer>(
    tally: Tally,
    question: () => Promise<Answer>,
  ): Promise<Answer | ConversationRefusal> {
    return await this.ground.asking.retry(tally, question);
  }

  private hold(found: FoundSession, token: string | undefined, because?: ConversationRefusal): OpenSession {
    const close = (closed: PostgresSession) => {
      this.opened.delete(closed);
      if (token !== undefined) this.writers.delete(token);
    };
    const session = new PostgresSession(found, this.ground, token, close, because);
    this.opened.add(session);
    if (token !== undefined) this.writers.set(token, session);
    return session;
  }

  private async refuseHeld(id: string, tally: Tally): Promise<ConversationRefusal> {
    const now = await this.patiently(tally, () => this.ground.table.holder(id));
    if (now === undefined) return refuseUnknownSession(id);
    if ("kind" in now) return now;
    return refuseHeldSession(id, now.name ?? "another program");
  }

  private async renew(): Promise<void> {
    const leases = [...this.writers].map(([token, { id }]) => ({ id, token }));
    if (leases.length === 0) return;
    const kept = await this.ground.asking.ask("renew", (tally) => {
      tally.rows = leases.length;
      return this.ground.table.renew(leases);
    });
    // What could not be asked is not lost: the next flush will tell.
    if ("kind" in kept) return;
    for (const { token } of leases) if (!kept.has(token)) this.writers.get(token)?.lose();
  }
}

/** Encoded in some milliseconds, unless they are large. */
const stepRecords = 64;

const letOthersRun: Pace = async () => {
  await nextTurn();
  return true;
};

function bytesOf({ events, snapshot, blobs }: StoredRows): number {
  const lengths = [
    ...events.map(({ body }) => body.length),
    ...(snapshot?.parts ?? []).map((part) => part.length),
    ...blobs.map(({ bytes }) => bytes.length),
  ];
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** @returns undefined where a snapshot stands in the place of the events and does not fit, or where they are damaged. */
function foundIn(id: string, stored: StoredRows): FoundSession | undefined {
  const { seq, sums, snapshot } = stored;
  const sound = stored.blobs.filter((blob) => sha256(blob.bytes) === blob.sha256);
  const blobs = new Map(sound.map((blob) => [blob.sha256, blob.bytes]));
  const span = { from: snapshot?.seq ?? 0, to: seq };
  const { records, problems } = readRows(stored.events, span, blobs);
  if (snapshot === undefined) return { id, seq, sums, records, problems };
  const begun = readSnapshot(id, snapshot, snapshot.parts, (name) => blobs.get(name));
  if (begun === undefined || problems.length > 0) return undefined;
  return {
    id,
    seq,
    sums,
    records,
    problems,
    begun: { context: begun.context, seq: snapshot.seq },
    snapshot: { parts: snapshot.parts.length, changed: begun.changed },
  };
}
