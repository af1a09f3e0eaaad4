import { clip, escapeForDisplay } from "../text/index.js";
import type { BaseText } from "./base-text.js";
import type { HunkLine, ShapedHunk } from "./hunk.js";
import { isBlankLine } from "./line-key.js";
import { type Finding, hintOf, type Misfit } from "./placement.js";
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
  while (new TextEncoder().encode(text).length > messageLimit)
    text = clip(text, Math.floor(text.length * 0.9));
  return text;
}

/**
 * Says why the diff was refused, so that the next one can be right: which hunk, which line of it, what the
 * file has there, and how the other hunks stood.
 */
export function explainMisfit(base: BaseText, misfit: Misfit): PatchRefusal {
  const { finding, problem } = misfit;
  const number = finding.hunk.hunk.number;
  const others = describeOthers(misfit);
  const say = (...parts: readonly string[]) => [...parts, ...others].filter((part) => part !== "").join("\n");
  const at = Array.from(
    { length: Math.min(misfit.places.length, placesLimit) },
    (_, n) => (misfit.places[n] ?? 0) + 1,
  );
  const name = `Hunk ${number}${quoteHeader(finding.hunk)}`;
  const invalid = (text: string) =>
    refusePatch("invalid_diff", say(`${invalidDiff} ${text}`), { hunk: number });
  const ambiguous = (text: string) => refusePatch("ambiguous", say(text), { hunk: number, places: at });
  switch (problem) {
    case "ambiguous":
      return ambiguous(
        `Ambiguous: ${name} fits ${misfit.places.length} places, at lines ${listLines(misfit.places)}. Nothing was changed. Add context lines above or below that only the right place has.\n${showPlaces(base, finding.hunk, misfit.places)}`,
      );
    case "insertion_open":
      return ambiguous(
        `Ambiguous: the lines that ${name} adds could stand at ${misfit.places.length} places: its context lines stand in the file, but not next to each other (before lines ${listLines(misfit.places)}). Nothing was changed. Give the lines directly before and after the insertion.\n${showAround(base, at[0] ?? 1)}`,
      );
    case "no_anchor":
      return invalid(
        `${name} only adds lines and has no context line that says where. Give at least one line that stands directly before or after the new ones.`,
      );
    case "numbers_contradict":
      return invalid(
        `${name} only adds lines, and its line numbers do not agree with the rest of the diff. Give a context line directly before or after the new ones.`,
      );
    case "indent_unknown":
      return invalid(
        `${name} stands between blank lines only, and other hunks of the diff have another indentation than the file, so it is not clear how deep its lines go. Write the diff with the file's indentation.`,
      );
    case "context_lost":
      return invalid(
        `${name} announces more context lines than it has, and it adds lines at its edge (at line ${at[0] ?? 1}), so a line may be missing just there. Give the lines directly before and after the new ones.`,
      );
    case "overlap":
      return invalid(
        `${name} changes lines that another hunk changes, too. Write what happens to one place in one hunk, against the file as it is now.`,
      );
    case "already":
      return invalid(
        `${name} is already applied: its new lines stand at line ${at[0] ?? 1}. Other hunks are not. Send the diff again without this hunk; to insert the same lines once more, add a context line after them.`,
      );
    case "not_found":
      return invalid(`${name}: ${describeMissing(base, finding.hunk)}`);
    default:
      return problem satisfies never;
  }
}

/** Shows the first line that does not fit where the hunk most nearly fits, with the real lines around. */
function describeMissing(base: BaseText, hunk: ShapedHunk): string {
  if (base.count === 0) return "the file is empty.";
  const nearest = findNearest(base, hunk);
  const missing = hunk.old.find(
    (line) => !isBlankLine(line.text) && base.index("trimmed").idOf(line.text) < 0,
  );
  if (nearest === undefined) {
    const hint = hintOf(hunk) ?? 0;
    const quote = quoteLine(missing ?? hunk.old[0]);
    return `none of its context and removed lines stand in the file (first: ${quote}). The file has ${base.count} lines.\n${showAround(base, Math.min(Math.max(hint + 1, 1), base.count))}`;
  }
  const { start, mismatch } = nearest;
  const line = hunk.old[mismatch];
  const at = start + mismatch;
  const real =
    at >= 0 && at < base.count ? `line ${at + 1} is ${showLine(base.line(at))}` : "the file ends before it";
  const role = line?.kind === "removed" ? "line to be removed" : "context line";
  const gone = missing === undefined ? "" : ` The file has no line ${quoteLine(missing)}.`;
  return `it most nearly fits at line ${Math.max(start, 0) + 1}, where its ${role} ${quoteLine(line)} does not fit: ${real}.${gone}\n${showAround(base, Math.min(Math.max(at + 1, 1), base.count))}`;
}

