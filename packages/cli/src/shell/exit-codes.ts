import type { OutcomeCode } from "@holdfast/core";

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

/** The exit code of every outcome. A new outcome code does not compile until it has its row. */
export const exitCodeOf: Readonly<Record<OutcomeCode, number>> = {
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
};
