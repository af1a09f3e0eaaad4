import type { LandedHunk, Repair, StrictApplier } from "../patch/index.js";
import type { GivenBase } from "./base.js";
import type { OutcomeCode, Refusal } from "./outcome.js";
import type { EntryFacts, HistoryEntry } from "./ports.js";

/** A session's view of one state of one file (seed 1, section 4.1; hash over the bytes on disk). */
export interface FileState {
  /** As the caller named it, lexically tidied. */
  readonly path: string;
  readonly version: number;
  /** Of the bytes on disk, 64 hex digits; `null` where there is no file. */
  readonly sha256: string | null;
  /** The decoded text without byte order mark; `null` where there is none or it is not text. */
  readonly content: string | null;
  readonly facts?: TextFacts;
  /** Set where `content` is a window: 1-based lines, both included. */
  readonly lines?: { readonly from: number; readonly to: number };
}

export interface TextFacts {
  readonly encoding: string;
  readonly bom: boolean;
  readonly guessed: boolean;
  readonly endings: "lf" | "crlf" | "cr" | "mixed" | "none";
  readonly totalLines: number;
  readonly finalNewline: boolean;
  readonly totalBytes: number;
}

export interface ReadRequest {
  readonly path: string;
  /** 1-based first line. */
  readonly offset?: number;
  /** Number of lines. */
  readonly limit?: number;
  /** Insists on an encoding instead of detecting it. */
  readonly encoding?: string;
  /** As `WriteOptions.within`. */
  readonly within?: string;
}

export type ReadOutcome =
  | {
      readonly kind: "read";
      readonly state: ReadState;
      /** What else has to be said: that another program wrote into a file that was replaced. */
      readonly notice?: string;
      /** The same lines of the same state stand in the caller's context already: a stub will do. */
      readonly unchanged?: true;
    }
  | ReadRefusal;

/** The state of a file that is there and is text. */
export interface ReadState extends FileState {
  readonly sha256: string;
  readonly content: string;
}

export interface ReadRefusal extends Refusal {
  readonly path: string;
}

export interface ReadManyRequest {
  readonly paths?: readonly string[];
  readonly globs?: readonly string[];
  readonly exclude?: readonly string[];
  readonly encoding?: string;
}

export interface ReadManyOutcome {
  readonly kind: "read_many";
  /** In the order asked for; globs sorted by path, each path once. */
  readonly files: readonly ReadOutcome[];
  /** Paths that the caps left out, with their sizes in bytes; the first 500 of them. */
  readonly leftOut: readonly { readonly path: string; readonly sizeBytes: number }[];
  /** How many were left out in all. */
  readonly leftOutCount: number;
}

export interface ListRequest {
  readonly path?: string;
  /** Levels below the folder; 1 unless given. */
  readonly depth?: number;
  /** Entries at most; 1,000 unless given. */
  readonly limit?: number;
  /** Also what the ignore files leave out. */
  readonly all?: boolean;
}

export interface ListedEntry {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly sizeBytes?: number;
  /** "link" or "other" (FIFO, socket, device); absent for files and folders. */
  readonly special?: "link" | "other";
  /** False for a name that is no valid UTF-8: it can be seen, not opened. */
  readonly openable: boolean;
}

export type ListOutcome =
  | {
      readonly kind: "listed";
      readonly path: string;
      readonly entries: readonly ListedEntry[];
      readonly more: boolean;
    }
  | Refusal;

export interface FindRequest {
  /** Counts from `path`; without a slash it means names on every level. See `compileGlob`. */
  readonly glob: string;
  /** The folder to look in; the first root unless given. */
  readonly path?: string;
  readonly exclude?: readonly string[];
  /** Files at most; 1,000 unless given. */
  readonly limit?: number;
  /** Also what the ignore files leave out. */
  readonly all?: boolean;
}

/** Names only: what is found is no licence to write. */
export type FindOutcome =
  | {
      readonly kind: "found";
      readonly path: string;
      /** In the order of the walk; links and other special files among them. */
      readonly files: readonly ListedEntry[];
      /** Why there may be more. */
      readonly more?: "limit" | "time";
    }
  | Refusal;

export interface SearchRequest {
  /** A regular expression of RE2, held against each line; see `compilePattern`. */
  readonly pattern: string;
  /** The pattern is plain text. */
  readonly literal?: boolean;
  readonly ignoreCase?: boolean;
  /** A folder or a file; the first root unless given. */
  readonly path?: string;
  /** Only files that one of these matches, counted from `path`; without a slash, names on every level. */
  readonly globs?: readonly string[];
  readonly exclude?: readonly string[];
  /** Lines shown before and after a match; none unless given. */
  readonly context?: number;
  /** Matches at most; 100 unless given. */
  readonly limit?: number;
  /** Also what the ignore files leave out; never what `.holdfastignore` keeps away. */
  readonly all?: boolean;
}

