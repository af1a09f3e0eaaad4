import type { ConversationEvent, JournalRecord } from "./event.js";
import { versionOf } from "./record-version.js";
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
  private queue: Promise<unknown> = Promise.resolve();
  private readonly sequence: PendingSequence;
  private refusal: ConversationRefusal | undefined;

  /** @param durableSeq the last record that survives. */
  constructor(
    durableSeq: number,
    private readonly write: WriteRecords,
  ) {
    this.sequence = new PendingSequence(durableSeq);
  }

  /** @returns the `seq` that the event got. */
  append({ ts, event }: TimedEvent): number {
    const seq = this.sequence.next();
    this.waiting.push(recordOf(seq, ts, event));
    return seq;
  }

  /** How often a refused write has dropped what waited. */
  get drops(): number {
    return this.sequence.drops;
  }

  /** @returns the last record that survives, at least all that was appended before the call. */
  flush(): Promise<Acknowledged | ConversationRefusal> {
    const upTo = this.sequence.lastSeq;
    const { drops } = this;
    const answer = this.queue.then(() => this.writeUpTo(upTo, drops));
    this.queue = answer.catch(() => undefined);
    return answer;
  }

  /** Resolves when nothing is being written any more. */
  async idle(): Promise<void> {
    await this.queue;
  }

  private async writeUpTo(upTo: number, drops: number): Promise<Acknowledged | ConversationRefusal> {
    if (drops !== this.drops && this.refusal !== undefined) return this.refusal;
    if (this.sequence.durableSeq < upTo) {
      const records = [...this.waiting];
      const refusal = await this.write(records);
      if (refusal !== undefined) return this.drop(refusal);
      this.waiting = this.waiting.slice(records.length);
      return this.sequence.acknowledge(this.sequence.durableSeq + records.length);
    }
    return this.sequence.acknowledge(this.sequence.durableSeq);
  }

  private drop(refusal: ConversationRefusal): ConversationRefusal {
    this.waiting = [];
    this.sequence.drop();
    this.refusal = refusal;
    return refusal;
  }
}

/**
 * The numbers of what was appended to a session: up to where it is durable, up to where it waits. What is
 * dropped gives its numbers back, since records are counted without gaps.
 */
export class PendingSequence {
  private last: number;
  private dropped = 0;

  /** @param durable the `seq` of the last record that survives. */
  constructor(private durable: number) {
    this.last = durable;
  }

  get durableSeq(): number {
    return this.durable;
  }

  /** Of all that was appended and not dropped. */
  get lastSeq(): number {
    return this.last;
  }

  /** How often what waited was dropped. */
  get drops(): number {
    return this.dropped;
  }

  /** @returns the `seq` of one more event. */
  next(): number {
    this.last += 1;
    return this.last;
  }

  /** What is durable now; without a number, all of it. */
  acknowledge(upTo: number = this.last): Acknowledged {
    this.durable = upTo;
    return { kind: "acknowledged", seq: upTo };
  }

  /** Nothing of what waits survives. */
  drop(): void {
    this.last = this.durable;
    this.dropped += 1;
  }
}

/** The record of the first events of a session, from 1. */
export function firstRecords(events: readonly TimedEvent[]): readonly JournalRecord[] {
  return events.map(({ ts, event }, at) => recordOf(at + 1, ts, event));
}

function recordOf(seq: number, ts: number, event: ConversationEvent): JournalRecord {
  return { v: versionOf(event), seq, ts, event };
}
