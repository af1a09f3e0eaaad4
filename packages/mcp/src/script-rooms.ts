import type { SharedRoom } from "@holdfast/core/tools";
import type { factsOfCall } from "./hosts.js";

/** What the scripts of a client's model have been answered with; what one prints is cut as a whole. */
export class ScriptRooms {
  private readonly taken = new Map<string, number>();
  private readonly held = new Set<Caller & { end(): void }>();

  /**
   * The room of the script that makes a call. What the other scripts of its thread have read counts as shown from here on.
   *
   * @param bytes what may reach the model of all its answers, if it prints them whole.
   * @returns undefined for a call that the model makes itself.
   */
  of(caller: Caller, bytes: number): SharedRoom | undefined {
    const { thread, script } = caller;
    for (const one of this.held)
      if (one.thread === thread && one.script !== script && this.held.delete(one)) one.end();
    if (script === undefined) return undefined;
    return {
      hold: (end) => void this.held.add({ ...caller, end }),
      left: () => {
        const left = Math.max(leastBytes, bytes - (this.taken.get(script) ?? 0));
        return { budgetChars: left, within: { printedBytes: left } };
      },
      take: (size) => {
        this.taken.set(script, (this.taken.get(script) ?? 0) + size);
        const [oldest] = this.taken.keys();
        if (this.taken.size > mostScripts && oldest !== undefined) this.taken.delete(oldest);
      },
    };
  }
}

type Caller = Omit<ReturnType<typeof factsOfCall>, "isReadOnly">;

/** Of any answer the status and the head of a file are to arrive. */
const leastBytes = 1_500;
/** Side by side in one session, by its agents. */
const mostScripts = 100;
