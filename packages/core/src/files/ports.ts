import type { SectionAnswer, SectionJob } from "../patch/index.js";
import type { CharsetCodec } from "../text/index.js";
import type { FileFindings, SearchOutput } from "./findings.js";
import type { Refusal } from "./refusal.js";

/**
 * What the workspace needs from the world. `node/` implements these on a real machine; `MemoryDisk` and
 * its companions implement them in memory. An implementation answers an expected failure with a
 * `Refusal`; it throws only for bugs and broken disks.
 */
export interface WorkspacePorts {
  readonly disk: Disk;
  readonly locks: Locks;
  readonly blobs: BlobStore;
  readonly secrets: SecretStore;
  readonly history: HistoryStore;
  readonly changeSets: ChangeSets;
  readonly codec: CharsetCodec;
  readonly clock: Clock;
  /** SHA-256 of the bytes, as 64 lower-case hex digits. */
  readonly digest: (bytes: Uint8Array) => string;
  /** The same piece by piece, so that others have their turn while a large file is hashed; at once without it. */
  readonly startDigest?: () => RunningDigest;
  /** A fresh unguessable id of at least 16 characters from [a-z0-9]. */
  readonly newId: () => string;
  /**
   * Resolves once whatever else the process has to do had its turn; work on large files waits for it every 10 ms.
   * Without it such work is done at once.
   */
  readonly nextTurn?: () => Promise<void>;
  /**
   * Makes sure that a part of the program is there that is loaded when it is first needed. Without it the part is loaded
   * as it is needed.
   *
   * @returns `busy` where it cannot be loaded now, for want of descriptors.
   */
  readonly load?: (part: LatePart) => Promise<Refusal | undefined>;
  /**
   * Opens a search of the content of many files, which may have threads of its own; without it, files are searched
   * one after the other.
   */
  readonly searchContent?: (job: ContentJob) => Promise<ContentSearch>;
  /** Parses large Markdown documents beside this thread; here, at once, without it. */
  readonly sections?: SectionWorker;
  /** Does something once, later, unless the process ends before: it is never waited for. */
  readonly later?: (delayMs: number, work: () => Promise<void>) => void;
}

/** What is loaded when it is first needed: it is larger than all that others need. */
export type LatePart = "search" | "globs" | "sections";

/** What the content of files is searched for: plain values, that another thread can be handed. */
export interface ContentJob {
  /** As `SearchRequest` has them; accepted by `compilePattern`. */
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  readonly context: number;
  readonly output: SearchOutput;
  readonly limit: number;
  readonly units: number;
  /** How long it may take from now on, in milliseconds. */
  readonly limitMs: number;
}

/** A search of the content of many files. */
export interface ContentSearch {
  /**
   * Searches files of one folder, links not followed. What is not begun waits for more to come, until `flush`.
   *
   * @returns for each name what was found, in their order; undefined where the time was up before.
   */
  search(folder: Target, names: readonly string[]): Promise<readonly (FileFindings | undefined)[]>;
  flush(): void;
  /** Nothing more is asked, and nothing that is still searched is wanted. */
  close(): void;
}

/** Carries the work on sections out where it holds up nobody else. */
export interface SectionWorker {
  /** @returns `late` where it was not done within so many milliseconds, and ended; `busy` where it cannot begin now. */
  ask(job: SectionJob, limitMs: number): Promise<SectionAnswer | "late" | Refusal>;
}

/** A SHA-256 that is being computed. */
export interface RunningDigest {
  update(bytes: Uint8Array): void;
  /** 64 lower-case hex digits; nothing may be added afterwards. */
  digest(): string;
}

/** The time of day, for records and time limits only. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * A tree of files reached only by walking from a root's handle, component by component, so that no
 * link, swapped in at any moment, leads out of the roots.
 */
export interface Disk {
  /** The roots as the caller named them, made absolute; a relative path counts from the first. */
  readonly roots: readonly string[];
  /** The same with all links resolved, in the same order. */
  readonly realRoots: readonly string[];
  /**
   * Walks to the folder that holds the last component of `path`, resolving links inside the roots.
   * The walk holds that folder's handle until `Target.close`.
   *
   * @param path relative to the first root, or absolute inside any root; lexically checked already.
   * @param missing what to do about missing parent folders: `refuse` answers `file_missing`; `allow`
   *   gives a target whose entry is missing; `create` makes them (mode 0777 less umask).
   * @param use `name` where the target is only asked for its real path, or was entered in the same call: the
   *   root is then not compared with its path again.
   * @returns `root_changed` where the root's path means another folder than the one that was opened;
   *   `outside_workspace`, `file_missing`, `not_a_file` (a parent is no folder, links in a
   *   circle), `permission_denied` or `invalid_arguments` (a name too long).
   */
  enter(path: string, missing: "refuse" | "allow" | "create", use?: "name"): Promise<Target | Refusal>;
  /**
   * Tells of each root in whose place another folder was opened, by its real path: what was known of its files
   * counts no more.
   */
  whenReplaced?(listener: (realRoot: string) => void): void;
  /** How often that was so. */
  readonly replacements?: number;
}

