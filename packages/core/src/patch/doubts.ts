import { type BaseText, isBlankLine } from "./base-text.js";
import { growth, type HunkLine, type HunkNumbers } from "./hunk.js";
import { type Finding, hintOf, type Misfit, misfit, type Placement } from "./placement.js";

/** A pure insertion that only a number places: all numbers of the diff must agree and bear it out. */
export function findGapDoubt(findings: readonly Finding[], starts: readonly number[]): Finding | undefined {
  const gap = findings.find(
    ({ hunk, starts: places }) =>
      hunk.old.length === 0 && hunk.hunk.header.numbers !== undefined && places[0] !== 0,
  );
  if (gap === undefined) return undefined;
  let shift = 0;
  for (const [at, finding] of findings.entries()) {
    const { hunk } = finding;
    const { numbers } = hunk.hunk.header;
    if (numbers === undefined || !hintHolds(finding, starts[at] ?? 0)) return gap;
    if (newFirst(numbers) !== oldFirst(numbers) + shift || numbers.newCount !== hunk.new.length) return gap;
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

/**
 * Where the counts of a header agree with each other but not with its lines, context was lost on the way.
 * An insertion at the edge of such a hunk, inside the file, may have had it beside itself.
 */
export function findLostContext(base: BaseText, placements: readonly Placement[]): Misfit | undefined {
  const lost = placements.find(({ hunk, start, end }) => {
    const { numbers } = hunk.hunk.header;
    if (numbers === undefined || numbers.newCount - numbers.oldCount !== growth(hunk)) return false;
    if (
      hunk.old.length === 0 ||
      numbers.oldCount <= hunk.old.length ||
      numbers.oldCount > hunk.old.length + 8
    )
      return false;
    const [first] = hunk.runs;
    const last = hunk.runs.at(-1);
    const opens = first !== undefined && first.to === 0 && start > 0;
    const closes = last !== undefined && last.from === hunk.old.length && end < base.count;
    return opens || closes;
  });
  if (lost === undefined) return undefined;
  const findings = placements.map(({ hunk, tier, start, alignment }): Finding => {
    return { hunk, tier, starts: [start], alignment, applied: [] };
  });
  const finding = findings[placements.indexOf(lost)];
  return finding === undefined ? undefined : misfit("context_lost", finding, findings, finding.starts);
}

/** Whether old and new numbers of each header belong together, or are simply the same. */
export function numbersAgree(findings: readonly Finding[]): boolean {
  let shift = 0;
  for (const { hunk } of findings) {
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
