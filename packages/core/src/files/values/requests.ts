import type { ExactEdit } from "../../patch/index.js";
import type { GivenBase } from "./base.js";
import type { SearchOutput } from "./findings.js";

export type { ExactEdit };

/**
 * What can be asked of the files of a workspace: a closed union of plain values, so that a request can be
 * shown, previewed, approved, scheduled and compared before it is carried out.
 */
export type FileRequest = LookRequest | ChangeRequest;

/** Whether a request changes nothing. */
export function isLook(request: FileRequest): request is LookRequest {
  switch (request.kind) {
    case "read":
    case "read_many":
    case "list":
    case "find":
    case "search":
      return true;
    default:
      return false;
  }
}

/** What changes nothing. */
export type LookRequest = ReadRequest | ReadManyRequest | ListRequest | FindRequest | SearchRequest;

/** What can change files. */
export type ChangeRequest = OneFileRequest | ApplyChangesRequest;

/** A change of one file. (An undo takes back the files that were changed together with it.) */
export type OneFileRequest =
  | PatchFileRequest
  | WriteFileRequest
  | EditFileRequest
  | AddTextRequest
  | InsertLinesRequest
  | EditLinesRequest
  | UpdateSectionRequest
  | ReplaceRequest
  | ApplyEditRequest
  | UndoRequest
  | RestoreRequest;

/** A request as a named method takes it: the method's name says the kind. */
export type Asked<Request> = Request extends unknown ? Omit<Request, "kind"> : never;

/** Asks for a text file, whole or a window of its lines. Above `Limits.fullReadBytes` only a window is served. */
export interface ReadRequest extends Pick<WriteOptions, "within"> {
  readonly kind: "read";
  readonly path: string;
  /** 1-based first line. */
  readonly offset?: number;
  /** Number of lines. */
  readonly limit?: number;
  /** The rest of the one line at `offset` from this code point on, counted from 0; `limit` then says nothing. */
  readonly charOffset?: number;
  /** Insists on an encoding instead of detecting it. */
  readonly encoding?: string;
  /** The lines, also where the caller has them before it. */
  readonly full?: boolean;
}

/** What all walks of folders are asked. */
interface Walking {
  /** Also what `.gitignore` and its kin leave out; never what `.holdfastignore` keeps away. */
  readonly all?: boolean;
  /** Goes on where the answer before ended, as its `after` says: behind a path, or behind a match (`src/a.ts:12`). */
  readonly after?: string;
}

/**
 * Asks for several whole text files by path, by glob, or both; what one answer cannot hold is named in `leftOut`.
 */
export interface ReadManyRequest extends Walking {
  readonly kind: "read_many";
  readonly paths?: readonly string[];
  readonly globs?: readonly string[];
  readonly exclude?: readonly string[];
  readonly encoding?: string;
}

/** Asks for the names in a folder; the first root unless a path is given. */
export interface ListRequest extends Walking {
  readonly kind: "list";
  readonly path?: string;
  /** Levels below the folder; 1 unless given. */
  readonly depth?: number;
  /** Entries at most; 1,000 unless given. */
  readonly limit?: number;
  /** A folder that is not there is an empty one: the first write makes it. */
  readonly orEmpty?: boolean;
}

/** Asks for the files whose paths match a glob. */
export interface FindRequest extends Walking {
  readonly kind: "find";
  /** Counts from `path`; without a slash it means names on every level. See `compileGlob`. */
  readonly glob: string;
  /** The folder to look in; the first root unless given. */
  readonly path?: string;
  readonly exclude?: readonly string[];
  /** Files at most; 1,000 unless given. */
  readonly limit?: number;
  /** `false` where nobody asks how large the files are: looking at each takes most of the time. */
  readonly sized?: boolean;
}

