import type { ConversationEvent } from "../values/event.js";
import type { ConversationContext } from "../values/node.js";
import { type ConversationRefusal, isRefusal, refuse } from "../values/refusal.js";
import type { Acknowledged, OpenSession } from "../values/store.js";
import { checkEvent, checkFrame } from "./checks.js";
import { applyEvent } from "./fold.js";

/** Called with every change; `undefined` where pending changes were taken back because they could not be kept. */
export type ContextListener = (context: ConversationContext, event: ConversationEvent | undefined) => void;

/** An event, and how much of it was checked before: the payloads and metadata of its nodes, or nothing. */
interface CheckedEvent {
  readonly event: ConversationEvent;
  readonly checked: "nodes" | "nothing";
}

/** A conversation that was read from a session. */
export interface StoredContext {
  readonly session: OpenSession;
  readonly context: ConversationContext;
  /** Whether all of the journal took effect: only then may what it came to be kept in its place. */
  readonly isWhole?: boolean;
}

/**
 * The one mutable cell of a conversation and its journal. An event takes effect here and is on its way to the
 * session at once; where the session drops it, the conversation goes back.
 */
export class JournaledContext {
  private value: ConversationContext;
  private acknowledged: ConversationContext;
  /** What was done since the last acknowledgement, and what the conversation was after each. */
  private pending: { readonly seq: number; readonly context: ConversationContext }[] = [];
  private readonly listeners = new Set<ContextListener>();
  /** What the listeners are to be notified of; the first is being delivered. */
  private notifications: {
    readonly context: ConversationContext;
    readonly event: ConversationEvent | undefined;
  }[] = [];
  /** How many drops of the session the conversation has gone back for. */
  private drops: number;
  private closed = false;
  private readonly session: OpenSession | undefined;
  /** Of a conversation in memory. */
  private seq = 1;

  /**
   * @param stored where the events are kept; without one the conversation lives in memory.
   * @param now milliseconds since the epoch.
   */
  constructor(
    begun: ConversationContext,
    private readonly stored: Omit<StoredContext, "context"> | undefined,
    private readonly now: () => number,
  ) {
    this.value = begun;
    this.acknowledged = begun;
    this.session = stored?.session;
    this.drops = this.session?.drops ?? 0;
  }

  /** The state at this moment. */
  get current(): ConversationContext {
    return this.value;
  }

  /** Why nothing can be changed; `undefined` where it can. */
  get readOnly(): ConversationRefusal | undefined {
    if (this.closed) return refuse("read_only", "The conversation was closed; open it again to go on.");
    if (this.session === undefined || this.session.mode === "write") return undefined;
    return (
      this.session.readOnlyBecause ??
      refuse("read_only", "The session was opened for reading; open it for writing, or fork it.")
    );
  }

  /** @returns what undoes the subscription. */
  subscribe(listener: ContextListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Lets an event take effect, as a whole. @returns `answer`, or why the event cannot follow. */
  change<Answer extends object>(
    { event, checked }: CheckedEvent,
    answer: () => Answer,
  ): Answer | ConversationRefusal {
    const { readOnly } = this;
    if (readOnly !== undefined) return readOnly;
    this.goBack();
    const flawed = checked === "nodes" ? checkFrame(event) : checkEvent(event);
    if (flawed !== undefined) return flawed;
    const next = applyEvent(this.value, event);
    if (isRefusal(next)) return next;
    const ts = this.now();
    if (!Number.isFinite(ts)) throw new Error("the clock of a conversation must tell milliseconds");
    this.value = next;
    const seq = this.session?.append({ ts, event });
    if (seq === undefined) this.seq += 1;
    else this.pending.push({ seq, context: next });
    // Before anybody is told, who may go on from there.
    const answered = answer();
    this.notify(event);
    return answered;
  }

  /** See `ContextManager.flush`. */
  async flush(): Promise<Acknowledged | ConversationRefusal> {
    if (this.session === undefined) return { kind: "acknowledged", seq: this.seq };
    const answer = await this.session.flush();
    if (isRefusal(answer)) {
      this.goBack();
      return answer;
    }
    this.acknowledged = this.pending.findLast(({ seq }) => seq <= answer.seq)?.context ?? this.acknowledged;
    this.pending = this.pending.filter(({ seq }) => seq > answer.seq);
    if (this.stored?.isWhole === true) this.session?.keepState?.(this.acknowledged, answer.seq);
    return answer;
  }

  /** Flushes, and gives the session back. @returns what the flush was refused with. */
  async close(): Promise<ConversationRefusal | undefined> {
    if (this.closed) return undefined;
    const flushed = this.readOnly === undefined ? await this.flush() : undefined;
    this.closed = true;
    await this.session?.close();
    return flushed !== undefined && isRefusal(flushed) ? flushed : undefined;
  }

  /**
   * Where the session has dropped what was pending, the conversation goes back with it: once for each time,
   * however many flushes are answered by it, and before anything is added to what is no more.
   */
  private goBack(): void {
    const drops = this.session?.drops ?? this.drops;
    if (drops === this.drops) return;
    this.drops = drops;
    this.pending = [];
    this.value = this.acknowledged;
    this.notify(undefined);
  }

  /** One after the other, also where a listener changes the conversation. */
  private notify(event: ConversationEvent | undefined): void {
    this.notifications.push({ context: this.value, event });
    if (this.notifications.length > 1) return;
    try {
      for (const notification of this.notifications)
        for (const listener of this.listeners) listener(notification.context, notification.event);
    } finally {
      this.notifications = [];
    }
  }
}
