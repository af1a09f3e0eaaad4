import type { BaseText } from "../model/base-text.js";
import type { Run, ShapedHunk } from "../model/hunk.js";
import { indentOf, isBlankLine } from "../model/line-key.js";
import { headingRank, isInside, SectionFinder } from "./anchors.js";
import { type Alignment, hasWords, type Stretch } from "./embed.js";
import { removesWords } from "./pins.js";

/** Why a hunk that has one place is refused there, as 0-based lines. */
export interface Doubt {
  /** It would be stretched over lines that it cannot have meant; or it, or one of its changes, may be made already. */
  readonly kind: "stretched" | "made" | "partly_made";
  /** On either side of what it would pass over; or the change that may be made already. */
  readonly positions: readonly number[];
  /** Where its first change would be. */
  readonly changeAt: number;
}

/**
 * A hunk whose context is damaged may pass over lines of the file, but not over the end of a section, so that
 * it would change another one than it quotes. It may if an ellipsis stands there, or if the number of its header
 * or the section that it names confirms the place of the change.
 *
 *     file             diff              result
 *     1 class A:       @@ class A:       invalid_diff
 *     2   def f():      class A:
 *     3     p             def f():
 *     4 class B:            q
 *     5   def g():     +    x
 *     6     q
 *     7     r
 *
 * `class A:` and `def f():` are lines 1 and 2, `q` is line 6: between them `class A:` ends, at line 4.
 *
 * @returns the two 0-based lines between which it is stretched; undefined where it is not.
 */
export function findOverstretch(
  base: BaseText,
  hunk: ShapedHunk,
  { stretches, runStarts, quoted }: Alignment,
): readonly number[] | undefined {
  const { rank, positions } = base.nonBlankLines;
  const unmarked = stretches.filter(({ isMarked }) => !isMarked);
  const known = new Set(hunk.old.map(({ text }) => text.trim()));
  const added = hunk.runs.flatMap((run) => run.added.filter(hasWords));
  const index = base.index("trimmed");
  const addedAt = added
    .map(({ text }) => index.positionsOf(index.idOf(text)))
    .flatMap(([at, other]) => (at === undefined || other !== undefined ? [] : [rank[at] ?? -1]));
  // A line that is passed over, and that the hunk adds: it may be applied already.
  const certain = unmarked.find(({ above, below }) => addedAt.some((at) => at > above && at < below));
  const over =
    certain ??
    unmarked.find((stretch) => passesSectionEnd(base, stretch, quoted, known)) ??
    unmarked.find((stretch) => leavesOneHolder(base, hunk, runStarts, stretch));
  if (over === undefined || (certain === undefined && isConfirmed(base, hunk, over, runStarts)))
    return undefined;
  return [positions[over.above] ?? 0, positions[over.below] ?? base.count - 1];
}

/**
 * Whether the header claims the lines that would change, or names the section that they are in. Where it says nothing
 * at all, a few lines may have been left out, if each change removes a line that stands nowhere else.
 */
function isConfirmed(
  base: BaseText,
  { hunk, runs }: ShapedHunk,
  { above, below }: Stretch,
  runStarts: readonly number[],
): boolean {
  const { numbers, anchors } = hunk.header;
  if (numbers === undefined && anchors.length === 0) {
    const index = base.index("exact");
    const isUnique = (at: number) => index.countOf(index.ids[at] ?? -1) === 1;
    const removesUnique = ({ from, to }: Run, n: number) =>
      Array.from({ length: to - from }, (_, at) => (runStarts[n] ?? 0) + at).some(isUnique);
    return below - above <= fewLines && runs.every(removesUnique);
  }
  if (numbers !== undefined) {
    const from = numbers.oldStart - 1;
    const to = from + numbers.oldCount;
    const isClaimed = (run: Run, n: number) => {
      const start = runStarts[n] ?? -1;
      return start >= from && start + run.to - run.from <= to;
    };
    return runs.every(isClaimed);
  }
  const sections = new SectionFinder(base).find(anchors);
  return runStarts.every((start) => isInside(sections, start));
}

