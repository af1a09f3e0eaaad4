import type { Flags, Invocation } from "./shell/invocation.js";

/** One command as data: its help is made from it, its code is loaded when it is called. */
export interface CommandSpec {
  /** Name and arguments, as commander reads them. */
  readonly usage: string;
  readonly summary: string;
  /** What the first argument can be, for completion, where it is no action. */
  readonly argumentChoices?: readonly string[];
  /** What the first argument can be, where each does something of its own. */
  readonly actions?: readonly ActionSpec[];
  readonly description?: string;
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly string[];
  readonly load: () => Promise<(call: Invocation) => Promise<number>>;
}

/** One action of a command, as its help shows it. */
export interface ActionSpec {
  /** Name and arguments: `show SESSION`, `[…]` around what may be left out. */
  readonly usage: string;
  readonly summary: string;
  /** The options that it takes, beside `--store`, `--tenant` and those of every command. */
  readonly options: readonly (keyof Flags)[];
}

/** One flag of a command, as commander is told of it. */
export interface OptionSpec {
  readonly flags: string;
  readonly help: string;
  readonly choices?: readonly string[];
  readonly parse?: (value: string, before: readonly string[] | undefined) => unknown;
}

/** The name of a command or an action: the first word of its usage. */
export function nameOf({ usage }: Pick<ActionSpec, "usage">): string {
  const [name = ""] = usage.split(" ");
  return name;
}
