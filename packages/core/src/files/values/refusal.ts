import type { PatchRefusal } from "../../patch/index.js";
import { libraryWords, type Sentence, say } from "./vocabulary.js";

/**
 * What went well. This and the two lists below are closed: an expected refusal is one of these values, never
 * an exception, and each has one exit code of the commands and one row in docs/outcomes.md.
 */
export const successCodes = ["ok", "applied", "already_applied", "no_change"] as const;

/** What the tools of files refuse, and with that their wire. */
export const refusalCodes = [
  "state_mismatch",
  "unknown_base",
  "missing_base",
  "not_read",
  "invalid_diff",
  "ambiguous",
  "not_found",
  "occurrence_mismatch",
  "equal_strings",
  "empty_old_string",
  "internal_error",
  "invalid_arguments",
  "invalid_hash",
  "multi_file_diff",
  "timeout",
  "read_only",
  "bytes_gone",
  "cannot_preserve",
  "out_of_range",
  "section_missing",
  "unencodable",
  "nothing_to_undo",
  "unseen_lines",
  "outside_workspace",
  "root_changed",
  "protected_path",
  "ignored_path",
  "is_directory",
  "not_a_file",
  "binary",
  "undecodable",
  "too_large",
  "permission_denied",
  "disk_full",
  "file_missing",
  "exists",
  "not_agreed",
  "cancelled",
  "busy",
  "denied",
  "placeholder",
  "not_applied",
] as const;

/** What a conversation or a session store refuses. */
export const conversationCodes = [
  "unknown_node",
  "unknown_task",
  "unknown_session",
  "pruned_node",
  "cycle",
  "duplicate_id",
  "invalid_arguments",
  "invalid_payload",
  "invalid_metadata",
  "open_calls",
  "unmatched_result",
  "unsafe_cut",
  "no_effect",
  "no_task",
  "task_closed",
  "not_staged",
  "no_summary",
  "restore_pending",
  "files_in_conflict",
  "files_refused",
  "newer_version",
  "read_only",
  "not_a_session",
  "too_large",
  "busy",
  "cancelled",
  "conflict",
  "disk_full",
  "permission_denied",
  "store_failed",
] as const;

/** A code of an answer that refuses nothing. */
type SuccessCode = (typeof successCodes)[number];
/** A code of the tools of files. */
export type RefusalCode = (typeof refusalCodes)[number];
/** A code of conversations and session stores. */
export type ConversationCode = (typeof conversationCodes)[number];
/** Every code of the one list. */
export type AnyRefusalCode = RefusalCode | ConversationCode;
/** What a tool of files can answer. */
export type OutcomeCode = SuccessCode | RefusalCode;

/** An expected refusal: a code, one sentence that says what to do, and nothing changed. */
export interface Refusal<Code extends AnyRefusalCode = RefusalCode> {
  readonly kind: "refusal";
  readonly code: Code;
  /** In the library's words. */
  readonly message: string;
  /** The message, or a part of it, as a door puts it into its own words (`inWords`). */
  readonly sentence?: Sentence;
}

/** A refusal that names tools or arguments: each door says it in its own words. */
export function refuseIn<Code extends RefusalCode>(
  code: Code,
  template: string,
  facts: Sentence["facts"] = {},
): Refusal<Code> {
  const sentence = { template, facts };
  return { kind: "refusal", code, message: say(sentence, libraryWords), sentence };
}

/**
 * A refusal in words that hold at every door. Use `refuseIn` where the sentence names a tool or an argument.
 *
 * @param message one sentence that says what is wrong, what was left as it is, and what to do.
 */
export function refuse<Code extends AnyRefusalCode>(code: Code, message: string): Refusal<Code> {
  return { kind: "refusal", code, message };
}

/** Whether an answer is a refusal; every other answer of this package has another `kind`, or none. */
export function isRefusal(answer: object): answer is Refusal<AnyRefusalCode> {
  return "kind" in answer && answer.kind === "refusal";
}

/**
 * Whether the answer to this refusal carries the file's content for the caller to look at: where it is
 * other than believed, or was never shown. After the others the caller knows as much as before.
 */
export function carriesContent(code: OutcomeCode): boolean {
  return contentCodes.has(code);
}

const contentCodes: ReadonlySet<OutcomeCode> = new Set<OutcomeCode>([
  "state_mismatch",
  "unknown_base",
  "missing_base",
  "exists",
  "internal_error",
]);

const beyondOneFile = {
  deletion: "[ To delete it, use {delete}.| To delete it, use {changes}.]",
  rename: "[ To rename it, use {move}; the lines are another call.| To rename it, use {changes}.]",
  packed: "[ To apply it, use {changes}.]",
  several_files: "[ To change them together, use {changes}.]",
} as const;

/** A refusal of the patch engine as one of the tools; it names the tool that does what a patch cannot. */
export function fromPatch({ code, message, asks }: PatchRefusal): Refusal {
  if (asks === undefined) return refuse(code, message);
  const other = refuseIn(code, beyondOneFile[asks]);
  return { ...other, message: message + other.message };
}
