import type { BaseText } from "./base-text.js";
import { announcesMore, growth, type HunkLine, type HunkNumbers, type ShapedHunk } from "./hunk.js";
import { isBlankLine } from "./line-key.js";
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

/**
 * Where the counts of a header agree with each other but not with its lines, context was lost on the way.
 * An insertion at the edge of such a hunk may have had it beside itself, if an end of the file is that near;
 * and what is left may stand in another way as well, with the lost lines between.
 */
export function findLostContext(base: BaseText, placements: readonly Placement[]): Misfit | undefined {
  const lost = placements.find(({ hunk, start, end, alignment }) => {
    const { numbers } = hunk.hunk.header;
    if (numbers === undefined || !announcesMore(hunk)) return false;
    const lines = numbers.oldCount - hunk.old.length;
    const [first] = hunk.runs;
    const last = hunk.runs.at(-1);
    const opens = first !== undefined && first.to === 0 && start > 0 && start <= lines;
    const closes = last?.from === hunk.old.length && end < base.count && base.count - end <= lines;
    return opens || closes || (alignment === undefined && slides(base, hunk, start, lines));
  });
  if (lost === undefined) return undefined;
  const findings = placements.map(({ hunk, tier, start, alignment }): Finding => {
    return { hunk, tier, starts: [start], alignment, applied: [] };
  });
  const finding = findings[placements.indexOf(lost)];
  return finding === undefined ? undefined : misfit("context_lost", finding, findings, finding.starts);
}

/**
 * Whether what is changed could as well be lines next to it, alike ones, with at most `lost` lines of the
 * file between the hunk's.
 */
function slides(base: BaseText, hunk: ShapedHunk, start: number, lost: number): boolean {
  const index = base.index("trailing");
  const ids = hunk.old.map((line) => index.idOf(line.text));
  for (let by = 1; by <= lost; by++) {
    const later = embed(index.ids, ids.toReversed(), start + ids.length - 1 + by, -1, ids.length + lost);
    const earlier = embed(index.ids, ids, start - by, 1, ids.length + lost);
    if (later !== undefined && movesRun(hunk, later.toReversed(), start)) return true;
    if (earlier !== undefined && movesRun(hunk, earlier, start)) return true;
  }
  return false;
}

/** The places of the lines if the first stands at `from` and each as soon after the one before as it can. */
function embed(
  base: Int32Array,
  ids: readonly number[],
  from: number,
  step: 1 | -1,
  span: number,
): readonly number[] | undefined {
  if (base[from] !== ids[0]) return undefined;
  const places: number[] = [];
  let at = from;
  for (const id of ids) {
    while (base[at] !== id) {
      at += step;
      if (at < 0 || at >= base.length || Math.abs(at - from) >= span) return undefined;
    }
    places.push(at);
    at += step;
  }
  return Math.abs(at - from) <= span ? places : undefined;
}

function movesRun({ old, runs }: ShapedHunk, places: readonly number[], start: number): boolean {
  const stays = (at: number) => at >= 0 && at < old.length && places[at] === start + at;
  return runs.some(({ from, to }) =>
    from === to ? !stays(from - 1) && !stays(from) : !old.slice(from, to).every((_, n) => stays(from + n)),
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
