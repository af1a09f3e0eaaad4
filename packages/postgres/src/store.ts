import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type ConversationRefusal,
  firstRecords,
  isRefusal,
  isSessionId,
  type OpenSession,
  type Pace,
  refuse,
  refuseCancelled,
  refuseHeldSession,
  refuseNewerSession,
  refuseNewSession,
  refuseUnknownSession,
  type SessionFacts,
  type SessionStore,
  type TimedEvent,
} from "@holdfast/core";
import { sha256 } from "@holdfast/core/node";
import { isClash, isRolledBack, refusalFrom } from "./faults.js";
import { connect, inspectServer, type PostgresConnection } from "./pool.js";
import { type EncodedEvent, encodeEvent, readRows } from "./rows.js";
import { migrate } from "./schema.js";
import { type FoundSession, PostgresSession, sumsAfter } from "./session.js";
import { SessionTable } from "./session-table.js";
import type { Database } from "./tables.js";

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
}

/** @see openPostgresStore, which loads this only when it is needed. */
export async function openStore(options: PostgresStoreOptions): Promise<SessionStore | ConversationRefusal> {
  const { connection, schema = "holdfast", leaseMs = 30_000, timeoutMs = 30_000 } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/u.test(schema))
    return refuse("invalid_arguments", "A schema is named in lower-case letters, digits and _.");
  const holder = options.holder ?? `${hostname()}, process ${process.pid}`;
  const database = connectTo(connection, timeoutMs);
  if ("kind" in database) return database;
  const refused = await prepared(database, schema);
  if (refused !== undefined) {
    await database.destroy();
    return refused;
  }
  return new PostgresStore(database, new SessionTable(database, schema, leaseMs, holder), leaseMs);
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
  try {
    return (await inspectServer(database)) ?? (await migrate(database, schema));
  } catch (error) {
    const refusal = refusalFrom(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

class PostgresStore implements SessionStore {
  private readonly writers = new Map<string, PostgresSession>();
  private readonly opened = new Set<PostgresSession>();
  private readonly heart: NodeJS.Timeout;
  private beat: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly table: SessionTable,
    leaseMs: number,
  ) {
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
    const sums = sumsAfter(undefined, records, rows);
    const token = randomUUID();
    const made = await asked(() => this.table.create({ id, token, changeId: token, events: rows, sums }));
    if (typeof made !== "boolean") return made;
    if (!made) return refuse("duplicate_id", `There is a session ${id} already.`);
    return this.hold({ id, seq: records.length, sums, records, problems: [] }, token);
  }

  async open(id: string, mode: "write" | "read"): Promise<OpenSession | ConversationRefusal> {
    if (!isSessionId(id)) return refuseUnknownSession(id);
    if (mode === "read") {
      const found = await this.find(id);
      return isRefusal(found) ? found : this.hold(found, undefined);
    }
    const token = randomUUID();
    const taken = await asked(() => this.table.take(id, token));
    if (typeof taken !== "boolean") return taken;
    if (!taken) return await this.refuseHeld(id);
    const found = await this.find(id);
    const newer = isRefusal(found) ? undefined : refuseNewerSession(id, found.problems);
    if (!isRefusal(found) && newer === undefined) return this.hold(found, token);
    await asked(() => this.table.release(id, token));
    return isRefusal(found) ? found : this.hold(found, undefined, newer);
  }

  async list(): Promise<readonly SessionFacts[] | ConversationRefusal> {
    return await asked(async () =>
      (await this.table.list()).map(({ head: _, ...facts }): SessionFacts => facts),
    );
  }

  async remove(id: string): Promise<{ readonly kind: "removed" } | ConversationRefusal> {
    if (!isSessionId(id)) return refuseUnknownSession(id);
    const outcome = await asked(async (tries) => {
      const answer = await this.table.remove(id);
      // It was removed the first time, and the answer was lost.
      return answer === "unknown" && tries > 0 ? "removed" : answer;
    });
    if (typeof outcome !== "string") return outcome;
    switch (outcome) {
      case "removed":
        return { kind: "removed" };
      case "held":
        return await this.refuseHeld(id);
      case "unknown":
        return refuseUnknownSession(id);
      default:
        return outcome satisfies never;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.heart);
    await Promise.all([...this.opened].map((session) => session.close()));
    await this.beat;
    await this.database.destroy();
  }

  private async find(id: string): Promise<FoundSession | ConversationRefusal> {
    const stored = await asked(() => this.table.read(id));
    if (stored === undefined) return refuseUnknownSession(id);
    if ("kind" in stored) return stored;
    const sound = stored.blobs.filter((blob) => sha256(blob.bytes) === blob.sha256);
    const blobs = new Map(sound.map((blob) => [blob.sha256, blob.bytes]));
    const { records, problems } = readRows(stored.events, stored.seq, blobs);
    return { id, seq: stored.seq, sums: stored.sums, records, problems };
  }

  private hold(found: FoundSession, token: string | undefined, because?: ConversationRefusal): OpenSession {
    const close = (closed: PostgresSession) => {
      this.opened.delete(closed);
      if (token !== undefined) this.writers.delete(token);
    };
    const session = new PostgresSession(found, this.table, token, close, because);
    this.opened.add(session);
    if (token !== undefined) this.writers.set(token, session);
    return session;
  }

  private async refuseHeld(id: string): Promise<ConversationRefusal> {
    const now = await asked(() => this.table.holder(id));
    if (now === undefined) return refuseUnknownSession(id);
    if ("kind" in now) return now;
    return refuseHeldSession(id, now.name ?? "another program");
  }

  private async renew(): Promise<void> {
    const leases = [...this.writers].map(([token, { id }]) => ({ id, token }));
    if (leases.length === 0) return;
    const kept = await asked(() => this.table.renew(leases));
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

/** Asks what may be asked twice; what a broken connection or a clash has cost is asked again. */
async function asked<Answer>(
  question: (tries: number) => Promise<Answer>,
): Promise<Answer | ConversationRefusal> {
  let failure: unknown;
  for (let tries = 0; tries < mostTries; tries += 1) {
    try {
      return await question(tries);
    } catch (error) {
      failure = error;
      if (isRolledBack(error) && !isClash(error)) break;
    }
  }
  const refusal = refusalFrom(failure);
  if (refusal === undefined) throw failure;
  return refusal;
}

const mostTries = 3;
