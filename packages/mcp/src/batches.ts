import type { JSONRPCMessage } from "@modelcontextprotocol/server";

/** The requests of one line that have no answer yet, and the answers that are there. */
interface Batch {
  readonly open: Set<string | number>;
  readonly answers: JSONRPCMessage[];
}

/** The only revision with batches: several messages in one line, whose answers come in one line, too. */
export const batchRevision = "2025-03-26";

/** Gathers the answers to each batch. */
export class Batches {
  private readonly batches = new Set<Batch>();

  /** These messages came in one line. */
  begin(messages: readonly JSONRPCMessage[]): void {
    const ids = messages.flatMap((one) =>
      "method" in one && "id" in one && one.id !== undefined ? [one.id] : [],
    );
    if (ids.length > 0) this.batches.add({ open: new Set(ids), answers: [] });
  }

  /**
   * A request of a batch is over.
   *
   * @param answer its answer; none for a call that the client cancelled.
   * @returns the answers to be sent now; undefined where it is of no batch.
   */
  end(id: string | number | undefined, answer?: JSONRPCMessage): readonly JSONRPCMessage[] | undefined {
    for (const batch of this.batches) {
      if (id === undefined || !batch.open.delete(id)) continue;
      if (answer !== undefined) batch.answers.push(answer);
      if (batch.open.size > 0) return [];
      this.batches.delete(batch);
      return batch.answers;
    }
    return undefined;
  }
}
