import type { Changed, Committed, Expected, GivenAccess, ReplacedFile, Target } from "./disk.js";
import type { HistoryEntry, Operation } from "./operation.js";
import type { Refusal } from "./refusal.js";

/** States of files by SHA-256, outside the project. What is gone is gone: `undefined`, never wrong bytes. */
export interface BlobStore {
  /**
   * Keeps the bytes. Failing to keep them is told by `false`.
   *
   * @param care `sure` proves by its hash that what is there already is whole.
   */
  put(sha256: string, bytes: Uint8Array, care?: "sure"): Promise<boolean>;
  /** Whether a state is there, without reading it: `get` may still find it damaged. */
  has(sha256: string): Promise<boolean>;
  get(sha256: string): Promise<Uint8Array | undefined>;
  /**
   * Keeps a state that only adds bytes to another one, `before`, for less than all of its bytes where that can be. As
   * `put` else.
   *
   * @param before the state that it begins with, and its length in bytes.
   */
  putLonger(
    sha256: string,
    bytes: Uint8Array,
    before: { readonly sha256: string; readonly length: number },
  ): Promise<boolean>;
}

/**
 * States of files that may hold secrets, each of one file: the same bytes of another file are another state, and
 * nothing here is ever found by a hash alone. What is gone or older than its days is `undefined`.
 */
export interface SecretStore {
  /**
   * Keeps the bytes for so many days from now. Failing to keep them is told by `false`.
   *
   * @param realPath the file that they are a state of.
   */
  put(
    realPath: string,
    state: { readonly sha256: string; readonly bytes: Uint8Array; readonly days: number },
  ): Promise<boolean>;
  /** Whether a state is there, without reading it: `get` may still find it damaged. */
  has(realPath: string, sha256: string): Promise<boolean>;
  get(realPath: string, sha256: string): Promise<Uint8Array | undefined>;
  /**
   * Notes that a state of this file belongs here, whether it is kept or not: nothing of its bytes is in the note, and
   * the note stays when they go. Failing to is told by `false`.
   */
  mark(realPath: string, sha256: string): Promise<boolean>;
  /** Whether a state is there or noted. */
  belongs(realPath: string, sha256: string): Promise<boolean>;
}

/** The operation log, read by path: what undo, log, restore and `already_applied` are answered from. */
export interface HistoryStore {
  /** Adds a write that `ChangeSets` did not make, such as another program's; nothing is refused where that cannot be done. */
  record(write: HistoryEntry): Promise<void>;
  /** Oldest first. Damaged lines are left out. */
  entries(realPath: string): Promise<readonly HistoryEntry[]>;
  /** Records a state that was read, unless its last record is the same; nothing is refused where that cannot be done. */
  noteRead?(read: HistoryEntry): Promise<void>;
  /** The real paths of the files that were written for a conversation (`HistoryEntry.caller`). */
  ofConversation?(conversation: string): Promise<readonly string[]>;
  /** Those to the file of another folder, which had the place of the root before: told, never gone back to. */
  ofOtherFolder?(realPath: string): Promise<readonly HistoryEntry[]>;
  /** The real paths of the files that were written together; undefined where that is not kept any more. */
  together(changeSet: string): Promise<readonly string[] | undefined>;
  /** What was done from a moment on in all folders, as it was recorded; without what a release before recorded by path. */
  since?(time: number): Promise<readonly Operation[]>;
}

/**
 * The one way to write: takes the steps of some files as one, all of them or none, whatever fails or is killed in
 * between. Every write, apply, restore and undo comes down to it.
 */
export interface ChangeSets {
  /**
   * Records what is about to happen, stages everything, looks at every target once more, takes the steps
   * in their order, and records each in the history. Where one cannot be taken those before it are taken
   * back; what a kill interrupts is finished or taken back at the next start, and before anybody else
   * gets the lock of one of the files.
   *
   * @param changeSet undefined for one file of bytes alone, in whose place it is written or not: that is a set without a
   *   record of its own, and it is undone alone.
   * @param steps each of another real path, whose lock the caller holds.
   * @param guard asked right before the first step; `false` refuses with `busy` (a lost lock).
   * @throws DiskFault where the disk fails; its state says whether everything was taken back.
   */
  commit(
    changeSet: string | undefined,
    steps: readonly SetStep[],
    guard: () => Promise<boolean>,
  ): Promise<SetCommitted | SetStopped | Refusal>;
}

/** What is to become of one file of a change set. */
export interface SetStep {
  /** For the history, with the hashes before and after: they differ, or `executable` is there. */
  readonly entry: HistoryEntry;
  /** Walks to the target and makes its missing folders; called once. The caller closes it. */
  enter(): Promise<Target | Refusal>;
  readonly expected: Expected;
  /** The new bytes; `null` deletes the file. */
  readonly bytes: Uint8Array | null;
  /** The new file is a link, and the bytes are its text. Only where nothing stands there. */
  readonly isLink?: true | undefined;
  /**
   * For a new file that is another one under a new name: the real path of that one, which an earlier step
   * of the set deletes. Mode, owner and attributes come from it.
   */
  readonly movedFrom?: string | undefined;
  /** Returns the replaced file open, to be watched; the caller closes it. */
  readonly keepOpen?: boolean | undefined;
  /** What `movedFrom` names goes before it. */
  readonly access?: GivenAccess | undefined;
  /** As of `PlannedWrite`. */
  readonly executable?: boolean | undefined;
  /** Of one file alone: written into the inode that is there, which keeps hard links and foreign owners, and is not atomic. */
  readonly inPlace?: boolean | undefined;
  /** Of a write in place that only adds: also behind what others have added since. */
  readonly followsOthers?: boolean | undefined;
}

/** All steps of a change set were taken and recorded. */
export interface SetCommitted {
  readonly kind: "set_committed";
  /** In the order of the steps. */
  readonly files: readonly Committed[];
}

/** One step could not be taken; those before it were taken back. */
export interface SetStopped {
  readonly kind: "set_stopped";
  /** Which step, counted from 0. */
  readonly at: number;
  readonly reason: Changed | Refusal;
  /** Real paths of files that somebody else wrote meanwhile: they stand as they are, neither old nor new. */
  readonly leftAlone: readonly string[];
  /** What somebody else wrote and what stands nowhere any more, by real path: whoever gets it keeps it and says so. */
  readonly displaced?: readonly { readonly realPath: string; readonly bytes: Uint8Array }[];
  /** New files that were taken away again, with the hash of their content, for `SetStep.keepOpen`. */
  readonly takenAway?: readonly {
    readonly realPath: string;
    readonly sha256: string;
    readonly file: ReplacedFile;
  }[];
}
