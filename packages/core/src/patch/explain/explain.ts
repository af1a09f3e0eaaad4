import { clip, counted, firstDifference, looksOf } from "../../text/index.js";
import { isInside, SectionFinder } from "../locate/anchors.js";
import { includesSorted, nearestTo } from "../locate/assign.js";
import { type HunkSearch, hintOf, type Placement, type Problem, type Unlocated } from "../locate/matches.js";
import type { Doubt } from "../locate/stretch.js";
import type { BaseText } from "../model/base-text.js";
import type { HunkLine, ShapedHunk } from "../model/hunk.js";
import { indentOf, isBlankLine, normalize } from "../model/line-key.js";
import { bytesOf, invalidDiff, messageLimit, refusePatch } from "../model/refusal.js";
import { similarity, wordsOf } from "../model/similarity.js";
import type { Deadline, Steps } from "../model/steps.js";
import type { PatchRefusal } from "../model/types.js";
import { listLines, quoteLine, showLine, showLines } from "./report.js";

/**
 * Says why the diff was refused, so that the next one can be right: which hunk, which line of it, what the
 * file has there, what to do, and how the other hunks fared; once the deadline has passed, in less detail.
 */
export function* explainUnlocated(
  base: BaseText,
  failure: Unlocated,
  deadline: Deadline,
): Steps<PatchRefusal> {
  const { search, problem } = failure;
  const hunk = search.hunk.hunk.number;
  const places = Array.from(failure.positions)
    .slice(0, positionsLimit)
    .map((position) => position + 1);
  const isAmbiguous =
    problem === "ambiguous" || problem === "insertion_open" || problem === "mended_ambiguous";
  const problemText = yield* describeProblem(base, failure, deadline);
  const begun = `${isAmbiguous ? "Ambiguous:" : invalidDiff} ${problemText}`;
  const text = yield* withOthers(base, failure, deadline, begun);
  return isAmbiguous
    ? refusePatch("ambiguous", text, { hunk, places })
    : refusePatch("invalid_diff", text, { hunk });
}

function* describeProblem(base: BaseText, failure: Unlocated, deadline: Deadline): Steps<string> {
  const { search, problem, positions } = failure;
  const { hunk } = search;
  const name = `Hunk ${hunk.hunk.number}${quoteHeader(hunk)}`;
  const first = positions[0] ?? 0;
  const around = `\n${showLines(base, first - 8, first + 9)}`;
  switch (problem) {
    case "ambiguous":
      return `${name} fits ${counted(positions.length, "place")}, at ${listLines(positions)}.${describeWitnesses(base, failure)} Nothing was changed. Add context lines directly above or below that only the right place has, or give the exact line number of the right place in the header.\n${showCandidates(base, failure)}`;
    case "insertion_open":
      return `the lines that ${name} adds could stand at ${counted(positions.length, "place")}: the context lines beside them stand in the file, but not next to each other (before ${listLines(positions)}). Nothing was changed. Give the lines of the file directly before and after the new ones.${around}`;
    case "mended_ambiguous":
      return `${name} has damaged context, and with what is left of it fits ${counted(positions.length, "place")}, at ${listLines(positions)}.${describeWitnesses(base, failure)} Nothing was changed. Give the context lines exactly as the file has them.\n${showCandidates(base, failure)}`;
    case "no_anchor":
      return `${name} only adds lines and has no context line that says where. Give at least one line of the file that stands directly before or after the new ones.${atNumber(base, hunk)}`;
    case "numbers_contradict":
      return `${name} only adds lines, and its line numbers do not agree with the rest of the diff. Give a line of the file directly before or after the new ones as context.${atNumber(base, hunk)}`;
    case "indent_unknown":
      return `${name} quotes no indented line of the file, and other hunks of the diff have another indentation than the file, so it is not clear how deep its lines go. Write the diff with the file's indentation.`;
    case "overlap":
      return `${name} changes lines that another hunk changes, too. Write what happens to one place in one hunk, against the file as it is now.${around}`;
    case "disorder":
      return `${name} has damaged context, and where it seems to belong, at line ${first + 1}, it is out of order with the other hunks. Write the hunks in the order of the file, with its lines as context.${around}`;
    case "already_applied":
      return `${name} is already applied: its new lines stand at line ${first + 1}. Send the diff again without this hunk; to insert the same lines once more, add a context line after them.`;
    case "idle_missing":
      return `${name} changes nothing, and its lines do not stand in the file: ${yield* describeMissing(base, search, excerptLines, deadline)}\nIf it is to change them, mark the lines with "-" and "+"; else leave the hunk out.`;
    case "not_found":
      return `${name}: ${yield* describeMissing(base, search, excerptLines, deadline)}`;
    default:
      return problem satisfies never;
  }
}

