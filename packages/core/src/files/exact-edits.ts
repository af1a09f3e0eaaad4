import { isPlaceholder } from "../patch/index.js";
import { clip, escapeForDisplay, splitLines } from "../text/index.js";
import { type Inexact, matchInexactly } from "./inexact-match.js";
import { nearestLines } from "./nearest-lines.js";
import { applySplices, type TextSplice } from "./placed-lines.js";
import { type Refusal, refuse, refuseIn } from "./refusal.js";
import type { ExactEdit } from "./requests.js";
import { findText, lineAt, type TextPlace, withEndingsOf } from "./text-places.js";

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

/**
 * One edit as splices. Their positions are UTF-16 offsets into `before`, the result of the edit before this one.
 */
export interface EditStep {
  readonly before: string;
  readonly splices: readonly TextSplice[];
}

/** How `applyEdits` names the file, and whether it forgives differences in blanks. */
export interface EditOptions {
  /** For the messages. */
  readonly path: string;
  /**
   * What the stages that forgive blanks are for: nothing, a hint in the refusal, or a match, if it is the
   * only one. `off` unless given.
   */
  readonly inexact?: "off" | "hint" | "use";
}

/**
 * Replaces exact text, edit by edit, each on the result of the one before. `$` means itself; only the
 * line ending is the file's own: a newline in an edit stands for whatever ends the line there.
 *
 * @returns `not_found`, `occurrence_mismatch`, `equal_strings`, `empty_old_string` or `placeholder`.
 */
export function applyEdits(
  text: string,
  edits: readonly ExactEdit[],
  options: EditOptions,
): EditedText | Refusal {
  if (edits.length === 0) return refuse("invalid_arguments", "The list of edits is empty.");
  let edited = text;
  let replacements = 0;
  const inexact: string[] = [];
  const steps: EditStep[] = [];
  for (const [at, edit] of edits.entries()) {
    const which = edits.length === 1 ? "" : ` This was edit ${at + 1} of ${edits.length}; none was made.`;
    const step = applyEdit(edited, edit, { ...options, which });
    if (step.kind === "refusal") return step;
    edited = step.text;
    replacements += step.replacements;
    inexact.push(...step.inexact);
    steps.push(...step.steps);
  }
  return { kind: "edited", text: edited, replacements, inexact, steps };
}

interface StepOptions extends EditOptions {
  /** A sentence for the end of the first line of a refusal. */
  readonly which: string;
}

function applyEdit(text: string, edit: ExactEdit, options: StepOptions): EditedText | Refusal {
  const unfit = refuseAlone(text, edit, options.which);
  if (unfit !== undefined) return unfit;
  const { oldString } = edit;
  const places = findText(text, oldString);
  if (places.length === 0) return withoutMatch(text, edit, options);
  const miscounted = checkCount(text, edit, places, options);
  if (miscounted !== undefined) return miscounted;
  return { ...replaceAt(text, places, edit.newString), inexact: [] };
}

/** What is wrong with an edit whatever the file holds. */
function refuseAlone(text: string, { oldString, newString }: ExactEdit, which: string): Refusal | undefined {
  if (oldString === "") {
    const template =
      "{oldString} is empty.[ To add text, use {append,insert:or}.][ To write a whole file, use {write}.]$which";
    return refuseIn("empty_old_string", template, { which });
  }
  if (oldString === newString)
    return refuseIn(
      "equal_strings",
      "{oldString} and {newString} are the same; nothing would change.$which",
      { which },
    );
  const omission = splitLines(newString).contents.find(
    (line) => isPlaceholder(line) && !text.includes(line.trim()),
  );
  if (omission === undefined) return undefined;
  const quoted = escapeForDisplay(clip(omission.trim(), 80));
  const template = '{newString} leaves something out: "$quoted". Write all of the new text.$which';
  return refuseIn("placeholder", template, { quoted, which });
}

