import { type LineEnding, splitLines, type TextLines } from "../../text/index.js";
import { diffLines } from "../compare/line-diff.js";
import { mapSteps, type Steps } from "../model/steps.js";

/** A stretch of a text, in UTF-16 units; `to` is after its end. */
export interface TextPlace {
  readonly from: number;
  readonly to: number;
}

/**
 * Where a text stands in another one, from the left, without overlaps. A `\n` in `wanted` stands for the
 * ending that the line has; everything else is exact.
 *
 * @param mostPlaces of more than so many only the first ones are returned: nobody takes them all.
 */
export function* findText(text: string, wanted: string, mostPlaces: number): Steps<FoundText> {
  const first = yield* collectPlaces(text, wanted, fewPlaces);
  const isAll = first.count <= fewPlaces || first.count > mostPlaces;
  return isAll ? first : yield* collectPlaces(text, wanted, mostPlaces);
}

function* collectPlaces(text: string, wanted: string, most: number): Steps<FoundText> {
  const places: TextPlace[] = [];
  let count = 0;
  for (const place of placesOf(text, wanted)) {
    if (place !== undefined) {
      count += 1;
      if (count <= most) places.push(place);
    }
    if (place === undefined || count % stepLength === 0) yield;
  }
  return { places, count };
}

/** Kept while the rest is counted. A million kept for nothing are garbage whose collection stops the process. */
const fewPlaces = 16_384;

/** Where a text stands, and how often. */
export interface FoundText {
  /** All, or the first ones where there are more than was wanted. */
  readonly places: readonly TextPlace[];
  readonly count: number;
}

/** Looking for a place and putting it on a list takes about a microsecond, and more where little memory is left. */
const stepLength = 1_024;

/** `undefined` where a stretch of the text was searched. */
type Places = Generator<TextPlace | undefined, void, void>;

function placesOf(text: string, wanted: string): Places {
  if (wanted.includes("\r") || !wanted.includes("\n") || !text.includes("\r")) return findExact(text, wanted);
  if (!text.includes("\n")) return findExact(text, wanted.replaceAll("\n", "\r"));
  return findLines(text, wanted.split("\n"));
}

/**
 * A new text for each of some places, with the line endings of the place: those of the lines that it replaces, or
 * of the line that it stands in. A text that holds `\r` itself is left as it is, where the file has several kinds.
 *
 * @param places sorted, none overlapping another; the text is looked through once for all of them.
 */
export function* withEndingsOf(
  text: string,
  places: readonly TextPlace[],
  given: string,
): Steps<readonly string[]> {
  const fresh = withoutForeign(text, given);
  const asIs = !fresh.includes("\n") || fresh.includes("\r") || !text.includes("\r");
  if (asIs || !text.includes("\n")) {
    const same = asIs ? fresh : fresh.replaceAll("\n", "\r");
    return yield* mapSteps(places, () => same);
  }
  const lines = splitLines(fresh);
  let ending: LineEnding = "\n";
  let newline = -1;
  return yield* mapSteps(places, ({ from, to }) => {
    if (newline < to && newline < text.length) {
      ending = endingAt(text, to);
      const next = text.indexOf("\n", to);
      newline = next < 0 ? text.length : next;
    }
    return withLineEndings(splitLines(text.slice(from, to)), lines, ending);
  });
}

/** A kept line keeps its ending, a line in the place of another takes that one's, a new one its neighbour's. */
function withLineEndings(old: TextLines, fresh: TextLines, beside: LineEnding): string {
  const endings: LineEnding[] = [];
  let oldAt = 0;
  const end = { oldFrom: old.contents.length, oldTo: 0, newFrom: fresh.contents.length, newTo: 0 };
  for (const change of [...diffLines(old.contents, fresh.contents, 500), end]) {
    while (endings.length < change.newFrom) endings.push(old.endings[oldAt++] || beside);
    const last = old.endings[Math.max(change.oldFrom, change.oldTo - 1)] || old.endings[change.oldFrom - 1];
    for (let at = change.oldFrom; endings.length < change.newTo; at++)
      endings.push((at < change.oldTo ? old.endings[at] : last) || last || beside);
    oldAt = change.oldTo;
  }
  return fresh.contents
    .map((line, at) => line + (fresh.endings[at] === "" ? "" : (endings[at] ?? beside)))
    .join("");
}