/**
 * A hunk that has to be moved, with an added line that has not the indent to lose, or of which nothing says
 * whether it is at the file's depth already.
 */
export function explainUnshiftable(
  base: BaseText,
  { hunk, start, end, shift }: Placement,
  line: string,
  kind: "unshiftable" | "depth_unknown",
): PatchRefusal {
  const { number } = hunk.hunk;
  const why =
    kind === "unshiftable" ? "cannot be moved with it" : "may be meant to move with it or to stay as it is";
  const text = `Hunk ${number}${quoteHeader(hunk)} stands at line ${start + 1} with another indentation than it was written with${describeDistance(shift)}, and the added line "${showLine(line)}" ${why}. Write the hunk with the file's indentation:\n${showLines(base, start - 2, Math.min(end + 2, start + excerptLines))}`;
  return refusePatch("invalid_diff", `${invalidDiff} ${text}`, { hunk: number });
}

/** By how much the file's lines are further in or out than those of the hunk. */
function describeDistance(shift: Placement["shift"]): string {
  if (shift === undefined || shift.isRepeated) return "";
  return ` (${JSON.stringify(shift.written + shift.real)} further ${shift.real === "" ? "left" : "right"})`;
}

/**
 * Which line of the hunk the file does not have, a removed one first; then where the hunk most nearly fits, with the real
 * lines there. It is not told to write the hunk for that place where nothing that it removes stands in the file.
 */
function* describeMissing(
  base: BaseText,
  { hunk, maybeAppliedAt, doubt }: HunkSearch,
  lines: number,
  deadline: Deadline,
): Steps<string> {
  if (base.count === 0) return "the file is empty. Send a hunk that only adds lines.";
  if (doubt !== undefined) return describeDoubt(base, doubt, lines);
  const nearest = yield* findNearest(base, hunk, deadline);
  const isMissing = ({ text }: HunkLine) => !isBlankLine(text) && base.index("trimmed").idOf(text) < 0;
  const removed = hunk.old.filter(({ kind, text }) => kind === "removed" && !isBlankLine(text));
  const missing = removed.find(isMissing) ?? hunk.old.find(isMissing);
  const isGone = removed.length > 0 && removed.every(isMissing);
  const hint = hintOf(hunk) ?? Number.NaN;
  const isLeft = hunk.old.some(({ kind, text }, n) => kind === "removed" && base.isLine(hint + n, text));
  const said = missing === undefined ? "" : `No line ${quoteLine(missing)} in this file. `;
  const made =
    maybeAppliedAt === undefined || isLeft
      ? ""
      : ` Its new lines stand at ${listLines(maybeAppliedAt)} already: if it was applied before, nothing is left to do for it, leave it out.`;
  if (nearest === undefined) {
    const middle = Math.min(Math.max(hint || 0, 0), base.count - 1);
    const stands = hunk.old.some((line) => !isBlankLine(line.text) && !isMissing(line))
      ? "Its context and removed lines stand nowhere together in the file"
      : "None of its context and removed lines stand in the file";
    return `${said}${stands}, which has ${counted(base.count, "line")}.${made} Read it again and write the hunk with its lines.\n${showLines(base, middle - lines / 2, middle + lines / 2)}`;
  }
  const { start, mismatch } = nearest;
  const at = start + mismatch;
  const line = hunk.old[mismatch];
  const role = line?.kind === "removed" ? "line to be removed" : "context line";
  const misfit = line === missing ? "" : `, where its ${role} ${quoteLine(line)} does not fit`;
  const from = Math.max(start - 2, at - Math.floor(lines / 2));
  const gone = isGone ? "Nothing that it removes stands in the file. " : "";
  const advice =
    lines === excerptLines && !isGone
      ? "Write the hunk with the lines of the file:"
      : `${gone}The file from line ${Math.max(0, from) + 1} on:`;
  return `${said === "" ? "it" : `${said}It`} most nearly fits at line ${Math.max(start, 0) + 1}${misfit}: ${describeReal(base, at, line)}.${made} ${advice}\n${showLines(base, from, from + lines)}`;
}

