/** Lines of a text, 1-based, both included. `to < from` marks a deletion before line `from`. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** Lines `oldFrom` to `oldTo` (after the last, 0-based) were replaced by `newFrom` to `newTo`. */
export interface LineChange {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/**
 * Applies a strictly corrected diff to the text it was corrected for. It is a parameter of the engine, so
 * that its failure can be shown without replacing modules.
 *
 * @returns the new text, or `false` where the diff does not fit exactly (seed 1, section 5.5).
 */
export type StrictApplier = (base: string, correctedDiff: string) => string | false;

/** One diff for one file. */
export interface PatchRequest {
  /** The text that the diff is to change, without byte order mark; `null` where there is no file. */
  readonly base: string | null;
  /** The diff as the model wrote it, with any text around it. */
  readonly diff: string;
  /** The file's name; a header that names another file is reported. */
  readonly path?: string;
  /** The strict last stage; the `diff` library's `applyPatch` unless given. */
  readonly applier?: StrictApplier;
  /** Time limit in milliseconds for the whole request; 5,000 unless given. */
  readonly limitMs?: number;
}

/** What `applyDiff` returns: the new text, or why there is none. */
export type PatchOutcome = PatchSuccess | PatchRefusal;

/** `text` is the whole new text. For `already_applied` and `no_change` it is the base, unchanged. */
export interface PatchSuccess {
  readonly kind: "success";
  readonly code: "applied" | "already_applied" | "no_change";
  readonly text: string;
  readonly landed: readonly LandedHunk[];
  /** The lines that were changed, in order, where the hunks were placed; empty unless `applied`. */
  readonly changes: readonly LineChange[];
  readonly repairs: readonly Repair[];
  /** The diff creates the file, and its owner is to be able to run it. */
  readonly isExecutable?: true;
  /** The diff creates the file: git's name of its content, or how that begins, as the diff has it. */
  readonly blob?: string;
}

/** The diff was not applied, not even in part; the file stays as it is. */
export interface PatchRefusal {
  readonly kind: "refusal";
  readonly code: PatchRefusalCode;
  /** Begins with the seed's words where the seed has some; bounded in size (8 KiB). */
  readonly message: string;
  /** The first hunk (1-based, as written) without a placement. */
  readonly hunk?: number;
  /** What the diff asks for that no patch of one file can do, but another tool may. */
  readonly asks?: "deletion" | "rename" | "several_files" | "packed";
  /** For `ambiguous`: the 1-based lines at which the hunk fits. */
  readonly places?: readonly number[];
}

/** Why a diff was refused. */
export type PatchRefusalCode =
  /** No hunk, a hunk that fits nowhere, or something that a patch of one file cannot do. */
  | "invalid_diff"
  /** A hunk that fits at several positions. */
  | "ambiguous"
  | "multi_file_diff"
  /** The diff creates a file that exists and is not empty. */
  | "exists"
  /** The diff changes lines of a file that does not exist. */
  | "file_missing"
  /** The two ways of applying the corrected diff do not come to the same bytes. */
  | "internal_error"
  | "timeout"
  | "too_large"
  /** An added line is only a placeholder for code that was left out. */
  | "placeholder";

/** Where a hunk was applied: 1-based first lines and line counts, in the old and in the new text. */
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
  /** The file that the header names, where that is another one than the diff is applied to. */
  readonly otherFile?: string;
}

/** What was put right; most say how the diff differs from the file, the others how it differs from a diff. */
export type RepairKind =
  /** Read as another dialect than a unified diff. */
  | "dialect"
  /** The whole diff was escaped once too often. */
  | "escaped"
  /** HTML entities were decoded. */
  | "entities"
  /** Line numbers of a reading tool, pasted before the lines, were left out. */
  | "pasted_numbers"
  | "fence_removed"
  | "prose_removed"
  /** A header is missing or irregular, or names another file. */
  | "header_mended"
  /** The hunk starts at another line than its header says. */
  | "line_number"
  | "line_counts"
  /** Context lines lacked the space before them. */
  | "missing_prefix"
  /** Blank lines after a hunk were left out. */
  | "blank_lines"
  /** The diff has other line endings; the file's were kept. */
  | "line_endings"
  | "trailing_whitespace"
  /** The file has another indentation; added lines were changed with it. */
  | "indentation"
  /** Typographic punctuation differs in context lines; the file's was kept. */
  | "punctuation"
  /** Context lines were skipped, invented or swapped. */
  | "context_mended"
  | "hunk_order"
  /** The same hunk was written twice and counted once. */
  | "repeated_hunk"
  /** A hunk was left out because its change is already made. */
  | "applied_before"
  /** A hunk was left out because it changes nothing. */
  | "empty_hunk"
  /** The newline at the end of the file was added or removed, as the diff says. */
  | "final_newline";
