import type { ShownSince } from "../../files/seen/index.js";
import type {
  FileState,
  ListedEntry,
  OutcomeCode,
  PassedBy,
  QuotedLines,
  SearchDone,
} from "../../files/values/index.js";
import type { LandedHunk, Repair } from "../../patch/index.js";
import type { Shown } from "./shown.js";

/**
 * An answer as data: what it says, and which lines of which states it shows. One writer makes text of it and
 * one JSON; the text's writer knows where every shown line stands, so that nothing is ever parsed back.
 */
export interface Reply {
  /** Which of the wire's objects the JSON form is. */
  readonly form: ReplyForm;
  readonly success: boolean;
  readonly code: OutcomeCode;
  /** The file or the folder that the answer is about, where it is one. */
  readonly path?: string;
  /** The JSON form has the keys of seed 1 and no others (`result_content: full`). */
  readonly isLiteral?: boolean;
  /** What was not taken of the call's arguments, as a sentence. */
  readonly ignored?: string;
  readonly blocks: readonly ReplyBlock[];
}

/** Which object of the wire's JSON schemas a reply becomes. */
type ReplyForm =
  | "read"
  | "read_many"
  | "list"
  | "find"
  | "search"
  | "write"
  | "change_set"
  /** A refusal of a tool that changes nothing. */
  | "refusal";

/**
 * One part of a reply. The text form writes them one after the other; the JSON form gathers them into one object.
 */
export type ReplyBlock =
  | StatusBlock
  | TextBlock
  | LinesBlock
  | RefersBlock
  | ReportBlock
  | FileBlock
  | LeftOutBlock
  | EntriesBlock
  | MatchesBlock;

/** How it went, in one line. */
export interface StatusBlock {
  readonly kind: "status";
  readonly success: boolean;
  readonly code: OutcomeCode;
  /** Without line breaks; its characters are made safe where it is written. */
  readonly message: string;
  /** The text form says this in its place (`Spoken.head`). */
  readonly spoken?: string;
}

/** What is said after the first line. */
export interface TextBlock {
  readonly kind: "text";
  readonly text: string;
  /** `message`: the rest of the outcome's sentence; `notice`: found out beside what was asked. */
  readonly role: "message" | "notice";
  /** Of a message: the line breaks between its first line and the rest. */
  readonly gap: string;
  /** Lines of a state that stand in the text word for word. */
  readonly quotes?: { readonly state: FileState; readonly lines: readonly QuotedLines[] };
  /** The text is a whole difference from a state that the caller knows; of a cut text it is none. */
  readonly since?: ShownSince;
  /** It stands before the files: what changed, before the content. */
  readonly isFirst?: boolean;
}

/** A state of a file: its header, and what is shown of its lines. */
export interface LinesBlock {
  readonly kind: "lines";
  readonly state: FileState;
  readonly shown: Shown;
  /** Why something that should be shown is not, and how to get it. */
  readonly omission?: string;
  /** In the text form each line stands behind its number, or no frame is written; a frame unless given. */
  readonly form?: "numbered" | "left_out";
}

/** The lines of a state stand in the caller's context already; they are not sent again. */
interface RefersBlock {
  readonly kind: "refers";
  readonly state: FileState;
  /** That they stand there, in the door's words. */
  readonly message: string;
}

/** Where a change landed, and what was mended of it. */
export interface ReportBlock {
  readonly kind: "report";
  readonly landed: readonly LandedHunk[];
  readonly repairs: readonly Repair[];
}

/** The answer for one file of several. */
export interface FileBlock {
  readonly kind: "file";
  readonly path: string;
  readonly blocks: readonly FilePart[];
}

/** What the answer for one file consists of. */
export type FilePart = StatusBlock | TextBlock | LinesBlock | RefersBlock | ReportBlock;

/** Files that were asked for and not read, since one answer does not hold them all. */
interface LeftOutBlock extends Partial<ListCut> {
  readonly kind: "left_out";
  readonly files: readonly { readonly path: string; readonly sizeBytes: number }[];
}

/** Why a list ends before all was looked at, and the call that goes on; what is shown last says where. */
export interface ListCut {
  readonly more: "limit" | "answer" | "time";
  readonly after?: string | undefined;
  readonly omission: string;
}

/** Names in a folder, or that a glob found. */
export interface EntriesBlock extends Partial<ListCut>, PassedBy {
  readonly kind: "entries";
  readonly entries: readonly ListedEntry[];
  /** The names stand in one folder, and were not searched for. */
  readonly isListing?: boolean;
  /** The text form tells sizes first, and each name behind this (`Spoken.entriesUnder`). */
  readonly under?: { readonly folder: string; readonly named: string };
}

/** Lines that a pattern found. */
export interface MatchesBlock
  extends Partial<ListCut>,
    Pick<SearchDone, "matches" | "files" | "searchedFiles" | "searchedBytes" | "skips"> {
  readonly kind: "matches";
}
