import type { BaseText } from "../model/base-text.js";
import { contextFrom, type HunkLine, type Run, type ShapedHunk, trimCommon } from "../model/hunk.js";
import { isBlankLine, normalize } from "../model/line-key.js";
import type { Deadline, Steps } from "../model/steps.js";
import { hasWords, isEllipsis } from "./embed.js";
import { shiftLine } from "./indent.js";
import {
  type HunkSearch,
  hintOf,
  MatchFinder,
  matchesAt,
  type Placement,
  runStartOf,
  type Unlocated,
  unlocated,
} from "./matches.js";

/*
 * Whether a hunk was applied before. If so, its new side matches where its old side should. That alone is no proof,
 * since the lines that it removes may be misquoted. The evidence of its runs decides.
 *
 *     file   diff   result
 *     1 a    @@     already_applied
 *     2 B     a
 *     3 c    -b
 *            +B
 *             c
 *
 * The new side `a B c` matches at line 1, and `B` is a line that the hunk adds: proof.
 *
 *     file      diff     result
 *     1 one     @@       already_applied
 *     2 alpha    one
 *     3 gamma    alpha
 *     4 end     -beta
 *                gamma
 *                end
 *
 * A deletion adds no line. It is visible, since its neighbours `alpha` and `gamma` are now next to each other, and `beta`
 * is nowhere in the file: proof.
 *
 *     file     diff    result
 *     1 x      @@      invalid_diff
 *     2 same    same
 *     3 same   -same
 *     4 y       same
 *
 * The new side `same same` matches at line 2, but it would match without the deletion, too, since the context repeats
 * the deleted line. There is no evidence, so the hunk is refused, and the refusal shows line 2.
 *
 *     file   diff   result
 *     1 a    @@     already_applied
 *     2 X     a
 *     3 b    +X
 *
 * The old side of a pure insertion at the edge of its context always matches. `appliedInsertionAt` checks whether the
 * inserted lines are there already.
 */

/** Whether the new side, found in the file, proves that the hunk was applied. */
export function newSideProvesApplied(base: BaseText, hunk: ShapedHunk, added: AddedLineCounts): boolean {
  if (hunk.oldCount === 0) return false;
  const words = hunk.new.filter((line) => !isBlankLine(line.text));
  if (words.length < 2 && !words.some(hasWords)) return false;
  const runs = hunk.runs.map((run) => evidenceOf(base, hunk, run, added));
  return runs.includes("proof") && !runs.includes("none");
}

/** Whether a new side that is in the file may come from the hunk. It is no proof by itself. */
export function mayBeApplied(hunk: ShapedHunk): boolean {
  return hunk.runs.every((run) => deletionIsVisible(hunk, run));
}

/** Whether a line that a run deletes stands in the file once, and the diff adds none like it: it may never have gone. */
export function keepsDeleted(base: BaseText, hunk: ShapedHunk, added: AddedLineCounts): boolean {
  const index = base.index("trimmed");
  const isLeft = (line: HunkLine) =>
    hasWords(line) && index.countOf(index.idOf(line.text)) === 1 && !added.cover(base, line);
  return hunk.runs.some((run) => deletionOf(hunk, run).deleted.some(isLeft));
}

/** How often a diff adds each line, by its text without blanks around it. Counted at the first use. */
export class AddedLineCounts {
  private counts: Map<string, number> | undefined;

  constructor(private readonly hunks: readonly ShapedHunk[]) {}

  /** Whether the file has a line only as often as the diff adds it, so the line comes from the diff. */
  cover(base: BaseText, { text }: HunkLine): boolean {
    const index = base.index("trimmed");
    this.counts ??= this.countAll();
    return index.countOf(index.idOf(text)) <= (this.counts.get(normalize(text, "trimmed")) ?? 0);
  }

  private countAll(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { text } of this.hunks.flatMap(({ runs }) => runs.flatMap(({ added }) => added))) {
      const key = normalize(text, "trimmed");
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  }
}

/**
 * The evidence of a run whose new side matches in the file. Added lines are a proof. A deletion is visible only if
 * its two neighbours are next to each other. It is a proof by itself only if one of the deleted lines is nowhere in
 * the file, except where the diff adds it.
 */
function evidenceOf(
  base: BaseText,
  hunk: ShapedHunk,
  run: Run,
  added: AddedLineCounts,
): "proof" | "possible" | "none" {
  const { deleted } = deletionOf(hunk, run);
  if (deleted.length === 0) return "proof";
  if (!deletionIsVisible(hunk, run)) return "none";
  const words = deleted.filter(hasWords);
  if (!words.every((line) => added.cover(base, line))) return "none";
  return words.length > 0 ? "proof" : "possible";
}

