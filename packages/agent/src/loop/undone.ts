import type { TurnEnd } from "./turn.js";

/** A call about files, and how it ended. */
export interface FileCall {
  readonly callId: string;
  readonly name: string;
  readonly code: string;
  readonly isError: boolean;
  /** What it was to change: paths, or the words of a command. */
  readonly about: readonly string[];
}

/**
 * What a turn left undone: for each file the last write, where that was denied, stood against another state or failed for the machine. A later
 * write that was made, by whatever tool, takes it off the list.
 */
export class Undone {
  readonly #open = new Map<string, TurnEnd["undone"][number]>();

  add({ about, isError, callId, name, code }: FileCall): void {
    for (const what of about) {
      if (!isError) this.#open.delete(what);
      else if (undoneCodes.has(code)) this.#open.set(what, { callId, name, code });
    }
  }

  /** Each call once, in the order in which it was left. */
  get list(): TurnEnd["undone"] {
    return [...new Map([...this.#open.values()].map((one) => [one.callId, one])).values()];
  }
}

/** Codes of writes that were denied, refused for the state they stood against, or failed for want of what the machine has. */
const undoneCodes: ReadonlySet<string> = new Set([
  "denied",
  "read_only",
  "protected_path",
  "outside_workspace",
  "root_changed",
  "state_mismatch",
  "unknown_base",
  "missing_base",
  "not_read",
  "unseen_lines",
  "not_agreed",
  "exists",
  "busy",
  "disk_full",
  "permission_denied",
  "cannot_preserve",
  "timeout",
  "internal_error",
  "files_in_conflict",
  "files_refused",
]);
