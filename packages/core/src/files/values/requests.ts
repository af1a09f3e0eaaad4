import type { ExactEdit } from "../../patch/index.js";
import { type Infer, isObject, type Schema, shapes } from "../../text/index.js";
import { currentBase, type GivenBase, shownBase } from "./base.js";

export type { ExactEdit };

const { flag, listOf, mustBe, oneOf, optional, orNull, shape, text, unionBy, within } = shapes;

// Only shapes are looked at; what a value means is judged where it is used.

/**
 * What can be asked of the files of a workspace: a closed union of plain values, so that a request can be
 * shown, previewed, approved, scheduled and compared before it is carried out.
 */
export type FileRequest = LookRequest | ChangeRequest;

/** What changes nothing. */
export type LookRequest = Infer<(typeof looks)[keyof typeof looks]>;

/** What can change files. */
export type ChangeRequest = OneFileRequest | ApplyChangesRequest;

/** A change of one file. (An undo takes back the files that were changed together with it.) */
export type OneFileRequest = Infer<(typeof changes)[keyof typeof changes]>;

/** A request as a named method takes it: the method's name says the kind. */
export type Asked<Request> = Request extends unknown ? Omit<Request, "kind"> : never;

const number: Schema<number> = (value) => (typeof value === "number" ? undefined : mustBe("a number"));
const texts = listOf(text);
const content: Schema<string | Uint8Array> = (value) =>
  typeof value === "string" || value instanceof Uint8Array ? undefined : mustBe("a text or a Uint8Array");
const givenBase: Schema<GivenBase> = (value) =>
  typeof value === "string" || value === currentBase || value === shownBase ? undefined : mustBe("a hash");
const hashOrNull = orNull(text);

/** Asks for a text file, whole or a window of its lines. Above `Limits.fullReadBytes` only a window is served. */
export type ReadRequest = Infer<typeof read>;
const read = shape({
  kind: oneOf("read"),
  path: text,
  /** 1-based first line. */
  offset: optional(number),
  /** Number of lines. */
  limit: optional(number),
  /** The rest of the one line at `offset` from this code point on, counted from 0; `limit` then says nothing. */
  charOffset: optional(number),
  /** Insists on an encoding instead of detecting it. */
  encoding: optional(text),
  /** The lines, also where the caller has them before it. */
  full: optional(flag),
  /** As in `WriteOptions`. */
  within: optional(text),
});

/** What all walks of folders are asked. */
const walking = {
  /** Also what `.gitignore` and its kin leave out; never what `.holdfastignore` keeps away. */
  all: optional(flag),
  /** Goes on where the answer before ended, as its `after` says: behind a path, or behind a match (`src/a.ts:12`). */
  after: optional(text),
};

/**
 * Asks for several whole text files by path, by glob, or both; what one answer cannot hold is named in `leftOut`.
 */
export type ReadManyRequest = Infer<typeof readMany>;
const readMany = shape({
  kind: oneOf("read_many"),
  ...walking,
  paths: optional(texts),
  globs: optional(texts),
  exclude: optional(texts),
  encoding: optional(text),
});

/** Asks for the names in a folder; the first root unless a path is given. */
export type ListRequest = Infer<typeof list>;
const list = shape({
  kind: oneOf("list"),
  ...walking,
  path: optional(text),
  /** Levels below the folder; 1 unless given. */
  depth: optional(number),
  /** Entries at most; 1,000 unless given. */
  limit: optional(number),
  /** A folder that is not there is an empty one: the first write makes it. */
  orEmpty: optional(flag),
});

/** Asks for the files whose paths match a glob. */
export type FindRequest = Infer<typeof find>;
const find = shape({
  kind: oneOf("find"),
  ...walking,
  /** Counts from `path`; without a slash it means names on every level. See `compileGlob`. */
  glob: text,
  /** The folder to look in; the first root unless given. */
  path: optional(text),
  exclude: optional(texts),
  /** Files at most; 1,000 unless given. */
  limit: optional(number),
  /** `false` where nobody asks how large the files are: looking at each takes most of the time. */
  sized: optional(flag),
});

