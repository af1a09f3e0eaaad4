import { type FileState, say, type Vocabulary } from "../../files/values/index.js";
import { countCodePoints, joinLines, splitLines } from "../../text/index.js";

/** As many lines of a state, from its first one, as there is room for. */
export type Page =
  | {
      readonly kind: "page";
      readonly state: FileState & { readonly content: string };
      readonly omission: string;
    }
  /** Not even the beginning of a line fits. */
  | { readonly kind: "none"; readonly omission: string };

/** How much of a file the first page may show, in characters of an answer, and the words of its sentence. */
export interface PageRoom {
  readonly roomChars: number;
  readonly words: Vocabulary;
  /** What a text takes of the room; its UTF-16 units unless given. The lengths of lines must add up. */
  readonly lengthOf?: (text: string) => number;
  /** Whether so many more answers hold these texts, if their lines are asked for side by side; unknown unless given. */
  readonly fits?: (texts: readonly string[]) => boolean;
}

/**
 * The first page of a state whose content is more than there is room for, and the sentence that says how to
 * get the rest. Of a first line that does not fit by itself the page is its beginning.
 */
export function pageWithin(
  state: FileState,
  content: string,
  { roomChars, words, lengthOf = (text) => text.length, fits }: PageRoom,
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
  if (count === 0) return partWithin(state, lines.contents[0] ?? "", { roomChars, words, lengthOf });
  const to = from + count - 1;
  const page = joinLines(lines, 0, count);
  const total = state.facts?.totalLines ?? to;
  const facts = { from, to, total, next: to + 1 };
  const isToEnd = from + lines.contents.length > total;
  const calls = isToEnd ? callsForRest(joinLines(lines, count, lines.contents.length), to, fits) : "";
  const window = calls === "" ? undefined : words.window?.replace(/offset( and \W*)limit$/, calls);
  return {
    kind: "page",
    state: { ...state, content: page, lines: { from, to } },
    omission: say({ template: nextPage, facts }, window ? { ...words, window } : words),
  };
}

/** The fewest calls side by side that show a text which begins behind a line; "" where they would be too many. */
function callsForRest(rest: string, behind: number, fits: PageRoom["fits"]): string {
  const lines = splitLines(rest);
  const total = lines.contents.length;
  for (let calls = 1; calls <= mostCalls; calls += 1) {
    const ends = Array.from({ length: calls + 1 }, (_, at) => Math.round((total * at) / calls));
    const parts = ends.slice(1).map((end, at) => ({ from: ends[at] ?? 0, to: end }));
    if (fits?.(parts.map(({ from, to }) => joinLines(lines, from, to))) !== true) continue;
    const named = parts.map(({ from, to }) => `offset ${behind + from + 1}$1limit ${to - from}`);
    return `${named.join("; ")} for the rest${calls === 1 ? "" : " (parallel calls)"}`;
  }
  return "";
}

/** Of a longer rest a model reads what it needs. */
const mostCalls = 5;

/** As much of one long line as there is room for. */
function partWithin(
  state: FileState,
  line: string,
  { roomChars, words, lengthOf }: Required<Omit<PageRoom, "fits">>,
): Page {
  const at = state.lines?.from ?? 1;
  const { from, of } = state.chars ?? { from: 0, of: countCodePoints(line) };
  const begin = beginWithin(line, roomChars, lengthOf);
  const count = countCodePoints(begin);
  if (count === 0)
    return { kind: "none", omission: say({ template: noLine, facts: { line: at, of } }, words) };
  const to = from + count;
  const facts = { line: at, from, to, of, left: (of - to).toLocaleString("en-US") };
  return {
    kind: "page",
    state: {
      ...state,
      content: begin,
      lines: { from: at, to: at },
      chars: { from, to, of },
    },
    omission: say({ template: nextPart, facts }, words),
  };
}

/** The code points of a line that there is room for, from its first. */
function beginWithin(line: string, room: number, lengthOf: (text: string) => number): string {
  let left = room;
  let end = 0;
  for (const char of line) {
    left -= lengthOf(char);
    if (left < 0) break;
    end += char.length;
  }
  return line.slice(0, end);
}

const nextPage =
  "Shown are lines $from-$to of $total: more than one answer may hold. Read on from line $next[ with {read}, {window}].";
const noLine =
  "This answer has no room for line $line, which has $of characters. Read on from it[ with {read}, {window}].";
const nextPart =
  "Shown are characters $from-$to of line $line, which has $of: … $left more characters. Read on from character $to[ with {read}, {partOfLine}].";
