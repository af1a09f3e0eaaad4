import type { LandedHunk, Repair } from "../../patch/index.js";
import type { LineEdit, LineSpan } from "../lines/line-spans.js";
import type { EntryFacts } from "./disk.js";
import type { FoundLine } from "./findings.js";
import type { OwnWrite } from "./knowledge.js";
import type { HistoryEntry, WriteCaller } from "./operation.js";
import type { Refusal } from "./refusal.js";
import type { FileRequest } from "./requests.js";

/** What each kind of request is answered with. */
export interface Outcomes {
  readonly read: ReadOutcome;
  readonly read_many: ReadManyOutcome;
  readonly list: ListOutcome;
  readonly find: FindOutcome;
  readonly search: SearchOutcome;
  readonly patch: WriteOutcome;
  readonly write: WriteOutcome;
  readonly edit: WriteOutcome;
  readonly append: WriteOutcome;
  readonly prepend: WriteOutcome;
  readonly insert_lines: WriteOutcome;
  readonly edit_lines: WriteOutcome;
  readonly update_section: WriteOutcome;
  readonly replace: WriteOutcome;
  readonly apply_edit: WriteOutcome;
  readonly undo: WriteOutcome;
  readonly restore: WriteOutcome;
  readonly apply_changes: ApplyChangesOutcome;
}

/** The answer to a request, by its kind. */
export type OutcomeOf<Request extends FileRequest> = Outcomes[Request["kind"]];

/** The answer to any request. */
export type FileOutcome = OutcomeOf<FileRequest>;

/** A session's view of one state of one file (seed 1, section 4.1; the hash is of the bytes on disk). */
export interface FileState {
  /** As the caller named it, lexically tidied. */
  readonly path: string;
  /** Where this name leads, of a name that is a link or goes through one; of a link that is meant itself, its text. */
  readonly leadsTo?: string;
  /** Counts the states that were handed out, from 1; 0 where there is no file. */
  readonly version: number;
  /** Of the bytes on disk, 64 hex digits; `null` where there is no file. */
  readonly sha256: string | null;
  /** The decoded text without byte order mark; `null` where there is none or it is not text. */
  readonly content: string | null;
  readonly facts?: TextFacts;
  /** Set where `content` is a window: 1-based lines, both included. */
  readonly lines?: { readonly from: number; readonly to: number };
  /** Set where `content` is a part of one long line, `lines`, without its terminator. */
  readonly chars?: PartOfLine;
}

/** Which part of a line is meant, in Unicode code points of the line without its terminator. */
interface PartOfLine {
  /** 0-based, the end excluded. */
  readonly from: number;
  readonly to: number;
  /** How many the whole line has. */
  readonly of: number;
}

/**
 * How the bytes of a text file are to be read, and how many there are: always of the whole file, also beside a
 * window.
 */
export interface TextFacts {
  readonly encoding: string;
  readonly bom: boolean;
  readonly guessed: boolean;
  /** How many bytes are no UTF-8 in a text that is, else; U+FFFD stands for each of them. */
  readonly strays?: number;
  readonly endings: "lf" | "crlf" | "cr" | "mixed" | "none";
  readonly totalLines: number;
  readonly finalNewline: boolean;
  readonly totalBytes: number;
}

/** The answer to a read: the state that was looked at, or why there is none to show. */
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

/** A refused read, with the path as the caller named it. */
export interface ReadRefusal extends Refusal {
  readonly path: string;
}

/** The answer to a read of several files; a file that is refused is one of them and refuses no other. */
export interface ReadManyOutcome {
  readonly kind: "read_many";
  /** In the order asked for; globs sorted by path, each path once. */
  readonly files: readonly ReadOutcome[];
  /** Paths that the caps left out, with their sizes in bytes; the first 100 of them. */
  readonly leftOut: readonly { readonly path: string; readonly sizeBytes: number }[];
  /** How many were left out in all. */
  readonly leftOutCount: number;
  /** Where the next call goes on; only where files are left out. */
  readonly after?: string;
  /** How many files that may hold secrets a glob matched: none of them was read. */
  readonly secretCount?: number;
}

