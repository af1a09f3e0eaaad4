/** What stands between a caller and a file that it may not know; each can be set by the host. */
export interface Guards {
  /**
   * What overwriting an existing file needs: `hash`, the state's hash; `read`, a read in this session of
   * the very state that is on disk; `warn`, nothing, but the answer warns. `hash` unless given; a tool whose
   * schema has no hash is held to `read` then.
   */
  readonly overwriteGuard: "hash" | "read" | "warn";
  /**
   * What an exact edit without a hash needs: `read` as above, or nothing (`atomic`): the text to be found is
   * then all that ties it to a state. `read` unless given.
   */
  readonly editGuard: "read" | "atomic";
  /** Paths (relative to their root) that are always edited as under `atomic`: an agent's memory. */
  readonly isMemory: (relativePath: string) => boolean;
  /**
   * What replacing all of a file needs beside its hash: `shown`, that every line of it was shown to the
   * caller or written by it; or nothing more (`hash`), for commands, which know no reads and take the hash
   * as a person's word. `shown` unless given.
   */
  readonly wholeReplacement: "shown" | "hash";
  /**
   * What a change gets whose base is not the disk any more. `rebase-own`: it is made on the present state where only
   * the caller's own calls changed the file since, and none of them its lines. `rebase`: also where others did, as
   * formatters do, and its text stands once in both states. `refuse`: never. `rebase-own` unless given.
   */
  readonly onMismatch: OnMismatch;
  /** A change may only touch lines that this session was shown of the state it changes. */
  readonly strictView: boolean;
  /** Paths (relative to their root) that are always written in place: open logs, bind mounts, watched files. */
  readonly isInPlace: (relativePath: string) => boolean;
  /** What can be written and not replaced is written in place (`auto`), or refused with this sentence on how to get that. */
  readonly inPlace?: "auto" | { readonly way: string };
}

/** The choices of `Guards.onMismatch`. */
export type OnMismatch = "rebase-own" | "refuse" | "rebase";

/** The guards of a workspace whose host sets none: an overwrite names its state, an edit asks for a read. */
export const defaultGuards: Guards = {
  overwriteGuard: "hash",
  editGuard: "read",
  isMemory: () => false,
  isInPlace: () => false,
  wholeReplacement: "shown",
  onMismatch: "rebase-own",
  strictView: false,
};
