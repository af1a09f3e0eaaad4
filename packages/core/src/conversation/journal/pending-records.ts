import type { ConversationEvent, JournalRecord } from "../values/event.js";
import { versionOf } from "../values/record-version.js";
import type { ConversationRefusal } from "../values/refusal.js";
import type { Acknowledged, TimedEvent } from "../values/store.js";

/** Where the records of one session are put. What is thrown is a bug. */
interface RecordSink<Item> {
  /** What waits in place of a record, such as its line; asked for when it is appended. */
  prepare(record: JournalRecord): Item;
  /**
   * Puts items where they survive, all or none, and with them what was put ahead.
   *
   * @param items in the order of `seq`; none where nothing waits.
   * @returns why nothing is kept of all that was put there since this last succeeded.
   */
  keep(items: readonly Item[]): Promise<ConversationRefusal | undefined>;
  /** Puts items where they need not survive before the next `keep`. */
  keepAhead?(items: readonly Item[]): Promise<ConversationRefusal | undefined>;
  /** Called when all that waits is dropped. */
  dropped?(): void;
}

/**
 * What was appended to a session and is not acknowledged yet: the one queue of every store. One write runs at
 * a time; what is appended meanwhile goes with the next, all of it at once. A refused write drops all that
 * waits, since later events build on earlier ones, and is the answer to every flush that was asked for before
 * it. What is dropped gives its numbers back, since records are counted without gaps.
 */
export class PendingRecords<Item> {
  private waiting: Item[] = [];
  /** How many are put ahead, behind the durable ones. */
  private ahead = 0;
  private queue: Promise<unknown> = Promise.resolve();
  private dropCount = 0;
  /** What the last drop was for. */
  private refusal: ConversationRefusal | undefined;
  /** Why what was to be put ahead is not there: the answer to the next flush. */
  private failure: ConversationRefusal | undefined;

  /** @param durableSeq the last record that survives. */
  constructor(
    private durableSeq: number,
    private readonly sink: RecordSink<Item>,
  ) {}

  /** @returns the `seq` that the event got. */
  append({ ts, event }: TimedEvent): number {
    const seq = this.lastSeq + 1;
    this.waiting.push(this.sink.prepare(recordOf(seq, ts, event)));
    return seq;
  }

  /** How often a refused write has dropped what waited. */
  get drops(): number {
    return this.dropCount;
  }

  /** @returns the last record that survives, at least all that was appended before the call. */
  flush(): Promise<Acknowledged | ConversationRefusal> {
    const { drops } = this;
    return this.inTurn(() => this.write(drops));
  }

  /** Puts what waits where it need not survive yet; a failure is the answer to the next flush. */
  putAhead(): Promise<void> {
    return this.inTurn(async () => {
      const { sink } = this;
      if (this.waiting.length === 0 || this.failure !== undefined || sink.keepAhead === undefined) return;
      const items = [...this.waiting];
      this.failure = await sink.keepAhead(items);
      if (this.failure !== undefined) return;
      this.waiting = this.waiting.slice(items.length);
      this.ahead += items.length;
    });
  }

  /** Resolves when nothing is being written any more. */
  async idle(): Promise<void> {
    await this.queue;
  }

  /** Of all that was appended and not dropped. */
  private get lastSeq(): number {
    return this.durableSeq + this.ahead + this.waiting.length;
  }

  private inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const answer = this.queue.then(work);
    this.queue = answer.catch(() => undefined);
    return answer;
  }

  private async write(drops: number): Promise<Acknowledged | ConversationRefusal> {
    if (drops !== this.drops && this.refusal !== undefined) return this.refusal;
    const items = [...this.waiting];
    const refusal = this.failure ?? (await this.sink.keep(items));
    if (refusal !== undefined) return this.drop(refusal);
    this.waiting = this.waiting.slice(items.length);
    this.durableSeq += this.ahead + items.length;
    this.ahead = 0;
    return { kind: "acknowledged", seq: this.durableSeq };
  }

  private drop(refusal: ConversationRefusal): ConversationRefusal {
    this.waiting = [];
    this.ahead = 0;
    this.dropCount += 1;
    this.refusal = refusal;
    this.failure = undefined;
    this.sink.dropped?.();
    return refusal;
  }
}

/** The record of the first events of a session, from 1. */
export function firstRecords(events: readonly TimedEvent[]): readonly JournalRecord[] {
  return events.map(({ ts, event }, at) => recordOf(at + 1, ts, event));
}

function recordOf(seq: number, ts: number, event: ConversationEvent): JournalRecord {
  return { v: versionOf(event), seq, ts, event };
}