/** Asks for the lines of files that match a pattern. */
export type SearchRequest = Infer<typeof search>;
const search = shape({
  kind: oneOf("search"),
  ...walking,
  /** A regular expression of RE2, held against each line; see `compilePattern`. */
  pattern: text,
  /** The pattern is plain text. */
  literal: optional(flag),
  ignoreCase: optional(flag),
  /** A folder or a file; the first root unless given. */
  path: optional(text),
  /** Only files that one of these matches, counted from `path`; without a slash, names on every level. */
  globs: optional(texts),
  exclude: optional(texts),
  /** Only files of one of these types, such as `ts` or `py`; see `fileTypes`. */
  types: optional(texts),
  /** Lines shown before and after a match; none unless given. */
  context: optional(number),
  /** The lines, the names of the files that have any, or how many lines each has; the lines unless given. */
  output: optional(oneOf("lines", "files", "counts")),
  /** Matches at most, or files, where only these are wanted; 100 unless given. */
  limit: optional(number),
});

const state = {
  /**
   * The SHA-256 that the change was made against: 64 hex digits or a prefix of at least 12; or
   * `currentBase` for callers that hold no state and take whatever stands there once the lock is held; or
   * `shownBase` for the state that the caller was shown last, or, where it was shown none, what stands there.
   */
  base: optional(givenBase),
  encoding: optional(text),
  /** The caller's tool has no place for a hash: a read of the state in this session stands in for it. */
  hashless: optional(flag),
  /** A folder of the root in which the file must lie once all links are resolved. */
  within: optional(text),
};

const record = {
  /** The tool's name for the history. */
  tool: optional(text),
};
const manner = {
  ...record,
  /** Keep inode, owner and hard links by writing in place; not atomic. */
  inPlace: optional(flag),
};

/** What every writing request may say besides its change. */
export type WriteOptions = Infer<typeof writeOptions>;
const writeOptions = shape({
  ...state,
  ...manner,
  /** An edit that needs neither hash nor read: the exact text to be found is all that ties it to a state. */
  atomic: optional(flag),
});

const change = { path: text, ...writeOptions.fields };

/** Applies a diff of one file, in any of the forms that docs/patch.md lists. */
export type PatchFileRequest = Infer<typeof patch>;
const patch = shape({ kind: oneOf("patch"), ...change, diff: text });

/** Creates a file, or replaces all of it. */
export type WriteFileRequest = Infer<typeof write>;
const write = shape({
  kind: oneOf("write"),
  ...change,
  /** A text takes the file's encoding and endings; bytes are written as they are. */
  content,
});

const exactEdit: Schema<ExactEdit> = shape({
  oldString: text,
  newString: text,
  replaceAll: optional(flag),
  expectedReplacements: optional(number),
});

/** Replaces exact texts in one file. */
export type EditFileRequest = Infer<typeof edit>;
const edit = shape({
  kind: oneOf("edit"),
  ...change,
  /** One after the other, each on the result of the one before; all or none. */
  edits: listOf(exactEdit),
});

/** For adding to a file's end or beginning. */
export type AddTextRequest = Infer<typeof addText>;
const addText = shape({ kind: oneOf("append", "prepend"), ...change, content: text });

/** Adds whole lines between two lines of the state that the base names. */
export type InsertLinesRequest = Infer<typeof insertLines>;
const insertLines = shape({
  kind: oneOf("insert_lines"),
  ...change,
  /** 1-based; 0 inserts before the first line. */
  afterLine: number,
  /** Whole lines; a missing newline at the end is added. */
  content: text,
});

/** Whole lines in the place of some, 1-based and both included; where `to` is `from - 1`, between two. */
export type NumberedEdit = Infer<typeof numberedEdit>;
const numberedEdit = shape({
  from: number,
  to: number,
  /** A missing newline at the end is added; empty to delete. */
  content: text,
});

/** Edits by the numbers of lines: they count in the state that `base` names, which has to be shown there. */
export type EditLinesRequest = Infer<typeof editLines>;
const editLines = shape({
  kind: oneOf("edit_lines"),
  ...change,
  /** No two of them name one line; in any order. */
  edits: listOf(numberedEdit),
});