/** The start for which most old lines speak, and the first line that does not stand there. */
function findNearest(base: BaseText, hunk: ShapedHunk): { start: number; mismatch: number } | undefined {
  const index = base.index("trimmed");
  const votes = new Map<number, number>();
  for (const [at, line] of hunk.old.slice(0, 500).entries()) {
    const places = index.placesOf(index.idOf(line.text));
    if (places.length > 50 || isBlankLine(line.text)) continue;
    for (const place of places) votes.set(place - at, (votes.get(place - at) ?? 0) + 1);
  }
  const hint = hintOf(hunk) ?? 0;
  let best: number | undefined;
  for (const [start, count] of votes) {
    const most = best === undefined ? 0 : (votes.get(best) ?? 0);
    const nearer = best !== undefined && Math.abs(start - hint) < Math.abs(best - hint);
    if (count > most || (count === most && nearer)) best = start;
  }
  if (best === undefined) return undefined;
  const start = best;
  const fits = (key: "exact" | "trimmed") => (line: HunkLine, at: number) =>
    base.index(key).ids[start + at] !== base.index(key).idOf(line.text) || start + at < 0;
  const loose = hunk.old.findIndex(fits("trimmed"));
  const mismatch = loose >= 0 ? loose : hunk.old.findIndex(fits("exact"));
  return { start, mismatch: Math.max(mismatch, 0) };
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

function showAround(base: BaseText, line: number): string {
  return showLines(base, line - 1 - 8, line + 8);
}

function showLines(base: BaseText, from: number, to: number): string {
  const out: string[] = [];
  for (let at = Math.max(0, from); at < Math.min(to, base.count); at++) {
    out.push(`${String(at + 1).padStart(5)}| ${showLine(base.line(at))}`);
  }
  return out.join("\n");
}

function describeOthers({ finding, findings, problem }: Misfit): readonly string[] {
  if (findings.length < 2) return [];
  const lines = findings
    .filter((other) => other !== finding && other.hunk !== finding.hunk)
    .slice(0, 12)
    .map((other) => `Hunk ${other.hunk.hunk.number} ${describeState(other)}`);
  if (findings.length > 13) lines.push(`… ${findings.length} hunks in all`);
  const rest = problem === "already" ? "" : "Nothing was changed: all hunks are applied, or none.";
  return [...lines, rest];
}

function describeState({ starts, applied, tier, alignment }: Finding): string {
  if (applied.length > 0) return `is already applied at line ${(applied[0] ?? 0) + 1}.`;
  if (starts.length === 0) return "does not fit, either.";
  if (tier === "aligned" && alignment === undefined) return "could stand at several places.";
  if (starts.length === 1) return `fits at line ${(starts[0] ?? 0) + 1}.`;
  return `fits ${starts.length} places: lines ${listLines(starts)}.`;
}

function listLines(places: ArrayLike<number>): string {
  const shown = Array.from({ length: Math.min(places.length, 20) }, (_, at) => (places[at] ?? 0) + 1).join(
    ", ",
  );
  return places.length > 20 ? `${shown} and ${places.length - 20} more` : shown;
}

function quoteHeader(hunk: ShapedHunk): string {
  const { raw } = hunk.hunk.header;
  return raw === "" ? "" : ` (${showLine(clip(raw, 80))})`;
}

function quoteLine(line: HunkLine | undefined): string {
  return line === undefined ? "(none)" : `"${showLine(line.text)}"`;
}

/** A line as it is, so that it can be quoted back, except for characters that could act. */
function showLine(text: string): string {
  return clip(text, 240)
    .split(/([\t<>])/)
    .map((part, at) => (at % 2 === 1 ? part : escapeForDisplay(part)))
    .join("");
}

const messageLimit = 8_192;
const placesLimit = 1_000;
