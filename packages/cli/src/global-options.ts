import type { OptionTable } from "./command-spec.js";

/** The flags that every command takes. */
export const globalOptions = {
  "--root <dir>": "the folder to work in, from which paths count (default: the current one); may be repeated",
  "--json": "print the result as JSON",
  "--state-dir <dir>": "where history, states and locks are kept (default: the user's state folder)",
  "--allow-protected <glob>": "approve writing to protected paths of this form; may be repeated",
  "--in-place <glob>":
    "write files of this form in place, not by replacing them, or (auto) those that cannot be replaced; may be repeated",
  "--keep-secrets <days>":
    "keep states of files that may hold secrets for so many days (default: 7), or none: then overwriting one needs --allow-protected",
  "--no-color": "never colour the output (also NO_COLOR; FORCE_COLOR colours always)",
} as const satisfies OptionTable;
