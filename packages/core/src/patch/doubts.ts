import { growth, type HunkLine, type HunkNumbers, type ShapedHunk } from "./hunk.js";
import { isBlankLine } from "./line-key.js";
import { type Finding, hintOf } from "./placement.js";

/** A pure insertion that only a number places: all numbers of the diff must agree and bear it out. */
export function findGapDoubt(findings: readonly Finding[], starts: readonly number[]): Finding | undefined {
  const gap = findings.find(
    ({ hunk, starts: places }) =>
      hunk.oldCount === 0 && hunk.hunk.header.numbers !== undefined && places[0] !== 0,
  );
  if (gap === undefined) return undefined;
  let shift = 0;
  for (const [at, finding] of findings.entries()) {
    const { hunk } = finding;
    const { numbers } = hunk.hunk.header;
    if (numbers === undefined || !hintHolds(finding, starts[at] ?? 0)) return gap;
    if (newFirst(numbers) !== oldFirst(numbers) + shift || numbers.newCount !== hunk.newCount) return gap;
    shift += growth(hunk);
  }
  return undefined;
}

/** Where other hunks had to be moved in or out, a hunk between blank lines does not say how deep it goes. */
export function findIndentDoubt(findings: readonly Finding[]): Finding | undefined {
  if (!findings.some((finding) => finding.tier === "shift")) return undefined;
  const says = (line: HunkLine) => !isBlankLine(line.text);
  return findings.find(({ hunk }) => !hunk.old.some(says) && hunk.new.some(says));
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

/** Whether the header names the place that was found, if it names one. */
export function hintHolds(finding: Finding, start: number): boolean {
  const hint = hintOf(finding.hunk);
  return hint === undefined || finding.tier === "aligned" || hint === start;
}

// Of a side without lines the header names the line before.
function oldFirst({ oldStart, oldCount }: HunkNumbers): number {
  return oldCount === 0 ? oldStart + 1 : oldStart;
}

function newFirst({ newStart, newCount }: HunkNumbers): number {
  return newCount === 0 ? newStart + 1 : newStart;
}
