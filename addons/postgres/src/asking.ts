import { setTimeout as pause } from "node:timers/promises";
import type { ConversationRefusal } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { isClash, isUnavailable, refusalFrom } from "./faults.js";

/** What a store does with its server, as a metric names it. */
export type StoreOperation =
  | "prepare"
  | "create"
  | "open"
  | "flush"
  | "read_blob"
  | "list"
  | "search"
  | "remove"
  | "prune"
  | "snapshot"
  | "renew";

/** Something that a store tells those who watch it. A closed union by `kind`. */
export type StoreMetric =
  | {
      readonly kind: "operation";
      readonly operation: StoreOperation;
      /** From the call to its answer, all tries and pauses included. */
      readonly ms: number;
      /** Of tables, read or written. */
      readonly rows: number;
      /** Of texts and media in these rows. */
      readonly bytes: number;
      /** How often it was asked again. */
      readonly retries: number;
      readonly outcome: "done" | ConversationRefusal["code"];
    }
  /** A writer of this store may write no more: another program has its lease. */
  | { readonly kind: "lease_lost"; readonly sessionId: string };

/** Called with every metric, at once and in order. What it throws is dropped: watching changes nothing. */
export type MetricListener = (metric: StoreMetric) => void;

/** What one operation has moved so far. */
export interface Tally {
  rows: number;
  bytes: number;
  retries: number;
}

/** Asks the server what may be asked twice, patiently, and counts what that takes. */
export class Asking {
  /** @param retryMs for so long an operation waits for a server that is away. */
  constructor(
    readonly retryMs: number,
    private readonly listener: MetricListener | undefined,
  ) {}

  /** @returns what was answered, or why nobody could be asked. Throws what is a bug. */
  async ask<Answer>(
    operation: StoreOperation,
    question: (tally: Tally) => Promise<Answer>,
  ): Promise<Answer | ConversationRefusal> {
    return await this.measure(operation, (tally) => this.retry(tally, () => question(tally)));
  }

  /** A part of an operation that is measured as a whole. */
  async retry<Answer>(tally: Tally, question: () => Promise<Answer>): Promise<Answer | ConversationRefusal> {
    const patience = new Patience(this.retryMs);
    for (;;) {
      try {
        return await question();
      } catch (error) {
        if (await patience.goesOn(error)) {
          tally.retries += 1;
          continue;
        }
        const refusal = refusalFrom(error);
        if (refusal === undefined) throw error;
        return refusal;
      }
    }
  }

  /** The same for an operation that has its own way of trying again. */
  async measure<Answer>(operation: StoreOperation, work: (tally: Tally) => Promise<Answer>): Promise<Answer> {
    const tally: Tally = { rows: 0, bytes: 0, retries: 0 };
    const begun = performance.now();
    const answer = await work(tally);
    const isRefused = typeof answer === "object" && answer !== null && isRefusal(answer);
    // Only refusals of a store come out of a store.
    const outcome = isRefused ? (answer as unknown as ConversationRefusal).code : "done";
    this.tell({ kind: "operation", operation, ms: performance.now() - begun, ...tally, outcome });
    return answer;
  }

  tell(metric: StoreMetric): void {
    try {
      this.listener?.(metric);
    } catch {
      // Whoever watches must not change what is watched.
    }
  }
}

/** How long it is worth going on with one operation. */
export class Patience {
  private readonly end: number;
  private clashes = 0;
  private absences = 0;

  constructor(retryMs: number) {
    this.end = performance.now() + retryMs;
  }

  /** Waits a little where the same question may be answered next time. @returns false where it is the end. */
  async goesOn(error: unknown): Promise<boolean> {
    if (isClash(error)) {
      this.clashes += 1;
      if (this.clashes > mostClashes) return false;
      await pause(Math.random() * Math.min(100, 5 * this.clashes));
      return true;
    }
    if (!isUnavailable(error)) return false;
    this.absences += 1;
    // The first ones may be connections that broke long ago, each of which has to be found out.
    if (this.absences <= atOnce) return true;
    const left = this.end - performance.now();
    if (left <= 0) return false;
    await pause(Math.min(left, 1_000, 50 * 2 ** (this.absences - atOnce)));
    return true;
  }
}

const mostClashes = 20;
const atOnce = 2;
