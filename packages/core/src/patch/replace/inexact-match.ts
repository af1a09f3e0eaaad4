import { mapSteps, type Steps } from "../model/steps.js";
import type { TextPlace } from "./text-places.js";

/** Where a text stands if blanks are forgiven. */
export interface Inexact {
  readonly places: readonly TextPlace[];
  /** What is forgiven, for a sentence that begins with "if". */
  readonly differs: string;
  /** The new text as it belongs to this place: indented as the lines that it replaces. */
  adapt(fresh: string, place: TextPlace): string;
}

/**
 * The two stages after the exact one that Gemini CLI's `replace` knows, made strict: blanks at the ends of
 * lines, then blanks between the tokens of a line. Line stays line, and inside quotes every blank counts, so
 * that no literal and no value is ever taken for another.
 *
 * @returns the first stage that finds something; undefined where none does.
 */
export function* matchInexactly(text: string, wanted: string): Steps<Inexact | undefined> {
  const lines = yield* linesOf(text);
  const asked = wanted.replace(/\r/g, "").replace(/\n$/, "").split("\n");
  if (asked.every((line) => line.trim() === "")) return undefined;
  for (const stage of stages) {
    const keys = asked.map(stage.key);
    const standing = yield* mapSteps(lines, (_, at) =>
      standsAt(lines, at, keys, stage.key) ? placeOf(lines, at, keys) : undefined,
    );
    const places = standing.filter((place) => place !== undefined);
    if (places.length === 0) continue;
    const [firstAsked = ""] = asked;
    const trimmedEnd = !wanted.endsWith("\n");
    return {
      places: trimmedEnd ? places : places.map(({ from, to }) => ({ from, to: lineEnd(text, to) })),
      differs: stage.differs,
      adapt: (fresh, { from }) => reindent(fresh, indentOf(firstAsked), indentOf(text.slice(from))),
    };
  }
  return undefined;
}

const stages: readonly { readonly key: (line: string) => string; readonly differs: string }[] = [
  { key: (line) => line.trim(), differs: "blanks at the ends of lines did not count" },
  { key: tokens, differs: "blanks between tokens did not count" },
];

interface ComparedLine extends TextPlace {
  readonly content: string;
}

function* linesOf(text: string): Steps<readonly ComparedLine[]> {
  const contents = text.split("\n");
  yield;
  let from = 0;
  return yield* mapSteps(contents, (content) => {
    const own = content.replace(/\r$/, "");
    const line = { content: own, from, to: from + own.length };
    from += content.length + 1;
    return line;
  });
}

function standsAt(
  lines: readonly ComparedLine[],
  at: number,
  keys: readonly string[],
  keyOf: (line: string) => string,
): boolean {
  return keys.every((key, offset) => {
    const line = lines[at + offset];
    return line !== undefined && line.content.length <= longestLine && keyOf(line.content) === key;
  });
}

function placeOf(lines: readonly ComparedLine[], at: number, keys: readonly string[]): TextPlace {
  return { from: lines[at]?.from ?? 0, to: lines[at + keys.length - 1]?.to ?? 0 };
}

function lineEnd(text: string, at: number): number {
  if (text.startsWith("\r\n", at)) return at + 2;
  return text.startsWith("\n", at) ? at + 1 : at;
}

/** Blanks become one where they part words and vanish beside punctuation; quoted parts stay as they are. */
function tokens(line: string): string {
  return line
    .trim()
    .split(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)/)
    .map((part, at) => (at % 2 === 1 ? part : squeeze(part)))
    .join("");
}

function squeeze(part: string): string {
  // An open quote: what follows may be a literal that goes on in the next line.
  if (/["'`]/.test(part)) return part;
  return part.replace(/\s+/g, " ").replace(/ ?([()[\]{}:;,<>=]) ?/g, "$1");
}

/** In UTF-16 units; a longer one matches only as it is. */
const longestLine = 100_000;

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function reindent(fresh: string, asked: string, own: string): string {
  const lines = fresh.split("\n");
  if (asked === own) return fresh;
  return lines
    .map((line) =>
      line.trim() === "" ? line : line.startsWith(asked) ? own + line.slice(asked.length) : line,
    )
    .join("\n");
}