/** Asks for the lines of files that match a pattern. */
export interface SearchRequest extends Walking {
  readonly kind: "search";
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
  /** Only files of one of these types, such as `ts` or `py`; see `fileTypes`. */
  readonly types?: readonly string[];
  /** Lines shown before and after a match; none unless given. */
  readonly context?: number;
  /** The lines, the names of the files that have any, or how many lines each has; the lines unless given. */
  readonly output?: SearchOutput;
  /** Matches at most, or files, where only these are wanted; 100 unless given. */
  readonly limit?: number;
}

/** What every writing request may say besides its change. */
export interface WriteOptions {
  /**
   * The SHA-256 that the change was made against: 64 hex digits or a prefix of at least 12; or
   * `currentBase` for callers that hold no state and take whatever stands there once the lock is held; or
   * `shownBase` for the state that the caller was shown last, or, where it was shown none, what stands there.
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

/** Applies a diff of one file, in any of the forms that docs/patch.md lists. */
export interface PatchFileRequest extends WriteOptions {
  readonly kind: "patch";
  readonly path: string;
  readonly diff: string;
}

/** Creates a file, or replaces all of it. */
export interface WriteFileRequest extends WriteOptions {
  readonly kind: "write";
  readonly path: string;
  /** A text takes the file's encoding and endings; bytes are written as they are. */
  readonly content: string | Uint8Array;
}

/** Replaces exact texts in one file. */
export interface EditFileRequest extends WriteOptions {
  readonly kind: "edit";
  readonly path: string;
  /** One after the other, each on the result of the one before; all or none. */
  readonly edits: readonly ExactEdit[];
}

/** For adding to a file's end or beginning. */
export interface AddTextRequest extends WriteOptions {
  readonly kind: "append" | "prepend";
  readonly path: string;
  readonly content: string;
}

/** Adds whole lines between two lines of the state that the base names. */
export interface InsertLinesRequest extends WriteOptions {
  readonly kind: "insert_lines";
  readonly path: string;
  /** 1-based; 0 inserts before the first line. */
  readonly afterLine: number;
  /** Whole lines; a missing newline at the end is added. */
  readonly content: string;
}

/** Edits by the numbers of lines: they count in the state that `base` names, which has to be shown there. */
export interface EditLinesRequest extends WriteOptions {
  readonly kind: "edit_lines";
  readonly path: string;
  /** No two of them name one line; in any order. */
  readonly edits: readonly NumberedEdit[];
}

/** Whole lines in the place of some, 1-based and both included; where `to` is `from - 1`, between two. */
export interface NumberedEdit {
  readonly from: number;
  readonly to: number;
  /** A missing newline at the end is added; empty to delete. */
  readonly content: string;
}

/** Replaces what stands under one heading of a Markdown file. */
export interface UpdateSectionRequest extends WriteOptions {
  readonly kind: "update_section";
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
  readonly kind: "replace";
  readonly path: string;
  /** Empty to create the file. */
  readonly oldString: string;
  readonly newString: string;
  /** 1 unless given. */
  readonly expectedReplacements?: number;
}

/** A change in words and sketched lines, from which an applier makes the whole new text. */
export interface ApplyEditRequest extends WriteOptions {
  readonly kind: "apply_edit";
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
      /** Each character of the diff is a byte, since it is no UTF-8; the files are taken in the same way. */
      readonly isBytes?: boolean;
      /** By the path as the diff names it; a file that is created needs none. */
      readonly bases?: Readonly<Record<string, GivenBase>>;
      /** Of each file that is there and that `bases` does not name. */
      readonly otherBase?: GivenBase;
      /** So many folders are taken off the names, as by `patch -p`; found out by the names unless given. */
      readonly strip?: number;
      /** Whether files that exist get another mode, where the diff says so; refused unless it is said. */
      readonly modes?: "change" | "keep";
      /** Of all its files, as `FileChange.encoding`. */
      readonly encoding?: string;
    }
) &
  Pick<WriteOptions, "tool"> & { readonly kind: "apply_changes" };

