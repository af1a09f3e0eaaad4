import { randomUUID } from "node:crypto";
import {
  type ConversationRefusal,
  firstRecords,
  type JournalRecord,
  type OpenSession,
  PendingRecords,
  type ReplacedSession,
  refuse,
  type TimedEvent,
} from "@holdfast/core";
import { sha256 } from "@holdfast/core/node";
import { isClash, isRolledBack, refusalFrom } from "./faults.js";
import { addUp, type EncodedEvent, encodeEvent, type ReadRows, type SessionSums } from "./rows.js";
import type { Advance, SessionTable } from "./session-table.js";

/** How a session was found when it was opened. */
export interface FoundSession extends ReadRows {
  readonly id: string;
  /** Its last event. */
  readonly seq: number;
  readonly sums: SessionSums;
}

/** A session for as long as this program has it open. */
export class PostgresSession implements OpenSession {
  readonly kind = "session";
  readonly id: string;
  readonly records: OpenSession["records"];
  readonly problems: OpenSession["problems"];
  readonly lastSeq: number;
  readonly readOnlyBecause?: ConversationRefusal;
  private readonly pending: PendingRecords<JournalRecord>;
  private sums: SessionSums;
  private durableSeq: number;
  /** A change of which nobody could say whether it took effect, and of which the caller was told it did not. */
  private isUndecided = false;
  private isClosed = false;
  private lost: ConversationRefusal | undefined;
  private repaired: ConversationRefusal | undefined;

  /**
   * @param token the lease; undefined where the session was opened to be read.
   * @param onClose called once, before the lease is given back.
   */
  constructor(
    found: FoundSession,
    private readonly table: SessionTable,
    readonly token: string | undefined,
    private readonly onClose: (session: PostgresSession) => void,
    readOnlyBecause?: ConversationRefusal,
  ) {
    if (readOnlyBecause !== undefined) this.readOnlyBecause = readOnlyBecause;
    this.id = found.id;
    this.records = found.records;
    this.problems = found.problems;
    this.sums = found.sums;
    this.durableSeq = found.seq;
    this.lastSeq = found.seq;
    this.pending = new PendingRecords(found.seq, {
      prepare: (record) => record,
      keep: async (records) => await this.write(records),
    });
  }

  readonly readBlob = async (name: string): Promise<Uint8Array | ConversationRefusal | undefined> => {
    try {
      const bytes = await this.table.blob(this.id, name);
      return bytes !== undefined && sha256(bytes) === name ? bytes : undefined;
    } catch (error) {
      const refusal = refusalFrom(error);
      if (refusal === undefined) throw error;
      return refusal;
    }
  };

  get mode(): "write" | "read" {
    return this.token === undefined ? "read" : "write";
  }

  get drops(): number {
    return this.pending.drops;
  }

  append(event: TimedEvent): number {
    return this.pending.append(event);
  }

  flush(): ReturnType<OpenSession["flush"]> {
    return this.pending.flush();
  }

  /** The rows of the session are exchanged in one transaction; the old ones become a session of their own. */
  async replace(events: readonly TimedEvent[]): Promise<ReplacedSession | ConversationRefusal> {
    await this.pending.idle();
    const { id, token, durableSeq } = this;
    if (token === undefined || this.isClosed)
      return refuse("read_only", `Session ${id} is not open for writing here; open it so.`);
    if (this.lost !== undefined) return this.lost;
    const records = firstRecords(events);
    const rows = records.map(encodeEvent);
    const sums = sumsAfter(undefined, records, rows);
    const changeId = randomUUID();
    const backup = `${id.slice(0, longestKept)}-damaged-${changeId.slice(0, 8)}`;
    try {
      const change = { id, token, changeId, from: durableSeq, events: rows, sums };
      if (!(await this.table.replace(change, backup))) return await this.refuseOvertaken(token);
    } catch (error) {
      const refusal = refusalFrom(error);
      if (refusal === undefined) throw error;
      return refusal;
    }
    this.repaired = refuse("read_only", `Session ${id} was repaired; open it again to write.`);
    return { kind: "replaced", backup };
  }

