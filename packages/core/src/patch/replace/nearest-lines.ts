import { clip, firstDifferenceIn, looksOf } from "../../text/index.js";
import { similarity, wordsOf } from "../model/similarity.js";
import { mapSteps, type Steps } from "../model/steps.js";

/**
 * The lines of a file that are most like the beginning of a text that is not in it: where a second try
 * should look. They are only shown; nothing is ever changed by likeness.
 *
 * @returns lines with their numbers for the end of a message, or "".
 */
export function* nearestLines(text: string, wanted: string): Steps<string> {
  const asked = wanted.split(/\r?\n/);
  const at = asked.findIndex((line) => /\w/.test(line));
  const line = asked[at === -1 ? asked.findIndex((any) => any.trim() !== "") : at];
  if (line === undefined) return "";
  const lines = text.split(text.includes("\n") ? "\n" : "\r", mostLines);
  yield;
  const looks = looksOf(line);
  const own = yield* mapSteps(lines, (each) => (each.length > longestLine ? "" : looksOf(each)));
  const whole = placesOf(own, (each) => each === looks);
  const found = whole.length > 0 || looks.length < 3 ? whole : placesOf(own, (each) => each.includes(looks));
  const [first] = found;
  if (first !== undefined) {
    const isSame = lines[first]?.includes(line) === true;
    const head = isSame
      ? "Its first line stands here, what follows it differs"
      : "But for what looks alike, it begins here";
    const shown = found.slice(0, mostShown).map((index) => excerpt(lines, index, asked.length));
    const difference = firstDifferenceIn(asked.slice(Math.max(at, 0)), lines.slice(first), first + 1);
    return `\n${head}:\n${shown.join("\n…\n")}${difference}`;
  }
  const alike = yield* mostAlike(lines, line);
  if (alike.length === 0) return "";
  return `\nThe nearest lines are:\n${alike.map((index) => numbered(lines, index)).join("\n")}`;
}

function* mostAlike(lines: readonly string[], wanted: string): Steps<readonly number[]> {
  if (wordsOf(wanted).length === 0) return [];
  const scored = yield* mapSteps(lines, (line, index) => ({ index, score: similarity(wanted, line) }));
  return scored
    .filter(({ score }) => score >= leastLikeness)
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, mostShown)
    .map(({ index }) => index);
}

function excerpt(lines: readonly string[], from: number, count: number): string {
  const shown = Math.min(Math.max(count, 1), mostExcerpt);
  return Array.from({ length: Math.min(shown, lines.length - from) }, (_, at) =>
    numbered(lines, from + at),
  ).join("\n");
}

function numbered(lines: readonly string[], index: number): string {
  return `${index + 1}: ${clip((lines[index] ?? "").replace(/\r$/, ""), 200)}`;
}

function placesOf(lines: readonly string[], isMeant: (line: string) => boolean): readonly number[] {
  return lines.flatMap((line, at) => (isMeant(line) ? [at] : []));
}

const mostLines = 50_000;
/** In UTF-16 units: nobody is helped by a longer one. */
const longestLine = 100_000;
const mostShown = 3;
const mostExcerpt = 12;
const leastLikeness = 0.57;
