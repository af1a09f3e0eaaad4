import type { LineRange } from "./change.js";

/**
 * Applies a strictly corrected diff to the text it was corrected for. It is a parameter of the engine, so
 * that its failure can be shown without replacing modules.
 *
 * @returns the new text, or `false` where the diff does not fit exactly (seed 1, section 5.5).
 */
export type StrictApplier = (base: string, correctedDiff: string) => string | false;

export interface PatchRequest {
  /** The text that the diff is to change, without byte order mark; `null` where there is no file. */
  readonly base: string | null;
  /** The diff as the model wrote it, with whatever stands around it. */
  readonly diff: string;
  /** The file's name; a header that names another file is reported. */
  readonly path?: string;
  /** The strict last stage; the `diff` library's `applyPatch` unless given. */
  readonly applier?: StrictApplier;
  /** Time limit in milliseconds for the whole request; 5,000 unless given. */
  readonly limitMs?: number;
}

export type PatchOutcome = PatchSuccess | PatchRefusal;

/** `text` is the whole new text. For `already_applied` and `no_change` it is the base, unchanged. */
export interface PatchSuccess {
  readonly kind: "success";
  readonly code: "applied" | "already_applied" | "no_change";
  readonly text: string;
  readonly landed: readonly LandedHunk[];
  /** The lines of the new text that were changed, in order, as they were spliced; empty unless `applied`. */
  readonly ranges: readonly LineRange[];
  readonly repairs: readonly Repair[];
  /** The added lines of all hunks, joined; what an encoding must be able to hold. */
  readonly addedText: string;
}

export interface PatchRefusal {
  readonly kind: "refusal";
  readonly code: PatchRefusalCode;
  /** Begins with the seed's words where the seed has some; bounded in size (8 KiB). */
  readonly message: string;
  /** The first hunk (1-based, as written) that could not be placed. */
  readonly hunk?: number;
  /** For `ambiguous`: the 1-based lines at which the hunk fits. */
  readonly places?: readonly number[];
}

export type PatchRefusalCode =
  | "invalid_diff"
  | "ambiguous"
  | "multi_file_diff"
  | "exists"
  | "file_missing"
  | "internal_error"
  | "timeout"
  | "too_large"
  | "placeholder";

/** Where a hunk stands: 1-based first lines and line counts, in the old and in the new text. */
export interface LandedHunk {
  readonly hunk: number;
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
}

/** One thing that was put right so that the diff fits; `hunk` is absent where it concerns the whole. */
export interface Repair {
  readonly kind: RepairKind;
  readonly hunk?: number;
  /** One short phrase, such as `line 40 → 12`. */
  readonly detail: string;
}

export type RepairKind =
  | "dialect"
  | "escaped"
  | "entities"
  | "pasted_numbers"
  | "fence_removed"
  | "prose_removed"
  | "header_mended"
  | "line_number"
  | "line_counts"
  | "missing_prefix"
  | "blank_lines"
  | "line_endings"
  | "trailing_whitespace"
  | "indentation"
  | "punctuation"
  | "context_mended"
  | "hunk_order"
  | "repeated_hunk"
  | "applied_before"
  | "empty_hunk"
  | "final_newline";