/** The lines that a run removes, if it adds none, with the context from them on in both directions. */
function deletionOf({ old }: ShapedHunk, run: Run) {
  const removed = old.slice(run.from, run.to);
  const { head, tail } = trimCommon(removed, run.added, (one, other) => one.text === other.text);
  const deleted = run.added.length > head + tail ? [] : removed.slice(head, removed.length - tail);
  const from = run.from + head;
  const [above, below] = [contextFrom(old, from - 1, -1), contextFrom(old, from + deleted.length, 1)];
  return { deleted, above, below, isAtEdge: from === 0 || from + deleted.length === old.length };
}

/** Whether the deletion of a run would be visible between its two neighbours. */
function deletionIsVisible(hunk: ShapedHunk, run: Run): boolean {
  const { deleted, above, below, isAtEdge } = deletionOf(hunk, run);
  if (deleted.length === 0) return true;
  return !isAtEdge && !repeats(deleted, below) && !repeats(deleted.toReversed(), above);
}

/** Whether the context beside a deletion would match even without the deletion, since it repeats the deleted lines. */
function repeats(deleted: readonly HunkLine[], context: Iterable<HunkLine>): boolean {
  const expected = [...deleted];
  let at = 0;
  for (const line of context) {
    if (expected[at++]?.text !== line.text) return false;
    expected.push(line);
  }
  return true;
}

/** The 0-based start of the new side at its stated line, if the old side, unless that is its beginning, is not at its own. */
export function appliedAtStatedLine(base: BaseText, hunk: ShapedHunk): number | undefined {
  const { numbers } = hunk.hunk.header;
  if (numbers === undefined || hunk.oldCount === 0) return undefined;
  const start = numbers.newStart - 1;
  if (!matchesAt(base, hunk, "new", start)) return undefined;
  const isBelow = hunk.coreFrom === hunk.oldCount && numbers.oldStart === numbers.newStart;
  if (!isBelow && matchesAt(base, hunk, "old", numbers.oldStart - 1)) return undefined;
  if (hunk.coreFrom < hunk.coreTo && matchesAt(base, hunk, "old", start)) return undefined;
  if (keepsRemoved(base, hunk, [start])) return undefined;
  return hunk.new.some((line) => !isBlankLine(line.text)) ? start : undefined;
}

/** Whether what a run at the edge of its hunk removes stands beside the new lines yet, but for blank lines between: then not all of the
 * hunk was applied. */
export function keepsRemoved(
  base: BaseText,
  { old, runs, newCount }: ShapedHunk,
  starts: ArrayLike<number>,
): boolean {
  const { rank, positions } = base.nonBlankLines;
  return runs.some(({ from, to }) => {
    const removed = old.slice(from, to).filter(({ text }) => !isBlankLine(text));
    const standsAt = (first: number) =>
      removed.every(({ text }, n) => base.isLine(positions[first + n] ?? -1, text));
    const isBeside = (start: number) =>
      (to === old.length && standsAt(rank[start + newCount] ?? -1)) ||
      (from === 0 && standsAt((rank[start] ?? -1) - removed.length));
    return removed.some(hasWords) && Array.from(starts).some(isBeside);
  });
}

/** Whether it adds a line that the file has only where the diff adds one, so the line comes from the diff. */
export function addsUniqueLine(base: BaseText, hunk: ShapedHunk, added: AddedLineCounts): boolean {
  const lines = hunk.runs.flatMap((run) => run.added).filter(hasWords);
  return lines.some((line) => added.cover(base, line));
}

/**
 * The position of a pure insertion that was made before: at the edge of its context, or where it ends like the
 * context above it (or begins like the context below it), so that its old lines match once more.
 *
 *     file      diff      result
 *     1 f {     @@        already_applied
 *     2   p      }
 *     3 }       +g {
 *     4 g {     +  q
 *     5   q     +}
 *     6 }        h {
 *     7 h {
 *
 * `}` and `h {` are lines 6 and 7, but the added lines are right above them, below another `}`, and the file has
 * `g {` once. Without such a line, or at the exact number, the lines are added once more.
 *
 * @returns the 0-based first line of the new side; undefined if the inserted lines are not there.
 */
export function appliedInsertionAt(
  base: BaseText,
  placement: Placement,
  added: AddedLineCounts,
): number | undefined {
  const { hunk } = placement;
  const insertion = insertionOf(placement);
  if (insertion === undefined) return undefined;
  const { run, point } = insertion;
  const above = point - run.added.length;
  const isAbove = standsAt(base, placement, run, above);
  const isBelow = standsAt(base, placement, run, point);
  const atTop = run.from === 0 && hunk.old.length > 0;
  if (atTop ? isAbove : isBelow && run.from === hunk.old.length) return atTop ? above : point - run.from;
  if (hintOf(hunk) === placement.start || !(isAbove || isBelow)) return undefined;
  if (!addsUniqueLine(base, hunk, added)) return undefined;
  // What stands there may be the context itself: then its own neighbour is another one.
  const isBeside = (at: number, line: HunkLine | undefined) =>
    line === undefined || base.line(at).trim() === line.text.trim();
  if (isAbove && isBeside(above - 1, hunk.old[run.from - 1])) return above - run.from;
  const isMade = isBelow && isBeside(point + run.added.length, hunk.old[run.from]);
  return isMade ? point - run.from : undefined;
}

