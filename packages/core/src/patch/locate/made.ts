import type { BaseText } from "../model/base-text.js";
import { growth, type HunkLine, ListedHunk, type Run, type ShapedHunk, shapeHunk } from "../model/hunk.js";
import { isBlankLine } from "../model/line-key.js";
import type { Deadline, Steps } from "../model/steps.js";
import { explainsMore, findLayouts, type HunkLayout, nameOldLines } from "./align.js";
import { type AddedLineCounts, addsUniqueLine, appliedInsertionAt, mayBeApplied } from "./already-applied.js";
import { type HunkSearch, hintOf, type MatchFinder, type Placement, runStartOf } from "./matches.js";
import { removesWords } from "./pins.js";
import { type Doubt, findOverstretch } from "./stretch.js";

/**
 * A hunk is two hypotheses: it is to be made, or it was made already, in whole or in one of its runs. The hunk that would
 * undo it is laid beside the file by the same rules, and both are weighed by the same evidence: what of the context they
 * explain, and the number of the header. Unless what is to be made weighs more, nobody knows which of them is true.
 *
 *     file     diff    result
 *     1 a {    @@      invalid_diff
 *     2   b     a {
 *     3 }        q
 *     4 c {    -  k
 *     5   k      b
 *     6   b     }
 *     7 }
 *
 * `k` is line 5, and `b` and `}` stand below it; `q` is nowhere. But what undoes the hunk fits, too, with more: below
 * `a {`, where `k` is gone, `b` and `}` stand as well.
 *
 * @param found where the hunk would be applied.
 * @returns both places; undefined where the hunk is to be made.
 */
export function weighMade(
  base: BaseText,
  hunk: ShapedHunk,
  found: FoundChange,
  deadline: Deadline,
): Doubt | undefined {
  const [changeAt = 0] = found.runStarts;
  if (keepsOldForm(base, hunk, found)) return undefined;
  for (const { undone, runs } of undo(base, hunk, deadline)) {
    const kind = runs.length === hunk.runs.length ? "made" : "partly_made";
    const [[first] = [0]] = runs;
    const layouts = findLayouts(base, undone, deadline, true);
    if (layouts.kind === "too_many") return { kind, positions: [layouts.starts[first]?.[0] ?? 0], changeAt };
    if (layouts.kind !== "layouts") continue;
    const made = layouts.possible.find(
      (one) =>
        one.isHeld &&
        findOverstretch(base, undone, one.alignment) === undefined &&
        !explainsMore(found.explained, one.explained) &&
        !(isSame(found.explained, one.explained) && passesRemoved(base, hunk, runs, found, one)),
    );
    if (made !== undefined) return { kind, positions: [made.alignment.runStarts[first] ?? 0], changeAt };
  }
  return undefined;
}

/** Where the changes of a hunk would be made, 0-based, and what of its context that explains. */
interface FoundChange {
  readonly runStarts: readonly number[];
  readonly explained: ReadonlySet<string>;
}

/** Whether only the blanks around lines change, and they stand there as they were to the letter: so nothing was made. */
function keepsOldForm(base: BaseText, { old, runs }: ShapedHunk, { runStarts }: FoundChange): boolean {
  const isOld = (at: number, before: string, { text }: HunkLine) =>
    text !== before && text.trim() === before.trim() && base.isLine(at, before);
  return runs.every(({ from, to, added }, n) => {
    const start = runStarts[n] ?? 0;
    const were = old.slice(from, to);
    return (
      were.length === added.length && added.every((line, at) => isOld(start + at, were[at]?.text ?? "", line))
    );
  });
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((name) => other.has(name));
}

/**
 * Whether runs that only remove lines cannot have been made: a layout that takes them for made has the gap right beside
 * what they remove, or passes over that, and over nothing else, between two lines that it quotes.
 */
function passesRemoved(
  base: BaseText,
  hunk: ShapedHunk,
  runs: NumberedRuns,
  { runStarts }: FoundChange,
  { alignment }: HunkLayout,
): boolean {
  const { rank } = base.nonBlankLines;
  return runs.every(([at, run]) => {
    if (run.added.length > 0 || !removesWords(hunk, run)) return false;
    const from = runStarts[at] ?? 0;
    const to = from + run.to - run.from;
    const gap = alignment.runStarts[at] ?? -1;
    if (gap >= from && gap <= to) return true;
    const [start, end] = [rank[from] ?? 0, rank[to] ?? 0];
    return alignment.stretches.some(({ above, below, unmatched, isMarked }) => {
      const between = below - above - 1;
      // A line of the hunk that matches none may be one of those between, or made up.
      const isAll = isMarked || (between - unmatched <= end - start && end - start <= between);
      return above < end && start < below && isAll;
    });
  });
}

