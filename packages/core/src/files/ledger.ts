import { joinSpans, type LineSpan } from "./line-spans.js";

/**
 * What this session has read and written: a fold over its events. Read-before-write, "which version was
 * that" and "was this ever shown" are answered from it; it knows states by hash, never by time.
 */
export class Ledger {
  private readonly states = new Map<string, Map<string, LedgerRecord>>();

  /**
   * @param events in the order in which they happened, as a resumed session hands them over.
   * @param limit how many files are remembered, and how many states of each; the oldest go first. What is
   *   forgotten counts as never read. No limit unless given: a conversation keeps its own.
   */
  constructor(
    events: readonly LedgerEvent[] = [],
    private readonly limit = Number.POSITIVE_INFINITY,
  ) {
    for (const event of events) this.record(event);
  }

  record(event: LedgerEvent): void {
    const known = this.states.get(event.realPath) ?? new Map<string, LedgerRecord>();
    const before = known.get(event.sha256);
    const lines = event.shown === "window" ? (event.lines ?? []) : [];
    const isRead = event.kind === "read";
    known.set(event.sha256, {
      sha256: event.sha256,
      version: event.version,
      shownWhole: event.shown === "whole" || before?.shownWhole === true,
      shownLines: joinSpans([...(before?.shownLines ?? []), ...lines]),
      readWhole: (isRead && event.shown === "whole") || before?.readWhole === true,
      readLines: isRead ? joinSpans([...(before?.readLines ?? []), ...lines]) : (before?.readLines ?? []),
      written: event.kind === "write" || before?.written === true,
    });
    this.states.set(event.realPath, known);
    dropOldest(known, this.limit);
    dropOldest(this.states, this.limit);
  }

  /** The record of one state, if this session read or wrote it. */
  find(realPath: string, sha256: string): LedgerRecord | undefined {
    return this.states.get(realPath)?.get(sha256);
  }

  /** All states of a path that this session knows, in the order in which it first met them. */
  statesOf(realPath: string): readonly LedgerRecord[] {
    return [...(this.states.get(realPath)?.values() ?? [])];
  }

  /** The state of a path that was handed out last. */
  latestOf(realPath: string): LedgerRecord | undefined {
    let latest: LedgerRecord | undefined;
    for (const record of this.states.get(realPath)?.values() ?? [])
      if (latest === undefined || record.version > latest.version) latest = record;
    return latest;
  }
}

/** Whether anything of a state was shown to this session. */
export function wasSeen(record: LedgerRecord | undefined): record is LedgerRecord {
  return record !== undefined && (record.shownWhole || record.shownLines.length > 0);
}

export interface LedgerEvent {
  /** `told`: a writing tool's refusal or answer, by which nothing was read or written. */
  readonly kind: "read" | "write" | "told";
  readonly realPath: string;
  readonly sha256: string;
  readonly version: number;
  /** How much of the content was handed out, or follows from what was: all of it, some lines, or nothing. */
  readonly shown: "whole" | "window" | "none";
  /** The lines of a window. */
  readonly lines?: readonly LineSpan[];
}

export interface LedgerRecord {
  readonly sha256: string;
  /** The latest version under which this state was handed out. */
  readonly version: number;
  /** The caller knows all of it. */
  readonly shownWhole: boolean;
  /** The lines that the caller knows, where it does not know all. */
  readonly shownLines: readonly LineSpan[];
  /** The same for what a read handed out, word for word. */
  readonly readWhole: boolean;
  readonly readLines: readonly LineSpan[];
  readonly written: boolean;
}

function dropOldest<Value>(map: Map<string, Value>, limit: number): void {
  for (const key of map.keys()) {
    if (map.size <= limit) return;
    map.delete(key);
  }
}
