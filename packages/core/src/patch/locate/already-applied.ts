import type { BaseText } from "../model/base-text.js";
import { contextFrom, type HunkLine, type Run, type ShapedHunk, trimCommon } from "../model/hunk.js";
import { isBlankLine, normalize } from "../model/line-key.js";
import { hasWords } from "./embed.js";
import { matchesAt } from "./matches.js";

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
