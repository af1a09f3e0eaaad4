import { storeMedia } from "../journal/media.js";
import { firstRecords, PendingRecords } from "../journal/pending-records.js";
import type { ConversationEvent, JournalRecord } from "../values/event.js";
import type { Digest } from "../values/file-content.js";
import { versionOf } from "../values/record-version.js";
import { type ConversationRefusal, isRefusal, refuse } from "../values/refusal.js";
import {
  isSessionId,
  refuseHeldSession,
  refuseNewSession,
  refuseUnknownSession,
} from "../values/session-id.js";
import type {
  OpenSession,
  RecordPage,
  RecordQuery,
  ReplacedSession,
  SessionFacts,
  SessionQuery,
  SessionStore,
  TimedEvent,
} from "../values/store.js";
import { isUnchangedSince, recordsOfNext, sessionsWithin } from "./session-query.js";

/**
 * Sessions that end with the program: for tests, for trying out, and as the smallest store to learn from.
 * Several stores over one memory stand for several programs.
 */
export function memorySessionStore(options: MemoryStoreOptions = {}): SessionStore {
  return new MemoryStore(options);
}

/** Where a store in memory keeps its sessions, and how its failures are played. */
export interface MemoryStoreOptions {
  /** Where the sessions are; its own where none is given. */
  readonly memory?: SessionMemory;
  /** Asked before anything is written: what a disk would answer. To see what a full disk does to a session. */
  readonly refusal?: () =>
    | ConversationRefusal<"disk_full" | "permission_denied" | "store_failed">
    | undefined;
  /** SHA-256 as hex. With it media are kept once, beside the records; without it they stay in them. */
  readonly digest?: Digest;
  /** Who holds the leases of this store, for a person to read. */
  readonly holder?: string;
}

/** The sessions of one or several stores, by their ids. */
export type SessionMemory = Map<string, StoredSession>;

/** Records as JSON: what is handed out is never what is kept. */
interface StoredSession {
  lines: string[];
  /** By the SHA-256 of their bytes. */
  readonly blobs: Map<string, Uint8Array>;
  writer: MemorySession | undefined;
}

class MemoryStore implements SessionStore {
  private readonly memory: SessionMemory;
  private readonly opened = new Set<MemorySession>();

  constructor(private readonly options: MemoryStoreOptions) {
    this.memory = options.memory ?? new Map();
  }

  async create(id: string, events: readonly TimedEvent[]): Promise<OpenSession | ConversationRefusal> {
    const refused = refuseNewSession(id, events);
    if (refused !== undefined) return refused;
    if (this.memory.has(id)) return refuse("duplicate_id", `There is a session ${id} already.`);
    const full = this.options.refusal?.();
    if (full !== undefined) return full;
    const blobs = new Map<string, Uint8Array>();
    const lines = linesOf(firstRecords(events), blobs, this.options.digest);
    const stored: StoredSession = { lines, blobs, writer: undefined };
    this.memory.set(id, stored);
    return this.hold(id, stored, "write");
  }

  async open(id: string, mode: "write" | "read"): Promise<OpenSession | ConversationRefusal> {
    const stored = this.find(id);
    if (stored === undefined) return refuseUnknownSession(id);
    const { writer } = stored;
    if (mode === "write" && writer !== undefined) return refuseHeldSession(id, writer.holder);
    return this.hold(id, stored, mode);
  }

  async list(query?: SessionQuery): Promise<readonly SessionFacts[]> {
    const facts = [...this.memory].map(([id, stored]) => factsOf(id, stored));
    facts.sort((one, other) => other.modifiedMs - one.modifiedMs || (one.id < other.id ? -1 : 1));
    return sessionsWithin(facts, query);
  }

  async remove(id: string): Promise<{ readonly kind: "removed" } | ConversationRefusal> {
    const stored = this.find(id);
    if (stored === undefined) return refuseUnknownSession(id);
    if (stored.writer !== undefined) return refuseHeldSession(id, stored.writer.holder);
    const refused = this.options.refusal?.();
    if (refused !== undefined) return refused;
    this.memory.delete(id);
    return { kind: "removed" };
  }

  async prune(listed: Parameters<SessionStore["prune"]>[0]): ReturnType<SessionStore["prune"]> {
    const removed: string[] = [];
    for (const { id, ...rest } of listed) {
      const stored = this.find(id);
      if (stored === undefined || !isUnchangedSince(factsOf(id, stored), rest)) continue;
      const answer = await this.remove(id);
      if (!isRefusal(answer)) removed.push(id);
      else if (answer.code !== "busy") return answer;
    }
    return { kind: "pruned", removed };
  }