/** The directory entry that a request is about: a folder, held by its handle, and a name in it. */
export interface Target {
  readonly kind: "target";
  /** Absolute path with all links resolved: the key of locks, ledger and history. */
  readonly realPath: string;
  /** Real paths of the folders that entering it made, an outer one before those in it; left out where there are none. */
  readonly madeFolders?: readonly string[];
  /** `realPath` relative to the root that holds it, with `/`; "" is that root itself. */
  readonly relativePath: string;
  /** `root_changed` where the path of its root means another folder by now; undefined if not. */
  rootChanged?(): Refusal | undefined;
  /** What the entry is now, links not followed (the walk has resolved them). `permission_denied`, `busy`. */
  look(): Promise<Entry | Refusal>;
  /** What the system knows of it; `file_missing` where there is nothing. */
  facts(): Promise<EntryFacts | Refusal>;
  /**
   * The whole content of a regular file.
   *
   * @param limitBytes a larger file is `too_large`; the refusal costs no read.
   * @returns `file_missing`, `is_directory`, `not_a_file`, `too_large`, `permission_denied`.
   */
  read(limitBytes: number): Promise<FileBytes | Refusal>;
  /**
   * Some lines of a file of any size in bounded memory: one pass that also hashes the whole.
   *
   * @param firstLine 1-based; `lineCount` at most that many lines; `limitBytes` of content at most.
   */
  window(firstLine: number, lineCount: number, limitBytes: number): Promise<FileWindow | Refusal>;
  /**
   * Hands a regular file of any size over piece by piece, in bounded memory, and lets other work of the
   * process run in between.
   *
   * @param take gets each piece; its memory is filled again afterwards. `whole` says that this piece is all
   *   of the file. `false` ends the pass.
   * @returns `file_missing`, `is_directory`, `not_a_file`, `permission_denied`.
   */
  stream(take: (piece: Uint8Array, whole: boolean) => boolean): Promise<Streamed | Refusal>;
  /**
   * The entries of a folder, in byte order of their names, at most `limit` (then `more` is true).
   *
   * @param sizes of how many files the size is wanted, the first ones; of the others it may be left out. "none" where
   *   nobody asks: looking at each takes most of the time.
   */
  entries(limit: number, sizes?: "none" | number): Promise<DirectoryListing | Refusal>;
  /** A child of this folder; links are not followed. */
  child(name: string): Promise<Target | Refusal>;
  /**
   * Puts `bytes` there in one step: stage beside the target, fsync, look again, rename (or link, where
   * nothing may stand there), fsync of the folder. Attributes of the replaced file are kept.
   *
   * @param expected what must still stand there at the last moment before the step.
   * @param guard asked once, right before the step; `false` refuses with `busy` (a lost lock).
   * @returns `changed` where the expectation fails; `cannot_preserve`, `permission_denied`, `read_only`,
   *   `disk_full`, `busy`. After any refusal the old state stands and no stage file is left. Where the
   *   disk itself fails it throws; the intent is then left as it is, for recovery to decide.
   */
  commit(
    bytes: Uint8Array,
    expected: Expected,
    options: CommitOptions,
  ): Promise<Committed | Changed | Refusal>;
  /** Deletes the file in one step under the same expectation. */
  remove(expected: ExpectedFile, options: RemoveOptions): Promise<Committed | Changed | Refusal>;
  /** Takes the folder that this entry is away; `false` where it holds anything, is none, or may not go. */
  removeFolder?(): Promise<boolean>;
  close(): Promise<void>;
}

/** How one file is to be written. */
export interface CommitOptions {
  readonly guard: () => Promise<boolean>;
  /** Write into the existing inode: keeps hard links and foreign owners, gives up atomicity. */
  readonly inPlace: boolean;
  /** `false` where the request cannot ask for `inPlace`: a refusal does not name that way then. */
  readonly mayInsist?: boolean;
  /** `HistoryIntent.stageName`, so that what a kill leaves can be found; a random name without it. */
  readonly stageName?: string | undefined;
  /** Returns the replaced file open, to be watched; the caller closes it. */
  readonly keepOpen?: boolean | undefined;
}