  /** Somebody else has taken the lease. */
  lose(): void {
    this.lost ??= refuse(
      "busy",
      `The lease of session ${this.id} has passed to another program; open the session again.`,
    );
  }

  async close(): Promise<void> {
    await this.pending.idle();
    if (this.isClosed) return;
    this.isClosed = true;
    this.onClose(this);
    if (this.token === undefined || this.lost !== undefined) return;
    try {
      await this.takeBackRefused(this.token);
      await this.table.release(this.id, this.token);
    } catch (error) {
      // Where the server cannot be asked, the lease ends by its own time.
      if (refusalFrom(error) === undefined) throw error;
    }
  }

  private async write(records: readonly JournalRecord[]): Promise<ConversationRefusal | undefined> {
    if (records.length === 0) return undefined;
    if (this.token === undefined || this.isClosed)
      return refuse("read_only", `Session ${this.id} is not open for writing here; open it so.`);
    const over = this.lost ?? this.repaired;
    if (over !== undefined) return over;
    const events = records.map(encodeEvent);
    const sums = sumsAfter(this.sums, records, events);
    const { id, token, durableSeq } = this;
    const refusal = await this.commit({ id, token, changeId: randomUUID(), from: durableSeq, events, sums });
    if (refusal !== undefined) return refusal;
    this.sums = sums;
    this.durableSeq += records.length;
    return undefined;
  }

  /** Tries until it is known whether the change took effect, or until the server cannot be asked. */
  private async commit(change: Advance): Promise<ConversationRefusal | undefined> {
    let failure: unknown;
    for (let tries = 0; tries < mostTries; tries += 1) {
      try {
        await this.takeBackRefused(change.token);
        return (await this.table.advance(change)) ? undefined : await this.refuseOvertaken(change.token);
      } catch (error) {
        failure = error;
        if (isRolledBack(error)) {
          if (isClash(error)) continue;
          break;
        }
        this.isUndecided = true;
      }
      const isWritten = await this.look(change);
      if (isWritten === undefined) break;
      if (isWritten) {
        this.isUndecided = false;
        return undefined;
      }
    }
    const refusal = refusalFrom(failure);
    if (refusal === undefined) throw failure;
    return refusal;
  }

  /** What was refused without knowing better is no part of the session. */
  private async takeBackRefused(token: string): Promise<void> {
    if (!this.isUndecided) return;
    await this.table.takeBack(this.id, token, this.durableSeq);
    this.isUndecided = false;
  }

  /** Whether a change whose answer was lost is there; undefined where the server cannot be asked. */
  private async look(change: Advance): Promise<boolean | undefined> {
    try {
      return await this.table.isWritten(change);
    } catch (error) {
      if (refusalFrom(error) === undefined) throw error;
      return undefined;
    }
  }

  private async refuseOvertaken(token: string): Promise<ConversationRefusal> {
    const now = await this.table.holder(this.id);
    if (now?.seq === this.durableSeq && now.token !== token) {
      this.lose();
    } else {
      const what = now === undefined ? "was removed" : "was written by another program";
      this.lost = refuse("conflict", `Session ${this.id} ${what} meanwhile; open it again.`);
    }
    return this.lost ?? refuse("conflict", `Session ${this.id} has changed; open it again.`);
  }
}

/** So that the id of what is kept of a damaged session is one that a session can bear. */
const longestKept = 100;

/** The first and the second time may both meet a connection that broke long ago. */
const mostTries = 4;

/** The sums after these records, which come to these rows. */
export function sumsAfter(
  before: SessionSums | undefined,
  records: readonly JournalRecord[],
  events: readonly EncodedEvent[],
): SessionSums {
  const sums = addUp(before, records);
  const added = events.reduce((sum, { body }) => sum + Buffer.byteLength(body) + 1, 0);
  return { ...sums, sizeBytes: sums.sizeBytes + added };
}
