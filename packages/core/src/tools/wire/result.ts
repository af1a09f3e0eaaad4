import type { ReferredLines, ShownText } from "../../conversation/values/index.js";
import type { Preview } from "../../files/index.js";
import type { ShownLines } from "../../files/seen/index.js";
import type {
  ApplyChangesOutcome,
  FindOutcome,
  ListOutcome,
  OutcomeCode,
  ReadManyOutcome,
  ReadOutcome,
  Refusal,
  SearchOutcome,
  WriteOutcome,
} from "../../files/values/index.js";

/** What a tool hands to the renderer. */
export type ToolResult =
  /** `isPage`: no number of lines was asked for; the answer is one page of them. */
  | { readonly kind: "read"; readonly outcome: ReadOutcome; readonly isPage?: boolean }
  | { readonly kind: "read_many"; readonly outcome: ReadManyOutcome }
  | { readonly kind: "list"; readonly outcome: ListOutcome }
  | { readonly kind: "find"; readonly outcome: FindOutcome }
  | { readonly kind: "search"; readonly outcome: SearchOutcome }
  | WriteResult
  | ChangeSetResult
  | PreviewResult
  | RefusedResult;

/** The outcome of a write to one file, and whether its answer may show content. */
export interface WriteResult {
  readonly kind: "write";
  readonly outcome: WriteOutcome;
  /** A success never shows content, whatever the host's choice: the tool is for not needing it. */
  readonly quiet?: boolean;
}

/** The outcome of a change set. */
export interface ChangeSetResult {
  readonly kind: "change_set";
  readonly outcome: ApplyChangesOutcome;
}

/** What a change would come to: nothing was written. */
export interface PreviewResult {
  readonly kind: "preview";
  readonly preview: Preview;
  /** As of `RefusedResult`. */
  readonly several: boolean;
}

/** A refusal before the workspace was asked. */
export interface RefusedResult {
  readonly kind: "refused";
  readonly refusal: Refusal;
  /** The file that the call was about, where it named one. */
  readonly path?: string;
  /** Whether a writing tool was called: its answer always has the key `latest_file_state`. */
  readonly writing: boolean;
  /** A tool for several files was called: its answer has the key `changes` instead. */
  readonly several?: boolean;
}

/** The answer of a tool as it goes to a model, a client or a script. */
export interface ToolReply {
  readonly success: boolean;
  readonly code: OutcomeCode;
  /** What the model sees; for the wire form `json` `json`, what is not seen written as escapes. */
  readonly text: string;
  /** Where in `text` which lines of files stand, to the letter; none in the wire form `json`. */
  readonly shows: readonly ShownText[];
  /** The wire object, for typed clients. */
  readonly json: unknown;
  /** Whether text of a file is in the reply; without it the reply is a small acknowledgement. */
  readonly bearsContent: boolean;
  /** The lines of files that the reply shows. */
  readonly shown: readonly ShownLines[];
  /** The lines that it speaks of without showing them: they have to stand in the prompt besides. */
  readonly refers: readonly ReferredLines[];
}
