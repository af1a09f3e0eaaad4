import { type ConversationEvent, type JournalRecord, journalVersion } from "./event.js";
import type { ConversationRefusal } from "./refusal.js";
import type { Acknowledged, TimedEvent } from "./store.js";

/**
 * Puts records where they survive, all or none.
 *
 * @param records in the order of `seq`, never empty.
 * @returns why none of them is kept. Throws for bugs only.
 */
export type WriteRecords = (records: readonly JournalRecord[]) => Promise<ConversationRefusal | undefined>;

/**
 * What was appended to a session and is not acknowledged yet. One write runs at a time; what is appended
 * meanwhile goes with the next, all of it at once. A refused write drops all that waits, since later
 * events build on earlier ones, and is the answer to every flush that was asked for before it.
 */
export class PendingRecords {
  private waiting: JournalRecord[] = [];
  private turn: Promise<unknown> = Promise.resolve();
  private dropped = 0;
  private refusal: ConversationRefusal | undefined;

  /** @param durableSeq the last record that survives. */
  constructor(
    private durableSeq: number,
    private readonly write: WriteRecords,
  ) {}

  /** @returns the `seq` that the event got. */
  append({ ts, event }: TimedEvent): number {
    const seq = this.lastSeq() + 1;
    this.waiting.push(recordOf(seq, ts, event));
    return seq;
  }

  /** How often a refused write has dropped what waited. */
  get drops(): number {
    return this.dropped;
  }

  /** @returns the last record that survives, at least all that was appended before the call. */
  flush(): Promise<Acknowledged | ConversationRefusal> {
    const upTo = this.lastSeq();
    const { drops } = this;
    const answer = this.turn.then(() => this.settle(upTo, drops));
    this.turn = answer.catch(() => undefined);
    return answer;
  }

  /** Resolves when nothing is being written any more. */
  async settled(): Promise<void> {
    await this.turn;
  }

  private lastSeq(): number {
    return this.durableSeq + this.waiting.length;
  }

  private async settle(upTo: number, drops: number): Promise<Acknowledged | ConversationRefusal> {
    if (drops !== this.drops && this.refusal !== undefined) return this.refusal;
    if (this.durableSeq < upTo) {
      const records = [...this.waiting];
      const refusal = await this.write(records);
      if (refusal !== undefined) return this.drop(refusal);
      this.waiting = this.waiting.slice(records.length);
      this.durableSeq += records.length;
    }
    return { kind: "acknowledged", seq: this.durableSeq };
  }

  private drop(refusal: ConversationRefusal): ConversationRefusal {
    this.waiting = [];
    this.dropped += 1;
    this.refusal = refusal;
    return refusal;
  }
}

/** The record of the first events of a session, from 1. */
export function firstRecords(events: readonly TimedEvent[]): readonly JournalRecord[] {
  return events.map(({ ts, event }, at) => recordOf(at + 1, ts, event));
}

function recordOf(seq: number, ts: number, event: ConversationEvent): JournalRecord {
  return { v: journalVersion, seq, ts, event };
}
