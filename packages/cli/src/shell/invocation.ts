import type { FlagsOf, globalOptions } from "../command-spec.js";
import type { commandSpecs } from "../command-table.js";
import type { Terminal } from "./terminal.js";

/** What a command gets: its arguments in order, its flags, and where it may print. */
export interface Invocation {
  /** The command's name. */
  readonly command: string;
  readonly args: readonly (string | undefined)[];
  readonly flags: Flags;
  readonly settings: Settings;
  readonly terminal: Terminal;
  /** Ends the command as a usage error: one line, a hint, exit code 2. */
  readonly misuse: (message: string) => never;
}

/** The code of a command or of an action. @returns the exit code. */
export type Run = (call: Invocation) => Promise<number>;

/** Every flag of every command. */
export type Flags = FlagsOf<(typeof commandSpecs)[number] | { readonly options: typeof globalOptions }>;

/** What every command knows from the flags before it begins. */
export interface Settings {
  /** Folders that may be worked in; a relative path counts from the first. */
  readonly roots: readonly string[];
  /** Where history, states and locks are kept; the user's state folder unless given. */
  readonly stateDir?: string;
  readonly json: boolean;
  /** Globs of protected paths that the caller approves of for this one call. */
  readonly allowProtected: readonly string[];
  /** Globs of files that are written in place; `auto` means those that cannot be replaced. */
  readonly inPlace: readonly string[];
  /** For how many days states of files that may hold secrets are kept; seven unless given. */
  readonly keepSecrets?: number | "none";
}