function withoutMatch(text: string, edit: ExactEdit, options: StepOptions): EditedText | Refusal {
  const { path, which, inexact = "off" } = options;
  const found = inexact === "off" ? undefined : matchInexactly(text, edit.oldString);
  const [only] = found?.places ?? [];
  if (inexact === "use" && found?.places.length === 1 && only !== undefined && mayTake(edit)) {
    const edited = replaceAt(text, [only], found.adapt(edit.newString, only));
    return { ...edited, inexact: [describe(text, found, only)] };
  }
  const hint = found === undefined ? nearestLines(text, edit.oldString) : inexactHint(text, found);
  const template =
    "{oldString} not found in $path. Make sure it matches exactly (including whitespace).$which$hint";
  return refuseIn("not_found", template, { path: escapeForDisplay(path), which, hint });
}

/** An inexact match stands for one place, never for several. */
function mayTake({ replaceAll, expectedReplacements = 1 }: ExactEdit): boolean {
  return replaceAll !== true && expectedReplacements === 1;
}

function describe(text: string, found: Inexact, place: TextPlace): string {
  return `The match at ${lineSpan(text, place)} was not exact: ${found.differs}.`;
}

function inexactHint(text: string, found: Inexact): string {
  const shown = found.places.slice(0, mostShown).map((place) => {
    const quoted = clip(text.slice(place.from, place.to), 400);
    return `${lineSpan(text, place)}:\n${quoted}`;
  });
  const times = found.places.length === 1 ? "at one place" : `at ${found.places.length} places`;
  return `\nIt would match ${times} if ${found.differs}. There the file says, at ${shown.join("\nand at ")}`;
}

function checkCount(
  text: string,
  edit: ExactEdit,
  places: readonly TextPlace[],
  { path, which }: StepOptions,
): Refusal | undefined {
  const overlaps = overlapping(text, edit.oldString, places);
  const expected = edit.expectedReplacements ?? (edit.replaceAll === true ? places.length : 1);
  if (places.length === expected && overlaps === 0) return undefined;
  const count = places.length + overlaps;
  const times = count === 1 ? "1 time" : `${count} times`;
  const lines = `It stands at ${linesOf(text, places)}${overlaps > 0 ? ", where it overlaps itself" : ""}.`;
  const next =
    expected > 1
      ? "$expected were expected.[ Say how many there are in {expectedReplacements}.]"
      : "Include more surrounding context to make it unique.";
  const all =
    overlaps === 0 && expected === 1 ? "[ Or set {replaceAll}, if every one of them is meant.]" : "";
  const facts = { path: escapeForDisplay(path), times, expected, which, lines };
  const template = `{oldString} appears $times in $path. ${next}$which\n$lines${all}`;
  return refuseIn("occurrence_mismatch", template, facts);
}

/** Places that a match overlaps, such as the second `aa` in `aaa`: which one was meant cannot be told. */
function overlapping(text: string, wanted: string, places: readonly TextPlace[]): number {
  if (places.length !== 1) return 0;
  const [{ from, to } = { from: 0, to: 0 }] = places;
  const next = text.startsWith("\r\n", from) ? from + 2 : from + 1;
  // Looking at no more than two lengths keeps this cheap.
  const again = findText(text.slice(next, to + (to - from)), wanted);
  return again.some((place) => place.from < to - next) ? 1 : 0;
}

function replaceAt(text: string, places: readonly TextPlace[], fresh: string): Omit<EditedText, "inexact"> {
  const splices = places.map((place) => ({ ...place, text: withEndingsOf(text, place, fresh) }));
  const edited = applySplices(text, splices);
  const steps = [{ before: text, splices }];
  return { kind: "edited", text: edited, replacements: places.length, steps };
}

function linesOf(text: string, places: readonly TextPlace[]): string {
  const shown = places.slice(0, mostPlaces).map(({ from }) => lineAt(text, from));
  const more = places.length > mostPlaces ? ` and ${places.length - mostPlaces} more` : "";
  return `${places.length === 1 ? "line" : "lines"} ${shown.join(", ")}${more}`;
}

function lineSpan(text: string, place: TextPlace): string {
  const [first, last] = [lineAt(text, place.from), lineAt(text, Math.max(place.from, place.to - 1))];
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

const mostPlaces = 20;
const mostShown = 3;
