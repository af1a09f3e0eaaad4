import { randomUUID } from "node:crypto";
import { firstRecords, PendingRecords } from "@holdfast/core/conversation/journal";
import type {
  BegunState,
  ConversationContext,
  ConversationRefusal,
  JournalRecord,
  OpenSession,
  ReplacedSession,
  TimedEvent,
} from "@holdfast/core/conversation/values";
import { refuse } from "@holdfast/core/files/values";
import { sha256 } from "@holdfast/core/node";
import { type Asking, Patience } from "./asking.js";
import { isRolledBack, refusalFrom } from "./faults.js";
import { refuseTooLarge, refuseUnreadable } from "./limits.js";
import type { Reading } from "./reading.js";
import { addUp, type EncodedEvent, encodeEvent, type ReadRows, type SessionSums } from "./rows.js";
import type { Advance, SessionTable } from "./session-table.js";
import { type KnownSnapshot, SnapshotKeeper, type SnapshotTable } from "./snapshots.js";

/** What the sessions of one store have in common. */
export interface Ground {
  readonly table: SessionTable;
  readonly reading: Reading;
  readonly snapshots: SnapshotTable;
  readonly asking: Asking;
  /** The most that one text, medium or event may have. */
  readonly textBytes: number;
  /** How many events a snapshot is written after; 0 for never. */
  readonly snapshotEvents: number;
}

/** How a session was found when it was opened. */
export interface FoundSession extends ReadRows {
  readonly id: string;
  /** Its last event. */
  readonly seq: number;
  readonly sums: SessionSums;
  /** What stood before `records`, and what is known of its snapshot. */
  readonly begun?: BegunState;
  readonly snapshot?: KnownSnapshot;
}

/** A session for as long as this program has it open. */
export class PostgresSession implements OpenSession {
  readonly kind = "session";
  readonly id: string;
  readonly begun?: BegunState;
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
  /** Of a writer whose session is whole. */
  private readonly keeper: SnapshotKeeper | undefined;
  private repaired: ConversationRefusal | undefined;

  /**
   * @param token the lease; undefined where the session was opened to be read.
   * @param onClose called once, before the lease is given back.
   */
  constructor(
    found: FoundSession,
    private readonly ground: Ground,
    readonly token: string | undefined,
    private readonly onClose: (session: PostgresSession) => void,
    readOnlyBecause?: ConversationRefusal,
  ) {
    if (readOnlyBecause !== undefined) this.readOnlyBecause = readOnlyBecause;
    this.id = found.id;
    if (found.begun !== undefined) this.begun = found.begun;
    this.records = found.records;
    this.problems = found.problems;
    this.sums = found.sums;
    this.durableSeq = found.seq;
    this.lastSeq = found.seq;
    this.pending = new PendingRecords(found.seq, {
      prepare: (record) => record,
      keep: (records) => this.write(records),
    });
    const { snapshots: table, asking, snapshotEvents: everyEvents } = ground;
    if (token === undefined || everyEvents === 0 || found.problems.length > 0) return;
    const known = found.snapshot ?? { parts: 0, changed: [] };
    this.keeper = new SnapshotKeeper(
      { table, asking, id: found.id, token, everyEvents },
      known,
      found.records,
    );
  }

