/** What a line of a client may be in place of a message. */
export type BadLine = "no-json" | "no-message";

/**
 * Counts lines that are no message. A client may send them without end: the first of each kind is told, and at the end
 * the number of each kind that came more than once. What is told holds no text of the client and none of a parser.
 */
export class BadLines {
  private readonly counts: Record<BadLine, number> = { "no-json": 0, "no-message": 0 };

  constructor(private readonly tell: (error: Error) => void) {}

  add(kind: BadLine): void {
    this.counts[kind] += 1;
    if (this.counts[kind] === 1)
      this.tell(new Error(`A line of the client ${words[kind].one}; it was left out.`));
  }

  /** Tells the totals, once the connection is over. */
  end(): void {
    for (const kind of ["no-json", "no-message"] as const)
      if (this.counts[kind] > 1)
        this.tell(
          new Error(`${this.counts[kind]} lines of the client ${words[kind].many}; they were left out.`),
        );
  }
}

const words: Readonly<Record<BadLine, { readonly one: string; readonly many: string }>> = {
  "no-json": { one: "is not JSON", many: "were not JSON" },
  "no-message": { one: "is JSON but no message of JSON-RPC", many: "were JSON but no messages of JSON-RPC" },
};
