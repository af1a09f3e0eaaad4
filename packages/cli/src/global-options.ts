import type { OptionSpec } from "./command-spec.js";
import { collect, daysOrNone } from "./flags.js";

/** The flags that every command takes. */
export const globalOptions: readonly OptionSpec[] = [
  {
    flags: "--root <dir>",
    help: "the folder to work in, from which paths count (default: the current one); may be repeated",
    parse: collect,
  },
  { flags: "--json", help: "print the result as JSON" },
  {
    flags: "--state-dir <dir>",
    help: "where history, states and locks are kept (default: the user's state folder)",
  },
  {
    flags: "--allow-protected <glob>",
    help: "approve writing to protected paths of this form; may be repeated",
    parse: collect,
  },
  {
    flags: "--keep-secrets <days>",
    help: "keep states of files that may hold secrets for so many days (default: 7), or none: then overwriting one needs --allow-protected",
    parse: daysOrNone,
  },
  { flags: "--no-color", help: "never colour the output (also NO_COLOR; FORCE_COLOR colours always)" },
];
