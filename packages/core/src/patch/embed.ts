import type { BaseText } from "./base-text.js";
import type { HunkLine } from "./hunk.js";
import { isBlankLine } from "./line-key.js";

/** Context lines of a hunk and the part of the file where they may stand. Blank lines count on neither side. */
export interface Segment {
  /** Index of the first line among the hunk's old lines. */
  readonly first: number;
  readonly lines: readonly HunkLine[];
  /** Ranks among the file's lines that are not blank; undefined where the hunk begins or ends. */
  readonly top: number | undefined;
  readonly bottom: number | undefined;
}

export interface Embedded {
  /** Names of the lines that stand here, and of the pairs that stand together. */
  readonly explained: readonly string[];
  /** How many lines stand here for sure. */
  readonly present: number;
  readonly dropped: readonly HunkLine[];
  /** File lines between the first and the last one found, and up to the run, that none stands for. */
  readonly skipped: number;
}

/**
 * Embeds context into the file, in order: as many lines as possible, of these ways the one with the most
 * lines that stand together as in the hunk.
 *
 * @returns undefined where the part of the file is too large to be compared.
 */
export function embedContext(base: BaseText, segment: Segment): Embedded | undefined {
  const lines = segment.lines
    .map((line, at) => ({ line, at: segment.first + at }))
    .filter(({ line }) => !isBlankLine(line.text));
  const { places } = base.fullLines;
  const spare = lines.length + reachLines;
  const from = segment.top ?? Math.max(0, (segment.bottom ?? 0) - spare);
  const to = segment.bottom ?? Math.min(places.length, from + spare);
  if ((to - from) * lines.length > workLimit) return undefined;
  const index = base.index("trailing");
  const wanted = lines.map(({ line }) => index.idOf(line.text));
  const idAt = (rank: number) => index.ids[places[from + rank] ?? -1] ?? -2;
  const found = match(wanted, to - from, idAt, {
    top: segment.top !== undefined,
    bottom: segment.bottom !== undefined,
  });
  const explained: string[] = [];
  const dropped: HunkLine[] = [];
  let present = 0;
  // A line that changed places with its neighbour stands where the neighbour should.
  const changedPlaces = (n: number) => {
    const [before = -1, after = -1] = [found[n - 1], found[n + 1]];
    return (before > 0 && idAt(before - 1) === wanted[n]) || (after >= 0 && idAt(after + 1) === wanted[n]);
  };
  for (const [n, { line, at }] of lines.entries()) {
    const rank = found[n];
    if (rank === undefined || rank < 0) {
      if (!changedPlaces(n)) dropped.push(line);
      continue;
    }
    const above =
      n === 0 ? segment.top !== undefined && rank === 0 : (found[n - 1] ?? -2) === rank - 1 && rank > 0;
    const below =
      n === lines.length - 1
        ? segment.bottom !== undefined && rank === to - from - 1
        : (found[n + 1] ?? -2) === rank + 1;
    // A line that the file repeats says nothing unless it stands beside what it stands beside in the hunk.
    const tells = above || below || index.placesOf(wanted[n] ?? -1).length === 1;
    if (!tells) continue;
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
 * For each wanted line the rank it stands at, or -1: the best common subsequence, with a bonus for lines that
 * stand together and for those that stand right at the closed ends.
 */
function match(
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
        let here = (best[cell - columns - 1] ?? 0) + lineWorth;
        if (beside >= 0) here = Math.max(here, beside + lineWorth + 1);
        if (closed.top && n === 1 && r === 1) here += 1;
        if (closed.bottom && n === wanted.length && r === width) here += 1;
        ending[cell] = here;
        score = Math.max(score, here);
      }
      best[cell] = score;
    }
  }
  return closed.bottom || !closed.top
    ? trace(best, ending, wanted.length, width, "last")
    : trace(best, ending, wanted.length, width, "first");
}

/** Reads the way back from the table; of equal ones the last ranks, or the first. */
function trace(
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
  // Set where the line just read was counted as standing together with the one before it.
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
        together + lineWorth + 1 >= here - 1 &&
        together + lineWorth + 1 > (best[cell - columns - 1] ?? 0) + lineWorth;
      n -= 1;
      r -= 1;
    } else if (earlier === score) r -= 1;
    else n -= 1;
  }
  return found;
}

const lineWorth = 1 << 12;
/** How many lines the context may have passed over. */
const reachLines = 400;
const workLimit = 2_000_000;
