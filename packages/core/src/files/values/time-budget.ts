import type { Steps } from "../../text/index.js";
import type { WorkspacePorts } from "./ports.js";
import { type Refusal, refuse } from "./refusal.js";

/**
 * The time that one request may take, and the slices in which it takes it: whatever loops over something that a
 * repository or a caller can make long asks `isSpent` and awaits `rest` in between.
 */
export class TimeBudget {
  private until: number;
  private rested: number;
  private pauses = 0;
  private isLarge = false;

  /** @param limitMs from now on; without it the work takes as long as it takes, in the same slices. */
  constructor(
    private readonly ports: Pick<WorkspacePorts, "clock" | "nextTurn">,
    private readonly limitMs = Number.POSITIVE_INFINITY,
  ) {
    this.rested = ports.clock.now();
    this.until = this.rested + limitMs;
  }

  /** Begins anew: what was waited for until now, as for a lock, does not count. */
  start(): void {
    this.rested = this.ports.clock.now();
    this.until = this.rested + this.limitMs;
    this.pauses = 0;
    this.isLarge = false;
  }

  /** Whether the time is up. */
  isSpent(): boolean {
    return this.ports.clock.now() > this.until;
  }

  /** How much of the time is left, in milliseconds; infinite without a limit. */
  leftMs(): number {
    return Math.max(0, this.until - this.ports.clock.now());
  }

  /** Whether the thread was held for long enough. */
  isDue(): boolean {
    return this.ports.clock.now() - this.rested >= sliceMs;
  }

  /** Lets what else waits in this process have its turn, if a slice is over; else it costs next to nothing. */
  async rest(): Promise<void> {
    if (!this.isDue()) return;
    await this.ports.nextTurn?.();
    this.rested = this.ports.clock.now();
  }

  /**
   * Rests, if a slice is over, and leaves the time of the others out: a change that fits is not refused for their work.
   * Between two passes over a file this is all the rest there is, and within the work that grows faster than its input.
   *
   * @param size of what is gone through next, in bytes.
   * @returns `timeout` where the time is up, and there was much to do.
   */
  async pause(size = 0): Promise<Refusal<"timeout"> | undefined> {
    this.pauses += 1;
    this.isLarge ||= size > largeSize;
    const begun = this.ports.clock.now();
    if (begun - this.rested >= sliceMs) {
      await this.rest();
      this.until += this.rested - begun;
    }
    return (this.isLarge || this.pauses > fewPauses) && this.isSpent() ? timeUp : undefined;
  }
}

/** Small work is over before: no clock is believed about it, since a person may set one and a machine may sleep. */
const fewPauses = 8;

/**
 * Takes the steps of some work in turns with the rest of the process.
 *
 * @returns `timeout` where the budget is spent before; what was done so far is dropped.
 */
export async function takeSteps<Result>(
  steps: Steps<Result>,
  budget: TimeBudget,
): Promise<Result | Refusal<"timeout">> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const late = await budget.pause();
    if (late !== undefined) return late;
  }
}

/** Takes the steps in turns with the rest of the process, whether the budget is spent or not. */
export async function finishSteps<Result>(steps: Steps<Result>, budget: TimeBudget): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await budget.rest();
  }
}

/** In bytes. What is no larger is decoded and hashed anew in a millisecond or two, however often. */
export const largeSize = 1 << 20;

export const timeUp = refuse(
  "timeout",
  "The change took too long to make: it has too many places, or the file is too large for it. Nothing was written; change less of it at once.",
);

/** Far below the 50 ms that the thread may be held, since what runs between two questions adds to it. */
const sliceMs = 10;
