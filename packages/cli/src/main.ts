import { closeSync, existsSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { devNull } from "node:os";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";
import type { Addons } from "./addons.js";
import { agentFlags } from "./agent-flags.js";
import { filesRunOut } from "./shell/files-run-out.js";
import { outputReaderIsGone } from "./shell/interrupt.js";
import { optimiseLate } from "./shell/optimiser.js";
import { version } from "./shell/version.js";

/**
 * The program's first file. It answers `--version` before anything else is loaded, and it is where
 * whatever goes wrong unforeseen becomes one line and an exit code.
 */
const args = process.argv.slice(2);
// Where zod looks for its settings. Compiling a schema costs a start more than its few checks ever give back.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
  process.stdout.write(`${version}\n`);
} else {
  guardProcess();
  process.exitCode = await run();
}

/** A hook is called with this word and one flag at most; it has a bundle of its own (`scripts/bundle.mjs`). */
async function run(): Promise<number> {
  const [command, flag, value] = args;
  const onMismatch = (["rebase-own", "rebase", "refuse"] as const).find((one) => one === value);
  const acceptEdits = args.length === 2 && flag === "--accept-edits";
  const isPlain =
    args.length === 1 || acceptEdits || (args.length === 3 && flag === "--on-mismatch" && onMismatch);
  if (command === "guard" && isPlain && !process.stdin.isTTY) {
    const guard = await ownBundle<Pick<Addons["hosts"], "runGuard">>("guard-main");
    if (guard !== undefined) return guard.runGuard({ onMismatch, acceptEdits });
  }
  if (command === "mcp") {
    // Before its code is compiled: V8 takes compiled code only under the flags that it was compiled with.
    optimiseLate();
    if (process.env.HOLDFAST_DEBUG !== undefined) process.setSourceMapsEnabled(true);
    const mcp = await ownBundle<typeof import("./mcp-main.js")>("mcp/mcp-main");
    if (mcp !== undefined) return mcp.runMcp(args);
  }
  const { runCommand } =
    (await ownBundle<typeof import("./program-main.js")>("program", kindOf(args))) ??
    (await import("./program-main.js"));
  return runCommand(args);
}

/** Whose compiled code a call uses: the agent runs other parts of the program than all other commands. */
function kindOf([first = "agent", ...more]: readonly string[]): "agent" | "commands" {
  const isPrompt = first.startsWith("-") && [first, ...more].some((arg) => agentFlags.has(arg));
  return first === "agent" || isPrompt || /\s/u.test(first) ? "agent" : "commands";
}

/** What hosts start all the time has a bundle of its own (`scripts/bundle.mjs`); unbundled, and without its add-on, none. */
async function ownBundle<Module>(name: string, kind?: string): Promise<Module | undefined> {
  const bundle = fileURLToPath(new URL(`./${name}.cjs`, import.meta.url));
  if (!existsSync(bundle)) return undefined;
  // Casts: the compiler cannot follow a name that is computed, so that no bundler does.
  const require = createRequire(import.meta.url);
  // Source maps are read for modules that Node itself loads. A process that runs one command after the other has it already.
  if (process.env.HOLDFAST_DEBUG !== undefined || require.cache[bundle] !== undefined)
    return require(bundle) as Module;
  return (await import("./shell/compiled.js")).runCompiled(bundle, kind) as Module;
}

function guardProcess(): void {
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  // A reader that has seen enough (`holdfast read FILE | head -1`) is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") {
      if (outputReaderIsGone()) return;
      process.exit(process.exitCode ?? 0);
    }
    process.stderr.write(`holdfast: standard output: ${error.code ?? "not writable"}\n`);
    process.exit(7);
  });
  process.stderr.on("error", () => process.exit(process.exitCode ?? 1));
  const terminals = [0, 1, 2].filter(isatty);
  process.on("exit", () => {
    isEnding = true;
    for (const fd of terminals) if (!isatty(fd)) replaceGone(fd);
  });
}

/** Node restores each terminal that it began with, and aborts with a core dump where one is gone. It skips another file. */
function replaceGone(fd: number): void {
  closeSync(fd);
  // The lowest number that is free is this one.
  openSync(devNull, "r+");
}

let isEnding = false;

/** Ends the program with a message below everything: at its exit a screen removes its tail, or the whole window. */
function endWith(message: string, exitCode: number): never {
  const say = () => void process.stderr.write(`holdfast: ${message}\n`);
  if (isEnding) say();
  else process.on("exit", say);
  process.exit(exitCode);
}

/** Never a stack trace, unless somebody who works on Holdfast asks for one. */
function fail(error: unknown): never {
  const short = filesRunOut(error, openFileLimit);
  if (short !== undefined) endWith(short, 7);
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes("uv_cwd"))
    endWith("the working folder is gone: go to another one (cd) and start again.", 7);
  const [line = ""] = message.split("\n");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a message may quote a name with controls
  const plain = line.replace(/[\u0000-\u001f\u007f-\u009f]/g, "?");
  const isTraced = process.env.HOLDFAST_DEBUG !== undefined && error instanceof Error;
  endWith(`internal error: ${plain}${isTraced ? `\n${error.stack ?? ""}` : ""}`, 1);
}

/** What `ulimit -n` says. Node knows it only for its reports; a shell would need files that cannot be opened. */
function openFileLimit(): string | undefined {
  // A cast: Node's types call a report an object.
  const report = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: string | number } };
  };
  const soft = report.userLimits?.open_files?.soft;
  return soft === undefined ? undefined : String(soft);
}
