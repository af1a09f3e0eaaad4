import type { BaseText } from "../model/base-text.js";
import type { HunkLine } from "../model/hunk.js";
import { isBlankLine } from "../model/line-key.js";
import { countBelow } from "./assign.js";

/** The position of a hunk with damaged context: one for each of its runs of changes. */
export interface Alignment {
  /** 0-based file line at which each run begins. */
  readonly runStarts: readonly number[];
  /** The context lines that the file does not have. */
  readonly dropped: readonly HunkLine[];
  /** File lines that the hunk's context passed over; blank ones are not counted. */
  readonly skipped: number;
  /** Where it passed over them. */
  readonly stretches: readonly Stretch[];
  /** The ranks, among the lines that are not blank, of the file's lines that its context quotes. */
  readonly quoted: readonly number[];
}

/** Context lines of a hunk and the part of the file where they may match. Blank lines count on neither side. */
export interface Segment {
  readonly lines: readonly NamedLine[];
  /** Ranks among the file's lines that are not blank; undefined where the hunk begins or ends. */
  readonly top: number | undefined;
  readonly bottom: number | undefined;
}

/** An old line with what it is called in what it explains: its place among all lines of its hunk. */
export interface NamedLine {
  readonly line: HunkLine;
  readonly name: number;
}

/** How the context lines of a segment match. */
export interface Embedded {
  /** Names of the lines that match here, and of the pairs that match side by side. */
  readonly explained: readonly string[];
  /** How many lines match here for sure. */
  readonly present: number;
  readonly dropped: readonly HunkLine[];
  /** File lines between the first and the last one found, and up to the run, that no context line matches. */
  readonly skipped: number;
  /** The ranks of the lines that match. */
  readonly ranks: readonly number[];
  /** Where the file has more lines between two of the hunk's than the hunk has. */
  readonly stretches: readonly Stretch[];
}

/** The two lines that a part of the file is skipped between, by their ranks among those that are not blank. */
export interface Stretch {
  /** -1 before the file; the number of ranks after it. */
  readonly above: number;
  readonly below: number;
  /** Whether the hunk has an ellipsis there. */
  readonly isMarked: boolean;
  /** How many other lines it has there, none of which matches. */
  readonly unmatched: number;
}

/** How much comparing is still allowed; one budget serves all candidates of a hunk. */
export interface Budget {
  cells: number;
}

/**
 * Embeds context into the file, in order: as many lines as possible, of these ways the one with the most
 * lines side by side as in the hunk.
 *
 *     file   diff   result
 *     1 a    @@     1 a
 *     2 x     a     2 x
 *     3 b     b     3 b
 *     4 c     c     4 c
 *     5 K    -K     5 L
 *     6 e    +L     6 e
 *             e
 *
 * The segment above the run at line 5 has the lines `a b c` and the file lines 1 to 4. Found: `a` at rank 0, `b` at
 * 2, `c` at 3; one file line is skipped. Explained are `0` (the file has `a` once), `1`, `2` (`b` and `c` match),
 * `2^` (`c` is right below `b`) and `2v` (`c` is right above the run).
 *
 *     file   diff   result
 *     1 a    @@     1 a
 *     2 b     b     2 b
 *     3 K     a     3 L
 *     4 e    -K     4 e
 *            +L
 *             e
 *
 * Of two swapped lines one is found, `a` or `b`; the other is where its neighbour should be, and is not dropped.
 *
 * A segment that is open on one side may match anywhere up to the end of the file: no distance decides.
 *
 * @returns undefined where the budget does not allow to compare all that could match.
 */