/**
 * Damaged context that lies in another section than the header names, and far from its number, if it has one, is meant
 * for that section. Where it names none, a number that is far off is enough if much of the context is not in the file.
 *
 * @param lines the 0-based lines of the hunk's changes, the first one first, and of the first line that it quotes.
 * @param dropped how many lines of its context the file does not have.
 */
export function findContradiction(
  base: BaseText,
  hunk: ShapedHunk,
  lines: readonly number[],
  dropped: number,
): Doubt | undefined {
  const [changeAt = 0] = lines;
  const { numbers, anchors } = hunk.hunk.header;
  const hint = numbers && numbers.oldStart - 1;
  const sections = new SectionFinder(base).find(anchors);
  if (lines.some((line) => isInside(sections, line + 1) || isInside(sections, line))) return undefined;
  const context = hunk.old.filter(({ kind, text }) => kind === "context" && !isBlankLine(text)).length;
  if (sections.length === 0 && dropped * 5 < context * 2) return undefined;
  const witnesses =
    hint === undefined ? sections.flatMap(({ from, to }) => [from, to]) : [hint + hunk.coreFrom];
  if (witnesses.length === 0 || witnesses.some((line) => Math.abs(line - changeAt) <= nearLines))
    return undefined;
  const [named] = sections;
  const meant = named === undefined ? Math.min(hint ?? 0, base.count - 1) : named.from - 1;
  return { kind: "stretched", positions: [meant, changeAt].sort((a, b) => a - b), changeAt };
}

/**
 * Whether a run that removes no words stands at the edge of the hunk, and lines were left out right behind the one line
 * that holds it: nothing else says that it is this one.
 */
function leavesOneHolder(
  base: BaseText,
  hunk: ShapedHunk,
  runStarts: readonly number[],
  { above, below }: Stretch,
): boolean {
  const { rank, positions } = base.nonBlankLines;
  return hunk.runs.some((run, at) => {
    if (removesWords(hunk, run)) return false;
    const start = runStarts[at] ?? 0;
    if (run.from === 0) return above === (rank[start + run.to] ?? positions.length);
    return run.to === hunk.old.length && below === (rank[start] ?? 0) - 1;
  });
}

/**
 * Whether a section ends between the two lines: one of a heading that the hunk quotes above them, or one that
 * neither of them is the heading of.
 */
function passesSectionEnd(
  base: BaseText,
  { above, below }: Stretch,
  quoted: readonly number[],
  known: ReadonlySet<string>,
): boolean {
  const { positions } = base.nonBlankLines;
  const text = (rank: number) => base.line(positions[rank] ?? -1);
  const depth = (rank: number) => indentOf(text(rank)).length;
  if (below >= positions.length) return false;
  const open: number[] = [];
  for (const rank of quoted.filter((one) => one <= above)) {
    while (open.some((one) => endsSection(text(one), text(rank)))) open.pop();
    if (headingRank(text(rank)) > 0 || depth(rank + 1) > depth(rank)) open.push(rank);
  }
  const limit = Math.min(depth(above), depth(below));
  for (let rank = above + 1; rank < below; rank++) {
    const line = text(rank);
    // What the hunk has, too, if only at another place, was not left out.
    if (known.has(line.trim())) continue;
    if (open.some((one) => endsSection(text(one), line))) return true;
    if (depth(rank) < limit && !closes.test(line.trimStart())) return true;
  }
  return false;
}

/** Whether a line is the first after the section of a heading. */
function endsSection(heading: string, line: string): boolean {
  const rank = headingRank(heading);
  if (rank > 0) return headingRank(line) > 0 && headingRank(line) <= rank;
  return indentOf(line).length <= indentOf(heading).length && !closes.test(line.trimStart());
}

/** What ends a block or is a comment belongs to what is above it. */
const closes =
  /^([)}\]]|<\/|\/\/|\/\*|\*|#\s|--|\{%-?\s*(end|el)|(end|fi|done|esac|else|elif|elsif|except|finally|catch|case|default|when)\b)/;

/** A number that is off by more lines than this says nothing for a place. */
const nearLines = 30;
/** The distance of two lines between which at most four were left out. */
const fewLines = 5;
