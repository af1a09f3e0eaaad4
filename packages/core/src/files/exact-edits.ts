import { clip } from "../text/index.js";
import { type Refusal, refuse } from "./outcome.js";
import type { ExactEdit } from "./workspace-types.js";

export interface EditedText {
  readonly kind: "edited";
  readonly text: string;
  readonly replacements: number;
}

/**
 * Replaces exact text, edit by edit, each on the result of the one before. Nothing is matched fuzzily and
 * `$` means itself; only where a text ends all its lines with CRLF, an LF in an edit stands for that.
 *
 * @returns `not_found`, `occurrence_mismatch`, `equal_strings` or `empty_old_string`, with the edit's number.
 */
export function applyEdits(text: string, edits: readonly ExactEdit[]): EditedText | Refusal {
  if (edits.length === 0) return refuse("invalid_arguments", "The list of edits is empty.");
  let edited = text;
  let replacements = 0;
  for (const [at, edit] of edits.entries()) {
    const which = edits.length === 1 ? "The edit" : `Edit ${at + 1} of ${edits.length}`;
    const step = applyEdit(edited, edit, which);
    if (step.kind === "refusal") return step;
    edited = step.text;
    replacements += step.replacements;
  }
  return { kind: "edited", text: edited, replacements };
}

function applyEdit(text: string, edit: ExactEdit, which: string): EditedText | Refusal {
  const { oldString, newString } = edit;
  if (oldString === "") return refuse("empty_old_string", `${which} has an empty old_string.`);
  if (oldString === newString)
    return refuse(
      "equal_strings",
      `${which} has the same old_string and new_string; it would change nothing.`,
    );
  const adapt = /\r\n/.test(text) && !/(?<!\r)\n/.test(text) ? withCrlf : (given: string) => given;
  const wanted = adapt(oldString);
  const places = placesOf(text, wanted);
  if (places.length === 0) {
    return refuse("not_found", `${which}: old_string is not in the file.${nearest(text, oldString)}`);
  }
  const [first = 0] = places;
  if (places.length === 1 && text.includes(wanted, first + 1)) {
    const message = `${which}: old_string stands at two places that overlap (line ${lineAt(text, first)}). Give more of the text around.`;
    return refuse("occurrence_mismatch", message);
  }
  const expected = edit.expectedReplacements ?? (edit.replaceAll === true ? places.length : 1);
  if (places.length !== expected) {
    return refuse(
      "occurrence_mismatch",
      `${which}: old_string stands ${times(places.length)} in the file, not ${times(expected)} ` +
        `(${linesOf(text, places)}). Give more of the text around the one that is meant, or say how many there are.`,
    );
  }
  return { kind: "edited", text: text.split(wanted).join(adapt(newString)), replacements: places.length };
}

function placesOf(text: string, part: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function linesOf(text: string, places: readonly number[]): string {
  const shown = places.slice(0, mostPlaces).map((place) => lineAt(text, place));
  const more = places.length > mostPlaces ? ` and ${places.length - mostPlaces} more` : "";
  return `${shown.length === 1 ? "line" : "lines"} ${shown.join(", ")}${more}`;
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/** Real lines that are the first line of `old_string` but for blanks: where a second try should look. */
function nearest(text: string, oldString: string): string {
  const wanted = oldString
    .split("\n")
    .map(squeeze)
    .find((line) => line !== "");
  if (wanted === undefined) return "";
  const found: string[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (squeeze(line) === wanted) found.push(`${at + 1}: ${clip(line.replace(/\r$/, ""), 200)}`);
    if (found.length === mostNearest) break;
  }
  return found.length === 0 ? "" : `\nIts first line stands, but for blanks, here:\n${found.join("\n")}`;
}

function squeeze(line: string): string {
  return line.replace(/\s+/g, "");
}

const mostPlaces = 20;
const mostNearest = 5;