export function embedContext(base: BaseText, segment: Segment, budget: Budget): Embedded | undefined {
  const lines = segment.lines.filter(({ line }) => !isBlankLine(line.text));
  const { positions } = base.nonBlankLines;
  const from = segment.top ?? 0;
  const to = segment.bottom ?? positions.length;
  const index = base.index("trailing");
  const wanted = lines.map(({ line }) => index.idOf(line.text));
  const idAt = (rank: number) => index.ids[positions[from + rank] ?? -1] ?? -2;
  const ranks = ranksOfAny(base, wanted, from, to);
  budget.cells -= (ranks.length + 1) * (wanted.length + 1);
  if (budget.cells < 0) return undefined;
  const found = commonSubsequence(wanted, ranks, idAt, {
    top: segment.top === undefined ? undefined : 0,
    bottom: segment.bottom === undefined ? undefined : to - from - 1,
  });
  leaveTrivialEdge(segment, lines, found);
  const explained: string[] = [];
  const dropped: HunkLine[] = [];
  let present = 0;
  // A line swapped with its neighbour is where the neighbour should be, and no other line of the hunk is.
  const taken = new Set(found);
  const swapsTo = (rank: number, id: number | undefined) => {
    if (rank < 0 || rank >= to - from || taken.has(rank) || idAt(rank) !== id) return false;
    taken.add(rank);
    return true;
  };
  const isSwapped = (n: number) => {
    const [before = -1, after = -1] = [found[n - 1], found[n + 1]];
    return swapsTo(before - 1, wanted[n]) || (after >= 0 && swapsTo(after + 1, wanted[n]));
  };
  for (const [n, { line, name }] of lines.entries()) {
    const rank = found[n] ?? -1;
    if (rank < 0) {
      if (!isSwapped(n)) dropped.push(line);
      continue;
    }
    const above =
      n === 0 ? segment.top !== undefined && rank === 0 : (found[n - 1] ?? -2) === rank - 1 && rank > 0;
    const below =
      n === lines.length - 1
        ? segment.bottom !== undefined && rank === to - from - 1
        : (found[n + 1] ?? -2) === rank + 1;
    // A line that the file repeats proves nothing unless it is beside the same line as in the hunk.
    const isEvidence = above || below || index.positionsOf(wanted[n] ?? -1).length === 1;
    if (!isEvidence) continue;
    present += 1;
    explained.push(`${name}`);
    if (above) explained.push(`${name}^`);
    if (below && n === lines.length - 1) explained.push(`${name}v`);
  }
  const ranksFound = found.map((rank) => (rank < 0 ? -1 : rank + from));
  const texts = lines.map(({ line }) => line.text);
  const quoted = ranksFound.filter((rank) => rank >= 0);
  return { explained, present, ranks: quoted, dropped, ...findStretches(segment, ranksFound, texts) };
}

/** A bracket or a quote at the edge of a hunk that stands apart from the next line is any of those in the file. */
function leaveTrivialEdge({ top, bottom }: Segment, lines: readonly NamedLine[], found: number[]): void {
  if ((top === undefined) === (bottom === undefined)) return;
  const ranks = found.flatMap((rank, at) => (rank < 0 ? [] : [at]));
  if (top !== undefined) ranks.reverse();
  const [edge = -1, next = -1] = ranks;
  const line = lines[edge]?.line;
  if (line === undefined || next < 0 || hasWords(line)) return;
  if (Math.abs((found[edge] ?? 0) - (found[next] ?? 0)) > Math.abs(edge - next) + 1) found[edge] = -1;
}

/** Whether a line has a letter or a digit: brackets and quotes alone stand everywhere. */
export function hasWords({ text }: HunkLine): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** The ranks, counted from `from`, of the lines that are one of those wanted; ascending. */
function ranksOfAny(base: BaseText, wanted: readonly number[], from: number, to: number): Int32Array {
  const { rank, positions } = base.nonBlankLines;
  const index = base.index("trailing");
  const first = positions[from] ?? base.count;
  const last = positions[to] ?? base.count;
  const ranks: number[] = [];
  for (const id of new Set(wanted)) {
    const all = index.positionsOf(id);
    for (const position of all.subarray(countBelow(all, first), countBelow(all, last)))
      ranks.push((rank[position] ?? 0) - from);
  }
  return Int32Array.from(ranks).sort();
}

