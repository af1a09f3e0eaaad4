import type { PatchRefusalCode } from "../patch/index.js";

/**
 * The closed list of what a tool can answer. An expected refusal is one of these values, never an
 * exception; each has one exit code of the commands and one row in docs/outcomes.md.
 */
export const successCodes = ["ok", "applied", "already_applied", "no_change"] as const;

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
  "busy",
  "denied",
  "placeholder",
  "not_applied",
] as const;

export type SuccessCode = (typeof successCodes)[number];
export type RefusalCode = (typeof refusalCodes)[number];
export type OutcomeCode = SuccessCode | RefusalCode;

/** An expected refusal: a code, one sentence that says what to do, and nothing changed. */
export interface Refusal<Code extends RefusalCode = RefusalCode> {
  readonly kind: "refusal";
  readonly code: Code;
  readonly message: string;
}

export function refuse<Code extends RefusalCode>(code: Code, message: string): Refusal<Code> {
  return { kind: "refusal", code, message };
}

/** Whether a value is a refusal; every other result of this package has another `kind`. */
export function isRefusal(value: { readonly kind: string }): value is Refusal {
  return value.kind === "refusal";
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

/** The compiler's proof that every code of the patch engine is a code of the tools. */
export function fromPatch(code: PatchRefusalCode, message: string): Refusal {
  return refuse(code, message);
}
