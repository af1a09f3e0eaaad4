import { clip, firstDifferenceIn, looksOf } from "../../text/index.js";
import { similarity, wordsOf } from "../model/similarity.js";
import { finish, mapSteps, type Steps } from "../model/steps.js";
import { omissionIn } from "../read/open-hunk.js";
import { type Inexact, matchInexactly } from "./inexact-match.js";
import { spliceSteps, type TextSplice } from "./splice.js";
import { type FoundText, findText, lineAt, linesAt, type TextPlace, withEndingsOf } from "./text-places.js";

/** A replacement of exact text; `$` means itself. */
export interface ExactEdit {
  readonly oldString: string;
  readonly newString: string;
  /** Every occurrence, however many; exactly one unless given. */
  readonly replaceAll?: boolean;
  readonly expectedReplacements?: number;
}

/** A text after all its edits, with what is needed to report them. */
export interface EditedText {
  readonly kind: "edited";
  readonly text: string;
  readonly replacements: number;
  /** Matches that were not exact, one sentence each; only where that was allowed. */
  readonly inexact: readonly string[];
  /** What was replaced by what, in the text as it was before this edit; one list an edit. */
  readonly steps: readonly EditStep[];
}

/** One edit as splices. Their positions are UTF-16 offsets into `before`, the result of the edit before this one. */
export interface EditStep {
  readonly before: string;
  readonly splices: readonly TextSplice[];
}

/** An edit that cannot be made as it is, so that none of the list is made. */
interface UnfitEdit {
  readonly kind: "unfit";
  /** 0-based, in the list of edits. */
  readonly edit: number;
  readonly why: EditMisfit;
}

/** Why an edit cannot be made. */
export type EditMisfit =
  | { readonly kind: "empty_old_string" }
  | { readonly kind: "equal_strings" }
  /** The new text leaves something out by this line. */
  | { readonly kind: "placeholder"; readonly line: string }
  /** `hint` shows where the text may be, as the end of a message; "" where nothing is alike. */
  | { readonly kind: "not_found"; readonly hint: string }
  /** The old text stands at more than so many places. */
  | { readonly kind: "too_many"; readonly most: number }
  | WrongCount;

/** The text stands another number of times than was expected. */
export interface WrongCount {
  readonly kind: "occurrence_mismatch";
  readonly expected: number;
  readonly count: number;
  /** It overlaps itself, so that nobody can say which place was meant. */
  readonly overlaps: boolean;
  /** 1-based lines of the first places, 20 at most. */
  readonly lines: readonly number[];
  /** How many places more there are. */
  readonly more: number;
}

/** What the stages that forgive blanks are for: nothing, or a match, if it is the only one. */
export type InexactUse = "off" | "use";

/**
 * Replaces exact text, edit by edit, each on the result of the one before. `$` means itself; only the
 * line ending is the file's own: a newline in an edit stands for whatever ends the line there.
 *
 * In `a\nb\r\n` the edit of `b` to `x\ny` gives `a\nx\r\ny\r\n`.
 *
 * @returns the new text, or the first edit that cannot be made; then none is.
 */
export function replaceExactly(
  text: string,
  edits: readonly ExactEdit[],
  inexact: InexactUse = "off",
): EditedText | UnfitEdit {
  return finish(replaceSteps(text, edits, inexact));
}

/** The same in steps, for whoever lets others run in between or ends it when its time is up. */
export function* replaceSteps(
  text: string,
  edits: readonly ExactEdit[],
  inexact: InexactUse,
): Steps<EditedText | UnfitEdit> {
  let edited = text;
  let replacements = 0;
  const notes: string[] = [];
  const steps: EditStep[] = [];
  for (const [at, edit] of edits.entries()) {
    const step = yield* applyEdit(edited, edit, inexact);
    yield;
    if (step.kind !== "edited") return { kind: "unfit", edit: at, why: step };
    edited = step.text;
    replacements += step.replacements;
    notes.push(...step.inexact);
    steps.push(...step.steps);
  }
  return { kind: "edited", text: edited, replacements, inexact: notes, steps };
}

