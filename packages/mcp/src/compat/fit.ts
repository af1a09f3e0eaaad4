import {
  allOf,
  answerBudgetChars,
  cutVisibly,
  type FileState,
  pageWithin,
  type ShownLines,
  type Vocabulary,
} from "@holdfast/core";

/** What a text takes of an answer's budget: it is sent as text, and as structured content, which is longer. */
export function sizeOf(text: string): number {
  return JSON.stringify(text).length - 2;
}

/** Characters for everything in one answer, without the names around it. */
export const roomChars: number = answerBudgetChars - 200;

/** Lines of a file with what is to be said before them. */
export interface FittedText {
  readonly text: string;
  readonly shown: readonly ShownLines[];
}

/** The lines of a state that there is room for; what was cut says so, and is not shown. */
export function fitLines(
  lead: string,
  { state, content, room = roomChars }: { state: FileState; content: string; room?: number },
  words: Vocabulary,
): FittedText {
  const left = room - sizeOf(lead);
  if (sizeOf(content) <= left) return { text: lead + content, shown: allOf(state) };
  const page = pageWithin(state, content, { roomChars: left - noteChars, words, lengthOf: sizeOf });
  if (page.kind === "none") return { text: `${lead}… ${page.omission}`, shown: [] };
  return { text: `${lead}${page.state.content}\n… ${page.omission}`, shown: allOf(page.state) };
}

/** As many lines of a listing as there is room for, and how many more there are. */
export function fitList(lines: readonly string[], rest = ""): string {
  let left = roomChars - noteChars - sizeOf(rest);
  let count = 0;
  for (const line of lines) {
    left -= sizeOf(line) + 2;
    if (left < 0) break;
    count += 1;
  }
  const missing = lines.length - count;
  const more = missing === 0 ? [] : [`… ${missing.toLocaleString("en-US")} more: name a deeper folder`];
  return [...lines.slice(0, count), ...more].join("\n") + rest;
}

/** A text that is cut at the end, where it has to be. */
export function fitText(text: string): string {
  let limit = roomChars;
  let cut = text;
  // Escapes take more room than the characters that they stand for.
  while (sizeOf(cut) > roomChars + noteChars) {
    cut = cutVisibly(text, limit);
    limit = Math.floor(limit * (roomChars / Math.max(roomChars + 1, sizeOf(cut))));
  }
  return cut;
}

/** For the sentence that says what was cut. */
const noteChars = 150;