/** How one file is to be deleted. */
export type RemoveOptions = Omit<CommitOptions, "inPlace">;

/** What the target must be when the step is taken; anything else refuses the step with `changed`. */
export type Expected = { readonly kind: "absent" } | ExpectedFile;

/** A regular file with exactly these bytes. */
export interface ExpectedFile {
  readonly kind: "file";
  readonly sha256: string;
  /** The identity at the time of the read: while it is the same, the hash need not be computed again. */
  readonly identity: FileIdentity;
}

/** (device, inode, size, mtime, ctime): a cache key for "nothing moved", never a proof of content. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

/** What a look at a directory entry finds, without opening it. `size` is in bytes, `links` counts its names. */
export type Entry =
  | { readonly kind: "missing" }
  | { readonly kind: "file"; readonly size: number; readonly links: number; readonly identity: FileIdentity }
  | { readonly kind: "directory" }
  /** A FIFO, socket, device: never opened. `what` names it. */
  | { readonly kind: "other"; readonly what: string };

/** What the system tells of an entry. Times are milliseconds since the epoch. */
export interface EntryFacts {
  readonly kind: "facts";
  readonly what: "file" | "directory" | "other";
  readonly sizeBytes: number;
  readonly createdMs: number;
  readonly modifiedMs: number;
  readonly accessedMs: number;
  /** The permission bits, such as 0o644. */
  readonly mode: number;
}

/** A file's whole content, with its identity at the moment of the read. */
export interface FileBytes {
  readonly kind: "bytes";
  readonly bytes: Uint8Array;
  readonly identity: FileIdentity;
}

/** Some lines of a file, and what one pass over all of it found out. Line numbers are 1-based. */
export interface FileWindow {
  readonly kind: "window";
  /** The bytes of the lines in the window, with their terminators. */
  readonly bytes: Uint8Array;
  readonly firstLine: number;
  readonly lineCount: number;
  readonly totalLines: number;
  readonly totalBytes: number;
  /** Of the whole file. */
  readonly sha256: string;
  /** The first bytes of the file (at most 4): by them a byte order mark is known in any window. */
  readonly head?: Uint8Array;
  /** Whether the whole file ends with a line terminator. */
  readonly finalNewline: boolean;
  /** True where the window ended early because of `limitBytes`. */
  readonly clipped: boolean;
}

/** A file was handed over, or as much of it as was wanted. */
export interface Streamed {
  readonly kind: "streamed";
}

/** The entries of one folder in byte order of their names; `more` where the limit left some out. */
export interface DirectoryListing {
  readonly kind: "listing";
  readonly entries: readonly DirectoryEntry[];
  readonly more: boolean;
}

/** One name in a folder and what kind of thing it names; links are not followed. */
export interface DirectoryEntry {
  /** The name; where it is not valid UTF-8, a display form with `\x..`, and `openable` is false. */
  readonly name: string;
  readonly kind: "file" | "directory" | "link" | "other";
  /** Of files only, where it was asked for. */
  readonly sizeBytes?: number;
  readonly openable: boolean;
}

/** The step was taken: the new bytes have the name, or the file is gone. */
export interface Committed {
  readonly kind: "committed";
  /** Undefined after `remove`. */
  readonly identity?: FileIdentity;
  /**
   * What a writer without our lock put into the old file in the last microseconds before the step. It is
   * not in the result; whoever gets it keeps it and says so.
   */
  readonly displaced?: Uint8Array;
  /** The replaced file, if `CommitOptions.keepOpen` is set. */
  readonly replacedFile?: ReplacedFile;
}

/** Another program was there: the entry is not the expected one any more, and was left as it is. */
export interface Changed {
  readonly kind: "changed";
  /** As in `Committed`: what another program wrote into the new file in the moment that it was there. */
  readonly displaced?: Uint8Array;
  /** The new file, removed again: another program may have opened it in that moment. */
  readonly replacedFile?: ReplacedFile;
}

/** A file that lost its name to a write. A program that had it open may still be writing into it. */
export interface ReplacedFile {
  /** How much space it takes while it is open. */
  readonly bytes: number;
  /**
   * Its bytes, if they differ from those of the last look.
   *
   * @param care `sure` does not rely on a time stamp that is too young to tell.
   */
  changed(care?: "sure"): Uint8Array | undefined;
  close(): void;
}

/**
 * One lock a key, in this process and between the processes of one user and state folder. A key is a real
 * path, or names a file by its device and inode.
 */
export interface Locks {
  /** Waits at most `limitMs`, then refuses with `busy`, naming the holder where it is known. */
  acquire(realPath: string, limitMs: number): Promise<Lock | Refusal>;
}

