import { escapeForDisplay } from "../../text/index.js";

/** The disk failed: not an answer but a fault. Everything staged has been cleaned up before it is thrown. */
export class DiskFault extends Error {
  override readonly name = "DiskFault";

  /**
   * @param operation the system call that failed, as `fsync`.
   * @param code the system's code, as `EIO`.
   * @param state what stands on the disk now: the old state, the new one (visible, although it may not
   *   survive a power cut), after a failed write in place that could not be taken back, a mixture, or,
   *   after a change set that could not be taken back, some files old and some new.
   */
  constructor(
    readonly operation: string,
    readonly code: string,
    readonly path: string,
    readonly state: FaultState,
    cause: unknown,
  ) {
    const shown = escapeForDisplay(path);
    super(`the disk failed at ${operation} (${code}) of ${shown}: ${stateSentences[state]}`, { cause });
  }
}

/** What a failed disk left behind; the constructor of `DiskFault` explains each word. */
export type FaultState = "unchanged" | "visible" | "mixed" | "divided";

const stateSentences: Readonly<Record<FaultState, string>> = {
  unchanged: "nothing was changed",
  visible: "the new state is visible, but may not survive a power cut",
  mixed: "the file holds a mixture of old and new; restore it",
  divided:
    "some files of the change set are new and some old; the next call that touches one of them takes the set back",
};
