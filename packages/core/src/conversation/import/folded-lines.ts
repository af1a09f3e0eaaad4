/** Lines that are no turns, of one kind. */
export interface FoldedLines {
  /** As the other program calls it. */
  readonly kind: string;
  readonly count: number;
}

/** In one line: "12 lines that are no turns (progress 10, mode 2)"; nothing where there are none. */
export function foldedText(folded: readonly FoldedLines[]): string | undefined {
  const count = folded.reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return undefined;
  const lines =
    count === 1 ? "1 line that is no turn" : `${count.toLocaleString("en")} lines that are no turns`;
  return `${lines} (${folded.map((one) => `${one.kind} ${one.count.toLocaleString("en")}`).join(", ")})`;
}
