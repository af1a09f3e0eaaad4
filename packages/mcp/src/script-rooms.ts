import type { SharedRoom } from "@holdfast/core/tools";

/** How much the scripts of a client's model have been answered with; what one prints is cut as a whole. */
export class ScriptRooms {
  private readonly taken = new Map<string, number>();

  /**
   * The room of one script.
   *
   * @param bytes what may reach the model of all its answers, if it prints them whole.
   */
  of(script: string, bytes: number): SharedRoom {
    return {
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

/** Of any answer the status and the head of a file are to arrive. */
const leastBytes = 1_500;
/** Side by side in one session, by its agents. */
const mostScripts = 100;