/** What makes the one place of a hunk doubtful, with the lines around what is for it and against it. */
function describeDoubt(base: BaseText, { kind, positions, changeAt }: Doubt, lines: number): string {
  const around = Math.floor(lines / 4);
  const isNear = positions.some((at) => Math.abs(at - changeAt) < around);
  const near = kind === "stretched" ? positions : [changeAt];
  const shown = isNear ? near : [...positions, changeAt].sort((one, other) => one - other);
  const why = {
    stretched: `its context is damaged, and what it says of its place stands apart, at ${listLines(positions)}: between them a section ends, or too much was left out. Its change would be at line ${changeAt + 1}, but may be meant for another place. Write it with`,
    made: `its old lines fit at line ${changeAt + 1}, and its new lines as well at ${listLines(positions)}, so that it is not clear whether its change is still to be made. If it is, write it with`,
    partly_made: `it fits with its first change at line ${changeAt + 1}, and as well if one of its changes stands at ${listLines(positions)} already, so that it is not clear whether all of them are still to be made. Write those that are with`,
  }[kind];
  const excerpts = shown.map((at) => showLines(base, at - around, at + around + 1));
  return `${why} the lines of the file directly above and below the change:\n${excerpts.join("\n  …\n")}`;
}

function describeReal(base: BaseText, at: number, line: HunkLine | undefined): string {
  if (at < 0) return "the file begins after it";
  if (at >= base.count) return `the file ends at line ${base.count}`;
  const real = base.line(at);
  if (isBlankLine(real)) return `line ${at + 1} is blank`;
  const moved =
    line !== undefined &&
    indentOf(line.text) !== indentOf(real) &&
    normalize(line.text, "trimmed") === normalize(real, "trimmed");
  const differs = line === undefined ? undefined : firstDifference(line.text, real);
  const difference = differs === undefined ? "" : ` (${differs})`;
  return `line ${at + 1} is ${moved ? "the same but for its indentation: " : ""}"${showLine(real)}"${difference}`;
}

/** The lines where the header's number points, if it has one. */
function atNumber(base: BaseText, hunk: ShapedHunk): string {
  const hint = hintOf(hunk);
  if (hint === undefined || base.count === 0) return "";
  const line = Math.min(Math.max(hint, 0), base.count);
  return `\n${showLines(base, line - 8, line + 8)}`;
}

