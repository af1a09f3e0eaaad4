import { isInside, SectionFinder } from "./anchors.js";
import { assignInOrder, type Candidate, findCollision, holds } from "./assign.js";
import type { BaseText } from "./base-text.js";
import { findGapDoubt, findIndentDoubt, hintHolds, numbersAgree } from "./doubts.js";
import {
  candidateOf,
  type Finding,
  hintOf,
  type Located,
  type Misfit,
  misfit,
  placeAt,
} from "./placement.js";

/** Places hunks together that each have a place: uniquely, or not at all. */
export function solve(base: BaseText, findings: readonly Finding[]): Located | Misfit {
  if (areSingle(findings))
    return settle(
      base,
      findings,
      findings.map(({ starts }) => starts[0] ?? 0),
    );
  const all = findings.map((finding) => candidateOf(finding.hunk, finding.starts, finding.alignment));
  const assigned = assignInOrder(all);
  if (assigned === undefined) return solveOutOfOrder(base, findings, all);
  let starts = assigned.earliest;
  let open = starts.findIndex((start, at) => start !== assigned.latest[at]);
  if (open >= 0) {
    const narrowed = assignInOrder(narrow(base, findings, all, assigned.earliest, assigned.latest));
    open =
      narrowed === undefined
        ? open
        : narrowed.earliest.findIndex((start, at) => start !== narrowed.latest[at]);
    starts = narrowed?.earliest ?? starts;
  }
  const unclear = findings[open];
  if (unclear !== undefined) return misfit("ambiguous", unclear, findings, unclear.starts);
  const against = findings.find((finding, at) => contradicts(finding, starts[at] ?? 0));
  if (against !== undefined) return misfit("ambiguous", against, findings, against.starts);
  return settle(base, findings, starts);
}

/** Whether each hunk has one place only, all of them in order: the usual case, which needs no search. */
function areSingle(findings: readonly Finding[]): boolean {
  let from = 0;
  let gapAt = -1;
  for (const { hunk, starts, alignment } of findings) {
    const start = starts[0];
    if (starts.length !== 1 || start === undefined || alignment !== undefined) return false;
    const isGap = hunk.coreFrom === hunk.coreTo;
    if (start + hunk.coreFrom < from || (isGap && gapAt === start + hunk.coreFrom)) return false;
    from = start + hunk.coreTo;
    gapAt = isGap ? from : -1;
  }
  return true;
}

/** The hunks at the places that were found to be theirs, unless something speaks against them. */
function settle(base: BaseText, findings: readonly Finding[], starts: readonly number[]): Located | Misfit {
  const doubtful = findGapDoubt(findings, starts);
  if (doubtful !== undefined) return misfit("numbers_contradict", doubtful, findings, doubtful.starts);
  const shallow = findIndentDoubt(findings);
  if (shallow !== undefined) return misfit("indent_unknown", shallow, findings, shallow.starts);
  const placements = findings.map((finding, at) => placeAt(base, finding, starts[at] ?? 0));
  return { kind: "located", placements, outOfOrder: false, repeated: [], standing: [] };
}

/** Ties broken by an exact line number or by the anchor of the header; never by one against the other. */
function narrow(
  base: BaseText,
  findings: readonly Finding[],
  candidates: readonly Candidate[],
  earliest: readonly number[],
  latest: readonly number[],
): readonly Candidate[] {
  const isTied = (at: number) => earliest[at] !== latest[at];
  // Numbers that are wrong where it can be checked are no witnesses where it cannot.
  const reliable =
    numbersAgree(findings.map(({ hunk }) => hunk)) &&
    findings.every((finding, at) => isTied(at) || hintHolds(finding, earliest[at] ?? 0));
  const finder = new SectionFinder(base);
  return candidates.map((candidate, at) => {
    const finding = findings[at];
    if (finding === undefined || !isTied(at)) return candidate;
    const sections = finder.find(finding.hunk.hunk.header.anchors);
    const inside = Array.from(sections.length > 0 ? candidate.starts : []).filter((start) =>
      isInside(sections, start),
    );
    const hint = hintOf(finding.hunk);
    const named = hint !== undefined && holds(candidate.starts, hint) ? hint : undefined;
    const last = base.count - finding.hunk.oldCount;
    if (finding.hunk.hunk.atEnd && holds(candidate.starts, last)) return { ...candidate, starts: [last] };
    if (inside.length > 0 && named !== undefined && !inside.includes(named)) return candidate;
    if (named !== undefined && reliable) return { ...candidate, starts: [named] };
    return inside.length > 0 ? { ...candidate, starts: inside } : candidate;
  });
}

/** The number names one copy, the order of the hunks leaves only another: two witnesses that disagree. */
function contradicts(finding: Finding, start: number): boolean {
  const hint = hintOf(finding.hunk);
  return hint !== undefined && hint !== start && holds(finding.starts, hint);
}

function solveOutOfOrder(
  base: BaseText,
  findings: readonly Finding[],
  candidates: readonly Candidate[],
): Located | Misfit {
  const several = findings.find((finding) => finding.starts.length > 1);
  if (several !== undefined) return misfit("ambiguous", several, findings, several.starts);
  const mended = findings.find((finding) => finding.tier === "aligned");
  if (mended !== undefined) return misfit("disorder", mended, findings, mended.starts);
  const starts = findings.map((finding) => finding.starts[0] ?? 0);
  const colliding = findings[findCollision(candidates, starts) ?? -1];
  if (colliding !== undefined) return misfit("overlap", colliding, findings, colliding.starts);
  const gap = findings.find(({ hunk }) => hunk.oldCount === 0 && hunk.hunk.header.numbers !== undefined);
  if (gap !== undefined) return misfit("numbers_contradict", gap, findings, gap.starts);
  const shallow = findIndentDoubt(findings);
  if (shallow !== undefined) return misfit("indent_unknown", shallow, findings, shallow.starts);
  const placements = findings.map((finding, at) => placeAt(base, finding, starts[at] ?? 0));
  return { kind: "located", placements, outOfOrder: true, repeated: [], standing: [] };
}
