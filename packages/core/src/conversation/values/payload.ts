import type { LineEdit, LineSpan, OwnWrite } from "../../files/seen/index.js";
import type { JsonObject } from "./json.js";

/**
 * What one node of the tree is (seed 4, "TurnPayload"). One node holds one thing: a model's answer with two
 * calls is a message and two calls, one below the other.
 */
export type TurnPayload =
  | UserMessage
  | ModelMessage
  | ToolCall
  | ToolResultPayload
  | FileContent
  | ContextManagement
  | TaskBoundary
  | TaskSummary
  | Summary
  | Restore
  | Note
  | LostNode
  | UnknownPayload;

/** The kind of a payload; `unknown` stands for all kinds of newer releases. */
export type PayloadKind = TurnPayload["kind"];

/** What the user said or showed. */
export interface UserMessage {
  readonly kind: "user_message";
  readonly text: string;
  readonly media?: readonly Media[];
}

/** An image, a document or a sound: given inline, and kept beside the journal, where equal ones lie once. */
export type Media = InlineMedia | StoredMedia;

/** As it is given. A session that is opened again has `StoredMedia` in its place. */
export interface InlineMedia {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** Its bytes are read when they are asked for: `OpenSession.readBlob`, `resolveMedia`. */
export interface StoredMedia {
  readonly mimeType: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Which model made something: its thoughts and signatures mean nothing to any other. */
export interface ModelOrigin {
  /** "google", "anthropic", "openai" or another provider's name. */
  readonly provider: string;
  readonly model: string;
}

/** What the model said or thought; its calls are nodes of their own. */
export interface ModelMessage {
  readonly kind: "model_message";
  readonly text: string;
  /** Stands before the text. */
  readonly thought?: string;
  /** Anthropic's encrypted thinking, to be given back as it is; stands before the text. */
  readonly redactedThought?: string;
  /** What the model made: images, sounds. They stand behind the text. */
  readonly media?: readonly Media[];
  /** Signs the thought; where there is none, the text, else the first of the media. To be given back byte for byte. */
  readonly signature?: string;
  readonly from?: ModelOrigin;
  /** The same for all nodes of one answer of the model; another one begins another answer. */
  readonly step?: string;
}

/** A call of a tool by the model. Its result is a node further down the path. */
export interface ToolCall {
  readonly kind: "tool_call";
  /** Pairs it with its result; unique on its path. */
  readonly callId: string;
  readonly name: string;
  readonly args: JsonObject;
  /** SHA-256 (hex) of the request that the host made of the call: what was asked, however it was written. */
  readonly request?: string;
  readonly signature?: string;
  readonly from?: ModelOrigin;
  readonly step?: string;
}

/** What a call gave: what the model is shown, and what it means for files. */
export interface ToolResultPayload {
  readonly kind: "tool_result";
  readonly callId: string;
  readonly name: string;
  /** What the model is shown, to the letter. */
  readonly output: string;
  /** What the model is shown besides, such as a screenshot. */
  readonly media?: readonly Media[];
  readonly isError?: boolean;
  /** Which lines of which file stand where in `output`. */
  readonly shows?: readonly ShownText[];
  /** What has to stand in the prompt besides, for `output` to be true: what an "unchanged" speaks of. */
  readonly refers?: readonly ReferredLines[];
  /** Stretches of `output` that the prompt showed already. In their order, apart from one another. */
  readonly repeats?: readonly RepeatedLines[];
  /** What the call found out about files, or did to them. */
  readonly files?: readonly FileEffect[];
  /** Of a command: the files that it changed beside them. */
  readonly touched?: TouchedFiles;
}

/** What is different in a workspace after a command. Nobody read these files: their bytes are not known. */
export interface TouchedFiles {
  readonly files: readonly FileTouch[];
  /** False where not all was looked at, or not all is listed. */
  readonly isWhole: boolean;
}

/** A file before and after a command; `null`: there was no such file. */
export interface FileTouch {
  readonly path: string;
  readonly before: FileStamp | null;
  readonly after: FileStamp | null;
}

/** What a disk says of a file without reading it. */
export interface FileStamp {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly inode: number;
  /** The permission bits; missing from turns of earlier builds. */
  readonly mode?: number;
}

/**
 * Lines of one state of a file that stand verbatim in a text: whole lines, or a part of one line. Where line
 * numbers stand between the lines there is one entry a line, for the text behind its number.
 */
export interface ShownText {
  readonly path: string;
  readonly sha256: string;
  /** 1-based, both included. */
  readonly from: number;
  readonly to: number;
  /** UTF-16 offsets into the text; the terminator of the last line is included where it is there. */
  readonly start: number;
  readonly end: number;
  /** Set where this is a part of one long line (`from` equals `to`), without its terminator. */
  readonly chars?: ShownChars;
  /** Set where the caller insisted on an encoding: under another one the same bytes are other lines. */
  readonly encoding?: string;
}

/** Which part of a line is shown, in Unicode code points of the line without terminator. */
export interface ShownChars {
  /** 0-based, the end excluded. */
  readonly from: number;
  readonly to: number;
  /** How many the whole line has. */
  readonly of: number;
}

/** Lines of one state of a file that a text speaks of and does not show. */
export interface ReferredLines {
  readonly path: string;
  readonly sha256: string;
  /** 1-based, both included; `to` is `from - 1` where only something of the state has to be there. */
  readonly from: number;
  readonly to: number;
  /** As in `ShownText`. */
  readonly encoding?: string;
}

/**
 * A stretch of a text that repeats lines of the same file which stood in the prompt when it was made. The prompt holds
 * one line of reference in its place as long as these lines stand above it, and the stretch itself where they do not.
 */
export interface RepeatedLines {
  /** UTF-16 offsets into the text: where the first line begins (behind its number), where the last one ends. */
  readonly start: number;
  readonly end: number;
  /** The state whose lines the text shows there. */
  readonly path: string;
  readonly sha256: string;
  /** As in `ShownText`. */
  readonly encoding?: string;
  /** 1-based, both included. */
  readonly from: number;
  readonly to: number;
  /** The state under which the same lines stand above, and the first of them there. */
  readonly as: {
    readonly sha256: string;
    readonly from: number;
    /** The versions under which the answers gave them out that show them. */
    readonly versions?: readonly number[];
  };
}

/** The state in which a step left a file or found it. `null`: there is no such file. */
export interface FileEffect {
  readonly path: string;
  /** The state before, where it is known. */
  readonly before?: string | null;
  readonly after: string | null;
  /** `tool`: our write. `seen`: a read, or a change that somebody else had made. */
  readonly by: "tool" | "seen";
  /**
   * How the lines of `before` became those of `after`, as the change was made, or as a change that somebody
   * else had made was shown. With it every unchanged line is found again in the new state.
   */
  readonly changes?: readonly LineEdit[];
  /** Lines of `after` of which every character stood in the call. */
  readonly authored?: readonly LineSpan[];
  /** Of a move: the name that the file had before. */
  readonly from?: string;
  /** Every added line follows from the call and the lines that it replaced: who knew these knows those. */
  readonly derived?: boolean;
  /** How many lines `after` has. */
  readonly lines?: number;
  /** The version under which `after` was handed out. */
  readonly version?: number;
  /** Of our write: what later calls on its base have to know of it. */
  readonly own?: OwnWrite;
}

/** A state of a file, put before the model without a call of its own. */
export interface FileContent {
  readonly kind: "file_content";
  readonly path: string;
  readonly version: number;
  readonly sha256: string;
  /** 1-based, both included; `to` is `from - 1` for an empty file. */
  readonly lines: { readonly from: number; readonly to: number; readonly total: number };
  /** The text of these lines, byte-exact. */
  readonly text: string;
  /** As of a result; offsets are into `text`. */
  readonly repeats?: readonly RepeatedLines[];
  /** `whole`: all lines of the file. `window`: some. `tracked`: a new state of an ambient file. */
  readonly form: "whole" | "window" | "tracked";
  /**
   * The text is known to be the state's: a read of ours found it, or it hashes to `sha256`. Set by the
   * manager; without it nothing of the file counts as shown.
   */
  readonly verified?: true;
  readonly fileApi?: FileApiState;
}

/** The same bytes, uploaded to the Gemini File API. */
export interface FileApiState {
  readonly uri: string;
  readonly mimeType: string;
  readonly state: "PENDING" | "PROCESSING" | "ACTIVE" | "FAILED";
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** What is done to the context rather than said in it. It holds on the branch on which it stands. */
export type ContextManagement =
  | {
      readonly kind: "context_management";
      readonly action: "track_file" | "untrack_file";
      readonly path: string;
    }
  | {
      readonly kind: "context_management";
      readonly action: "overlay";
      /** A node above this one. */
      readonly targetId: string;
      readonly form: OverlayForm;
    }
  | {
      readonly kind: "context_management";
      /** Many overlays in one node. */
      readonly action: "reform";
      /** In this order, as if each were an overlay of its own. */
      readonly changes: readonly FormChange[];
    };

/** A node above, and the form in which it is rendered from here on. */
export interface FormChange {
  readonly targetId: string;
  readonly form: OverlayForm;
}

/** In what form an earlier node is rendered from here on. Chosen once, replayed ever after. */
export type OverlayForm =
  /** Not at all; of a call and its result, both. */
  | { readonly form: "hidden" }
  /** As it was at first. */
  | { readonly form: "original" }
  /** This text in place of a result's output or of a file's lines; a call keeps its result. */
  | {
      readonly form: "replaced";
      readonly by: "cleared" | "stub" | "delta";
      readonly text: string;
      readonly shows?: readonly ShownText[];
      /** What has to stand in the prompt besides, for `text` to be true: what a stub or a delta builds on. */
      readonly refers?: readonly ReferredLines[];
    }
  /** A file, or the one medium of a user's message, by its address at the provider. */
  | { readonly form: "uri"; readonly fileApi: FileApiState }
  /** A file by its text, a medium by its bytes. */
  | { readonly form: "inline" };

/** The first node of a task's branch, and of the session. Its id is the task's id. */
export interface TaskBoundary {
  readonly kind: "task_boundary";
  readonly name: string;
  readonly goal?: string;
  readonly transformation: HistoryTransformation;
  /** The failed task that this one tries again. */
  readonly restartOf?: string;
  readonly hint?: string;
  /** Set where its own record is lost: it stands in the place of the boundary that others name. */
  readonly lost?: LostRecords;
}

/** What a branch sees of what came before it (seed 4, "HistoryTransformation"). */
export type HistoryTransformation =
  | { readonly kind: "clear" }
  | { readonly kind: "clone" }
  | { readonly kind: "compress"; readonly summary: string };

/** The merge commit of a task: stands on the parent branch, links to the task's own. */
export interface TaskSummary {
  readonly kind: "task_summary";
  readonly taskId: string;
  readonly name: string;
  readonly summary: string;
  /** Written by code, never by a model. */
  readonly files: readonly FileDelta[];
  /** The last node of the task's branch when it was completed. */
  readonly tipId: string;
}

/** `null`: there is no such file. */
export interface FileDelta {
  readonly path: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Words that stand for other nodes. */
export type Summary =
  /** Of a branch, told where it stands; nothing goes away for it. */
  | {
      readonly kind: "summary";
      readonly of: "branch";
      readonly text: string;
      /** First and last node of what it sums up. */
      readonly covers: { readonly fromId: string; readonly toId: string };
    }
  /** Of everything on the path before `keepFromId`, which it stands for from here on. */
  | {
      readonly kind: "summary";
      readonly of: "compaction";
      readonly text: string;
      /** The first node that stays as it is, at a safe cut; `null` keeps none. */
      readonly keepFromId: string | null;
      readonly files?: readonly FileDelta[];
      /** The files of what is left out, written by code. */
      readonly ledger?: readonly FileLedgerEntry[];
      /** The instruction that holds, where it is left out with the rest. */
      readonly instruction?: { readonly nodeId: string; readonly text: string };
    };

/** A file that was changed, as code knows it: its state, how many lines changed, and what was run after that. */
export interface FileLedgerEntry extends FileDelta {
  /** The version under which `to` was handed out. */
  readonly version?: number;
  /** Lines that were added and removed, over all changes. */
  readonly added: number;
  readonly removed: number;
  /** The last command after its last change; none where none was run. */
  readonly check?: LedgerCheck;
}

/** A command that was run after a change. */
export interface LedgerCheck {
  /** The node of its result. */
  readonly nodeId: string;
  readonly command: string;
  readonly failed: boolean;
}

/** What moving the head did to the files. */
export interface Restore {
  readonly kind: "restore";
  /** The id under which it was begun, so that a kill in between can be settled. */
  readonly restoreId: string;
  /** Where the head stood before. */
  readonly fromId: string;
  /** Where it was moved. */
  readonly toId: string;
  readonly files: readonly FileDelta[];
  /** The restore that this one takes back. */
  readonly undoes?: string;
  /** The node whose files they became, where the head stayed: `fromId` and `toId` are the same then. */
  readonly stateOf?: string;
}

/** Words of the host: to the model, or to the person only. */
export interface Note {
  readonly kind: "note";
  readonly text: string;
  /** A note for a person is never rendered for a model. */
  readonly audience: "model" | "person";
  /** States of files that it tells of. */
  readonly files?: readonly FileEffect[];
  /** Of a command of the person's. */
  readonly touched?: TouchedFiles;
  /** The node of a call, or the id of a restore, whose writes it tells of: they were not recorded before. */
  readonly settles?: string;
}

/**
 * Stands in the place of a node whose record is lost: what came after it names it, and the numbers of the
 * records say when it was. It is kept as it is, also once the session was repaired.
 */
export interface LostNode {
  readonly kind: "lost";
  readonly records: LostRecords;
}

/** Lost records, one of which held a node, by their numbers, both included; 0 to 0 where no number is missing. */
export interface LostRecords {
  readonly from: number;
  readonly to: number;
}

/** Of a kind that a newer release knows: kept and shown, never rendered. */
interface UnknownPayload {
  readonly kind: "unknown";
  readonly type: string;
  readonly data: JsonObject;
}