/**
 * A lock that was got. A holder that was stopped for long can lose it, so it is asked once more before the step.
 */
export interface Lock {
  readonly kind: "lock";
  /** Whether the lock is still ours; asked right before the rename. */
  held(): Promise<boolean>;
  release(): Promise<void>;
}

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

/** The record of writes, path by path: what undo, log, restore and `already_applied` are answered from. */
export interface HistoryStore {
  /**
   * Under the path's lock, before the step: what is about to happen, so that a kill leaves a trace. A
   * state folder that cannot be written is refused (`disk_full`, `permission_denied`, `read_only`).
   */
  begin(change: HistoryEntry): Promise<HistoryIntent | Refusal>;
  /** Oldest first. Damaged lines are left out. */
  entries(realPath: string): Promise<readonly HistoryEntry[]>;
  /** The real paths of the files to which writes were begun for a conversation (`HistoryEntry.caller`). */
  ofConversation?(conversation: string): Promise<readonly string[]>;
  /** Those to the file of another folder, which had the place of the root before: told, never gone back to. */
  ofOtherFolder?(realPath: string): Promise<readonly HistoryEntry[]>;
  /** The real paths of the files that were written together; undefined where that is not kept any more. */
  together(changeSet: string): Promise<readonly string[] | undefined>;
}

/**
 * Takes the steps of several files as one: all of them or none, whatever fails or is killed in between.
 * Apply, restore and undo of several files come down to it.
 */
export interface ChangeSets {
  /**
   * Journals what is about to happen, stages everything, looks at every target once more, takes the steps
   * in their order, and records each in the history. Where one cannot be taken those before it are taken
   * back; what a kill interrupts is finished or taken back at the next start, and before anybody else
   * gets the lock of one of the files.
   *
   * @param steps each of another real path, whose lock the caller holds.
   * @param guard asked right before the first step; `false` refuses with `busy` (a lost lock).
   * @throws DiskFault where the disk fails; its state says whether everything was taken back.
   */
  commit(
    changeSet: string,
    steps: readonly SetStep[],
    guard: () => Promise<boolean>,
  ): Promise<SetCommitted | SetStopped | Refusal>;
}

/** What is to become of one file of a change set. */
export interface SetStep {
  /** For the history, with the hashes before and after: they differ. */
  readonly entry: HistoryEntry;
  /** Walks to the target and makes its missing folders; called once, after the journal is written. */
  enter(): Promise<Target | Refusal>;
  readonly expected: Expected;
  /** The new bytes; `null` deletes the file. */
  readonly bytes: Uint8Array | null;
  /**
   * For a new file that is another one under a new name: the real path of that one, which an earlier step
   * of the set deletes. Mode, owner and attributes come from it.
   */
  readonly movedFrom?: string | undefined;
  /** As in `CommitOptions`. */
  readonly keepOpen?: boolean | undefined;
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

/** A write that is announced and not yet decided: one of its two methods is called, or recovery decides. */
export interface HistoryIntent {
  readonly kind: "intent";
  /** Hand it on to `Target.commit`: recovery looks for a stage file of this name beside the target. */
  readonly stageName?: string | undefined;
  /** The step was taken: the entry becomes part of the history. */
  done(): Promise<void>;
  /** Nothing happened. */
  dropped(): Promise<void>;
}

/** For what of a conversation a write is made. */
export type WriteCaller =
  | {
      /** The id of the conversation's session. */
      readonly conversation: string;
      /** The node of the call. */
      readonly call: string;
    }
  | {
      readonly conversation: string;
      /** The id of the restore that puts files back. */
      readonly restore: string;
    };

/** One recorded write of one file. */
export interface HistoryEntry {
  readonly id: string;
  readonly realPath: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The session that wrote. */
  readonly session: string;
  readonly tool: string;
  /** SHA-256 before and after; `null` where there was, or is, no file. */
  readonly before: string | null;
  readonly after: string | null;
  /** For an undo: the id of the entry that it took back. */
  readonly undoes?: string;
  /** The id of the change set that this write was a part of; it is undone as a whole. */
  readonly changeSet?: string;
  /** The `after` state was never current: another program lost it to a write at the same moment. */
  readonly displaced?: boolean;
  /** Of a file that may hold secrets: for how long its states are kept, where that is not the seven days. */
  readonly keepSecrets?: number | "none";
  /** Real paths of the folders that were made for this write, an outer one before those in it. */
  readonly folders?: readonly string[];
  /** Where a conversation made it: its call, and the name that the call used. */
  readonly caller?: WriteCaller & { readonly path: string };
}
