import {
  type FileState,
  type ListedEntry,
  type ListOutcome,
  type ReadManyOutcome,
  type ReadOutcome,
  type Refusal,
  unchangedStub,
} from "../../files/index.js";
import { chooseSuffix, clip, escapeForDisplay, quoteForDisplay } from "../../text/index.js";
import { type FileFrame, writeFrame } from "./envelope.js";
import { describeOmission, describeRepair } from "./notes.js";
import type { ChangeSetResult, WriteResult } from "./result.js";
import type { Shown } from "./shown.js";

/**
 * The text forms. A reply is a status line (left out by a read that succeeded), then the frames, one after
 * the other, then an empty line and details. Whatever looks like a frame elsewhere is no frame.
 */
export function readToText(outcome: ReadOutcome): string {
  if (outcome.kind === "refusal") return refusalToText(outcome);
  const notices = outcome.notice === undefined ? [] : [outcome.notice];
  const status = outcome.unchanged === true ? statusLine(true, "ok", unchangedStub) : undefined;
  return compose(status, [frameOf(outcome)], notices);
}

export function readManyToText(outcome: ReadManyOutcome): string {
  const read = outcome.files.filter((file) => file.kind === "read");
  const refused = outcome.files.filter((file) => file.kind === "refusal");
  const details = [
    ...read
      .filter(({ unchanged }) => unchanged === true)
      .map(({ state }) => `${quoteForDisplay(state.path)}: ${unchangedStub}`),
    ...refused.map(
      ({ path, code, message }) => `Not read: ${quoteForDisplay(path)} (${code}): ${singleLine(message)}`,
    ),
    ...outcome.leftOut.map(
      ({ path, sizeBytes }) => `Left out, read it on its own: ${quoteForDisplay(path)} (${sizeBytes} bytes)`,
    ),
  ];
  const status = summariseReads(outcome);
  return compose(statusLine(status.success, status.code, status.message), read.map(frameOf), details);
}

/** How a read of many files went as a whole: it failed only if nothing was read of what was asked for. */
export function summariseReads(outcome: ReadManyOutcome) {
  const read = outcome.files.filter((file) => file.kind === "read").length;
  const firstRefusal = outcome.files.find((file) => file.kind === "refusal");
  const refused = outcome.files.length - read;
  const message = [
    `${read} files read`,
    ...(refused === 0 ? [] : [`${refused} not`]),
    ...(outcome.leftOutCount === 0 ? [] : [`${outcome.leftOutCount} left out`]),
  ].join(", ");
  const code = read === 0 && firstRefusal !== undefined ? firstRefusal.code : ("ok" as const);
  return { success: code === "ok", code, message: `${message}.` };
}

/** One entry a line: the name, a tab, the size in bytes; a folder ends in `/`. */
export function listToText(outcome: ListOutcome): string {
  if (outcome.kind === "refusal") return refusalToText(outcome);
  const lines = outcome.entries.map(entryLine);
  const more = outcome.more ? "There are more; raise limit, or list a folder below." : undefined;
  const head = `OK (ok): ${quoteForDisplay(outcome.path)} holds ${lines.length}${more === undefined ? "" : " or more"} entries; sizes are in bytes.`;
  return [head, ...lines, ...(more === undefined ? [] : ["", more])].join("\n");
}

export function writeToText({ outcome }: WriteResult, shown: Shown): string {
  const { state, change, message } = outcome;
  const [first, rest] = splitFirstLine(message);
  const omission = describeOmission(shown);
  const details = [
    ...(rest === "" ? [] : [rest]),
    ...(change?.repairs ?? []).map((repair) => `Repaired: ${describeRepair(repair)}.`),
    ...(omission === undefined ? [] : [omission]),
  ];
  const frames = state === null ? [] : [writtenFrame(state, shown)];
  return compose(statusLine(outcome.success, outcome.code, first), frames, details);
}

/** One status line for the set; then the files' frames, then a line for each file with its code. */
export function changeSetToText({ outcome }: ChangeSetResult, shown: readonly Shown[]): string {
  const [first, rest] = splitFirstLine(outcome.message);
  const frames: FileFrame[] = [];
  const details = rest === "" ? [] : [rest];
  for (const [at, { path, outcome: one }] of outcome.files.entries()) {
    const each = shown[at] ?? { kind: "none" };
    if (one.state !== null) frames.push(writtenFrame(one.state, each));
    const omission = describeOmission(each);
    details.push(
      `${quoteForDisplay(path)} (${one.code}): ${one.success ? singleLine(one.message) : one.message}`,
      ...(one.change?.repairs ?? []).map((repair) => `  Repaired: ${describeRepair(repair)}.`),
      ...(omission === undefined ? [] : [`  ${omission}`]),
    );
  }
  return compose(statusLine(outcome.success, outcome.code, first), frames, details);
}

export function refusalToText({ code, message }: Refusal): string {
  const [first, rest] = splitFirstLine(message);
  return compose(statusLine(false, code, first), [], rest === "" ? [] : [rest]);
}

function compose(
  status: string | undefined,
  frames: readonly FileFrame[],
  details: readonly string[],
): string {
  const texts = [
    ...(status === undefined ? [] : [status]),
    ...details,
    ...frames.flatMap(({ content, windows }) => [content ?? "", ...(windows ?? []).map(({ text }) => text)]),
  ];
  const suffix = chooseSuffix(texts);
  const head = [
    ...(status === undefined ? [] : [status]),
    ...frames.map((frame) => writeFrame(frame, suffix)),
  ];
  const body = head.join("\n");
  return details.length === 0 ? body : `${body}\n\n${details.join("\n")}`;
}

function frameOf(outcome: Extract<ReadOutcome, { kind: "read" }>): FileFrame {
  const { state, unchanged } = outcome;
  return unchanged === true ? { state } : { state, content: state.content };
}

function writtenFrame(state: FileState, shown: Shown): FileFrame {
  if (shown.kind === "full") return { state, content: shown.content };
  return shown.kind === "windows" ? { state, windows: shown.windows } : { state };
}

export function statusLine(success: boolean, code: string, message: string): string {
  return `${success ? "OK" : "FAILED"} (${code}): ${harmless(message)}`;
}

function splitFirstLine(message: string): readonly [string, string] {
  const end = message.indexOf("\n");
  return end < 0 ? [message, ""] : [message.slice(0, end), message.slice(end + 1).replace(/^\n+/, "")];
}

/** The first line of a message, for a list where each has one line. */
function singleLine(message: string): string {
  return clip(harmless(splitFirstLine(message)[0]), 300);
}

/** Controls and overrides escaped, as in names; brackets and tabs stay, since lines of code are quoted. */
export function harmless(message: string): string {
  return message
    .split(/([<>\t]+)/)
    .map((part, at) => (at % 2 === 0 ? escapeForDisplay(part) : part))
    .join("");
}

export function entryLine(entry: ListedEntry): string {
  const quoted = quoteForDisplay(entry.path);
  const plain = quoted === `"${entry.path}"` && entry.path.trim() === entry.path ? entry.path : quoted;
  const notes = [
    ...(entry.sizeBytes === undefined ? [] : [String(entry.sizeBytes)]),
    ...(entry.special === undefined ? [] : [entry.special]),
    ...(entry.openable ? [] : ["cannot be opened by name"]),
  ];
  return [entry.isDirectory ? `${plain}/` : plain, ...notes].join("\t");
}
