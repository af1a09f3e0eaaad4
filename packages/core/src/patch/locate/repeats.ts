import type { ShapedHunk } from "../model/hunk.js";
import type { Steps } from "../model/steps.js";
import type { HunkSearch } from "./placement.js";

/** A numbered hunk repeated to the letter, header included, is one change written twice. */
export function* dropRepeated(hunks: readonly ShapedHunk[]): Steps<{
  readonly kept: readonly ShapedHunk[];
  readonly repeated: readonly number[];
}> {
  if (ascend(hunks)) return { kept: hunks, repeated: [] };
  const seen = new Set<string>();
  const repeated: number[] = [];
  const kept: ShapedHunk[] = [];
  for (const [at, hunk] of hunks.entries()) {
    if (at % 256 === 255) yield;
    const letters = hunk.hunk.header.numbers === undefined ? undefined : spell(hunk);
    if (letters !== undefined && seen.has(letters)) repeated.push(hunk.hunk.number);
    else kept.push(hunk);
    if (letters !== undefined) seen.add(letters);
  }
  return { kept, repeated };
}

/** Whether each number is larger than the one before, so that no two headers are the same. */
function ascend(hunks: readonly ShapedHunk[]): boolean {
  let last = -1;
  for (const { hunk } of hunks) {
    const { oldStart = last + 1 } = hunk.header.numbers ?? {};
    if (oldStart <= last) return false;
    if (hunk.header.numbers !== undefined) last = oldStart;
  }
  return true;
}

/**
 * The same without numbers: where there is one match for several equal hunks, it was one change. Where there are
 * more, each hunk is one of its own, and the order of the diff has to say which is where.
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
export function mergeRepeated(searches: readonly HunkSearch[]): Merged {
  if (areApart(searches)) return { kept: searches, repeated: [] };
  const groups = groupAlike(searches.filter(({ hunk }) => hunk.hunk.header.numbers === undefined));
  const left = new Set<HunkSearch>();
  for (const group of groups) {
    const [first, ...others] = group;
    if (first === undefined || first.starts.length > 1) continue;
    for (const other of others) left.add(other);
  }
  const repeated = [...left].map((search) => search.hunk.hunk.number);
  return { kept: searches.filter((search) => !left.has(search)), repeated };
}

/** Whether each has one match, below the one before: equal hunks would have equal matches. */
function areApart(searches: readonly HunkSearch[]): boolean {
  let last = -1;
  for (const { starts } of searches) {
    const start = starts[0] ?? -1;
    if (starts.length !== 1 || start <= last) return false;
    last = start;
  }
  return true;
}

/** Groups of hunks that are the same to the letter; a group of one may be left out. */
function groupAlike(searches: readonly HunkSearch[]): Iterable<readonly HunkSearch[]> {
  // Most hunks differ in length or in their first line, so that few have to be spelled out.
  const sketches = searches.map(({ hunk }) => `${hunk.hunk.count} ${hunk.hunk.textOf(0)}`);
  const amounts = new Map<string, number>();
  for (const sketch of sketches) amounts.set(sketch, (amounts.get(sketch) ?? 0) + 1);
  const groups = new Map<string, HunkSearch[]>();
  for (const [at, search] of searches.entries()) {
    if (amounts.get(sketches[at] ?? "") === 1) continue;
    const letters = spell(search.hunk);
    const group = groups.get(letters);
    if (group === undefined) groups.set(letters, [search]);
    else group.push(search);
  }
  return groups.values();
}

/** Hunks without their copies, and the numbers of those left out. */
interface Merged {
  readonly kept: readonly HunkSearch[];
  readonly repeated: readonly number[];
}

function spell({ hunk }: ShapedHunk): string {
  let letters = hunk.header.raw;
  for (let at = 0; at < hunk.count; at++) letters += `\n${hunk.kindOf(at)}:${hunk.textOf(at)}`;
  return letters;
}
