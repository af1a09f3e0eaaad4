import type { ContextManager } from "@holdfast/core/conversation";
import type { FileEffect } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { clip, defined, escapeForDisplay } from "@holdfast/core/text";
import {
  failedCall,
  type HostRequest,
  type HostScope,
  type HostTool,
  type HostToolResult,
} from "@holdfast/core/tools";
import * as z from "zod";
import type { Commands } from "./commands.js";
import type { OutputLog } from "./output-log.js";
import { waitAtMost } from "./processes.js";
import type { CommandEnd, RunningCommand } from "./running-command.js";
import { safeOutput } from "./safe-output.js";
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
  directory: z.string().exactOptional().describe("Default: the last one's"),
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
      "Runs a command, without terminal and input. Folder, exported variables and venv last.",
      `Ends after ${defaultSeconds} s, or timeout_seconds (at most ${mostSeconds}), with all it started.`,
      "For files use the file tools.",
    ].join(" "),
    parameters,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    summary: ({ description, command }) => clip(escapeForDisplay(description ?? command), 200),
    run: (args, scope, { sandboxed, isReadOnly }) =>
      runCommand({ ...args, sandboxed, isReadOnly }, scope, context),
  });
}

type ShellArguments = z.output<typeof parameters> & {
  readonly [how in "sandboxed" | "isReadOnly"]: boolean | undefined;
};