/** Replaces what stands under one heading of a Markdown file. */
export type UpdateSectionRequest = Infer<typeof updateSection>;
const updateSection = shape({
  kind: oneOf("update_section"),
  ...change,
  /** The heading as it stands in the file, with or without its `#`. */
  sectionHeader: text,
  /** What is to stand between this heading and the next one of the same or a higher level. */
  newContent: text,
  /** Adds the section at the end where there is none; makes the file where there is none. */
  create: optional(flag),
});

/** Gemini CLI's `replace`. */
export type ReplaceRequest = Infer<typeof replace>;
const replace = shape({
  kind: oneOf("replace"),
  ...change,
  /** Empty to create the file. */
  oldString: text,
  newString: text,
  /** 1 unless given. */
  expectedReplacements: optional(number),
});

/** A change in words and sketched lines, from which an applier makes the whole new text. */
export type ApplyEditRequest = Infer<typeof applyEdit>;
const applyEdit = shape({ kind: oneOf("apply_edit"), ...change, instructions: text, codeEdit: text });

/**
 * Takes the last recorded write of a file back, or the whole change set that it was part of. Needs no base. What was
 * written in place is undone so in any case.
 */
export type UndoRequest = Infer<typeof undo>;
const undo = shape({
  kind: oneOf("undo"),
  path: text,
  /** As `WriteOptions.base`: the state that the write left which is taken back, so that no second one is. */
  base: optional(text),
  ...manner,
});

/** Brings back a state of which the bytes are kept; `bytes_gone` where they are not. */
export type RestoreRequest = Infer<typeof restore>;
const restore = shape({
  kind: oneOf("restore"),
  ...change,
  /** The state to restore: 64 hex digits or a prefix of at least 12. */
  sha256: text,
});

/** The line behind which others are put; 0 is the beginning. */
export type LinePlace = number | "end";
const linePlace: Schema<LinePlace> = (value) =>
  value === "end" || typeof value === "number" ? undefined : mustBe("a number or end");

/** What becomes of the content of one file of a change set. */
export type ContentChange = Infer<typeof contentChange>;
const contentChange = unionBy("kind", {
  diff: shape({ kind: oneOf("diff"), diff: text }),
  edits: shape({ kind: oneOf("edits"), edits: listOf(exactEdit) }),
  /** The whole new content: a text in the file's encoding and endings, or bytes as they are. */
  text: shape({ kind: oneOf("text"), text: content }),
  delete: shape({
    kind: oneOf("delete"),
    /** Its lines must be all of the file. */
    diff: optional(text),
    /** Git's name, or the beginning of it, of what the file must hold. */
    blob: optional(text),
    /** A file that is not there is `file_missing`. */
    mustExist: optional(flag),
  }),
  /**
   * Whole lines, 1-based and both included, which must have been shown, are moved: behind `after` in this file, counted
   * as before the move, or, without it, into the file of the next change, which is a `paste`.
   */
  cut: shape({ kind: oneOf("cut"), from: number, to: number, after: optional(linePlace) }),
  /** Gets the lines of the `cut` before it. Where there is no file, it is made of them. */
  paste: shape({ kind: oneOf("paste"), after: linePlace }),
  /** As it is: for a file that is only renamed or copied. */
  same: shape({ kind: oneOf("same") }),
  /**
   * An earlier state, by its bytes as they are kept; `null`: no file. Needs no base: `from` is the exact state
   * that it replaces, and `bytes_gone` refuses what is not kept.
   */
  state: shape({ kind: oneOf("state"), from: hashOrNull, sha256: hashOrNull }),
});