/** Snippets only: without version and hash, what is shown is no licence to write. */
export type SearchOutcome =
  | {
      readonly kind: "searched";
      readonly path: string;
      /** In the order of the walk, then of the lines. */
      readonly matches: readonly SearchMatch[];
      readonly searchedFiles: number;
      readonly searchedBytes: number;
      readonly skips: SearchSkips;
      /** Why there may be more: the limit of matches, the size of an answer, the time. */
      readonly more?: "limit" | "answer" | "time";
    }
  | Refusal;

export interface SearchMatch {
  readonly path: string;
  /** 1-based, as `read` counts. */
  readonly line: number;
  /** 1-based, in UTF-16 units, of the first match in the line. */
  readonly column: number;
  /** The line, or the part of a long one around the match. */
  readonly text: string;
  /** Lines that no other match shows, in the order of the file. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** What was not searched, as far as nobody would expect it. */
export interface SearchSkips {
  readonly binary: number;
  /** Files that by their names hold secrets: searched only where they are named. */
  readonly secret: number;
  readonly unreadable: number;
  /** Lines of which only the beginning was looked at, because the pattern is slow. */
  readonly longLines: number;
}

export type FolderOutcome =
  | { readonly kind: "folder"; readonly path: string; readonly made: boolean }
  | Refusal;

export type InfoOutcome =
  | { readonly kind: "info"; readonly path: string; readonly facts: EntryFacts }
  | Refusal;

export type BytesOutcome =
  | { readonly kind: "bytes"; readonly path: string; readonly bytes: Uint8Array }
  | Refusal;

/** What every writing request may say besides its change. */
export interface WriteOptions {
  /**
   * The SHA-256 that the change was made against: 64 hex digits or a prefix of at least 12; or
   * `currentBase` for callers that hold no state and take whatever stands there once the lock is held.
   */
  readonly base?: GivenBase;
  readonly encoding?: string;
  /** The caller's tool has no place for a hash: a read of the state in this session stands in for it. */
  readonly hashless?: boolean;
  /** An edit that needs neither hash nor read: the exact text to be found is all that ties it to a state. */
  readonly atomic?: boolean;
  /** A folder of the root in which the file must lie once all links are resolved. */
  readonly within?: string;
  /** Keep inode, owner and hard links by writing in place; not atomic. */
  readonly inPlace?: boolean;
  /** The tool's name for the history. */
  readonly tool?: string;
}

export interface PatchFileRequest extends WriteOptions {
  readonly path: string;
  readonly diff: string;
  /** The strict last stage, for tests of its failure. */
  readonly applier?: StrictApplier;
}

export interface WriteFileRequest extends WriteOptions {
  readonly path: string;
  /** A text takes the file's encoding and endings; bytes are written as they are. */
  readonly content: string | Uint8Array;
}

export interface EditFileRequest extends WriteOptions {
  readonly path: string;
  /** One after the other, each on the result of the one before; all or none. */
  readonly edits: readonly ExactEdit[];
}

/** For adding to a file's end or beginning. */
export interface AddTextRequest extends WriteOptions {
  readonly path: string;
  readonly content: string;
}

export interface InsertLinesRequest extends WriteOptions {
  readonly path: string;
  /** 1-based; 0 inserts before the first line. */
  readonly afterLine: number;
  /** Whole lines; a missing newline at the end is added. */
  readonly content: string;
}

export interface UpdateSectionRequest extends WriteOptions {
  readonly path: string;
  /** The heading as it stands in the file, with or without its `#`. */
  readonly sectionHeader: string;
  /** What is to stand between this heading and the next one of the same or a higher level. */
  readonly newContent: string;
  /** Adds the section at the end where there is none; makes the file where there is none. */
  readonly create?: boolean;
}

/** Gemini CLI's `replace`. */
export interface ReplaceRequest extends WriteOptions {
  readonly path: string;
  /** Empty to create the file. */
  readonly oldString: string;
  readonly newString: string;
  /** 1 unless given. */
  readonly expectedReplacements?: number;
}

/** A change in words and sketched lines, from which an applier makes the whole new text. */
export interface ApplyEditRequest extends WriteOptions {
  readonly path: string;
  readonly instructions: string;
  readonly codeEdit: string;
}

/**
 * Changes of several files, all or none: one by one, or as one diff that names its files (unified, V4A or
 * SEARCH/REPLACE) with a base for each.
 */
export type ApplyChangesRequest = (
  | { readonly changes: readonly FileChange[] }
  | {
      readonly diff: string;
      /** By the path as the diff names it; a file that is created needs none. */
      readonly bases?: Readonly<Record<string, GivenBase>>;
    }
) & {
  /** The tool's name for the history. */
  readonly tool?: string;
};

/** What is to become of one file of a change set. */
export interface FileChange {
  readonly path: string;
  /** As `WriteOptions.base`; only a file that is created needs none. */
  readonly base?: GivenBase;
  readonly encoding?: string;
  /** As `WriteOptions.within`, for the new name, too. */
  readonly within?: string;
  /** The new name; nothing may stand there. The content may change at the same time. */
  readonly renameTo?: string;
  readonly content: ContentChange;
}

export type ContentChange =
  | { readonly kind: "diff"; readonly diff: string }
  | { readonly kind: "edits"; readonly edits: readonly ExactEdit[] }
  /** The whole new content: a text in the file's encoding and endings, or bytes as they are. */
  | { readonly kind: "text"; readonly text: string | Uint8Array }
  /** Where a diff is given, its lines must be all of the file. */
  | { readonly kind: "delete"; readonly diff?: string }
  /** As it is: for a file that is only renamed. */
  | { readonly kind: "same" }
  /**
   * An earlier state, by its bytes as they are kept; `null`: no file. Needs no base: `from` is the exact state
   * that it replaces, and `bytes_gone` refuses what is not kept.
   */
  | { readonly kind: "state"; readonly from: string | null; readonly sha256: string | null };

/** A replacement of exact text; `$` means itself. */
export interface ExactEdit {
  readonly oldString: string;
  readonly newString: string;
  /** Every occurrence, however many; exactly one unless given. */
  readonly replaceAll?: boolean;
  readonly expectedReplacements?: number;
}

/** The answer to a change set: all of it was carried out, or nothing was written. */
export interface ApplyChangesOutcome {
  readonly kind: "change_set";
  readonly success: boolean;
  readonly code: OutcomeCode;
  readonly message: string;
  /**
   * One for each file, in the order of the request; a rename has two, the old name and the new. Where the
   * set was refused, files that were no reason for it have the code `not_applied`.
   */
  readonly files: readonly ChangedFile[];
}

export interface ChangedFile {
  /** As the caller named it, lexically tidied. */
  readonly path: string;
  readonly outcome: WriteOutcome;
  /** Whether the caller sent the whole new text itself. */
  readonly authored: boolean;
}

/** In what state a file is, by its hash alone: no licence to write, and nothing of it is shown. */
export interface FileStanding {
  /** As it was asked for. */
  readonly path: string;
  /** `null`: there is no such file; undefined where it cannot be told. */
  readonly sha256?: string | null;
  /** The file's own name, all links resolved, where the walk got there. */
  readonly realPath?: string;
  /** Why no earlier state could be put there. */
  readonly barred?: Refusal;
}

export interface UndoRequest {
  readonly path: string;
  /** The tool's name for the history. */
  readonly tool?: string;
}

export interface RestoreRequest extends WriteOptions {
  readonly path: string;
  /** The state to restore: 64 hex digits or a prefix of at least 12. */
  readonly sha256: string;
}

/** The answer of every writing tool, in every exit (docs/outcomes.md). */
export interface WriteOutcome {
  readonly kind: "write";
  readonly success: boolean;
  readonly code: OutcomeCode;
  readonly message: string;
  /** The true state after the call; `null` where there is none to tell (a path outside, a folder). */
  readonly state: FileState | null;
  /** Whether this session had already been shown the whole content of `state` before this call. */
  readonly shownBefore: boolean;
  /** After `applied`: the SHA-256 of the state that was replaced; `null` where there was no file. */
  readonly replaced?: string | null;
  /** The other files that the same step changed: of a change set that was undone as a whole, of a rename. */
  readonly together?: readonly WriteOutcome[];
  readonly change?: ChangeReport;
}

/** What a successful write did, for those who render it. */
export interface ChangeReport {
  readonly landed: readonly LandedHunk[];
  readonly repairs: readonly Repair[];
  /** Line ranges of the new text that differ from the old, 1-based, both included; `to < from` marks a deletion before `from`. */
  readonly ranges: readonly { readonly from: number; readonly to: number }[];
  /** The decoded text before the change; `null` where there was no file, or none that is text. */
  readonly beforeText: string | null;
}

export type LogOutcome =
  | { readonly kind: "log"; readonly path: string; readonly entries: readonly LoggedWrite[] }
  | Refusal;

export interface LoggedWrite extends HistoryEntry {
  /** Whether the bytes of the `after` state can still be had. */
  readonly kept: boolean;
  /** Whether the file is in this state now. */
  readonly current: boolean;
}
