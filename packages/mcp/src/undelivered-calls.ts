import type { MadeState } from "@holdfast/core/files";
import type { ToolRun } from "@holdfast/core/tools";

type Id = string | number;

/** A call of which the client was not given an answer yet. */
interface Undelivered {
  readonly id: Id;
  /** The state that it made, once it is over; undefined where it made none. */
  readonly made: Promise<MadeState | undefined>;
  isOver: boolean;
}

/**
 * The calls of one connection whose answers were not written out: those in flight, and those whose client went
 * on without an answer. The same call again, with the same arguments, is then known for a repeat. After a
 * restart nothing is known of them: a base has to say it.
 */
export class UndeliveredCalls {
  /** By name and arguments, in the order of arrival. */
  private readonly calls = new Map<string, Undelivered>();
  private readonly keys = new Map<Id, string>();
  private units = 0;

  /**
   * Carries a call out, after the same call where that was not answered.
   *
   * @param work `repeats`: the state that the same call came to. As long as that stands, nothing is done again.
   */
  async run(
    id: Id,
    name: string,
    args: Readonly<Record<string, unknown>>,
    work: (repeats?: MadeState) => Promise<ToolRun>,
  ): Promise<ToolRun> {
    const key = keyOf(name, args);
    const earlier = this.calls.get(key);
    // Its answer, should it still come, answers no more for this one.
    if (earlier !== undefined) this.forget(key, earlier.id);
    // The first of its kind is begun at once: the order of arrival is the order of the calls.
    const run = earlier === undefined ? work() : earlier.made.then(work);
    const made = run.then(madeBy, () => undefined);
    const call: Undelivered = { id, made, isOver: false };
    this.remember(key, call);
    try {
      return await run;
    } finally {
      call.isOver = true;
      this.dropOldest();
    }
  }

  /** The answer to this request was written out. */
  delivered(id: Id): void {
    const key = this.keys.get(id);
    if (key !== undefined) this.forget(key, id);
  }

  private remember(key: string, call: Undelivered): void {
    this.calls.set(key, call);
    this.keys.set(call.id, key);
    this.units += key.length;
  }

  private forget(key: string, id: Id): void {
    if (this.calls.get(key)?.id === id) this.calls.delete(key);
    if (this.keys.delete(id)) this.units -= key.length;
  }

  /** A client that cancels all it asks for must not fill the memory. */
  private dropOldest(): void {
    for (const [key, { id, isOver }] of this.calls) {
      if (this.calls.size <= limitCalls && this.units <= limitUnits) return;
      if (isOver) this.forget(key, id);
    }
  }
}

const limitCalls = 1_000;
/** Of names and arguments together, in UTF-16 units. */
const limitUnits = 4 * 1024 * 1024;

/** The state speaks for the call only as long as it stands: what was undone since is made again. */
function madeBy({ result }: ToolRun): MadeState | undefined {
  if (result.kind !== "write") return undefined;
  const { code, state } = result.outcome;
  const isMade = code === "applied" || code === "already_applied";
  return isMade && state !== null ? { sha256: state.sha256 } : undefined;
}

/** The order in which a client writes arguments says nothing. */
function keyOf(name: string, args: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(args).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([name, sorted]);
}