/** What is to become of one file of a change set. Only one that is created needs no base; `within` is for the new name, too. */
export type FileChange = Infer<typeof fileChange>;
const fileChange = shape({
  path: text,
  ...state,
  /** The new name; nothing may stand there. The content may change at the same time. */
  renameTo: optional(text),
  /** With `renameTo` alone: the file keeps its name, and the new one gets a copy, with its mode; of a link, of its target. */
  isCopy: optional(flag),
  /**
   * Where a folder stands there, all files in it are deleted or moved with it, each of them in the state that was
   * shown of it last. Only for the one change of a set.
   */
  wholeFolder: optional(flag),
  /** What is at the path must be a link itself (`true`), or must not be one; unless given it may be either. */
  isLink: optional(flag),
  /** The file exists, and who may read it may run it from now on, or nobody. */
  isExecutable: optional(flag),
  content: contentChange,
});

/** A change of a single file that is made as a change set, with the tool's name for the history. */
export type OneChange = FileChange & Pick<WriteOptions, "tool">;

/** Gives one file another name, as `Workspace.move` takes it. */
export interface MoveRequest extends Pick<OneChange, "path" | "base" | "hashless" | "within" | "tool"> {
  /** The new path of the file itself; nothing may stand there. */
  readonly to: string;
}

/** Deletes one file, as `Workspace.delete` takes it. */
export type DeleteRequest = Omit<MoveRequest, "to">;

const bases: Schema<Readonly<Record<string, GivenBase>>> = (value) => {
  if (!isObject(value)) return mustBe("an object of hashes");
  for (const [path, base] of Object.entries(value)) {
    const flaw = givenBase(base);
    if (flaw !== undefined) return within(`[${JSON.stringify(path.slice(0, 100))}]`, flaw);
  }
  return undefined;
};

const ofSet = { kind: oneOf("apply_changes"), ...record };
const listedChanges = shape({ ...ofSet, changes: listOf(fileChange) });
const diffOfFiles = shape({
  ...ofSet,
  diff: text,
  /** Each character of the diff is a byte, since it is no UTF-8; the files are taken in the same way. */
  isBytes: optional(flag),
  /** By the path as the diff names it; a file that is created needs none. */
  bases: optional(bases),
  /** Of each file that is there and that `bases` does not name. */
  otherBase: optional(givenBase),
  /** So many folders are taken off the names, as by `patch -p`; found out by the names unless given. */
  strip: optional(number),
  /** Whether files that exist get another mode, where the diff says so; refused unless it is said. */
  modes: optional(oneOf("change", "keep")),
  /** Of all its files, as `FileChange.encoding`. */
  encoding: optional(text),
});

/**
 * Changes of several files, all or none: one by one, or as one diff that names its files (unified, V4A or
 * SEARCH/REPLACE) with a base for each.
 */
export type ApplyChangesRequest = Infer<typeof listedChanges> | Infer<typeof diffOfFiles>;
const applyChanges: Schema<ApplyChangesRequest> = (value) => {
  const { changes, diff } = isObject(value) ? value : {};
  if (changes === undefined && diff === undefined) return "changes must be a list, or diff a text";
  const flaw = changes === undefined ? undefined : listedChanges(value);
  return flaw ?? (diff === undefined ? undefined : diffOfFiles(value));
};

/** In it each byte is a character: what is no UTF-8 is patched as git does it, byte by byte. */
export const byteEncoding = "iso-8859-1";

const looks = { read, read_many: readMany, list, find, search };
const changes = {
  patch,
  write,
  edit,
  append: addText,
  prepend: addText,
  insert_lines: insertLines,
  edit_lines: editLines,
  update_section: updateSection,
  replace,
  apply_edit: applyEdit,
  undo,
  restore,
};
const kinds: ReadonlyMap<string, Schema<FileRequest>> = new Map(
  Object.entries({ ...looks, ...changes, apply_changes: applyChanges }),
);

/** Whether a request changes nothing. */
export function isLook(request: FileRequest): request is LookRequest {
  return Object.hasOwn(looks, request.kind);
}

/** What the first field that is wrong must be, of a value that no compiler has checked; `undefined` for a request. */
export function flawOfRequest(value: unknown): string | undefined {
  const kind = isObject(value) ? value.kind : undefined;
  const check = typeof kind === "string" ? kinds.get(kind) : undefined;
  return check === undefined ? `its kind is none of ${[...kinds.keys()].join(", ")}` : check(value);
}