  recordsHolding(query: RecordQuery): Promise<RecordPage> {
    return recordsOfNext(query, (id) => this.open(id, "read"));
  }

  async close(): Promise<void> {
    for (const session of this.opened) await session.close();
    this.opened.clear();
  }

  private find(id: string): StoredSession | undefined {
    return isSessionId(id) ? this.memory.get(id) : undefined;
  }

  private hold(id: string, stored: StoredSession, mode: "write" | "read"): OpenSession {
    const session = new MemorySession(id, mode, stored, this.options, this.memory);
    if (mode === "write") stored.writer = session;
    this.opened.add(session);
    return session;
  }
}

class MemorySession implements OpenSession {
  readonly kind = "session";
  readonly problems = [];
  readonly records: readonly JournalRecord[];
  readonly holder: string;
  private readonly pending: PendingRecords<JournalRecord>;

  constructor(
    readonly id: string,
    readonly mode: "write" | "read",
    private readonly stored: StoredSession,
    private readonly options: MemoryStoreOptions,
    private readonly memory: SessionMemory,
  ) {
    this.holder = options.holder ?? "this program";
    this.records = recordsOf(stored.lines);
    this.pending = new PendingRecords(this.records.at(-1)?.seq ?? 0, {
      prepare: (record) => record,
      keep: async (records) => this.write(records),
    });
  }

  get drops(): number {
    return this.pending.drops;
  }

  readonly readBlob = async (sha256: string) => this.stored.blobs.get(sha256);

  append(event: TimedEvent): number {
    return this.pending.append(event);
  }

  flush(): ReturnType<OpenSession["flush"]> {
    return this.pending.flush();
  }

  async replace(events: readonly TimedEvent[]): Promise<ReplacedSession | ConversationRefusal> {
    const refusal = this.refuseWriting();
    if (refusal !== undefined) return refusal;
    const { lines, blobs } = this.stored;
    const backup = `${this.id}-damaged-${this.memory.size}`;
    this.memory.set(backup, { lines, blobs, writer: undefined });
    this.stored.lines = linesOf(firstRecords(events), blobs, this.options.digest);
    this.stored.writer = undefined;
    return { kind: "replaced", backup };
  }

  async close(): Promise<void> {
    await this.pending.idle();
    if (this.stored.writer === this) this.stored.writer = undefined;
  }

  private write(records: readonly JournalRecord[]): ConversationRefusal | undefined {
    if (records.length === 0) return undefined;
    const refusal = this.refuseWriting();
    if (refusal !== undefined) return refusal;
    const { lines, blobs } = this.stored;
    for (const line of linesOf(records, blobs, this.options.digest)) lines.push(line);
    return undefined;
  }

  private refuseWriting(): ConversationRefusal | undefined {
    if (this.stored.writer === this) return this.options.refusal?.();
    return refuse("read_only", `Session ${this.id} is not open for writing here; open it so.`);
  }
}

function linesOf(
  records: readonly JournalRecord[],
  blobs: Map<string, Uint8Array>,
  digest: Digest | undefined,
): string[] {
  const put = (bytes: Uint8Array, name: string) => blobs.set(name, bytes) && name;
  return records.map((record) => {
    const event =
      digest === undefined ? record.event : storeMedia(record.event, (bytes) => put(bytes, digest(bytes)));
    return JSON.stringify({ ...record, v: versionOf(event), event });
  });
}

function recordsOf(lines: readonly string[]): readonly JournalRecord[] {
  // What `linesOf` wrote.
  return lines.map((line) => JSON.parse(line) as JournalRecord);
}

function factsOf(id: string, { lines, writer }: StoredSession): SessionFacts {
  const records = recordsOf(lines);
  const started = records.map(({ event }) => event).find((event) => event.type === "session_started");
  return {
    id,
    title: titleOf(records.map(({ event }) => event)),
    cwd: started?.cwd,
    createdMs: records[0]?.ts ?? 0,
    modifiedMs: Math.max(records[0]?.ts ?? 0, records.at(-1)?.ts ?? 0),
    sizeBytes: lines.reduce((sum, line) => sum + new TextEncoder().encode(line).length + 1, 0),
    heldBy: writer?.holder,
  };
}

/** The last name that a session was given. */
export function titleOf(events: readonly ConversationEvent[]): string | undefined {
  let title: string | undefined;
  for (const event of events) {
    if (event.type === "session_started" || event.type === "renamed") title = event.title;
  }
  return title;
}
