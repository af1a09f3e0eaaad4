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
