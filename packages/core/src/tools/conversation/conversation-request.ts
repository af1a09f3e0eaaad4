import type { HistoryFilter } from "../../context/index.js";

/** What can be asked of a conversation: a closed union of plain values, as `FileRequest` is of files. */
export type ConversationRequest = TaskRequest | TrackRequest | HistoryRequest;

/** What begins, ends and lists tasks. */
export type TaskRequest =
  | {
      readonly kind: "task_start";
      readonly name?: string;
      readonly goal?: string;
      /** What the branch sees of what came before. */
      readonly context: "clone" | "clear" | "compress";
      /** For `compress`; the summariser's where it is left out. */
      readonly summary?: string;
    }
  | { readonly kind: "task_complete"; readonly summary?: string; readonly files: FilesAtMove }
  | { readonly kind: "task_cancel"; readonly files: FilesAtMove }
  | { readonly kind: "task_pop"; readonly files: FilesAtMove }
  | { readonly kind: "task_resume"; readonly taskId: string; readonly files: FilesAtMove }
  /** Without an id the current task. */
  | {
      readonly kind: "task_restart";
      readonly taskId?: string;
      readonly hint?: string;
      readonly files: FilesAtMove;
    }
  | { readonly kind: "task_list" };

/** What is kept in the context by itself. */
export type TrackRequest =
  | { readonly kind: "track_file"; readonly path: string }
  | { readonly kind: "untrack_file"; readonly path: string }
  | { readonly kind: "list_tracked_files" };

/** What shows the path, goes back on it or sums it up. */
export type HistoryRequest =
  /** The newest lines of the outline, of what the filter lets through. */
  | { readonly kind: "history_view"; readonly limitLines: number; readonly filter: HistoryFilter }
  /** Without an id before the last message of the user. */
  | { readonly kind: "rewind"; readonly turnId?: string; readonly files: FilesAtMove }
  /** The head stays. Of a node, before the last message of the user unless named; or a restore is taken back. */
  | {
      readonly kind: "restore_files";
      readonly turnId?: string;
      readonly restoreId?: string;
      readonly files: FilesAtMove;
    }
  | { readonly kind: "summarize_branch"; readonly focus?: string; readonly summary?: string }
  | { readonly kind: "expand_task_summary"; readonly taskId: string };

/** What becomes of the files when the head moves. */
export type FilesAtMove =
  | { readonly kind: "keep" }
  /** Nothing moves: it is told what a restore would do. */
  | { readonly kind: "preview" }
  | {
      readonly kind: "restore";
      /** Paths that may be overwritten or deleted although their bytes are nobody's we know. */
      readonly consent: readonly string[];
      /** What becomes of the other files in conflict: they refuse the move, or stay as they are. */
      readonly conflicts: "refuse" | "leave";
    };
