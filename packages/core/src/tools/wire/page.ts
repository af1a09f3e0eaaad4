import { type FileState, say, type Vocabulary } from "../../files/index.js";
import { joinLines, splitLines } from "../../text/index.js";
import { harmless } from "./notes.js";

/** As many lines of a state, from its first one, as there is room for. */
export type Page =
  | {
      readonly kind: "page";
      readonly state: FileState & { readonly content: string };
      readonly omission: string;
    }
  /** Not even one line fits. */
  | { readonly kind: "none"; readonly omission: string };

export interface PageRoom {
  readonly roomChars: number;
  readonly words: Vocabulary;
  /** What a text takes of the room; its UTF-16 units unless given. The lengths of lines must add up. */
  readonly lengthOf?: (text: string) => number;
}

/**
 * The first page of a state whose content is more than there is room for, and the sentence that says how to
 * get the rest. A first line that does not fit by itself is cut visibly in that sentence.
 */
export function pageWithin(
  state: FileState,
  content: string,
  { roomChars, words, lengthOf = (text) => text.length }: PageRoom,
): Page {
  const from = state.lines?.from ?? 1;
  const lines = splitLines(content);
  let count = 0;
  let room = roomChars;
  for (const [at, text] of lines.contents.entries()) {
    room -= lengthOf(text + (lines.endings[at] ?? ""));
    if (room < 0) break;
    count = at + 1;
  }
  if (count === 0)
    return { kind: "none", omission: tooLong(lines.contents[0] ?? "", from, roomChars, words) };
  const to = from + count - 1;
  const page = joinLines(lines, 0, count);
  const total = state.facts?.totalLines ?? to;
  const facts = { from, to, total, next: to + 1 };
  return {
    kind: "page",
    state: { ...state, content: page, lines: { from, to } },
    omission: say({ template: nextPage, facts }, words),
  };
}

function tooLong(line: string, from: number, roomChars: number, words: Vocabulary): string {
  // Escaped characters take up to six.
  const shown = Math.max(0, Math.min(mostShown, Math.floor(roomChars / 6)));
  const begin = `${harmless(line.slice(0, shown))}… ${(line.length - shown).toLocaleString("en-US")} more characters`;
  return say({ template: noLine, facts: { line: from, begin } }, words);
}

const mostShown = 1_000;
const nextPage =
  "Shown are lines $from-$to of $total: more than one answer may hold. Read on from line $next[ with {read}, {window}].";
const noLine = "The content is larger than this answer may be. Line $line begins: $begin";
