import { defined, escapeText } from "@holdfast/core/text";
import { nearestName } from "@holdfast/core/tools";
import { Command, CommanderError, Option } from "commander";
import { agentFlags } from "./agent-flags.js";
import {
  type ActionSpec,
  type CommandSpec,
  globalOptions,
  nameOf,
  type OptionSpec,
  optionsOf,
} from "./command-spec.js";
import type { commandSpecs } from "./command-table.js";
import { exitCodes } from "./shell/exit-codes.js";
import { watchInterrupts } from "./shell/interrupt.js";
import type { Flags, Run, Settings } from "./shell/invocation.js";
import { openTerminal } from "./shell/terminal.js";
import { version } from "./shell/version.js";

/** The commands that there are, and the code of each by its name. */
interface Commands {
  readonly specs: readonly CommandSpec[];
  readonly loaders: Readonly<Record<string, Load>>;
}

/**
 * Runs one command line.
 *
 * @param args without the program's own name.
 * @returns the exit code. What is thrown is a bug or a broken machine.
 */
export async function runProgram(args: readonly string[], commands: Commands): Promise<number> {
  watchInterrupts();
  const finished = { exitCode: 0 };
  const program = describeProgram(finished, commands);
  const words = meant(args, commands.specs);
  const [word = ""] = words;
  if (/^[^-]/.test(word))
    program.showHelpAfterError(`See: holdfast --help; to say it to the agent: holdfast -p ${word}`);
  try {
    await program.parseAsync(words, { from: "user" });
    return finished.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
  }
}

/** Help on a command that there is none of is an error as the command itself would be. */
function meant(args: readonly string[], specs: readonly CommandSpec[]): readonly string[] {
  const [first = "", second = ""] = args;
  const names = ["help", ...specs.map(nameOf)];
  const { word, isAgents, isPrompt } = beginningOf(args, specs);
  const isSeen = process.stdin.isTTY && process.stdout.isTTY;
  // `holdfast`, `holdfast "do this"`, `holdfast -p …`, as other agents have it.
  const isSaid =
    word !== undefined && (/\S\s+\S/u.test(word) || (isAgents && !["", ...names].includes(word)));
  if (isPrompt || isSaid || (word === undefined && (isAgents || isSeen))) return ["agent", ...args];
  const asked = first === "help" ? second : first;
  return asked === "" || asked.startsWith("-") || names.includes(asked) ? args : [asked];
}

interface Beginning {
  /** The first word that is no option and no value of one; empty where help is asked for. */
  readonly word: string | undefined;
  /** Whether an option of the agent stands before it. */
  readonly isAgents: boolean;
  /** Whether one of those does that no other command has. */
  readonly isPrompt: boolean;
}

function beginningOf(args: readonly string[], specs: readonly CommandSpec[]): Beginning {
  const agent = specs.find((spec) => nameOf(spec) === "agent");
  let [isAgents, isPrompt] = [false, false];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (/^(-h|--help|-V|--version)$/.test(arg)) return { word: "", isAgents, isPrompt };
    if (arg === "--") return { word: args[at + 1], isAgents, isPrompt };
    if (!/^-./.test(arg)) return { word: arg, isAgents, isPrompt };
    const name = arg.startsWith("--") ? arg.replace(/=.*$/s, "") : arg.slice(0, 2);
    const [own, global] = [agent?.options ?? {}, globalOptions].map((options) =>
      Object.keys(options).find((flags) => flags.split(/[ ,]+/).includes(name)),
    );
    isAgents ||= own !== undefined;
    isPrompt ||= agentFlags.has(name);
    if (name === arg && (own ?? global)?.includes("<")) at += 1;
  }
  return { word: undefined, isAgents, isPrompt };
}

function describeProgram(finished: { exitCode: number }, { specs, loaders }: Commands): Command {
  const program = new Command("holdfast")
    .description(
      "Reads, patches and writes files without losing anybody's work, and keeps conversations as trees.",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help, also for one command")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeErr: (text) => process.stderr.write(escapeText(text)),
      outputError: (text, write) => write(text.replace(/^error: /, "holdfast: ")),
    })
    .showHelpAfterError("See: holdfast --help")
    .exitOverride();
  for (const option of optionsOf({ options: globalOptions })) program.addOption(buildOption(option));
  for (const spec of specs) {
    const load = loaders[nameOf(spec)];
    if (load !== undefined) addCommand(program, { spec, load }, finished);
  }
  program.addHelpText("after", overview);
  return program;
}

function addCommand(
  program: Command,
  { spec, load }: { readonly spec: CommandSpec; readonly load: Load },
  finished: { exitCode: number },
): void {
  const name = nameOf(spec);
  const command = program
    .command(spec.usage)
    .summary(spec.summary)
    .description(spec.description ?? spec.summary);
  command.showHelpAfterError(`See: holdfast ${name} --help`);
  for (const option of optionsOf(spec)) command.addOption(buildOption(option));
  if (spec.actions !== undefined) command.addHelpText("after", `\nActions:\n${actionLines(spec.actions)}`);
  command.addHelpText("after", `\nExamples:\n${spec.examples.map((line) => `  ${line}\n`).join("")}`);
  command.action(async (...values: unknown[]) => {
    // A cast: commander does not know the table that these flags and arguments were declared in.
    const flags = command.optsWithGlobals() as Flags;
    const args = values.slice(0, command.registeredArguments.length) as (string | undefined)[];
    const misuse = (message: string) => command.error(`holdfast: ${message}`, { exitCode: exitCodes.usage });
    const wrong = spec.actions && misuseOf({ args, given: readArguments(command) }, spec);
    if (wrong !== undefined) misuse(wrong);
    const loaded = await load();
    const run = typeof loaded === "function" ? loaded : loaded[args[0] ?? ""];
    if (run === undefined) return misuse(`${name} has no action ${args[0]}`);
    finished.exitCode = await run({
      command: name,
      args,
      flags,
      settings: settingsFrom(flags),
      terminal: openTerminal(flags.color !== false),
      misuse,
    });
  });
}

