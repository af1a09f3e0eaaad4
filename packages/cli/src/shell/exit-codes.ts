import type { AnyRefusalCode, OutcomeCode } from "@holdfast/core/files";

/** What the process says to the shell; scripts may branch on it (docs/outcomes.md). */
export const exitCodes = {
  success: 0,
  internal: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** The state of the file is not the one that was named, or none was named. */
  state: 3,
  /** The change, or an argument of it, does not fit. */
  change: 4,
  /** The path, or writing at all, is not allowed. */
  path: 5,
  /** The file is of a kind or size that cannot be served. */
  kind: 6,
  /** Busy, full, or not permitted: the same call may work later. */
  machine: 7,
  cancelled: 130,
} as const;

/** The exit code of every outcome and of every refusal. A new outcome code does not compile until it has its row. */
export const exitCodeOf: Readonly<Record<OutcomeCode | AnyRefusalCode, number>> = {
  ok: exitCodes.success,
  applied: exitCodes.success,
  already_applied: exitCodes.success,
  no_change: exitCodes.success,

  internal_error: exitCodes.internal,

  state_mismatch: exitCodes.state,
  unknown_base: exitCodes.state,
  missing_base: exitCodes.state,
  not_read: exitCodes.state,
  unseen_lines: exitCodes.state,
  file_missing: exitCodes.state,
  exists: exitCodes.state,
  not_agreed: exitCodes.state,
  bytes_gone: exitCodes.state,
  nothing_to_undo: exitCodes.state,

  invalid_arguments: exitCodes.change,
  invalid_hash: exitCodes.change,
  invalid_diff: exitCodes.change,
  multi_file_diff: exitCodes.change,
  ambiguous: exitCodes.change,
  not_found: exitCodes.change,
  occurrence_mismatch: exitCodes.change,
  equal_strings: exitCodes.change,
  empty_old_string: exitCodes.change,
  out_of_range: exitCodes.change,
  section_missing: exitCodes.change,
  unencodable: exitCodes.change,
  placeholder: exitCodes.change,
  not_applied: exitCodes.change,
  timeout: exitCodes.change,

  outside_workspace: exitCodes.path,
  root_changed: exitCodes.path,
  protected_path: exitCodes.path,
  ignored_path: exitCodes.path,
  read_only: exitCodes.path,
  denied: exitCodes.path,

  is_directory: exitCodes.kind,
  not_a_file: exitCodes.kind,
  binary: exitCodes.kind,
  undecodable: exitCodes.kind,
  too_large: exitCodes.kind,
  cannot_preserve: exitCodes.kind,

  busy: exitCodes.machine,
  disk_full: exitCodes.machine,
  permission_denied: exitCodes.machine,

  cancelled: exitCodes.cancelled,

  unknown_node: exitCodes.state,
  unknown_task: exitCodes.state,
  unknown_session: exitCodes.state,
  pruned_node: exitCodes.state,
  duplicate_id: exitCodes.state,
  not_staged: exitCodes.state,
  no_task: exitCodes.state,
  task_closed: exitCodes.state,
  restore_pending: exitCodes.state,
  files_in_conflict: exitCodes.state,
  files_refused: exitCodes.state,
  cycle: exitCodes.change,
  invalid_payload: exitCodes.change,
  invalid_metadata: exitCodes.change,
  open_calls: exitCodes.change,
  unmatched_result: exitCodes.change,
  unsafe_cut: exitCodes.change,
  no_effect: exitCodes.change,
  no_summary: exitCodes.change,
  newer_version: exitCodes.kind,
  not_a_session: exitCodes.kind,
  conflict: exitCodes.machine,
  store_failed: exitCodes.machine,
};