/** In it each byte is a character: what is no UTF-8 is patched as git does it, byte by byte. */
export const byteEncoding = "iso-8859-1";

/** What is to become of one file of a change set. Only one that is created needs no base; `within` is for the new name, too. */
export interface FileChange extends Pick<WriteOptions, "base" | "hashless" | "encoding" | "within"> {
  readonly path: string;
  /** The new name; nothing may stand there. The content may change at the same time. */
  readonly renameTo?: string;
  /** With `renameTo` alone: the file keeps its name, and the new one gets a copy, with its mode; of a link, of its target. */
  readonly isCopy?: boolean;
  /**
   * Where a folder stands there, all files in it are deleted or moved with it, each of them in the state that was
   * shown of it last. Only for the one change of a set.
   */
  readonly wholeFolder?: boolean;
  /** What is at the path must be a link itself (`true`), or must not be one; unless given it may be either. */
  readonly isLink?: boolean;
  /** The file exists, and who may read it may run it from now on, or nobody. */
  readonly isExecutable?: boolean;
  readonly content: ContentChange;
}

/** A change of a single file that is made as a change set, with the tool's name for the history. */
export type OneChange = FileChange & Pick<WriteOptions, "tool">;

/** Gives one file another name, as `Workspace.move` takes it. */
export interface MoveRequest extends Pick<OneChange, "path" | "base" | "hashless" | "within" | "tool"> {
  /** The new path of the file itself; nothing may stand there. */
  readonly to: string;
}

/** Deletes one file, as `Workspace.delete` takes it. */
export type DeleteRequest = Omit<MoveRequest, "to">;

/** What becomes of the content of one file of a change set. */
export type ContentChange =
  | { readonly kind: "diff"; readonly diff: string }
  | { readonly kind: "edits"; readonly edits: readonly ExactEdit[] }
  /** The whole new content: a text in the file's encoding and endings, or bytes as they are. */
  | { readonly kind: "text"; readonly text: string | Uint8Array }
  | {
      readonly kind: "delete";
      /** Its lines must be all of the file. */
      readonly diff?: string;
      /** Git's name, or the beginning of it, of what the file must hold. */
      readonly blob?: string;
      /** A file that is not there is `file_missing`. */
      readonly mustExist?: boolean;
    }
  /**
   * Whole lines, 1-based and both included, which must have been shown, are moved: behind `after` in this file, counted
   * as before the move, or, without it, into the file of the next change, which is a `paste`.
   */
  | { readonly kind: "cut"; readonly from: number; readonly to: number; readonly after?: LinePlace }
  /** Gets the lines of the `cut` before it. Where there is no file, it is made of them. */
  | { readonly kind: "paste"; readonly after: LinePlace }
  /** As it is: for a file that is only renamed or copied. */
  | { readonly kind: "same" }
  /**
   * An earlier state, by its bytes as they are kept; `null`: no file. Needs no base: `from` is the exact state
   * that it replaces, and `bytes_gone` refuses what is not kept.
   */
  | { readonly kind: "state"; readonly from: string | null; readonly sha256: string | null };

/** The line behind which others are put; 0 is the beginning. */
export type LinePlace = number | "end";

/**
 * Takes the last recorded write of a file back, or the whole change set that it was part of. Needs no base. What was
 * written in place is undone so in any case.
 */
export interface UndoRequest extends Pick<WriteOptions, "inPlace" | "tool"> {
  readonly kind: "undo";
  readonly path: string;
  /** As `WriteOptions.base`: the state that the write left which is taken back, so that no second one is. */
  readonly base?: string;
}

/** Brings back a state of which the bytes are kept; `bytes_gone` where they are not. */
export interface RestoreRequest extends WriteOptions {
  readonly kind: "restore";
  readonly path: string;
  /** The state to restore: 64 hex digits or a prefix of at least 12. */
  readonly sha256: string;
}
