import type { BaseText } from "../model/base-text.js";
import { growth, type HunkLine, type HunkNumbers, type ShapedHunk } from "../model/hunk.js";
import { indentOf, isBlankLine } from "../model/line-key.js";
import { findShift } from "./indent.js";
import { type HunkSearch, hintOf } from "./placement.js";

/** A pure insertion positioned by its number only: all numbers of the diff must agree and confirm it. */
export function findUnsupportedInsertion(
  searches: readonly HunkSearch[],
  starts: readonly number[],
): HunkSearch | undefined {
  const insertion = searches.find(
    ({ hunk, starts: positions }) =>
      hunk.oldCount === 0 && hunk.hunk.header.numbers !== undefined && positions[0] !== 0,
  );
  if (insertion === undefined) return undefined;
  let shift = 0;
  for (const [at, search] of searches.entries()) {
    const { hunk } = search;
    const { numbers } = hunk.hunk.header;
    if (numbers === undefined || !hintMatches(search, starts[at] ?? 0)) return insertion;
    if (newFirst(numbers) !== oldFirst(numbers) + shift || numbers.newCount !== hunk.newCount)
      return insertion;
    shift += growth(hunk);
  }
  return undefined;
}

/**
 * Where other hunks had to be moved in or out, a hunk between blank lines does not say how deep it goes; nor does one
 * without any indented line of the file say what its own indented lines begin with, where others have tabs for blanks.
 */
export function findUnknownIndent(base: BaseText, searches: readonly HunkSearch[]): HunkSearch | undefined {
  const moved = searches.filter((search) => search.tier === "shift");
  if (moved.length === 0) return undefined;
  const swaps = moved.some(
    ({ hunk, starts }) => "width" in (findShift(base, hunk.old, starts[0] ?? 0) ?? {}),
  );
  const isWord = (line: HunkLine) => !isBlankLine(line.text);
  const isIndented = (line: HunkLine) => isWord(line) && indentOf(line.text) !== "";
  return searches.find(
    ({ hunk }) =>
      (!hunk.old.some(isWord) && hunk.new.some(isWord)) ||
      (swaps && !hunk.old.some(isIndented) && hunk.new.some(isIndented)),
  );
}

/** Whether old and new numbers of each header belong together, or are simply the same. */
export function numbersAgree(hunks: readonly ShapedHunk[]): boolean {
  let shift = 0;
  for (const hunk of hunks) {
    const { numbers } = hunk.hunk.header;
    if (
      numbers !== undefined &&
      numbers.newStart !== numbers.oldStart &&
      newFirst(numbers) !== oldFirst(numbers) + shift
    ) {
      return false;
    }
    shift += growth(hunk);
  }
  return true;
}

/** Whether the header names the position that was found, if it names one. */
function hintMatches(search: HunkSearch, start: number): boolean {
  const hint = hintOf(search.hunk);
  return hint === undefined || search.tier === "aligned" || hint === start;
}

// Of a side without lines the header names the line before.
function oldFirst({ oldStart, oldCount }: HunkNumbers): number {
  return oldCount === 0 ? oldStart + 1 : oldStart;
}

function newFirst({ newStart, newCount }: HunkNumbers): number {
  return newCount === 0 ? newStart + 1 : newStart;
}
