import { Command, CommanderError, Option } from "commander";
import { type CommandSpec, commandSpecs, globalOptions, type OptionSpec } from "./commands.js";
import { settingsFrom } from "./flags.js";
import { escapeText, exitCodes, type Flags, openTerminal, version, watchInterrupts } from "./shell/index.js";

/**
 * Runs one command line.
 *
 * @param args without the program's own name.
 * @returns the exit code. What is thrown is a bug or a broken machine.
 */
export async function runProgram(args: readonly string[]): Promise<number> {
  watchInterrupts();
  const finished = { exitCode: 0 };
  const program = describeProgram(finished);
  try {
    await program.parseAsync(args, { from: "user" });
    return finished.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
  }
}

function describeProgram(finished: { exitCode: number }): Command {
  const program = new Command("holdfast")
    .description("Reads, patches and writes files without losing anybody's work.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help, also for one command")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeErr: (text) => process.stderr.write(escapeText(text)),
      outputError: (text, write) => write(text.replace(/^error: /, "holdfast: ")),
    })
    .showHelpAfterError("See: holdfast --help")
    .exitOverride();
  for (const option of globalOptions) program.addOption(buildOption(option));
  for (const spec of commandSpecs) addCommand(program, spec, finished);
  program.addHelpText("after", overview);
  return program;
}

function addCommand(program: Command, spec: CommandSpec, finished: { exitCode: number }): void {
  const [name = ""] = spec.usage.split(" ");
  const command = program
    .command(spec.usage)
    .summary(spec.summary)
    .description(spec.description ?? spec.summary);
  command.showHelpAfterError(`See: holdfast ${name} --help`);
  for (const option of spec.options ?? []) command.addOption(buildOption(option));
  command.addHelpText("after", `\nExamples:\n${spec.examples.map((line) => `  ${line}\n`).join("")}`);
  command.action(async (...values: unknown[]) => {
    // A cast: commander does not know the table that these flags and arguments were declared in.
    const flags = command.optsWithGlobals() as Flags;
    const args = values.slice(0, command.registeredArguments.length) as (string | undefined)[];
    const run = await spec.load();
    finished.exitCode = await run({
      args,
      flags,
      settings: settingsFrom(flags),
      terminal: openTerminal(flags.color !== false),
      misuse: (message) => command.error(`holdfast: ${message}`, { exitCode: exitCodes.usage }),
    });
  });
}

function buildOption(spec: OptionSpec): Option {
  const option = new Option(spec.flags, spec.help);
  if (spec.choices !== undefined) option.choices(spec.choices);
  const { parse } = spec;
  // A cast: commander keeps what an earlier parse returned and hands it to the next.
  if (parse !== undefined) option.argParser((value, before) => parse(value, before as never));
  return option;
}

const overview = `
Exit codes:
  0 success   1 internal   2 usage   3 the file's state is not the one named   4 the change does not fit
  5 the path is not allowed   6 a file that cannot be served   7 busy, disk or permission   130 cancelled

Begin with:
  holdfast tour              see the whole protocol on a temporary folder
  holdfast mcp --root DIR    serve the tools to an agent over stdio
`;