type Inserted = Pick<Run, "from" | "added">;

/** The only run of a hunk, if it only adds lines, without lines that it removes and adds again; and its position. */
function insertionOf(placement: Placement): { readonly run: Inserted; readonly point: number } | undefined {
  const { hunk, alignment } = placement;
  if (hunk.coreFrom !== hunk.coreTo && alignment === undefined) return undefined;
  const [run, second] = hunk.runs;
  if (run === undefined || second !== undefined) return undefined;
  const removed = hunk.old.slice(run.from, run.to);
  const { head, tail } = trimCommon(removed, run.added, (one, other) => one.text === other.text);
  const added = run.added.slice(head, run.added.length - tail);
  if (head + tail < removed.length || added.length === 0) return undefined;
  return { run: { from: run.from + head, added }, point: runStartOf(placement, run, 0) + head };
}

/** Whether the file has the added lines of a run, as they would be written, from a line on. */
function standsAt(base: BaseText, { shift, moves }: Placement, { added }: Inserted, from: number): boolean {
  if (from < 0 || from + added.length > base.count) return false;
  const written = (text: string) =>
    shift === undefined || moves[0] === "stays" ? text : (shiftLine(text, shift) ?? text);
  return added.every(({ text }, at) => base.isLine(from + at, written(text)));
}

/**
 * Whether a diff breaks off in its last hunk: it ends with an added line, its header announces old and new lines that
 * are not there, more new ones than old ones, and the file has room for these old lines. What is merely lost of the
 * context is missing on both sides alike, and so are the lines of a writer who always counts seven.
 *
 *     file   diff              result
 *     1 a    @@ -1,4 +1,6 @@   invalid_diff
 *     2 b     a
 *     3 c    -b
 *     4 d    +B
 *     5 e    +BB
 *
 * Two old lines and three new ones more are announced, and the file goes on.
 *
 * A hunk whose number is wrong as well, and whose last line ends as the one that it replaces, is whole.
 *
 * @param last the last hunk of the diff.
 * @param placement its place; undefined where it has none.
 */
export function isCutOff(base: BaseText, last: ShapedHunk, placement: Placement | undefined): boolean {
  const { hunk, oldCount, newCount } = last;
  const { numbers } = hunk.header;
  if (numbers === undefined || hunk.newLacksNewline || hunk.kindOf(hunk.count - 1) !== "added") return false;
  const missing = numbers.oldCount - oldCount;
  if (missing < 1 || numbers.newCount - newCount <= missing) return false;
  if (placement === undefined) return numbers.oldCount <= base.count;
  const first = placement.alignment === undefined ? placement.start : placement.start - last.coreFrom;
  if (first !== hintOf(last) && endsAsReplaced(last)) return false;
  // Where the header claims just the lines up to the end of the hunk, what is missing was above it.
  const claimsEnd = (hintOf(last) ?? 0) + numbers.oldCount === placement.end;
  return !claimsEnd && base.count - placement.end >= missing;
}

/** Whether the last lines replace as many others, and the last one ends in the same word or sign. */
function endsAsReplaced({ old, runs }: ShapedHunk): boolean {
  const { from = 0, to = 0, added = [] } = runs.at(-1) ?? {};
  const end = (line: HunkLine | undefined) =>
    /[\p{L}\p{N}_]+$|.$/u.exec(line?.text.trimEnd().slice(-80) ?? "")?.[0];
  return to - from === added.length && end(added.at(-1)) === end(old[to - 1]);
}

/**
 * The first of the hunks that change nothing whose lines are not in the file. It is no hunk to be left out: its
 * writer believes in another file, or forgot the signs of the change.
 *
 * @param hunks all of them without a change.
 */
export function* findMissingIdle(
  base: BaseText,
  hunks: readonly ShapedHunk[],
  deadline: Deadline,
): Steps<Unlocated | undefined> {
  const finder = new MatchFinder(base, deadline, hunks);
  for (const hunk of hunks) {
    yield;
    if (deadline.late()) return undefined;
    if (hunk.old.every(({ text }) => isBlankLine(text) || isEllipsis(text))) continue;
    const found = (yield* finder.findVerbatim(hunk, "old")) ?? (yield* finder.findMended(hunk));
    if (found !== undefined) continue;
    const search: HunkSearch = { hunk, tier: undefined, starts: [], alignment: undefined, appliedAt: [] };
    return unlocated("idle_missing", search, [search], []);
  }
  return undefined;
}