async function runCommand(
  args: ShellArguments,
  scope: HostScope,
  { commands, checkFiles, watchFiles, onBackgroundEnd }: CommandToolsContext,
): Promise<HostToolResult> {
  const { command, directory, background = false, sandboxed, isReadOnly } = args;
  if (scope.signal?.aborted === true) return failedCall("cancelled", "The command was not started.");
  const lookAgain = await watchFiles?.();
  const agent = scope.manager;
  const started = commands.start(command, directory, background, { sandboxed, isReadOnly, agent });
  if (isRefusal(started)) return failedCall(started.code, started.message);
  if (background) {
    if (args.timeout_seconds !== undefined) void started.endWithin(args.timeout_seconds * 1_000);
    await waitAtMost(started.ended, firstLookMs);
    if (started.end === undefined) {
      started.lookAgain = lookAgain;
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
  const asks = end.exitCode !== 0 && asking.test(last.join("\n")) ? [askingWords] : [];
  const words = [text, ...aside, ...asks, ...started.notes, outputWords(log, id)].join("\n");
  const touched = await lookAgain?.();
  const isNone = touched === undefined || (touched.isWhole && touched.files.length === 0);
  const ended = { code, text: words, program, ...defined({ barred }), ...(isNone ? {} : { touched }) };
  return withFileCheck(ended, checkFiles, scope);
}

/** In what the sandbox stood in a command's way, however it ended: a sentence for the person, and words for the model. */
export function barredWords({ sandbox, isReadOnly, log, end, command, barred: known }: RunningCommand): {
  readonly barred?: string;
  readonly words: readonly string[];
} {
  if (sandbox === undefined || end === undefined) return { words: [] };
  const { head, tail } = log.shown();
  const said = Buffer.concat([head, tail]).toString();
  const named = [...said.matchAll(refusedWrite)].map(([, before, after]) => before ?? after ?? "");
  const refused = [...new Set([...(known?.writes ?? []), ...named])].slice(0, mostNamed);
  const { notes = [] } = known ?? {};
  if (isReadOnly) return { words: end.exitCode === 0 || !barring.test(said) ? [] : [planWords] };
  const again = "Call it again with outside: true, and a person is asked.";
  if (refused.length > 0) {
    const barred = `The sandbox refused to write ${escapeForDisplay(refused.join(", "))}: \`${clip(escapeForDisplay(command), 80)}\` needs to run outside.`;
    return { barred, words: [barred, again, ...notes] };
  }
  if (end.exitCode === 0 || !barring.test(said)) return { words: notes };
  return { barred: sandbox.words, words: [sandbox.words, `If it needs to run outside: ${again}`, ...notes] };
}

/** What programs say that find nobody to ask. */
const asking =
  /EOF when reading a line|EOFError|end of file (?:on|from) (?:std|standard )?in|not a (?:tty|terminal)|no tty|a terminal is required|could not read (?:username|password)|inappropriate ioctl|\/dev\/tty|non-interactive/iu;
const askingWords =
  "A command has no input: give the answer in its arguments, or ask the user to run it as `!COMMAND` or in a terminal.";

const planWords =
  "In plan mode a command can write only into temporary folders: put what it writes into the plan.";

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

/** The code of a command's end, and a sentence for the model. */
export function endWords(end: CommandEnd): Pick<HostToolResult, "code" | "text"> {
  const after = `after ${secondsWords(end.seconds)}`;
  if (end.failure !== undefined)
    return failedCall("failed", `The command could not be started: ${end.failure}.`);
  switch (end.stopped) {
    case "timeout":
      return failedCall("timeout", `The command was ended ${after}, with everything it had started.`);
    case "cancelled":
      return failedCall("cancelled", `The command was cancelled ${after}, with everything it had started.`);
    case "killed":
    case "closed":
      return { code: "ok", text: `The command was ended ${after}, with everything it had started.` };
    case undefined:
      break;
    default:
      return end.stopped satisfies never;
  }
  const left =
    end.leftBehind === 0
      ? ""
      : ` ${processWords(end.leftBehind)} that it left behind ended with it; what is to go on needs background: true.`;
  if (end.signal !== null)
    return failedCall("failed", `The command was killed by ${end.signal} ${after}.${left}`);
  if (end.exitCode !== 0)
    return failedCall("failed", `The command ended with exit code ${end.exitCode} ${after}.${left}`);
  return { code: "ok", text: `Exit code 0 ${after}.${left}` };
}

/** What a command printed, as far as it is shown, and where the rest is. @param id by which `read_output` knows it. */
function outputWords(log: OutputLog, id: string): string {
  const { head, left, tail } = log.shown();
  if (log.sizeBytes === 0) return "It printed nothing.";
  if (left === 0) return `Output:\n${safeOutput(head)}`;
  const { kept } = log;
  const all = log.sizeBytes;
  const where =
    kept === undefined
      ? "nothing of that could be kept"
      : kept.bytes < all
        ? `the first ${number(kept.bytes)} of all ${number(all)} bytes are in ${kept.path}`
        : `all ${number(all)} bytes are in ${kept.path}`;
  const rest = kept === undefined ? "" : `; read_output with id ${id} and offset ${head.length} shows them`;
  const gap = `[… ${number(left)} bytes left out; ${where}${rest} …]`;
  return `Output:\n${withoutEnd(safeOutput(head))}\n${gap}\n${safeOutput(tail)}`;
}

/** The last lines that a command printed, for those who watch. */
function lastLines(log: OutputLog, count: number): readonly string[] {
  const { head, tail } = log.shown();
  const end = tail.length > 0 ? tail : head;
  const lines = safeOutput(end.subarray(-watchedBytes * count)).split("\n");
  return lines.filter((line) => line.trim() !== "").slice(-count);
}

/** As "1.2 s". */
export function secondsWords(seconds: number): string {
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}

/** A command in the background, in one line: its id, its words, and how it goes or has ended. */
export function backgroundWords(command: CommandFacts): string {
  const { id, command: words, seconds, end } = command;
  const line = `${id} $ ${clip(words.slice(0, 800).replace(/\s+/gu, " ").trim(), 200)}`;
  if (end === undefined) return `${line} … runs for ${durationWords(seconds)}`;
  const how = end.failure ?? end.stopped ?? end.signal ?? `exit ${end.exitCode}`;
  return `${line} … ended after ${durationWords(end.seconds)}, ${how}`;
}

/** What is said of a command. */
export type CommandFacts = Pick<RunningCommand, "id" | "command" | "seconds" | "end">;

const watchedBytes = 400;

/** As "12 s", "3 min", "2 h 5 min": it changes seldom where it is long. */
function durationWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${Math.floor(seconds)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function processWords(count: number): string {
  return count === 1 ? "A process" : `${count} processes`;
}

function withoutEnd(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

/** A tool of the host's own. */
interface DeclaredTool<Shape extends z.ZodRawShape> extends Omit<HostTool<Shape>, "kind" | "intent" | "run"> {
  /** What a call is to do, in one line for a person who is asked. */
  readonly summary: (args: z.output<z.ZodObject<Shape>>) => string;
  /** Does it. @param args as the parameters have read them. */
  readonly run: (
    args: z.output<z.ZodObject<Shape>>,
    scope: HostScope,
    request: HostRequest,
  ) => Promise<HostToolResult>;
}

/** A tool whose request is its arguments, with a line for a person. */
export function hostTool<Shape extends z.ZodRawShape>({
  summary,
  run,
  ...tool
}: DeclaredTool<Shape>): HostTool<Shape> {
  const { name, parameters } = tool;
  return {
    ...tool,
    kind: "host",
    intent: (args) => ({ kind: "host_request", tool: name, summary: summary(args), args }),
    // A request holds the arguments as any data: what they are is read once more.
    run: (request, scope) => run(parameters.parse(request.args), scope, request),
  };
}
