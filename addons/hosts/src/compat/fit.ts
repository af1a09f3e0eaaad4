import { allOf, type ShownLines } from "@holdfast/core/files/seen";
import type { FileState, Vocabulary } from "@holdfast/core/files/values";
import { cutVisibly } from "@holdfast/core/text";
import { type HostLimits, pageWithin } from "@holdfast/core/tools";

/** How much one answer to one client may hold. */
export interface AnswerRoom {
  /** For everything in the answer, without the names around it, in the units of `sizeOf`. */
  readonly size: number;
  /** What a text takes of it: it is sent as text, and as structured content, which is longer. Lines add up. */
  sizeOf(text: string): number;
}

/** @param limits what the client lets through, in characters and otherwise. */
export function roomWithin(limits: {
  readonly budgetChars: number;
  readonly within?: HostLimits;
}): AnswerRoom {
  const { bytes = Infinity, lines = Infinity } = limits.within ?? {};
  const size = Math.min(limits.budgetChars, bytes) - namesChars;
  const lengthOf = bytes < Infinity ? bytesInJson : charsInJson;
  if (lines === Infinity) return { size, sizeOf: lengthOf };
  // A short line takes as much as the client has room for lines.
  const leastOfLine = Math.ceil(size / lines);
  const sizeOf = (text: string) =>
    text
      .split(/(?<=\n)/)
      .reduce((sum, line) => sum + Math.max(lengthOf(line), line.endsWith("\n") ? leastOfLine : 0), 0);
  return { size, sizeOf };
}

const namesChars = 200;

function charsInJson(text: string): number {
  return JSON.stringify(text).length - 2;
}

function bytesInJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** Lines of a file with what is to be said before them. */
interface FittedText {
  readonly text: string;
  readonly shown: readonly ShownLines[];
}

/** The lines of a state that there is room for; what was cut says so, and is not shown. */
export function fitLines(
  lead: string,
  { state, content }: { readonly state: FileState; readonly content: string },
  { room, words }: { readonly room: AnswerRoom; readonly words: Vocabulary },
): FittedText {
  const left = room.size - room.sizeOf(lead);
  if (room.sizeOf(content) <= left) return { text: lead + content, shown: allOf(state) };
  const page = pageWithin(state, content, {
    roomChars: left - noteChars,
    words,
    lengthOf: room.sizeOf,
  });
  if (page.kind === "none") return { text: `${lead}… ${page.omission}`, shown: [] };
  return { text: `${lead}${page.state.content}\n… ${page.omission}`, shown: allOf(page.state) };
}

/** As many lines of a listing as there is room for, and how many more there are. */
export function fitList(lines: readonly string[], room: AnswerRoom, rest = ""): string {
  let left = room.size - noteChars - room.sizeOf(rest);
  let count = 0;
  for (const line of lines) {
    left -= room.sizeOf(`${line}\n`);
    if (left < 0) break;
    count += 1;
  }
  const missing = lines.length - count;
  const more = missing === 0 ? [] : [`… ${missing.toLocaleString("en-US")} more: name a deeper folder`];
  return [...lines.slice(0, count), ...more].join("\n") + rest;
}

/** A text that is cut at the end, where it has to be. */
export function fitText(text: string, room: AnswerRoom): string {
  let limit = room.size;
  let cut = text;
  // Escapes take more room than the characters that they stand for.
  while (room.sizeOf(cut) > room.size + noteChars && limit > 0) {
    cut = cutVisibly(text, limit);
    limit = Math.floor(limit * (room.size / Math.max(room.size + 1, room.sizeOf(cut))));
  }
  return cut;
}

/** For the sentence that says what was cut. */
const noteChars = 150;
