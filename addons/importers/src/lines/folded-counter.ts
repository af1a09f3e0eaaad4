import type { FoldedLines } from "@holdfast/core/conversation/import";

/** Counts the lines of a file that are no turns: they are told in one line, and are no nodes. */
export class FoldedCounter {
  private readonly counts = new Map<string, number>();

  add(kind: string, count = 1): void {
    const known = this.counts.has(kind) || this.counts.size < mostKinds;
    const short = known ? kind.slice(0, mostUnits) : "other";
    this.counts.set(short, (this.counts.get(short) ?? 0) + count);
  }

  /** The most frequent first. */
  all(): readonly FoldedLines[] {
    const all = [...this.counts].map(([kind, count]): FoldedLines => ({ kind, count }));
    return all.toSorted((a, b) => b.count - a.count);
  }
}

/** Of several files together. */
export function foldedIn(counters: readonly FoldedCounter[]): readonly FoldedLines[] {
  const sum = new FoldedCounter();
  for (const counter of counters) for (const { kind, count } of counter.all()) sum.add(kind, count);
  return sum.all();
}

/** Whoever wrote the file chose the names. */
const mostKinds = 40;
const mostUnits = 64;
