import { clip, escapeForDisplay } from "@holdfast/core/text";
import { failedCall, type HostScope, type HostTool, type HostToolResult } from "@holdfast/core/tools";
import * as z from "zod";
import { endingWithin, withinTime } from "../config/within-time.js";
import type { OutputPart } from "./output-log.js";
import type { RunningCommand } from "./running-command.js";
import { safeOutput } from "./safe-output.js";
import {
  barredWords,
  type CommandToolsContext,
  endWords,
  hostTool,
  secondsWords,
  withFileCheck,
} from "./shell-tool.js";

const readParameters = z.object({
  id: z.string().exactOptional().describe("Without it the commands are listed"),
  offset: z.int().min(0).exactOptional().describe("A byte; what is new unless given"),
  wait_seconds: z.number().min(0).exactOptional().describe("For something new"),
  until_end: z.boolean().exactOptional(),
});

/** `read_output`: what a command in the background printed, and whether it has ended. */
export function readOutputTool(context: CommandToolsContext): HostTool<typeof readParameters.shape> {
  const cursors = new Map<string, number>();
  return hostTool({
    name: "read_output",
    title: "Read a command's output",
    description: `Shows output and end of a command, or the rest of a result by its id. Waits at most ${mostWaitSeconds} s.`,
    parameters: readParameters,
    annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
    summary: ({ id }) =>
      id === undefined ? "List the commands in the background" : `Read the output of ${shownId(id)}`,
    async run({ id, offset, wait_seconds = 0, until_end = false }, scope) {
      if (id === undefined) return { code: "ok", text: listWords(context.commands.inBackground()) };
      const command = context.commands.printed(id);
      const log = command?.log ?? context.spilled?.printed(id);
      if (log === undefined) return unknown(id, context);
      const from = offset ?? cursors.get(id) ?? 0;
      const waiting = { from, seconds: wait_seconds, untilEnd: until_end, signal: scope.signal };
      if (command !== undefined) await somethingNew(command, waiting);
      const part = log.read(from, context.commands.limits.shownBytes);
      cursors.set(id, part.next);
      // A long result is nothing that goes on: no file is another by it.
      if (command === undefined) return { code: "ok", text: rangeWords(part, log.sizeBytes) };
      const looked = {
        code: "ok",
        text: partWords(command, from, part),
        ...(await touchedBy(command, scope)),
      } as const;
      return withFileCheck(looked, context.checkFiles, scope);
    },
  });
}

const killParameters = z.object({ id: z.string().min(1) });

/** `kill`: ends a command in the background, with all that it started. */
export function killTool(context: CommandToolsContext): HostTool<typeof killParameters.shape> {
  return hostTool({
    name: "kill",
    rare: true,
    title: "End a command",
    description: "Ends a command in the background, with all that it started.",
    parameters: killParameters,
    annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    summary: ({ id }) => `End ${shownId(id)}`,
    async run({ id }, scope) {
      const command = context.commands.find(id);
      if (command === undefined) return unknown(id, context);
      const wasOver = command.end !== undefined;
      const { text } = endWords(await command.stop("killed"));
      const said = wasOver ? `It had ended before. ${text}` : text;
      const ended = { code: "ok", text: said, ...(await touchedBy(command, scope)) } as const;
      return withFileCheck(ended, context.checkFiles, scope);
    },
  });
}

/** What a command that has ended changed, told once: but for files that the conversation knows, of which the check tells. */
async function touchedBy(
  command: RunningCommand,
  { manager }: HostScope,
): Promise<Pick<HostToolResult, "touched">> {
  if (command.end === undefined || command.lookAgain === undefined) return {};
  const { files, isWhole } = await command.lookAgain();
  command.lookAgain = undefined;
  const { context, manifests } = manager ?? {};
  const known = context && manifests?.at(context, context.currentNodeId);
  const others = files.filter(({ path }) => !known?.has(manifests?.naming(path) ?? path));
  return { touched: { isWhole, isLater: true, files: others } };
}

const mostWaitSeconds = 300;

function shownId(id: string): string {
  return clip(escapeForDisplay(id), 40);
}

function unknown(id: string, { commands }: CommandToolsContext): HostToolResult {
  const known = listWords(commands.inBackground());
  return failedCall("not_found", `There is no command ${shownId(id)}. ${known}`);
}

function listWords(commands: readonly RunningCommand[]): string {
  if (commands.length === 0) return "No command runs in the background.";
  const lines = commands.map((command) => {
    const { id, end, log } = command;
    const state = end === undefined ? `runs for ${secondsWords(command.seconds)}` : endWords(end).text;
    return `${id}: ${clip(escapeForDisplay(command.command), 100)}: ${log.sizeBytes} bytes printed; ${state}`;
  });
  return `Commands in the background:\n${lines.join("\n")}`;
}

function partWords(command: RunningCommand, asked: number, part: OutputPart): string {
  const { end, log } = command;
  const state =
    end === undefined
      ? `It runs for ${secondsWords(command.seconds)}.`
      : [endWords(end).text, ...barredWords(command).words].join("\n");
  if (part.bytes.length === 0) return `${state} ${rangeWords(part, log.sizeBytes)}`;
  const gone = part.from > asked ? `Bytes ${asked} to ${part.from - 1} are not kept. ` : "";
  return `${state}\n${gone}${rangeWords(part, log.sizeBytes)}`;
}

function rangeWords({ bytes, from, next }: OutputPart, sizeBytes: number): string {
  if (bytes.length === 0) return `Nothing new; ${sizeBytes} bytes in all.`;
  const more = next < sizeBytes ? "; read_output shows what follows" : "";
  return `Bytes ${from} to ${next - 1} of ${sizeBytes}${more}:\n${safeOutput(bytes)}`;
}

interface Waiting {
  readonly from: number;
  readonly seconds: number;
  readonly untilEnd: boolean;
  readonly signal: HostScope["signal"];
}

/** Waits for more than is known, or for the end, or for the time to be over. */
async function somethingNew(command: RunningCommand, waiting: Waiting): Promise<void> {
  const { from, seconds, untilEnd, signal } = waiting;
  const isDone = () => command.end !== undefined || (!untilEnd && command.log.sizeBytes > from);
  if (seconds <= 0 || isDone()) return;
  let unwatch = () => {};
  const news = new Promise<void>((resolve) => {
    unwatch = command.onChange(() => isDone() && resolve());
  });
  const over = endingWithin(Math.min(seconds, mostWaitSeconds) * 1_000, signal);
  await withinTime(news, over).catch(() => {});
  unwatch();
}