  readonly readBlob = async (name: string): Promise<Uint8Array | ConversationRefusal | undefined> => {
    return await this.ground.asking.ask("read_blob", async (tally) => {
      const found = await this.ground.reading.blob(this.id, name);
      if (found === undefined) return undefined;
      if ("kind" in found) return refuseUnreadable(this.id, found.what, found.bytes);
      tally.rows = 1;
      tally.bytes = found.length;
      return sha256(found) === name ? found : undefined;
    });
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

  keepState(context: ConversationContext, seq: number): void {
    const isOver = this.isClosed || this.lost !== undefined || this.repaired !== undefined;
    if (!isOver) this.keeper?.offer(context, seq);
  }

  /** The rows of the session are exchanged in one transaction; the old ones become a session of their own. */
  async replace(events: readonly TimedEvent[]): Promise<ReplacedSession | ConversationRefusal> {
    await this.pending.idle();
    await this.keeper?.idle();
    const { id, token, durableSeq } = this;
    if (token === undefined || this.isClosed)
      return refuse("read_only", `Session ${id} is not open for writing here; open it so.`);
    const over = this.lost ?? this.repaired;
    if (over !== undefined) return over;
    const records = firstRecords(events);
    const rows = records.map(encodeEvent);
    const tooLarge = refuseTooLarge(id, rows, this.ground.textBytes);
    if (tooLarge !== undefined) return tooLarge;
    const sums = sumsAfter(undefined, records, rows);
    const changeId = randomUUID();
    const backup = `${id.slice(0, longestKept)}-damaged-${changeId.slice(0, 8)}`;
    const change = { id, token, changeId, from: durableSeq, events: rows, sums };
    try {
      if (!(await this.ground.table.replace(change, backup))) return await this.refuseOvertaken(token);
    } catch (error) {
      const isWritten = isRolledBack(error) ? false : await this.look({ ...change, from: 0 });
      // What follows would else be written upon a state that may be gone.
      if (isWritten === undefined)
        this.repaired = refuse("conflict", `Session ${id} may be repaired by now; open it again to write.`);
      if (isWritten !== true) return this.refusedBy(error);
    }
    this.repaired = refuse("read_only", `Session ${id} was repaired; open it again to write.`);
    return { kind: "replaced", backup };
  }

  /** Somebody else has taken the lease. */
  lose(): void {
    if (this.lost === undefined) this.ground.asking.tell({ kind: "lease_lost", sessionId: this.id });
    this.lost ??= refuse(
      "busy",
      `The lease of session ${this.id} has passed to another program; open the session again.`,
    );
  }

  async close(): Promise<void> {
    await this.pending.idle();
    if (this.isClosed) return;
    this.isClosed = true;
    await this.keeper?.idle();
    this.onClose(this);
    if (this.token === undefined || this.lost !== undefined) return;
    try {
      await this.takeBackRefused(this.token);
      await this.ground.table.release(this.id, this.token);
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
    const tooLarge = refuseTooLarge(this.id, events, this.ground.textBytes);
    if (tooLarge !== undefined) return tooLarge;
    const sums = sumsAfter(this.sums, records, events);
    const { id, token, durableSeq } = this;
    const refusal = await this.commit({ id, token, changeId: randomUUID(), from: durableSeq, events, sums });
    if (refusal !== undefined) return refusal;
    this.sums = sums;
    this.durableSeq += records.length;
    this.keeper?.added(records);
    return undefined;
  }

  /** Tries until it is known whether the change took effect, or until the server was away for too long. */
  private async commit(change: Advance): Promise<ConversationRefusal | undefined> {
    const { asking } = this.ground;
    return await asking.measure("flush", async (tally) => {
      const patience = new Patience(asking.retryMs);
      for (;;) {
        const answer = await this.attempt(change, patience);
        if (answer !== "again") {
          if (answer === undefined) {
            tally.rows = change.events.length;
            tally.bytes = change.events.reduce((sum, { body }) => sum + body.length, 0);
          }
          return answer;
        }
        tally.retries += 1;
      }
    });
  }

  private async attempt(
    change: Advance,
    patience: Patience,
  ): Promise<ConversationRefusal | "again" | undefined> {
    const { table } = this.ground;
    let failure: unknown;
    try {
      await this.takeBackRefused(change.token);
      return (await table.advance(change)) ? undefined : await this.refuseOvertaken(change.token);
    } catch (error) {
      failure = error;
      if (isRolledBack(error)) return (await patience.goesOn(error)) ? "again" : this.refusedBy(error);
      this.isUndecided = true;
    }
    // Nothing is tried again before it is known that it is not there.
    for (;;) {
      const isWritten = await this.look(change);
      if (isWritten === true) {
        this.isUndecided = false;
        return undefined;
      }
      const goesOn = await patience.goesOn(failure);
      if (!goesOn) return this.refusedBy(failure);
      if (isWritten === false) return "again";
    }
  }

  private refusedBy(failure: unknown): ConversationRefusal {
    const refusal = refusalFrom(failure);
    if (refusal === undefined) throw failure;
    return refusal;
  }

  /** What was refused without knowing better is no part of the session. */
  private async takeBackRefused(token: string): Promise<void> {
    if (!this.isUndecided) return;
    const { id, durableSeq: seq, sums } = this;
    await this.ground.table.takeBack({ id, token, seq, sums });
    this.isUndecided = false;
  }

  /** Whether a change whose answer was lost is there; undefined where the server cannot be asked. */
  private async look(change: Advance): Promise<boolean | undefined> {
    try {
      return await this.ground.table.isWritten(change);
    } catch (error) {
      if (refusalFrom(error) === undefined) throw error;
      return undefined;
    }
  }

  private async refuseOvertaken(token: string): Promise<ConversationRefusal> {
    const now = await this.ground.table.holder(this.id);
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

/** The sums after these records, which come to these rows. */
export function sumsAfter(
  before: SessionSums | undefined,
  records: readonly JournalRecord[],
  events: readonly EncodedEvent[],
): SessionSums {
  const sums = addUp(before, records);
  const added = events.reduce((sum, event) => sum + sizeOf(event), 0);
  return { ...sums, sizeBytes: sums.sizeBytes + added };
}

/** With the texts and media beside it; one that is named twice counts twice. */
function sizeOf({ body, blobs }: EncodedEvent): number {
  return [...blobs.values()].reduce((sum, { length }) => sum + length, Buffer.byteLength(body) + 1);
}
