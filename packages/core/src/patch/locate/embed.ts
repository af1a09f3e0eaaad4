import type { BaseText } from "../model/base-text.js";
import type { HunkLine } from "../model/hunk.js";
import { isBlankLine } from "../model/line-key.js";

/** Context lines of a hunk and the part of the file where they may match. Blank lines count on neither side. */
export interface Segment {
  /** Index of the first line among the hunk's old lines. */
  readonly first: number;
  readonly lines: readonly HunkLine[];
  /** Ranks among the file's lines that are not blank; undefined where the hunk begins or ends. */
  readonly top: number | undefined;
  readonly bottom: number | undefined;
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
 * @returns undefined where the part of the file is too large to be compared.
 */
export function embedContext(base: BaseText, segment: Segment): Embedded | undefined {
  const lines = segment.lines
    .map((line, at) => ({ line, at: segment.first + at }))
    .filter(({ line }) => !isBlankLine(line.text));
  const { positions } = base.nonBlankLines;
  const spare = lines.length + reachLines;
  const from = segment.top ?? Math.max(0, (segment.bottom ?? 0) - spare);
  const to = segment.bottom ?? Math.min(positions.length, from + spare);
  if ((to - from) * lines.length > workLimit) return undefined;
  const index = base.index("trailing");
  const wanted = lines.map(({ line }) => index.idOf(line.text));
  const idAt = (rank: number) => index.ids[positions[from + rank] ?? -1] ?? -2;
  const found = commonSubsequence(wanted, to - from, idAt, {
    top: segment.top !== undefined,
    bottom: segment.bottom !== undefined,
  });
  const explained: string[] = [];
  const dropped: HunkLine[] = [];
  let present = 0;
  // A line swapped with its neighbour is where the neighbour should be.
  const isSwapped = (n: number) => {
    const [before = -1, after = -1] = [found[n - 1], found[n + 1]];
    return (before > 0 && idAt(before - 1) === wanted[n]) || (after >= 0 && idAt(after + 1) === wanted[n]);
  };
  for (const [n, { line, at }] of lines.entries()) {
    const rank = found[n];
    if (rank === undefined || rank < 0) {
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
    explained.push(`${at}`);
    if (above) explained.push(`${at}^`);
    if (below && n === lines.length - 1) explained.push(`${at}v`);
  }
  const ranks = found.filter((rank) => rank >= 0).map((rank) => rank + from);
  return { explained, present, dropped, skipped: countSkipped(segment, ranks) };
}

function countSkipped(segment: Segment, ranks: readonly number[]): number {
  const first = segment.top ?? ranks[0] ?? 0;
  const last = segment.bottom ?? (ranks.at(-1) ?? first - 1) + 1;
  return ranks.length === 0 ? 0 : Math.max(0, last - first - ranks.length);
}

/**
 * The best common subsequence: for each wanted line its rank, or -1. There is a bonus for lines side by side and
 * for those right at the closed ends.
 */
function commonSubsequence(
  wanted: readonly number[],
  width: number,
  idAt: (rank: number) => number,
  closed: { readonly top: boolean; readonly bottom: boolean },
): readonly number[] {
  const columns = width + 1;
  // best[n][r]: the best way with the first n lines and the first r ranks; ending[n][r]: with line n at rank r.
  const best = new Int32Array((wanted.length + 1) * columns);
  const ending = new Int32Array((wanted.length + 1) * columns).fill(-1);
  for (let n = 1; n <= wanted.length; n++) {
    const id = wanted[n - 1];
    for (let r = 1; r <= width; r++) {
      const cell = n * columns + r;
      let score = Math.max(best[cell - 1] ?? 0, best[cell - columns] ?? 0);
      if (id !== undefined && id >= 0 && idAt(r - 1) === id) {
        const beside = ending[cell - columns - 1] ?? -1;
        let here = (best[cell - columns - 1] ?? 0) + lineScore;
        if (beside >= 0) here = Math.max(here, beside + lineScore + 1);
        if (closed.top && n === 1 && r === 1) here += 1;
        if (closed.bottom && n === wanted.length && r === width) here += 1;
        ending[cell] = here;
        score = Math.max(score, here);
      }
      best[cell] = score;
    }
  }
  return closed.bottom || !closed.top
    ? traceBack(best, ending, wanted.length, width, "last")
    : traceBack(best, ending, wanted.length, width, "first");
}

/** Reads the way back from the table; of equal ones the last ranks, or the first. */
function traceBack(
  best: Int32Array,
  ending: Int32Array,
  count: number,
  width: number,
  prefer: "first" | "last",
): readonly number[] {
  const columns = width + 1;
  const found = new Array<number>(count).fill(-1);
  let n = count;
  let r = width;
  // Set where the line just read was counted as beside the one before it.
  let beside = false;
  while (n > 0 && r > 0) {
    const cell = n * columns + r;
    const score = best[cell] ?? 0;
    const here = ending[cell] ?? -1;
    const earlier = best[cell - 1] ?? 0;
    if (here >= 0 && (beside || (here === score && (prefer === "last" || earlier < score)))) {
      found[n - 1] = r - 1;
      const together = ending[cell - columns - 1] ?? -1;
      beside =
        together >= 0 &&
        together + lineScore + 1 >= here - 1 &&
        together + lineScore + 1 > (best[cell - columns - 1] ?? 0) + lineScore;
      n -= 1;
      r -= 1;
    } else if (earlier === score) r -= 1;
    else n -= 1;
  }
  return found;
}

const lineScore = 1 << 12;
/** How many lines the context may have passed over. */
const reachLines = 400;
const workLimit = 2_000_000;
