import type { DiskFault } from "./disk-fault.js";
import type { Refusal } from "./refusal.js";

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
   *   gives a target whose entry is missing; `create` makes them (mode 0777 less umask, or as `access` says).
   * @param use `name` where the target is only asked for its real path, or was entered in the same call: the
   *   root is then not compared with its path again. `entry` where the last component itself is meant: a link there is
   *   the target, wherever it leads.
   * @param access of the file that is about to be made there.
   * @returns `root_changed` where the root's path means another folder than the one that was opened;
   *   `outside_workspace`, `file_missing`, `not_a_file` (a parent is no folder, links in a
   *   circle), `permission_denied` or `invalid_arguments` (a name too long).
   */
  enter(
    path: string,
    missing: "refuse" | "allow" | "create",
    use?: "name" | "entry",
    access?: GivenAccess,
  ): Promise<Target | Refusal>;
  /**
   * Tells of each root in whose place another folder was opened, by its real path: what was known of its files
   * counts no more.
   */
  whenReplaced?(listener: (realRoot: string) => void): void;
  /** How often that was so. */
  readonly replacements?: number;
  /** The rules of a host that count for these tools, too; asked for at each call, since a person may change them. */
  readonly hostRules?: (() => readonly HostRule[]) | undefined;
}

/** A rule that a person gave the host of these tools for its own file tools. */
export interface HostRule {
  /** What it denies. A file that may not be read may not be written either. */
  readonly denies: "reading" | "writing";
  /** The rule and its file, as a refusal names them. */
  readonly shown: string;
  /**
   * Whether it is about a path.
   *
   * @param realPath absolute, links resolved.
   * @param walked of an entry that a walk came by, which has asked for the folders above it already.
   */
  matches(realPath: string, walked?: { readonly isDirectory: boolean }): boolean;
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
  /** What the entry is now; a link is one only where the walk was to end at it. `permission_denied`, `busy`. */
  look(): Promise<Entry | Refusal>;
  /** What the system knows of it; `file_missing` where there is nothing. */
  facts(): Promise<EntryFacts | Refusal>;
  /** Who may use the file, with `hadMore`, to record it when it is deleted; undefined where that cannot be told. */
  access?(): Promise<FileAccess | undefined>;
  /**
   * The whole content of a regular file; of a link the bytes of its text.
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
  /** Takes the folder that this entry is away; `false` where it holds anything, is none, or may not go. */
  removeFolder?(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Who could use a file that is made again: it never gets more, and gets it before its name. `executable` of a new one:
 * who may read it may run it, as far as folder and umask let them.
 */
export type GivenAccess = FileAccess | "executable";

/** Who may use a file: a part of its state, recorded with the hash, and given to it when it is made again. */
export interface FileAccess {
  /**
   * The permission bits, with set-user-id, set-group-id and sticky. Of a file with an access list the group has no
   * more than all others: its bits are the list's mask then.
   */
  readonly mode: number;
  readonly uid?: number;
  readonly gid?: number;
  /** It had more, which is not brought back: an access list, extended attributes, an owner whom only root can give. */
  readonly hadMore?: true;
  /** Of a file: the same of the folders between it and the root, the innermost first, as far as that is known. */
  readonly folders?: readonly FileAccess[];
}

/** What the target must be when the step is taken; anything else refuses the step with `changed`. */
export type Expected = { readonly kind: "absent" } | ExpectedFile;

/** A regular file with exactly these bytes, or a link with this text. */
export interface ExpectedFile {
  readonly kind: "file";
  readonly isLink?: true;
  readonly sha256: string;
  /** The identity at the time of the read: while it is the same and is firm, the hash need not be computed again. */
  readonly identity: FileIdentity;
}

/** (device, inode, size, mtime, ctime): a cache key for "nothing moved", never a proof of content. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  /** Its ctime was old when it was taken, before any byte was read: whatever was written since then has another one. */
  readonly isFirm: boolean;
}

/** What a look at a directory entry finds, without opening it. `size` is in bytes, `links` counts its names. */
export type Entry =
  | { readonly kind: "missing" }
  | { readonly kind: "file"; readonly size: number; readonly links: number; readonly identity: FileIdentity }
  | { readonly kind: "directory" }
  | { readonly kind: "link" }
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
  /** Of a regular file, where files have owners. */
  readonly access?: FileAccess | undefined;
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
  /** The text of a link. */
  readonly leadsTo?: string;
  readonly openable: boolean;
}

/** The step was taken: the new bytes have the name, or the file is gone. */
export interface Committed {
  readonly kind: "committed";
  /** What failed after the step, which stands all the same: the record of the write has to stay, for recovery. */
  readonly fault?: DiskFault | undefined;
  /**
   * What a writer without our lock put into the old file in the last microseconds before the step. It is
   * not in the result; whoever gets it keeps it and says so.
   */
  readonly displaced?: Uint8Array;
  /** The replaced file, if `SetStep.keepOpen` is set. */
  readonly replacedFile?: ReplacedFile;
  /** Of bytes that were added in place: what they were added to, if another program had added something before. */
  readonly addedTo?: Uint8Array;
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
  /** Its bytes, if its time stamps moved since the last look and they differ from those of then. */
  changed(): Uint8Array | undefined;
  /** The same whatever its time stamps say: it is hashed, with turns for others in between. */
  changedByHash(): Promise<Uint8Array | undefined>;
  close(): void;
}
