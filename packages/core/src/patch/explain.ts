import { clip } from "../text/index.js";
import type { BaseText } from "./base-text.js";
import type { Deadline } from "./deadline.js";
import { count, listLines, quoteLine, showLine, showLines } from "./excerpt.js";
import type { HunkLine, ShapedHunk } from "./hunk.js";
import { indentOf, isBlankLine, levelled } from "./line-key.js";
import { findNearest } from "./nearest.js";
import { type Finding, hintOf, type Misfit, type Placement, type Problem } from "./placement.js";
import type { PatchRefusal, PatchRefusalCode } from "./types.js";

/** The words of seed 1, section 5.5. */
export const invalidDiff =
  "Invalid Diff: The provided diff content does not match the file's content. The context or lines to be removed may be incorrect.";
export const internalError =
  "Internal Error: The corrected patch failed to apply. Please review the diff for subtle errors.";

/** A refusal of the engine; the message is cut at 8 KiB. */
export function refusePatch(
  code: PatchRefusalCode,
  message: string,
  more: { readonly hunk?: number; readonly places?: readonly number[] } = {},
): PatchRefusal {
  return { kind: "refusal", code, message: clipBytes(message), ...more };
}

function clipBytes(message: string): string {
  let text = clip(message, messageLimit);
  while (bytesOf(text) > messageLimit) text = clip(text, Math.floor(text.length * 0.9));
  return text;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * Says why the diff was refused, so that the next one can be right: which hunk, which line of it, what the
 * file has there, what to do, and how the other hunks stood; once the deadline has passed, in less detail.
 */
export function explainMisfit(base: BaseText, misfit: Misfit, deadline: Deadline): PatchRefusal {
  const { finding, problem } = misfit;
  const hunk = finding.hunk.hunk.number;
  const places = Array.from(misfit.places)
    .slice(0, placesLimit)
    .map((place) => place + 1);
  const text = describeProblem(base, misfit, places, deadline);
  if (problem === "ambiguous" || problem === "insertion_open" || problem === "mended_ambiguous")
    return refusePatch("ambiguous", withOthers(base, misfit, deadline, `Ambiguous: ${text}`), {
      hunk,
      places,
    });
  return refusePatch("invalid_diff", withOthers(base, misfit, deadline, `${invalidDiff} ${text}`), { hunk });
}

function describeProblem(
  base: BaseText,
  misfit: Misfit,
  places: readonly number[],
  deadline: Deadline,
): string {
  const { finding, problem } = misfit;
  const { hunk } = finding;
  const name = `Hunk ${hunk.hunk.number}${quoteHeader(hunk)}`;
  const [first = 1] = places;
  const around = `\n${showLines(base, first - 9, first + 8)}`;
  switch (problem) {
    case "ambiguous":
      return `${name} fits ${count(misfit.places.length, "place")}, at ${listLines(misfit.places)}. Nothing was changed. Add context lines directly above or below that only the right place has, or give the exact line number of the right place in the header, if all numbers of the diff are exact.\n${showPlaces(base, hunk, misfit.places)}`;
    case "insertion_open":
      return `the lines that ${name} adds could stand at ${count(misfit.places.length, "place")}: the context lines beside them stand in the file, but not next to each other (before ${listLines(misfit.places)}). Nothing was changed. Give the lines of the file directly before and after the new ones.${around}`;
    case "mended_ambiguous":
      return `${name} has damaged context, and with what is left of it fits ${count(misfit.places.length, "place")}, at ${listLines(misfit.places)}. Nothing was changed. Give the context lines exactly as the file has them.\n${showPlaces(base, hunk, misfit.places)}`;
    case "no_anchor":
      return `${name} only adds lines and has no context line that says where. Give at least one line of the file that stands directly before or after the new ones.${atNumber(base, hunk)}`;
    case "numbers_contradict":
      return `${name} only adds lines, and its line numbers do not agree with the rest of the diff. Give a line of the file directly before or after the new ones as context.${atNumber(base, hunk)}`;
    case "indent_unknown":
      return `${name} stands between blank lines only, and other hunks of the diff have another indentation than the file, so it is not clear how deep its lines go. Write the diff with the file's indentation.`;
    case "context_lost":
      return `${name} announces more context lines than it has, and a lost one may stand just where it changes the file, at line ${first}. Give the lines of the file directly before and after the change.${around}`;
    case "overlap":
      return `${name} changes lines that another hunk changes, too. Write what happens to one place in one hunk, against the file as it is now.${around}`;
    case "disorder":
      return `${name} has damaged context, and where it seems to belong, at line ${first}, it is out of order with the other hunks. Write the hunks in the order of the file, with its lines as context.${around}`;
    case "already":
      return `${name} is already applied: its new lines stand at line ${first}. Other hunks are not. Send the diff again without this hunk; to insert the same lines once more, add a context line after them.`;
    case "not_found":
      return `${name}: ${describeMissing(base, finding, excerptLines, deadline)}`;
    default:
      return problem satisfies never;
  }
}

/** A hunk that has to be moved left, with an added line that has not the indent to lose. */
export function explainUnshiftable(
  base: BaseText,
  { hunk, start, end }: Placement,
  line: string,
): PatchRefusal {
  const { number } = hunk.hunk;
  const text = `Hunk ${number}${quoteHeader(hunk)} stands at line ${start + 1} with another indentation than it was written with, and the added line "${showLine(line)}" cannot be moved with it. Write the hunk with the file's indentation:\n${showLines(base, start - 2, Math.min(end + 2, start + excerptLines))}`;
  return refusePatch("invalid_diff", `${invalidDiff} ${text}`, { hunk: number });
}

/** Shows the first line that does not fit where the hunk most nearly fits, with the real lines around. */
function describeMissing(
  base: BaseText,
  { hunk, fresh }: Finding,
  lines: number,
  deadline: Deadline,
): string {
  if (base.count === 0) return "the file is empty. Send a hunk that only adds lines.";
  const nearest = findNearest(base, hunk, deadline);
  const missing = hunk.old.find(
    (line) => !isBlankLine(line.text) && base.index("trimmed").idOf(line.text) < 0,
  );
  if (nearest === undefined) {
    const hint = Math.min(Math.max(hintOf(hunk) ?? 0, 0), base.count - 1);
    return `none of its context and removed lines stand in the file (first: ${quoteLine(missing ?? hunk.old[0])}). The file has ${count(base.count, "line")}. Read it again and write the hunk with its lines.\n${showLines(base, hint - lines / 2, hint + lines / 2)}`;
  }
  const { start, mismatch } = nearest;
  const at = start + mismatch;
  const line = hunk.old[mismatch];
  const role = line?.kind === "removed" ? "line to be removed" : "context line";
  const gone =
    missing === undefined || missing === line ? "" : ` The file has no line ${quoteLine(missing)}, either.`;
  const from = Math.max(start - 2, at - Math.floor(lines / 2));
  const made =
    fresh === undefined
      ? ""
      : ` Its new lines stand at ${listLines(fresh)} already: if it was applied before, nothing is left to do for it, leave it out.`;
  return `it most nearly fits at line ${Math.max(start, 0) + 1}, where its ${role} ${quoteLine(line)} does not fit: ${describeReal(base, at, line)}.${gone}${made} Write the hunk with the lines of the file:\n${showLines(base, from, from + lines)}`;
}

function describeReal(base: BaseText, at: number, line: HunkLine | undefined): string {
  if (at < 0) return "the file begins after it";
  if (at >= base.count) return `the file ends at line ${base.count}`;
  const real = base.line(at);
  if (isBlankLine(real)) return `line ${at + 1} is blank`;
  const moved =
    line !== undefined &&
    indentOf(line.text) !== indentOf(real) &&
    levelled(line.text, "trimmed") === levelled(real, "trimmed");
  return `line ${at + 1} is ${moved ? "the same but for its indentation: " : ""}"${showLine(real)}"`;
}

/** What stands where the header's number points, if it has one. */
function atNumber(base: BaseText, hunk: ShapedHunk): string {
  const hint = hintOf(hunk);
  if (hint === undefined || base.count === 0) return "";
  const line = Math.min(Math.max(hint, 0), base.count);
  return `\n${showLines(base, line - 8, line + 8)}`;
}

/** The lines around the first few of several places, so that they can be told apart. */
function showPlaces(base: BaseText, hunk: ShapedHunk, places: ArrayLike<number>): string {
  const shown: string[] = [];
  for (let n = 0; n < Math.min(places.length, 4); n++) {
    const start = places[n] ?? 0;
    const end = Math.min(start + Math.max(1, hunk.old.length), start + 3);
    shown.push(showLines(base, start - 2, end + 1));
  }
  return shown.join("\n  …\n");
}

/** How the other hunks stood; those that need a change, too, are shown as far as there is room. */
function withOthers(
  base: BaseText,
  { finding, findings, problem }: Misfit,
  deadline: Deadline,
  text: string,
): string {
  const others = findings.filter((other) => other.hunk !== finding.hunk);
  if (others.length === 0) return text;
  const parts = [text];
  let room = messageLimit - bytesOf(text) - 400;
  for (const other of others.slice(0, othersLimit)) {
    const brief = describeState(other, problem);
    const full =
      isMissing(other) && !deadline.late()
        ? `does not fit, either: ${describeMissing(base, other, briefLines, deadline)}`
        : brief;
    const said = bytesOf(full) <= room ? full : brief;
    room -= bytesOf(said) + 12;
    if (room < 0) break;
    parts.push(`Hunk ${other.hunk.hunk.number} ${said}`);
  }
  if (parts.length <= others.length) parts.push(`… ${count(findings.length, "hunk")} in all`);
  if (problem !== "already") parts.push("Nothing was changed: all hunks are applied, or none.");
  return parts.join("\n");
}

function isMissing({ starts, applied, hunk }: Finding): boolean {
  return starts.length === 0 && applied.length === 0 && hunk.oldCount > 0;
}

function describeState({ hunk, starts, applied, tier, alignment }: Finding, problem: Problem): string {
  if (applied.length > 0) return `is already applied at line ${(applied[0] ?? 0) + 1}.`;
  if (starts.length === 0) return "does not fit, either.";
  if (tier === "aligned" && alignment === undefined) return `could stand at ${listLines(starts)}.`;
  const hint = hintOf(hunk);
  // What was applied before may have changed the place that this one is meant for.
  if (problem === "already" && starts.length === 1 && hint !== undefined && hint !== starts[0])
    return `fits at line ${(starts[0] ?? 0) + 1} only, though its number is ${hint + 1}: if it is meant for that place, write it with the lines that stand there now.`;
  if (starts.length === 1) return `fits at line ${(starts[0] ?? 0) + 1}.`;
  return `fits ${starts.length} places: ${listLines(starts)}.`;
}

function quoteHeader(hunk: ShapedHunk): string {
  const { raw } = hunk.hunk.header;
  return raw === "" ? "" : ` (${showLine(clip(raw, 80))})`;
}

const messageLimit = 8_192;
const placesLimit = 1_000;
/** Real lines shown for the hunk in question, and for each other one that does not fit. */
const excerptLines = 20;
const briefLines = 12;
const othersLimit = 12;
