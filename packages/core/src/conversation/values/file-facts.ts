import type { LineEdit, LineSpan, OwnWrite } from "../../files/seen/index.js";
import { type Infer, type Schema, shapes } from "../../text/index.js";

const { count, flag, listOf, number, oneOf, optional, orNull, shape, text, yes } = shapes;

const hash = orNull(text);

/** Which part of a line is shown, in Unicode code points of the line without terminator. */
export type ShownChars = Infer<typeof shownChars>;
const shownChars = shape({
  /** 0-based, the end excluded. */
  from: count,
  to: count,
  /** How many the whole line has. */
  of: count,
});

/**
 * Lines of one state of a file that stand verbatim in a text: whole lines, or a part of one line. Where line
 * numbers stand between the lines there is one entry a line, for the text behind its number.
 */
export type ShownText = Infer<typeof shownText>;
export const shownText = shape({
  path: text,
  sha256: text,
  /** 1-based, both included. */
  from: count,
  to: count,
  /** UTF-16 offsets into the text; the terminator of the last line is included where it is there. */
  start: count,
  end: count,
  /** Set where this is a part of one long line (`from` equals `to`), without its terminator. */
  chars: optional(shownChars),
  /** Set where the caller insisted on an encoding: under another one the same bytes are other lines. */
  encoding: optional(text),
});

/** Lines of one state of a file that a text speaks of and does not show. */
export type ReferredLines = Infer<typeof referredLines>;
export const referredLines = shape({
  path: text,
  sha256: text,
  /** 1-based, both included; `to` is `from - 1` where only something of the state has to be there. */
  from: count,
  to: count,
  /** As in `ShownText`. */
  encoding: optional(text),
});

/**
 * A stretch of a text that repeats lines of the same file which stood in the prompt when it was made. The prompt holds
 * one line of reference in its place as long as these lines stand above it, and the stretch itself where they do not.
 */
export type RepeatedLines = Infer<typeof repeatedLines>;
export const repeatedLines = shape({
  /** UTF-16 offsets into the text: where the first line begins (behind its number), where the last one ends. */
  start: count,
  end: count,
  /** The state whose lines the text shows there. */
  path: text,
  sha256: text,
  /** As in `ShownText`. */
  encoding: optional(text),
  /** 1-based, both included. */
  from: count,
  to: count,
  /** The state under which the same lines stand above, and the first of them there. */
  as: shape({
    sha256: text,
    from: count,
    /** The versions under which the answers gave them out that show them. */
    versions: optional(listOf(count)),
  }),
});

const lineEdit: Schema<LineEdit> = shape({ at: count, removed: count, added: count });
const lineSpan: Schema<LineSpan> = shape({ from: count, to: count });
const ownWrite: Schema<OwnWrite> = shape({ base: text, request: text, byLines: optional(yes) });

/** The state in which a step left a file or found it. `null`: there is no such file. */
export type FileEffect = Infer<typeof fileEffect>;
export const fileEffect = shape({
  path: text,
  /** The state before, where it is known. */
  before: optional(hash),
  after: hash,
  /** `tool`: our write. `seen`: a read, or a change that somebody else had made. */
  by: oneOf("tool", "seen"),
  /**
   * How the lines of `before` became those of `after`, as the change was made, or as a change that somebody
   * else had made was shown. With it every unchanged line is found again in the new state.
   */
  changes: optional(listOf(lineEdit)),
  /** Lines of `after` of which every character stood in the call. */
  authored: optional(listOf(lineSpan)),
  /** Every added line follows from the call and the lines that it replaced: who knew these knows those. */
  derived: optional(flag),
  /** Of a move: the name that the file had before. */
  from: optional(text),
  /** How many lines `after` has. */
  lines: optional(count),
  /** The version under which `after` was handed out. */
  version: optional(count),
  /** Of our write: what later calls on its base have to know of it. */
  own: optional(ownWrite),
});

/** What a disk says of a file without reading it. */
export type FileStamp = Infer<typeof fileStamp>;
const fileStamp = shape({
  sizeBytes: count,
  modifiedMs: number,
  inode: number,
  /** The permission bits; missing from turns of earlier builds. */
  mode: optional(count),
});

/** A file before and after a command; `null`: there was no such file. */
export type FileTouch = Infer<typeof fileTouch>;
const fileTouch = shape({ path: text, before: orNull(fileStamp), after: orNull(fileStamp) });

/** What is different in a workspace after a command. Nobody read these files: their bytes are not known. */
export type TouchedFiles = Infer<typeof touchedFiles>;
export const touchedFiles = shape({
  files: listOf(fileTouch),
  /** False where not all was looked at, or not all is listed. */
  isWhole: flag,
  /** By a command in the background that has ended: its start said that nobody had looked. */
  isLater: optional(yes),
});

/** `null`: there is no such file. */
export type FileDelta = Infer<typeof fileDelta>;
export const fileDelta = shape({ path: text, from: hash, to: hash });

/** A command that was run after a change. */
export type LedgerCheck = Infer<typeof ledgerCheck>;
const ledgerCheck = shape({
  /** The node of its result. */
  nodeId: text,
  command: text,
  failed: flag,
});

/** A file that was changed, as code knows it: its state, how many lines changed, and what was run after that. */
export type FileLedgerEntry = Infer<typeof ledgerEntry>;
export const ledgerEntry = shape({
  ...fileDelta.fields,
  /** The version under which `to` was handed out. */
  version: optional(count),
  /** Lines that were added and removed, over all changes. */
  added: count,
  removed: count,
  /** The last command after its last change; none where none was run. */
  check: optional(ledgerCheck),
});

/** The same bytes, uploaded to the Gemini File API. */
export type FileApiState = Infer<typeof fileApiState>;
export const fileApiState = shape({
  uri: text,
  mimeType: text,
  state: oneOf("PENDING", "PROCESSING", "ACTIVE", "FAILED"),
  /** Milliseconds since the epoch. */
  expiresAt: number,
});