/** A name that a listing or a search for files came by. It says nothing of content and is no base for a write. */
export interface ListedEntry {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly sizeBytes?: number;
  /** "link" or "other" (FIFO, socket, device); absent for files and folders. */
  readonly special?: "link" | "other";
  /** The text of a link. */
  readonly leadsTo?: string;
  /** False for a name that is no valid UTF-8: it can be seen, not opened. */
  readonly openable: boolean;
}

/** What all walks of folders answer. */
interface WalkAnswer {
  readonly path: string;
  /** Where the next call goes on (`after` of the request); only where there may be more, and something was passed. */
  readonly after?: string;
}

/** Of a walk for names: what it came by without looking in; each only where there is any. */
export interface PassedBy {
  /** How many folders cannot be entered, so that what is in them is missing. */
  readonly closedFolders?: number;
  /** How many entries `.gitignore` and its kin left out. */
  readonly ignored?: number;
}

/** The answer to a listing. */
export type ListOutcome = ListDone | Refusal;

interface ListDone extends WalkAnswer, PassedBy {
  readonly kind: "listed";
  readonly entries: readonly ListedEntry[];
  /** Entries were left out; `because` says for what. */
  readonly more: boolean;
  readonly because?: "limit" | "time";
  /** The closed folders by their paths; only where there are some. */
  readonly closed?: readonly string[];
}

/** Names only: what is found is no licence to write. */
export type FindOutcome = FindDone | Refusal;

interface FindDone extends WalkAnswer, PassedBy {
  readonly kind: "found";
  /** In the order of the walk; links and other special files among them. */
  readonly files: readonly ListedEntry[];
  /** Why there may be more. */
  readonly more?: "limit" | "time";
}

/** Snippets only: without version and hash, what is shown is no licence to write. */
export type SearchOutcome = SearchDone | Refusal;

/** What a search found. */
export interface SearchDone extends WalkAnswer {
  readonly kind: "searched";
  /** In the order of the walk, then of the lines; `after` names the line of the last one. */
  readonly matches: readonly SearchMatch[];
  /** Where these were asked for instead: the files that have a match, with the number of their lines. */
  readonly files?: readonly MatchedFile[];
  readonly searchedFiles: number;
  readonly searchedBytes: number;
  readonly skips: SearchSkips;
  /** Why there may be more: the limit of matches, the size of an answer, the time. */
  readonly more?: "limit" | "answer" | "time";
}

/** A file that has a match. */
export interface MatchedFile {
  readonly path: string;
  /** Lines that match; left out where only the names were asked for. */
  readonly lines?: number;
}

/** A line in which the pattern was found, and its file. */
export interface SearchMatch extends FoundLine {
  readonly path: string;
}

/** What was not searched, as far as nobody would expect it. */
export interface SearchSkips extends PassedBy {
  readonly binary: number;
  /** Files that by their names hold secrets: searched only where they are named. */
  readonly secret: number;
  readonly unreadable: number;
  /** Lines of which only the beginning was looked at, because the pattern is slow. */
  readonly longLines: number;
  /** Nothing was found of a pattern that may match a line break, and each line was searched by itself. */
  readonly acrossLines?: true;
}

/** The answer to making a folder; `made` is false where it was there already. */
export type FolderOutcome =
  | { readonly kind: "folder"; readonly path: string; readonly made: boolean }
  | Refusal;

/** The answer to a question about a file or folder; it opens nothing and shows no content. */
export type InfoOutcome =
  | { readonly kind: "info"; readonly path: string; readonly facts: EntryFacts }
  | Refusal;

/** The answer to a read of bytes, such as those of an image. It shows no lines and is no base for a write. */
export type BytesOutcome =
  | { readonly kind: "bytes"; readonly path: string; readonly bytes: Uint8Array }
  | Refusal;

/** The answer to a change set: all of it was carried out, or nothing was written. */
export type ApplyChangesOutcome = ChangeSetDone | ChangeSetRefusal;

/** What an answer to a change set tells of its files. */
interface SetAnswer {
  /** One for each file, in the order of the request; a rename has two, the old name and the new. */
  readonly files: readonly ChangedFile[];
  /** The set was all of this folder. */
  readonly folder?: string;
  /** As of `WriteAnswer`; those of the files are beside it. */
  readonly displacedNote?: string;
}

