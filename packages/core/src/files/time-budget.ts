import type { WorkspacePorts } from "./ports.js";

/**
 * The time that one request may take, and the slices in which it takes it: whatever loops over something that a
 * repository or a caller can make long asks `isSpent` and awaits `rest` in between.
 */
export class TimeBudget {
  private readonly until: number;
  private rested: number;

  /** @param limitMs from now on. */
  constructor(
    private readonly ports: Pick<WorkspacePorts, "clock" | "nextTurn">,
    limitMs: number,
  ) {
    this.rested = ports.clock.now();
    this.until = this.rested + limitMs;
  }

  /** Whether the time is up. */
  isSpent(): boolean {
    return this.ports.clock.now() > this.until;
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
}

/** Far below the 50 ms that the thread may be held, since what runs between two questions adds to it. */
const sliceMs = 10;
