import type { Invocation } from "./shell/index.js";

/** One command as data: its help is made from it, its code is loaded when it is called. */
export interface CommandSpec {
  /** Name and arguments, as commander reads them. */
  readonly usage: string;
  readonly summary: string;
  /** What the first argument can be, for completion. */
  readonly argumentChoices?: readonly string[];
  readonly description?: string;
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly string[];
  readonly load: () => Promise<(call: Invocation) => Promise<number>>;
}

export interface OptionSpec {
  readonly flags: string;
  readonly help: string;
  readonly choices?: readonly string[];
  readonly parse?: (value: string, before: readonly string[] | undefined) => unknown;
}
