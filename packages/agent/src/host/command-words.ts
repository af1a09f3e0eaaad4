import { clip } from "@holdfast/core/text";
import { failedCall, type HostToolResult } from "@holdfast/core/tools";
import type { OutputLog } from "./output-log.js";
import type { CommandEnd, RunningCommand } from "./running-command.js";
import { safeOutput } from "./safe-output.js";

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
export function outputWords(log: OutputLog, id: string): string {
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
export function lastLines(log: OutputLog, count: number): readonly string[] {
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