/** The hunks that undo all runs of one, or one run of several, if what they would find there is any evidence. */
function undo(base: BaseText, hunk: ShapedHunk, deadline: Deadline) {
  const { lines } = hunk.hunk;
  const runOf: number[] = [];
  let run = -1;
  for (const [at, { kind }] of lines.entries()) {
    if (kind !== "context" && (at === 0 || lines[at - 1]?.kind === "context")) run += 1;
    runOf.push(run);
  }
  const turned = (runs: NumberedRuns) => {
    const swapped = lines.map((line, at) => (runs.some(([n]) => n === runOf[at]) ? turn(line) : line));
    return { undone: shapeHunk(new ListedHunk(hunk.hunk, swapped), deadline), runs };
  };
  const all = [...hunk.runs.entries()];
  const telling = all.filter(([, run]) => showsWhenMade(base, hunk, run));
  const single = all.length === 1 || all.length > mostRuns ? [] : telling;
  return [...(telling.length > 0 ? [turned(all)] : []), ...single.map((one) => turned([one]))];
}

/** Runs of a hunk, each with its place among all of them. */
type NumberedRuns = readonly (readonly [number, Run])[];

function isBlankOnly(lines: readonly HunkLine[]): boolean {
  return lines.length > 0 && lines.every(({ text }) => isBlankLine(text));
}

/**
 * Whether it would be seen that a run was made: of lines that are gone only between two that the file has, or between
 * one of them and the blanks at the hunk's edge.
 */
function showsWhenMade(base: BaseText, { old }: ShapedHunk, { from, to, added }: Run): boolean {
  const index = base.index("trailing");
  const isKnown = ({ text }: HunkLine) => !isBlankLine(text) && index.idOf(text) >= 0;
  const isSeen = added.some(({ text }) => !isBlankLine(text));
  const sides = [old.slice(0, from), old.slice(to)];
  return isSeen || sides.every((side) => side.some(isKnown) || isBlankOnly(side));
}

function turn(line: HunkLine): HunkLine {
  if (line.kind === "context") return line;
  return { ...line, kind: line.kind === "added" ? "removed" : "added" };
}

/**
 * What a window of as many lines explains, in the words of a layout: the lines of its context that are exact, and which
 * of them stand beside another or beside a change.
 */
export function explainWindow(base: BaseText, hunk: ShapedHunk, start: number): ReadonlySet<string> {
  const { runs } = hunk;
  const old = nameOldLines(hunk);
  const index = base.index("trailing");
  const explained = new Set<string>();
  for (let segment = 0; segment <= runs.length; segment++) {
    const from = runs[segment - 1]?.to ?? 0;
    const to = runs[segment]?.from ?? old.length;
    const words = old.slice(from, to).flatMap(({ line: { text }, name }, at) => {
      const id = index.idOf(text);
      return isBlankLine(text) ? [] : [{ name, id, isExact: index.ids[start + from + at] === id }];
    });
    for (const [n, { name, id, isExact }] of words.entries()) {
      const above = n === 0 ? segment > 0 : words[n - 1]?.isExact === true;
      const below = n === words.length - 1 ? segment < runs.length : words[n + 1]?.isExact === true;
      // As in a layout, a line that the file repeats says something only beside another one.
      if (!isExact || !(above || below || index.positionsOf(id).length === 1)) continue;
      explained.add(`${name}`);
      if (above) explained.add(`${name}^`);
      if (below && n === words.length - 1) explained.add(`${name}v`);
    }
  }
  return explained;
}

/**
 * Whether a place is doubtful since the hunk's new lines match, too: around it, at any depth, or nearer to the number; or
 * some of its changes near the number. It may be a copy then. A place at the very number is none.
 *
 *     file           diff         result
 *     1   if (a) {   @@           invalid_diff
 *     2     b()      -b()
 *     3   }          +if (a) {
 *                    +  b()
 *                    +}
 *
 * `b()` is wrapped already. It stands within its wrapping once more, at another depth.
 */