/** All files are as the set asked. */
interface ChangeSetDone extends SetAnswer {
  readonly kind: "change_set";
  readonly success: true;
  readonly code: "applied" | "already_applied" | "no_change";
  readonly message: string;
}

/**
 * Nothing was written. Files that were no reason for it have the code `not_applied`; there are none where the set was
 * refused before its files were looked at.
 */
export interface ChangeSetRefusal extends Refusal, SetAnswer {
  readonly success: false;
}

/** What became of one file of a change set. */
export interface ChangedFile {
  /** As the caller named it, lexically tidied. */
  readonly path: string;
  readonly outcome: WriteOutcome;
}

/** A write as the state folder records it. */
export interface RecordedWrite extends Pick<HistoryEntry, "session" | "tool" | "time" | "before" | "after"> {
  /** The conversation that made it, if one did. */
  readonly caller?: WriteCaller;
}

/** One of them that was made for a conversation. */
export interface CallerWrite extends RecordedWrite {
  /** The name that the call used, or where that means another file by now, the file's own. */
  readonly path: string;
  readonly caller: WriteCaller;
}

/** A change that is to be taken back in a file that others have changed since. */
export interface MergeAsked {
  readonly path: string;
  /** Hashes: of the state that the change left, of the one before it, of what stands there now. */
  readonly left: string;
  readonly wanted: string;
  readonly present: string;
}

/** In what state a file is, by its hash alone: no licence to write, and nothing of it is shown. */
export interface FileStatus {
  /** As it was asked for. */
  readonly path: string;
  /** `null`: there is no such file; undefined where it cannot be told. */
  readonly sha256?: string | null;
  /** The file's own name, all links resolved, where the walk got there. */
  readonly realPath?: string;
  /** Why no earlier state could be put there. */
  readonly barred?: Refusal;
  /** Whether the bytes of the state that was asked about are kept; left out where none was. */
  readonly wantedKept?: boolean;
  /** The state of the link through which the state that was asked about was seen: the link is what is wanted. */
  readonly link?: string;
}

/** The answer of every writing request, in every exit (docs/outcomes.md). */
export type WriteOutcome = Written | Unchanged | WriteRefusal;

/** What every answer of a writing request may tell beside its own. */
interface WriteAnswer {
  /** The other files of the same step: of a change set that was undone as a whole, of a rename. */
  readonly together?: readonly WriteOutcome[];
  /**
   * The end of the message, that says what other programs wrote into replaced files, at the moment of the step or
   * later. It is told once: who shows another message, or drops this outcome, says it with another one (`displacedNoteOf`).
   */
  readonly displacedNote?: string;
}

/** The file was changed. */
export interface Written extends WriteAnswer {
  readonly kind: "written";
  readonly success: true;
  readonly code: "applied";
  readonly message: string;
  /** The new state. */
  readonly state: FileState;
  /** The SHA-256 of the state that was replaced; `null` where there was no file. */
  readonly replaced: string | null;
  /** Of a move: the name that the file had before. */
  readonly movedFrom?: string;
  /**
   * The file may hold secrets, by its own name, whatever link it was reached by, or as it came from such a name: its
   * lines are no news to print.
   */
  readonly isSecret?: true;
  readonly change: ChangeReport;
  /** What later calls on the same base have to know of this one. */
  readonly own: OwnWrite;
}

/** The file is already as it was asked for; nothing was written. */
export interface Unchanged extends WriteAnswer {
  readonly kind: "unchanged";
  readonly success: true;
  readonly code: "already_applied" | "no_change";
  readonly message: string;
  readonly state: FileState;
  /** Whether the caller had been shown all of `state` before this call. */
  readonly shownBefore: boolean;
}

/** Why nothing was written, with the true state. */
export interface WriteRefusal extends Refusal, WriteAnswer {
  readonly success: false;
  /** `null` where there is none to tell (a path outside, a folder). */
  readonly state: FileState | null;
  /** Whether the caller had been shown all of `state` before this call. */
  readonly shownBefore: boolean;
  /** Of a mismatch: what differs between the base and the disk, where the base is still kept. */
  readonly change?: ChangeReport;
  /** Lines of `state` that the message shows word for word. */
  readonly quoted?: readonly QuotedLines[];
  /** Of a mismatch: the message shows all that differs from a base that the caller was shown. */
  readonly difference?: ShownDifference;
}