function* applyEdit(text: string, edit: ExactEdit, inexact: InexactUse): Steps<EditedText | EditMisfit> {
  const { oldString, newString } = edit;
  const unfit = misfitAlone(text, edit);
  if (unfit !== undefined) return unfit;
  const found = yield* findText(text, oldString, mostReplacements);
  const { places } = found;
  if (places.length === 0) return yield* withoutMatch(text, edit, inexact);
  const miscounted = checkCount(text, edit, found);
  if (miscounted === undefined && found.count > places.length)
    return { kind: "too_many", most: mostReplacements };
  return miscounted ?? { ...(yield* replaceAt(text, places, newString)), inexact: [] };
}

/** What is wrong with an edit wherever it would be made. */
function misfitAlone(text: string, { oldString, newString }: ExactEdit): EditMisfit | undefined {
  if (oldString === "") return { kind: "empty_old_string" };
  if (oldString === newString) return { kind: "equal_strings" };
  const line = omissionIn(text, newString, oldString);
  return line === undefined ? undefined : { kind: "placeholder", line };
}

function* withoutMatch(text: string, edit: ExactEdit, inexact: InexactUse): Steps<EditedText | EditMisfit> {
  const found = inexact === "off" ? undefined : yield* matchInexactly(text, edit.oldString);
  const [only] = found?.places ?? [];
  if (found?.places.length === 1 && only !== undefined && mayTake(edit)) {
    const edited = yield* replaceAt(text, [only], found.adapt(edit.newString, only));
    return { ...edited, inexact: [describe(text, found, only)] };
  }
  return { kind: "not_found", hint: yield* nearestLines(text, edit.oldString) };
}

/** An inexact match stands for one place, never for several. */
function mayTake({ replaceAll, expectedReplacements = 1 }: ExactEdit): boolean {
  return replaceAll !== true && expectedReplacements === 1;
}

function describe(text: string, found: Inexact, place: TextPlace): string {
  return `The match at ${lineSpan(text, place)} was not exact: ${found.differs}.`;
}

function checkCount(text: string, edit: ExactEdit, { places, count }: FoundText): WrongCount | undefined {
  const overlaps = isOverlapping(text, edit.oldString, places);
  const expected = edit.expectedReplacements ?? (edit.replaceAll === true ? count : 1);
  if (count === expected && !overlaps) return undefined;
  const first = places.slice(0, mostPlaces).map(({ from }) => from);
  return {
    kind: "occurrence_mismatch",
    expected,
    count: count + (overlaps ? 1 : 0),
    overlaps,
    lines: linesAt(text, first),
    more: Math.max(0, count - mostPlaces),
  };
}

/** Whether another place overlaps the only match, such as the second `aa` in `aaa`. */
function isOverlapping(text: string, wanted: string, places: readonly TextPlace[]): boolean {
  if (places.length !== 1) return false;
  const [{ from, to } = { from: 0, to: 0 }] = places;
  const next = text.startsWith("\r\n", from) ? from + 2 : from + 1;
  // Looking at no more than two lengths keeps this cheap.
  const again = finish(findText(text.slice(next, to + (to - from)), wanted, mostReplacements));
  return again.places.some((place) => place.from < to - next);
}

function* replaceAt(
  text: string,
  places: readonly TextPlace[],
  fresh: string,
): Steps<Omit<EditedText, "inexact">> {
  const texts = yield* withEndingsOf(text, places, fresh);
  const splices = yield* mapSteps(places, ({ from, to }, at) => ({ from, to, text: texts[at] ?? fresh }));
  yield;
  const edited = yield* spliceSteps(text, splices);
  const steps = [{ before: text, splices }];
  return { kind: "edited", text: edited, replacements: places.length, steps };
}

function lineSpan(text: string, place: TextPlace): string {
  const [first, last] = [lineAt(text, place.from), lineAt(text, Math.max(place.from, place.to - 1))];
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

/** Each place takes some hundred bytes until the edit is made. */
const mostReplacements = 1_000_000;
const mostPlaces = 20;

/**
 * The lines of a file that are most like the beginning of a text that is not in it: where a second try
 * should look. They are only shown; nothing is ever changed by likeness.
 *
 * @returns lines with their numbers for the end of a message, or "".
 */
function* nearestLines(text: string, wanted: string): Steps<string> {
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
