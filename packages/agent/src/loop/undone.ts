import { hasTrait } from "@holdfast/core/files/values";
import type { EndedCall, TurnEnd } from "./turn.js";

/** A call that was to change something, and how it ended. */
interface WritingCall extends Pick<EndedCall, "callId" | "name" | "code" | "isError"> {
  readonly about: CallAim;
}

/** What a call was to do: change files, run something, move the head. */
export interface CallAim {
  readonly kind: "files" | "other";
  /** Paths, or the call by its name where it has none; empty for a call that only looks. */
  readonly what: readonly string[];
}

/**
 * What a turn left undone: for each file the last change, where that was refused, whatever the code. A change that was made
 * in a later answer, by whatever tool, takes its file off the list; one of the same answer was made without knowing of the
 * refusal, so it does not.
 *
 * What changes no files itself counts only where it was denied, stood in conflict or failed for the machine: that a command
 * ended with an error is a fact for the model, and often what it looked for.
 */
export class Undone {
  readonly #open = new Map<string, TurnEnd["undone"][number]>();

  /** Takes in the calls of one answer. */
  add(calls: readonly WritingCall[]): void {
    for (const { isError, about } of calls) {
      if (!isError) for (const what of about.what) this.#open.delete(what);
    }
    for (const { about, isError, callId, name, code } of calls) {
      if (!isError || (about.kind === "other" && !hasTrait(code, "undone"))) continue;
      for (const what of about.what) this.#open.set(what, { callId, name, code });
    }
  }

  /** Each call once, in the order in which it was left. */
  get list(): TurnEnd["undone"] {
    return [...new Map([...this.#open.values()].map((one) => [one.callId, one])).values()];
  }
}