function findStretches(
  segment: Segment,
  matched: readonly number[],
  texts: readonly string[],
): Pick<Embedded, "skipped" | "stretches"> {
  const stretches: Stretch[] = [];
  let skipped = 0;
  let above = segment.top === undefined ? undefined : segment.top - 1;
  let passed: string[] = [];
  const meet = (below: number) => {
    const last = above ?? below - 1;
    const between = below - last - 1;
    skipped += between;
    const unmatched = passed.filter((text) => !isEllipsis(text)).length;
    if (between > unmatched)
      stretches.push({ above: last, below, isMarked: passed.some(isEllipsis), unmatched });
    above = below;
    passed = [];
  };
  for (const [n, rank] of matched.entries()) {
    if (rank >= 0) meet(rank);
    else passed.push(texts[n] ?? "");
  }
  if (segment.bottom !== undefined) meet(segment.bottom);
  return { skipped, stretches };
}

/** Whether a line of a hunk only stands for lines that were left out. */
export function isEllipsis(text: string): boolean {
  return text.length <= 120 && /^\W*(\.{3}|…)\W*$/.test(text);
}

/**
 * The best common subsequence: for each wanted line its rank, or -1. There is a bonus for lines side by side and
 * for those right at the closed ends.
 *
 * @param ranks those that any of the wanted lines could have, ascending; the others are never looked at.
 * @param closed the ranks right at the ends that are closed.
 */
function commonSubsequence(
  wanted: readonly number[],
  ranks: Int32Array,
  idAt: (rank: number) => number,
  closed: { readonly top: number | undefined; readonly bottom: number | undefined },
): number[] {
  const columns = ranks.length + 1;
  // best[n][c]: the best way with the first n lines and the first c ranks; ending[n][c]: with line n at the last of them.
  const best = new Int32Array((wanted.length + 1) * columns);
  const ending = new Int32Array((wanted.length + 1) * columns).fill(-1);
  for (let n = 1; n <= wanted.length; n++) {
    const id = wanted[n - 1] ?? -1;
    for (let c = 1; c < columns; c++) {
      const cell = n * columns + c;
      const rank = ranks[c - 1] ?? -1;
      let score = Math.max(best[cell - 1] ?? 0, best[cell - columns] ?? 0);
      if (id >= 0 && idAt(rank) === id) {
        const beside = isBeside(ranks, c) ? (ending[cell - columns - 1] ?? -1) : -1;
        let here = Math.max(best[cell - columns - 1] ?? 0, beside + 1) + lineScore;
        if (closed.top === rank && n === 1) here += 1;
        if (closed.bottom === rank && n === wanted.length) here += 1;
        ending[cell] = here;
        score = Math.max(score, here);
      }
      best[cell] = score;
    }
  }
  const prefer = closed.bottom === undefined ? "first" : "last";
  return traceBack(best, ending, wanted.length, ranks, prefer);
}

/** Whether the rank of a column is right below that of the column before it. */
function isBeside(ranks: Int32Array, column: number): boolean {
  return ranks[column - 1] === (ranks[column - 2] ?? -2) + 1;
}

/** Reads the way back from the table; of equal ones the last ranks, or the first. */
function traceBack(
  best: Int32Array,
  ending: Int32Array,
  count: number,
  ranks: Int32Array,
  prefer: "first" | "last",
): number[] {
  const columns = ranks.length + 1;
  const found = new Array<number>(count).fill(-1);
  let n = count;
  let c = ranks.length;
  // Set where the line just read was counted as beside the one before it.
  let beside = false;
  while (c > 0) {
    const cell = n * columns + c;
    const score = best[cell] ?? 0;
    const here = ending[cell] ?? -1;
    const earlier = best[cell - 1] ?? 0;
    if (beside || (here === score && (prefer === "last" || earlier < score))) {
      found[n - 1] = ranks[c - 1] ?? -1;
      beside = isBeside(ranks, c) && ending[cell - columns - 1] === best[cell - columns - 1];
      n -= 1;
      c -= 1;
    } else if (earlier === score && (prefer === "first" || best[cell - columns] !== score)) c -= 1;
    else n -= 1;
  }
  return found;
}

const lineScore = 1 << 12;