export function* weighPlace(
  base: BaseText,
  search: HunkSearch,
  placement: Placement,
  finder: MatchFinder,
  added: AddedLineCounts,
): Steps<HunkSearch | undefined> {
  const { hunk, start, end, tier } = placement;
  const isVerbatim = tier === "exact" || tier === "trailing";
  if (hunk.oldCount === 0 || (isVerbatim && hintOf(hunk) === start)) return undefined;
  const changeAt = runStartOf(placement, { from: hunk.coreFrom }, 0);
  const madeAt = findPartlyMade(base, placement);
  if (madeAt !== undefined)
    return { ...search, starts: [], doubt: { kind: "partly_made", positions: [madeAt], changeAt } };
  // Without context their depth is all that lines are known by, where the number names another place.
  const isOther = tier === "shift" && hintOf(hunk) !== undefined && hintOf(hunk) !== start;
  const unknown =
    isOther && hunk.old.every(({ kind }) => kind === "removed") ? { ...search, starts: [] } : undefined;
  yield* base.prepare("trimmed");
  // This runs for every hunk with a wrong number. Most of them add a line that the file does not have.
  if (hunk.new.some(({ text }) => base.index("trimmed").idOf(text) < 0)) return unknown;
  if (appliedInsertionAt(base, placement, added) !== undefined) return unknown;
  // Of several places to the letter something else than the new lines spoke for this one.
  const isUnique = addsUniqueLine(base, hunk, added) && !(isVerbatim && search.starts.length > 1);
  const verbatim = Array.from((yield* finder.findVerbatim(hunk, "new"))?.starts ?? []);
  const { oldStart = Number.NaN, newStart = Number.NaN } = hunk.hunk.header.numbers ?? {};
  const away = (at: number) => Math.min(Math.abs(at + 1 - oldStart), Math.abs(at + 1 - newStart));
  const known = new Set(hunk.old.map(({ text }) => text.trim()));
  const isWrap =
    growth(hunk) > 0 && hunk.coreFrom < hunk.coreTo && hunk.new.some(({ text }) => !known.has(text.trim()));
  const made = [...verbatim, ...finder.findAtAnyDepth(hunk, "new")].find((at) => {
    const to = at + hunk.newCount;
    if (isWrap && at <= start && end <= to) return true;
    if (!isUnique && !verbatim.includes(at)) return false;
    if (newStart === at + 1 && mayBeApplied(hunk)) return true;
    if (isUnique && isVerbatim && away(at) < away(start)) return true;
    return (isUnique || tier === "shift") && start < to && at < end;
  });
  if (made === undefined) return unknown;
  return { ...search, starts: [], doubt: { kind: "made", positions: [made + hunk.coreFrom], changeAt } };
}

/** The run that was made of a hunk that is partly made nearer to its number than where it would be made, 0-based. */
function findPartlyMade(base: BaseText, { hunk, start, alignment }: Placement): number | undefined {
  if (hunk.runs.length === 1) return undefined;
  const stated = hintOf(hunk) ?? Number.NaN;
  const isLost = ({ text }: HunkLine, at: number) => base.line(start + at).trim() !== text.trim();
  const lost = alignment === undefined ? hunk.old.filter(isLost) : alignment.dropped;
  const most = Math.min(nearLines, Math.abs(start - stated) - 1);
  for (let away = 0; away <= most; away++) {
    for (const at of [stated - away, stated + away]) {
      const made = findMadeRun(base, hunk, at, lost.length);
      if (made !== undefined) return made;
    }
  }
  return undefined;
}

/**
 * Where the first run is that was made, if all of a hunk stands at a line to the letter, some of its runs as they were,
 * and some as they become.
 *
 * @param spare how many lines of its context may be others. Lines that are gone prove nothing beside them.
 */
function findMadeRun(
  base: BaseText,
  { old, runs }: ShapedHunk,
  start: number,
  spare: number,
): number | undefined {
  let at = start;
  let from = 0;
  let lost = 0;
  let isSeen = true;
  const made: number[] = [];
  const stands = (lines: readonly HunkLine[]) => lines.every(({ text }, n) => base.isLine(at + n, text));
  for (const run of [...runs, { from: old.length, to: old.length, added: [] }]) {
    for (const { text } of old.slice(from, run.from)) if (!base.isLine(at++, text)) lost += 1;
    const removed = old.slice(run.from, run.to);
    // Lines that are gone at the edge of a hunk leave no gap.
    const isGone = run.from > 0 && run.to < old.length && !stands(removed);
    const isMade = run.added.length > 0 ? stands(run.added) : isGone;
    if (lost > spare || !(isMade || stands(removed))) return undefined;
    if (isMade) made.push(at);
    if (isMade && run.added.length === 0) isSeen = false;
    at += isMade ? run.added.length : removed.length;
    from = run.to;
  }
  return made.length < runs.length && (isSeen || lost === 0) ? made[0] : undefined;
}

/** So near to its number a hunk that is partly made is looked for. */
const nearLines = 30;
/** More runs than this are only undone together. */
const mostRuns = 12;