/** Which place the number and the section speak for, where neither decides. */
function describeWitnesses(base: BaseText, failure: Unlocated): string {
  const { pointed, nearest, section } = namedPositions(base, failure);
  const said: string[] = [];
  if (pointed !== undefined) {
    const near = `${nearest.length === 1 ? "is" : "are"} ${listLines(nearest)}`;
    const isHit = includesSorted(failure.positions, pointed);
    if (failure.problem === "mended_ambiguous")
      said.push(`${isHit ? "by its number it" : "nearest to its number"} ${near}`);
    else if (isHit)
      said.push(`its number names line ${pointed + 1}, but the other hunks leave another place`);
    else said.push(`its number ${pointed + 1} is none of them, the nearest ${near}`);
  }
  if (section.length > 0) said.push(`its section has ${listLines(section)}`);
  const text = said.join("; ");
  return text === "" ? "" : ` ${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The line to which the number points; of several positions those nearest to it, and those in the named section. */
function namedPositions(base: BaseText, { search: { hunk }, positions, problem }: Unlocated) {
  const hint = hintOf(hunk);
  // If the context is damaged, the positions are those of the first change.
  const pointed = hint === undefined || problem !== "mended_ambiguous" ? hint : hint + hunk.coreFrom;
  const sections = new SectionFinder(base).find(hunk.hunk.header.anchors);
  const section = Array.from(sections.length > 0 ? positions : []).filter((at) => isInside(sections, at));
  return {
    pointed,
    nearest: pointed === undefined ? [] : nearestTo(positions, pointed),
    section: section.length === positions.length ? [] : section,
  };
}

/** The lines around a few of several positions, to distinguish them: those that the header speaks for, and the first. */
function showCandidates(base: BaseText, failure: Unlocated): string {
  const { search, positions } = failure;
  const { nearest, section } = namedPositions(base, failure);
  const chosen = new Set([...nearest, ...section.slice(0, 1)]);
  for (let n = 0; n < positions.length && chosen.size < candidatesShown; n++) chosen.add(positions[n] ?? 0);
  const shown: string[] = [];
  for (const start of [...chosen].sort((one, other) => one - other)) {
    const end = Math.min(start + Math.max(1, search.hunk.old.length), start + 3);
    shown.push(showLines(base, start - 2, end + 1));
  }
  return shown.join("\n  …\n");
}

/** How the other hunks fared; those that need a change, too, are shown as far as there is room. */
function* withOthers(
  base: BaseText,
  { search, searches, problem }: Unlocated,
  deadline: Deadline,
  text: string,
): Steps<string> {
  const others = searches.filter((other) => other.hunk !== search.hunk);
  if (others.length === 0) return text;
  const parts = [text];
  let room = messageLimit - bytesOf(text) - 400;
  for (const other of others.slice(0, othersLimit)) {
    const brief = describeState(other, problem);
    const isMissing = other.starts.length === 0 && other.appliedAt.length === 0 && other.hunk.oldCount > 0;
    const full =
      isMissing && !deadline.late()
        ? `does not fit, either: ${yield* describeMissing(base, other, briefLines, deadline)}`
        : brief;
    const said = bytesOf(full) <= room ? full : brief;
    room -= bytesOf(said) + 12;
    if (room < 0) break;
    parts.push(`Hunk ${other.hunk.hunk.number} ${said}`);
  }
  if (parts.length <= others.length) parts.push(`… ${counted(searches.length, "hunk")} in all`);
  if (problem !== "already_applied") parts.push("Nothing was changed: all hunks are applied, or none.");
  return parts.join("\n");
}

function describeState({ hunk, starts, appliedAt, tier, alignment }: HunkSearch, problem: Problem): string {
  if (appliedAt.length > 0) return `is already applied at line ${(appliedAt[0] ?? 0) + 1}.`;
  if (starts.length === 0) return "does not fit, either.";
  if (tier === "aligned" && alignment === undefined) return `could stand at ${listLines(starts)}.`;
  const hint = hintOf(hunk);
  // A hunk applied before may have changed the lines that this one is meant for.
  if (problem === "already_applied" && starts.length === 1 && hint !== undefined && hint !== starts[0])
    return `fits at line ${(starts[0] ?? 0) + 1} only, though its number is ${hint + 1}: if it is meant for that place, write it with the lines that stand there now.`;
  if (starts.length === 1) return `fits at line ${(starts[0] ?? 0) + 1}.`;
  return `fits ${starts.length} places: ${listLines(starts)}.`;
}

function quoteHeader(hunk: ShapedHunk): string {
  const { raw } = hunk.hunk.header;
  return raw === "" ? "" : ` (${showLine(clip(raw, 80))})`;
}

const positionsLimit = 1_000;
/** So many places are shown of several. */
const candidatesShown = 4;
/** Real lines shown for the hunk in question, and for each other one that does not fit. */
const excerptLines = 20;
const briefLines = 12;
const othersLimit = 12;

/** Where a hunk that fits nowhere most nearly fits. */
interface NearestMatch {
  /** 0-based line of the file for the hunk's first old line; may lie before the file. */
  readonly start: number;
  /** The first old line that does not match there. */
  readonly mismatch: number;
}

/** The start for which most old lines speak; else that of the line that is most like one that is missing. */
function* findNearest(base: BaseText, hunk: ShapedHunk, deadline: Deadline): Steps<NearestMatch | undefined> {
  yield* base.prepare("trimmed", "loose");
  const start = findByVotes(base, hunk) ?? (yield* findMostSimilar(base, hunk, deadline));
  if (start === undefined) return undefined;
  yield* base.prepare("exact");
  const differs = (key: "exact" | "trimmed") => (line: HunkLine, at: number) =>
    start + at < 0 || base.index(key).ids[start + at] !== base.index(key).idOf(line.text);
  const loose = hunk.old.findIndex(differs("trimmed"));
  const mismatch = loose >= 0 ? loose : hunk.old.findIndex(differs("exact"));
  return { start, mismatch: Math.max(mismatch, 0) };
}

/**
 * Lines that stand in the file vote for where the hunk would begin; those that are there but for letter case and
 * punctuation, with half a voice. A line that the file has very often says nothing.
 */
function findByVotes(base: BaseText, hunk: ShapedHunk): number | undefined {
  const votes = new Map<number, number>();
  const [trimmed, loose] = [base.index("trimmed"), base.index("loose")];
  for (const [at, { text }] of hunk.old.slice(0, 500).entries()) {
    if (isBlankLine(text)) continue;
    const same = trimmed.positionsOf(trimmed.idOf(text));
    const positions = same.length > 0 ? same : loose.positionsOf(loose.idOf(text));
    if (positions.length > oftenLines) continue;
    const voices = same.length > 0 ? 2 : 1;
    for (const position of positions) votes.set(position - at, (votes.get(position - at) ?? 0) + voices);
  }
  return mostVoted(votes, hintOf(hunk) ?? 0);
}

function mostVoted(votes: ReadonlyMap<number, number>, hint: number): number | undefined {
  let best: number | undefined;
  for (const [start, voices] of votes) {
    const most = best === undefined ? 0 : (votes.get(best) ?? 0);
    const nearer = best !== undefined && Math.abs(start - hint) < Math.abs(best - hint);
    if (voices > most || (voices === most && nearer)) best = start;
  }
  return best;
}

/** Similarity serves to show lines, never to change them. */
function* findMostSimilar(base: BaseText, hunk: ShapedHunk, deadline: Deadline): Steps<number | undefined> {
  const at = hunk.old.findIndex((line) => wordsOf(line.text).length > 0);
  const line = hunk.old[at];
  if (line === undefined) return undefined;
  const hint = hintOf(hunk) ?? 0;
  const looks = looksOf(line.text);
  const votes = new Map<number, number>();
  const from = Math.max(0, Math.min(hint, base.count) - searchLines);
  for (let position = from; position < Math.min(base.count, from + 2 * searchLines); position++) {
    if (position % 256 === 0) yield;
    if (deadline.passes()) break;
    const real = base.line(position);
    const likeness = looksOf(real) === looks ? 1 : similarity(line.text, real);
    if (likeness >= minSimilarity) votes.set(position - at, likeness);
  }
  return mostVoted(votes, hint);
}

/** A line of which the file has more is no witness. */
const oftenLines = 50;
/** Lines looked at on either side of the hunk's number. */
const searchLines = 5_000;
const minSimilarity = 0.5;
