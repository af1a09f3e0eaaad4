import type { ContextManager } from "@holdfast/core/conversation";
import type { FileEffect } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { clip, defined, escapeForDisplay } from "@holdfast/core/text";
import { failedCall, type HostScope, type HostTool, type HostToolResult } from "@holdfast/core/tools";
import * as z from "zod";
import { backgroundWords, endWords, lastLines, outputWords, secondsWords } from "./command-words.js";
import type { Commands } from "./commands.js";
import { hostTool } from "./host-tool.js";
import { waitAtMost } from "./processes.js";
import type { RunningCommand } from "./running-command.js";
import type { SpillFiles } from "./spill-files.js";
import type { WatchFiles } from "./touched-files.js";

/** What the tools of commands work with. */
export interface CommandToolsContext {
  readonly commands: Commands;
  /** Looks at the files again after a command; nothing is said of them without it. */
  readonly checkFiles?: FileCheck;
  /** Finds what a command changes of all files; nothing is said of it without it. */
  readonly watchFiles?: WatchFiles;
  /** Results of other tools that were too long: `read_output` shows them, too. */
  readonly spilled?: SpillFiles;
  /** Told that a command in the background has ended, unless it was ended on purpose. */
  readonly onBackgroundEnd?: (words: string) => void;
}

const parameters = z.object({
  command: z.string().min(1),
  directory: z.string().exactOptional().describe("Default: the workspace"),
  timeout_seconds: z.number().min(1).exactOptional(),
  background: z.boolean().exactOptional().describe("Such as a server: read_output"),
  outside: z.boolean().exactOptional().describe("Of the sandbox: asks a person"),
  description: z.string().exactOptional().meta({ unlisted: true }),
});

/** `run_shell_command`: runs a command of the model in a shell. */
export function shellTool(context: CommandToolsContext): HostTool<typeof parameters.shape> {
  const { defaultSeconds, mostSeconds } = context.commands.limits;
  return hostTool({
    name: "run_shell_command",
    title: "Run a command",
    description: [
      "Runs a command in a shell, without terminal and input.",
      `It ends after ${defaultSeconds} s, or timeout_seconds (at most ${mostSeconds}), with all that it started.`,
      "read_output shows the rest of a long output. For files use the file tools.",
    ].join(" "),
    parameters,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    summary: ({ description, command }) => clip(escapeForDisplay(description ?? command), 200),
    run: (args, scope, { sandboxed }) => runCommand({ ...args, sandboxed }, scope, context),
  });
}

type ShellArguments = z.output<typeof parameters> & { readonly sandboxed: boolean | undefined };

async function runCommand(
  args: ShellArguments,
  scope: HostScope,
  { commands, checkFiles, watchFiles, onBackgroundEnd }: CommandToolsContext,
): Promise<HostToolResult> {
  const { command, directory, background = false, sandboxed } = args;
  if (scope.signal?.aborted === true) return failedCall("cancelled", "The command was not started.");
  const lookAgain = background ? undefined : await watchFiles?.();
  const started = commands.start(command, directory, background, { sandboxed });
  if (isRefusal(started)) return failedCall(started.code, started.message);
  if (background) {
    if (args.timeout_seconds !== undefined) void started.endWithin(args.timeout_seconds * 1_000);
    await waitAtMost(started.ended, firstLookMs);
    if (started.end === undefined) {
      void started.ended.then(({ stopped }) => {
        if (stopped !== "killed" && stopped !== "closed") onBackgroundEnd?.(backgroundWords(started));
      });
      const program = { id: started.id, lastLines: [] };
      return { code: "ok", text: startedWords(started), program, touched: { files: [], isWhole: false } };
    }
  }
  const { defaultSeconds, mostSeconds } = commands.limits;
  const seconds = Math.min(args.timeout_seconds ?? defaultSeconds, mostSeconds);
  const end = await watched(started, scope, seconds);
  const { code, text } = endWords(end);
  const { id, log } = started;
  const last = lastLines(log, shownLines + 1);
  const program = { id, end, lastLines: last.length > shownLines ? ["…", ...last.slice(1)] : last };
  const { barred, words: aside } = barredWords(started);
  const words = [text, ...aside, outputWords(log, id)].join("\n");
  const touched = await lookAgain?.();
  const isNone = touched === undefined || (touched.isWhole && touched.files.length === 0);
  const ended = { code, text: words, program, ...defined({ barred }), ...(isNone ? {} : { touched }) };
  return withFileCheck(ended, checkFiles, scope);
}

