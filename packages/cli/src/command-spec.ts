import { type Value, values } from "./flags.js";

/** One command as data: its help and the types of its flags are made from it. Its code is named in `program.ts`. */
export interface CommandSpec extends ActionSpec {
  /** What the first argument can be, for completion, where it is no action. */
  readonly argumentChoices?: readonly string[];
  /** What the first argument can be, where each does something of its own. */
  readonly actions?: readonly ActionSpec[];
  readonly description?: string;
  readonly examples: readonly string[];
}

/** One action of a command, as its help shows it. */
export interface ActionSpec {
  /** Name and arguments: `show SESSION`, `[…]` around what may be left out; of a command, as commander reads them. */
  readonly usage: string;
  readonly summary: string;
  /** Of a command that has actions: those that every action takes. */
  readonly options?: OptionTable;
}

/** Flags, as commander reads them, each with its help. What follows one is said in `values`. */
type OptionTable = Readonly<Record<string, string>>;

/** One flag of a command, as commander is told of it. */
export interface OptionSpec {
  readonly flags: string;
  readonly help: string;
  readonly value?: Value | undefined;
}

/** The name of a command or an action: the first word of its usage. */
export function nameOf({ usage }: Pick<ActionSpec, "usage">): string {
  const [name = ""] = usage.split(" ");
  return name;
}

/** All options of a command. The help of those of actions begins with the names of these. */
export function optionsOf({ options = {}, actions = [] }: Partial<CommandSpec>) {
  const namesOf = new Map<string, Map<string, readonly string[]>>();
  for (const action of actions)
    for (const [flags, help] of Object.entries(action.options ?? {})) {
      const names = namesOf.get(flags) ?? new Map<string, readonly string[]>();
      namesOf.set(flags, names.set(help, [...(names.get(help) ?? []), nameOf(action)]));
    }
  const ofActions = [...namesOf].map(([flags, names]) => {
    const helps = [...names].map(([help, actionNames]) => `${actionNames.join(", ")}: ${help}`);
    return [flags, helps.join("; ")] as const;
  });
  return [...Object.entries(options), ...ofActions].map(
    ([flags, help]): OptionSpec => ({ flags, help, value: valueAfter(flags) }),
  );
}

function valueAfter(flags: string): Value | undefined {
  const [, written = ""] = flags.split("--");
  const [name = "", value] = written.split(" ");
  const known: Readonly<Record<string, Value>> = values;
  return value === undefined ? undefined : (known[written] ?? known[name]);
}

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

/** The flags of these commands as commander hands them over: `--dry-run` is `dryRun`. */
export type FlagsOf<Spec> = {
  readonly [Flags in FlagsIn<Spec> as NameOf<LongName<Flags>>]?: GivenBy<LongName<Flags>>;
};

type FlagsIn<Spec> =
  | (Spec extends { readonly options: infer Options } ? keyof Options : never)
  | (Spec extends { readonly actions: readonly (infer Action)[] } ? FlagsIn<Action> : never);
/** Without its short form and dashes. */
type LongName<Flags> = Flags extends `${string}--${infer Name}` ? Name : never;
type NameOf<Text extends string> = Text extends `${infer Name} ${string}`
  ? NameOf<Name>
  : Text extends `no-${infer Name}`
    ? Name
    : Text extends `${infer First}-${infer Rest}`
      ? `${First}${Capitalize<NameOf<Rest>>}`
      : Text;
type GivenBy<Text extends string> = Text extends `${infer Name} <${string}`
  ? Text extends keyof typeof values
    ? Given<(typeof values)[Text]>
    : Name extends keyof typeof values
      ? Given<(typeof values)[Name]>
      : string
  : boolean;
type Given<Of> = Of extends readonly (infer Choice)[]
  ? Choice
  : Of extends (...args: never) => infer Result
    ? Result
    : never;
