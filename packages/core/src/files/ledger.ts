/**
 * What this session has read and written: a fold over its events. Read-before-write, "which version was
 * that" and "was this ever shown" are answered from it; it knows states by hash, never by time.
 */
export class Ledger {
  private readonly states = new Map<string, Map<string, LedgerRecord>>();

  /** @param events in the order in which they happened, as a resumed session hands them over. */
  constructor(events: readonly LedgerEvent[] = []) {
    for (const event of events) this.record(event);
  }

  record(event: LedgerEvent): void {
    const known = this.states.get(event.realPath) ?? new Map<string, LedgerRecord>();
    const before = known.get(event.sha256);
    known.set(event.sha256, {
      sha256: event.sha256,
      version: event.version,
      shownWhole: event.shown === "whole" || before?.shownWhole === true,
      written: event.kind === "write" || before?.written === true,
    });
    this.states.set(event.realPath, known);
  }

  /** The record of one state, if this session read or wrote it. */
  find(realPath: string, sha256: string): LedgerRecord | undefined {
    return this.states.get(realPath)?.get(sha256);
  }

  /** All states of a path that this session knows, in the order in which it first met them. */
  statesOf(realPath: string): readonly LedgerRecord[] {
    return [...(this.states.get(realPath)?.values() ?? [])];
  }
}

export interface LedgerEvent {
  readonly kind: "read" | "write";
  readonly realPath: string;
  readonly sha256: string;
  readonly version: number;
  /** How much of the content was handed out: all of it, a window, or none. */
  readonly shown: "whole" | "window" | "none";
}

export interface LedgerRecord {
  readonly sha256: string;
  /** The latest version under which this state was handed out. */
  readonly version: number;
  readonly shownWhole: boolean;
  readonly written: boolean;
}