/** In what the sandbox stood in a command's way, however it ended: a sentence for the person, and words for the model. */
export function barredWords({ sandbox, log, end, command, barred: known }: RunningCommand): {
  readonly barred?: string;
  readonly words: readonly string[];
} {
  if (sandbox === undefined || end === undefined) return { words: [] };
  const { head, tail } = log.shown();
  const said = Buffer.concat([head, tail]).toString();
  const named = [...said.matchAll(refusedWrite)].map(([, before, after]) => before ?? after ?? "");
  const refused = [...new Set([...(known?.writes ?? []), ...named])].slice(0, mostNamed);
  const { notes = [] } = known ?? {};
  const again = "Call it again with outside: true, and a person is asked.";
  if (refused.length > 0) {
    const barred = `The sandbox refused to write ${escapeForDisplay(refused.join(", "))}: \`${clip(escapeForDisplay(command), 80)}\` needs to run outside.`;
    return { barred, words: [barred, again, ...notes] };
  }
  if (end.exitCode === 0 || !barring.test(said)) return { words: notes };
  return { barred: sandbox.words, words: [sandbox.words, `If it needs to run outside: ${again}`, ...notes] };
}

/** `path: Read-only file system` and `EROFS: read-only file system, open 'path'`, as programs say it. */
const refusedWrite =
  /(?<=^|[\s'"`‘(])([^\s'"`‘’:()]+)['"`’]?: (?:read-only file system|device or resource busy)|read-only file system[:,][^'\n]*'([^'\n]+)'/giu;
const mostNamed = 5;

const barring =
  /read-only file system|EROFS|permission denied|EACCES|resource busy|EBUSY|not permitted|EPERM|resolve host|name resolution|ENOTFOUND|EAI_AGAIN|network is unreachable|ENETUNREACH|unpacker error/iu;

/** How long a command in the background may take to fail at once, in milliseconds. */
const firstLookMs = 250;
const progressMs = 250;
/** The last lines of an output that a person is shown. */
const shownLines = 5;

/**
 * Looks at tracked and shown files once more, after something may have changed them that is no tool of ours: a command,
 * a tool of an MCP server.
 *
 * @param manager whose head the call stands at; that of the conversation unless given.
 * @returns a text for the model, empty where nothing has changed, and what was found, for the result of the call.
 */
export type FileCheck = (
  signal?: AbortSignal,
  manager?: ContextManager,
) => Promise<{ readonly text: string; readonly files: readonly FileEffect[] }>;

/** Appends to a result what became of the files meanwhile. */
export async function withFileCheck(
  result: HostToolResult,
  checkFiles: FileCheck | undefined,
  { signal, manager }: Pick<HostScope, "signal" | "manager">,
): Promise<HostToolResult> {
  if (checkFiles === undefined) return result;
  // What the command did is looked at also where it was cancelled; a signal that is over would end that at once.
  const { text, files } = await checkFiles(signal?.aborted === true ? undefined : signal, manager);
  const words = text === "" ? result.text : `${result.text.replace(/\n$/, "")}\n\n${text}`;
  return { ...result, text: words, ...(files.length === 0 ? {} : { files }) };
}

function startedWords({ id }: RunningCommand): string {
  return `It runs in the background as ${id}. read_output shows what it prints, kill ends it.`;
}

function watched(command: RunningCommand, { signal, progress }: HostScope, seconds: number) {
  let timer: NodeJS.Timeout | undefined;
  const tell = () => {
    timer = undefined;
    const { id, log } = command;
    const last = lastLines(log, shownLines);
    const program = { id, lastLines: last, linesBefore: Math.max(0, log.lines - last.length) };
    progress(`${secondsWords(command.seconds)}: ${clip(last.at(-1) ?? "", 200)}`, program);
  };
  // However much comes, it is told from time to time; the last of it, too.
  const unwatch = command.onChange(() => {
    timer ??= setTimeout(tell, progressMs);
  });
  // The time before it was that of a question.
  progress("", { id: command.id, lastLines: [] });
  return command.endWithin(seconds * 1_000, signal).finally(() => {
    unwatch();
    clearTimeout(timer);
  });
}
