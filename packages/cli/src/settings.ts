import { InvalidArgumentError } from "commander";

/** What every command knows from the flags before it begins. */
export interface Settings {
  /** Folders that may be worked in; a relative path counts from the first. */
  readonly roots: readonly string[];
  /** Where history, states and locks are kept; the user's state folder unless given. */
  readonly stateDir?: string;
  readonly json: boolean;
  /** Globs of protected paths that the caller approves of for this one call. */
  readonly allowProtected: readonly string[];
}

/** The flags as commander hands them over, for any command. */
export interface GlobalFlags {
  readonly root?: readonly string[];
  readonly stateDir?: string;
  readonly json?: boolean;
  readonly color?: boolean;
  readonly allowProtected?: readonly string[];
}

export function settingsFrom(flags: GlobalFlags): Settings {
  return {
    roots: flags.root ?? [process.cwd()],
    json: flags.json === true,
    allowProtected: flags.allowProtected ?? [],
    ...(flags.stateDir === undefined ? {} : { stateDir: flags.stateDir }),
  };
}

/** For flags that may be given several times. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** For flags that want a whole number of at least 1. */
export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 1 up.");
  return Number(value);
}