/** A difference that a message shows as a whole: with the base it tells all of the present state. */
export interface ShownDifference {
  /** The sha256 of the base. */
  readonly base: string;
  /** The caller had never been told of the present state: others made it. */
  readonly isForeign: boolean;
}

/** Lines that stand in a message; of a single line its terminator may be missing there. */
export interface QuotedLines extends LineSpan {
  /** Where they begin in the message, in UTF-16 units. */
  readonly start: number;
}

/** What a write did, or would do: facts for those who render it, and for whoever keeps what is known. */
export interface ChangeReport {
  readonly landed: readonly LandedHunk[];
  readonly repairs: readonly Repair[];
  /** The lines that changed, where they were changed. */
  readonly changes: readonly LineEdit[];
  /** Lines of the new text that stood wholly in the call. */
  readonly authored: readonly LineSpan[];
  /** The caller sent all of the new content. */
  readonly sentWhole: boolean;
  /** Every added line follows from the call and the lines that it replaced. */
  readonly derived: boolean;
  /** Each edit of the call replaced one exact text: the new lines hold nothing that the call or the old ones do not. */
  readonly literal?: true;
  /** How many lines the new text has; left out where it is no text. */
  readonly total?: number;
  /** Line ranges of the new text that differ from the old, 1-based, both included; `to < from` marks a deletion before `from`. */
  readonly ranges: readonly LineSpan[];
  /** Lines of the new text that others changed since the base of the call. */
  readonly others?: readonly LineSpan[];
  /** The decoded text before the change; `null` where there was no file, or none that is text. */
  readonly beforeText: string | null;
}

/** The recorded writes of one file, newest first. */
export type LogOutcome =
  | {
      readonly kind: "log";
      readonly path: string;
      /** Where the name leads, if it is a link's. */
      readonly leadsTo?: string;
      readonly entries: readonly LoggedWrite[];
    }
  | Refusal;

/** A recorded write, and whether one can go back to the state that it made. */
export interface LoggedWrite extends HistoryEntry {
  /** Whether the bytes of the `after` state can still be had. */
  readonly kept: boolean;
  /** Whether the file is in this state now. */
  readonly current: boolean;
  /** It was a write to the file of another folder, which had this place before. */
  readonly ofOtherFolder?: true;
  /** Of a link's name: it was a write to what the link leads to now, and not to the name itself. */
  readonly isThrough?: true;
}

/** What a change came to, of one file or of a set. */
export type ChangeOutcome = WriteOutcome | ApplyChangesOutcome;

/**
 * All that an outcome tells of what other programs wrote into replaced files, of its other files included: for who drops
 * the outcome, or does not show its message.
 *
 * @param said what is shown; what stands there is not said again.
 * @returns sentences as the end of a message; "" if there are none.
 */
export function displacedNoteOf(outcome: ChangeOutcome, said = ""): string {
  return displacedNotes([outcome], said);
}

/** The same of several outcomes. */
export function displacedNotes(outcomes: readonly ChangeOutcome[], said: string): string {
  const isNew = (note: string, notes: string) => !said.includes(note) && !notes.includes(note);
  return outcomes.flatMap(notesIn).reduce((notes, note) => (isNew(note, notes) ? notes + note : notes), "");
}

function notesIn(outcome: ChangeOutcome): readonly string[] {
  const own = outcome.displacedNote === undefined ? [] : [outcome.displacedNote];
  const others = "files" in outcome ? outcome.files.map((file) => file.outcome) : (outcome.together ?? []);
  return [...own, ...others.flatMap(notesIn)];
}

/** The outcome with one more end of its message. @param note as of `displacedNoteOf`; "" changes nothing. */
export function withDisplacedNote<Outcome extends ChangeOutcome>(outcome: Outcome, note: string): Outcome {
  if (note === "") return outcome;
  const displacedNote = (outcome.displacedNote ?? "") + note;
  return { ...outcome, message: outcome.message + note, displacedNote };
}
