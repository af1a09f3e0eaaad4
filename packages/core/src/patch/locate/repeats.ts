import type { ShapedHunk } from "../model/hunk.js";
import type { HunkSearch } from "./placement.js";

/**
 * A numbered hunk repeated to the letter, header included, is one change written twice. So are equal hunks without
 * numbers, if there is one match for all of them. If there are more, each hunk is one of its own, and the order of the
 * diff has to say which is where.
 *
 * @returns the hunks without their copies, and the numbers of those left out.
 *
 *     file    diff   result
 *     1 a     @@     1 a
 *     2 k=1   -k=1   2 k=2
 *     3 b     +k=2   3 b
 *             @@
 *             -k=1
 *             +k=2
 *
 * Two equal hunks, one match: it was one change, written twice.
 *
 *     file    diff   result
 *     1 k=1   @@     1 k=1
 *     2 a     -a     2 A
 *     3 k=1   +A     3 k=2
 *     4 b     @@     4 B
 *     5 k=1   -k=1   5 k=2
 *             +k=2
 *             @@
 *             -b
 *             +B
 *             @@
 *             -k=1
 *             +k=2
 *
 * Two equal hunks, three matches: the order of the hunks leaves lines 3 and 5.
 */
export function mergeRepeated(searches: readonly HunkSearch[]) {
  const seen = new Set<string>();
  const repeated: number[] = [];
  const kept = searches.filter(({ hunk, starts }) => {
    if (hunk.hunk.header.numbers === undefined && starts.length > 1) return true;
    const letters = spell(hunk);
    const isCopy = seen.has(letters);
    if (isCopy) repeated.push(hunk.hunk.number);
    seen.add(letters);
    return !isCopy;
  });
  return { kept, repeated };
}

function spell({ hunk }: ShapedHunk): string {
  let letters = hunk.header.raw;
  for (let at = 0; at < hunk.count; at++) letters += `\n${hunk.kindOf(at)}:${hunk.textOf(at)}`;
  return letters;
}