/** The options of its own that a command was given. */
function readArguments(command: Command): AskedAction["given"] {
  return command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
    .map(({ flags, long }) => ({ flags, shown: long ?? flags }));
}

/** What one command line asks of a command that has actions. */
interface AskedAction {
  readonly args: readonly (string | undefined)[];
  /** The options of this command that were given, as commander was told of them and as they are written. */
  readonly given: readonly { readonly flags: string; readonly shown: string }[];
}

/** What is wrong with it, in one line; undefined where the action takes all that was given. */
function misuseOf({ args, given }: AskedAction, spec: CommandSpec): string | undefined {
  const { actions = [], options } = spec;
  const command = nameOf(spec);
  const [name = "", ...rest] = args;
  const action = actions.find((known) => nameOf(known) === name);
  if (action === undefined) {
    const names = actions.map(nameOf);
    const nearest = nearestName(name.slice(0, 100), names);
    return nearest === undefined
      ? `${command} knows ${names.join(", ")}`
      : `${command} has no action ${name}; did you mean ${nearest}?`;
  }
  const allowed = { ...options, ...action.options };
  const ignored = given.find(({ flags }) => allowed[flags] === undefined);
  if (ignored !== undefined) return `${command} ${name} takes no ${ignored.shown}`;
  const extra = rest[action.usage.split(" ").length - 1];
  if (extra !== undefined) return `${command} ${action.usage} takes no more: ${JSON.stringify(extra)}`;
  return undefined;
}

/** The lines of help on what a command can do. */
function actionLines(actions: readonly ActionSpec[]): string {
  const width = Math.max(...actions.map(({ usage }) => usage.length));
  return actions.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}\n`).join("");
}

function buildOption({ flags, help, value }: OptionSpec): Option {
  const option = new Option(flags, help);
  // A cast: commander keeps what an earlier call returned and hands it to the next.
  if (typeof value === "function") option.argParser((given, before) => value(given, before as never));
  else if (value !== undefined) option.choices(value);
  return option;
}

/** What the flags of a command line come to. */
function settingsFrom(flags: Flags): Settings {
  return {
    roots: flags.root ?? [process.cwd()],
    json: flags.json === true,
    allowProtected: flags.allowProtected ?? [],
    inPlace: flags.inPlace ?? [],
    ...defined({ stateDir: flags.stateDir, keepSecrets: flags.keepSecrets }),
  };
}

const overview = `
Exit codes:
  0 success   1 internal   2 usage   3 the file's state is not the one named   4 the change does not fit
  5 the path is not allowed   6 a file that cannot be served   7 busy, disk or permission   130 cancelled

Begin with:
  holdfast                   talk with a model about the files here (in a terminal)
  holdfast tour              see the whole protocol on a temporary folder
  holdfast mcp --root DIR    serve the tools to an agent over stdio
`;

/** The code of a command, which is loaded when it is called; of one that has actions, the code of each. */
type Load = () => Promise<Run | Readonly<Record<string, Run>>>;

type FirstWord<Usage extends string> = Usage extends `${infer Name} ${string}` ? Name : Usage;

/** By the name of the command. */
export const loaders: Readonly<Record<FirstWord<(typeof commandSpecs)[number]["usage"]>, Load>> = {
  read: async () => (await import("./commands/read.js")).readCommand,
  list: async () => (await import("./commands/list.js")).listCommand,
  find: async () => (await import("./commands/find.js")).findCommand,
  search: async () => (await import("./commands/search.js")).searchCommand,
  patch: async () => (await import("./commands/changing.js")).patchCommand,
  apply: async () => (await import("./commands/apply.js")).applyCommand,
  write: async () => (await import("./commands/changing.js")).writeCommand,
  edit: async () => (await import("./commands/edit.js")).editCommand,
  append: async () => (await import("./commands/changing.js")).appendCommand,
  prepend: async () => (await import("./commands/changing.js")).prependCommand,
  insert: async () => (await import("./commands/changing.js")).insertCommand,
  section: async () => (await import("./commands/changing.js")).sectionCommand,
  move: async () => (await import("./commands/changing.js")).moveCommand,
  delete: async () => (await import("./commands/changing.js")).deleteCommand,
  undo: async () => (await import("./commands/changing.js")).undoCommand,
  log: async () => (await import("./commands/log.js")).logCommand,
  restore: async () => (await import("./commands/changing.js")).restoreCommand,
  gc: async () => (await import("./commands/gc.js")).gcCommand,
  doctor: async () => (await import("./commands/doctor.js")).doctorCommand,
  setup: async () => (await import("./commands/hosts.js")).setupCommand,
  guard: async () => (await import("./commands/hosts.js")).guardCommand,
  completion: async () => (await import("./commands/completion.js")).completionCommand,
  tour: async () => (await import("./commands/tour.js")).tourCommand,
  sessions: async () => (await import("./commands/sessions.js")).sessionActions,
  history: async () => (await import("./commands/history.js")).historyActions,
  view: async () => (await import("./commands/view.js")).viewCommand,
  mcp: async () => (await import("./commands/mcp.js")).mcpCommand,
  agent: async () => (await import("./commands/agent.js")).agentCommand,
  config: async () => (await import("./commands/config.js")).configActions,
};