/** A text whose newlines are the line ending at this place; one that holds `\r` itself as by `withEndingsOf`. */
export function inEndingsAt(text: string, place: number, given: string): string {
  const fresh = withoutForeign(text, given);
  if (!text.includes("\r") || fresh.includes("\r")) return fresh;
  return fresh.replaceAll("\n", endingAt(text, place));
}

/** A file whose lines end in one way keeps that: `\r\n` of a new text is a newline as any other there. */
function withoutForeign(text: string, fresh: string): string {
  const [hasReturn, hasNewline] = [text.includes("\r"), text.includes("\n")];
  if (!fresh.includes("\r\n") || !(hasReturn || hasNewline)) return fresh;
  const plain = fresh.replaceAll("\r\n", "\n");
  const isOneKind = !(hasReturn && hasNewline) || !/(?:^|[^\r])\n|\r(?!\n)/.test(text);
  return isOneKind && !plain.includes("\r") ? plain : fresh;
}

/** What ends the line at this place; the ending of the line before it, where it is the last one. */
export function endingAt(text: string, place: number): "\n" | "\r\n" | "\r" {
  if (!text.includes("\n")) return text.includes("\r") ? "\r" : "\n";
  const next = text.indexOf("\n", place);
  const newline = next >= 0 ? next : text.lastIndexOf("\n");
  return text.charCodeAt(newline - 1) === 13 ? "\r\n" : "\n";
}

/** The 1-based lines of places that are sorted. */
export function linesAt(text: string, places: readonly number[]): readonly number[] {
  const newline = text.includes("\n") ? "\n" : "\r";
  const lines: number[] = [];
  let line = 1;
  let at = text.indexOf(newline);
  for (const place of places) {
    for (; at >= 0 && at < place; at = text.indexOf(newline, at + 1)) line += 1;
    lines.push(line);
  }
  return lines;
}

/** The 1-based line of a place. */
export function lineAt(text: string, place: number): number {
  const newline = text.includes("\n") ? "\n" : "\r";
  let line = 1;
  for (let at = text.indexOf(newline); at >= 0 && at < place; at = text.indexOf(newline, at + 1)) line += 1;
  return line;
}

/** A stretch is cut out once for all places in it: one cut for each would be as much garbage again. */
function* findExact(text: string, wanted: string): Places {
  for (let from = 0; from < text.length; ) {
    const stretch = text.slice(from, from + stretchUnits + wanted.length - 1);
    let after = 0;
    for (let at = stretch.indexOf(wanted); at >= 0; at = stretch.indexOf(wanted, after)) {
      after = at + wanted.length;
      yield { from: from + at, to: from + after };
    }
    from += Math.max(after, stretchUnits);
    yield undefined;
  }
}

/** `indexOf`, stretch by stretch. */
function* seek(text: string, wanted: string, after: number): Generator<undefined, number, void> {
  for (let from = after; text.length - from > stretchUnits; from += stretchUnits) {
    const at = text.slice(from, from + stretchUnits + wanted.length - 1).indexOf(wanted);
    if (at >= 0) return from + at;
    yield undefined;
  }
  return text.indexOf(wanted, Math.max(after, text.length - stretchUnits));
}

/** Searched in some milliseconds, whatever is looked for. */
const stretchUnits = 1 << 20;

/** Lines of which each but the last ends with `\n` or `\r\n`, as the file has it. */
function* findLines(text: string, [first = "", ...rest]: readonly string[]): Places {
  let tried = 0;
  let from = yield* nextStart(text, first, 0);
  while (from >= 0) {
    const to = endOf(text, from + first.length, rest);
    if (to !== undefined) yield { from, to };
    else if (++tried % stepLength === 0) yield undefined;
    from = yield* nextStart(text, first, to ?? from + 1);
  }
}

/** The next place where the first line may stand; one that is empty stands right before an ending. */
function* nextStart(text: string, first: string, after: number): Generator<undefined, number, void> {
  if (first !== "") return yield* seek(text, first, after);
  const newline = yield* seek(text, "\n", after);
  return newline > after && text.charCodeAt(newline - 1) === 13 ? newline - 1 : newline;
}

function endOf(text: string, from: number, rest: readonly string[]): number | undefined {
  let at = from;
  for (const line of rest) {
    if (text.startsWith("\r\n", at)) at += 2;
    else if (text.startsWith("\n", at)) at += 1;
    else return undefined;
    if (!text.startsWith(line, at)) return undefined;
    at += line.length;
  }
  return at;
}
