import { isInside, SectionFinder } from "./anchors.js";
import { assignInOrder, type Candidate } from "./assign.js";
import type { BaseText } from "./base-text.js";
import type { Deadline } from "./deadline.js";
import { findLostContext } from "./doubts.js";
import type { ShapedHunk } from "./hunk.js";
import {
  type AlreadyThere,
  candidateOf,
  type Finding,
  hintOf,
  type Located,
  type Misfit,
  misfit,
  type Placement,
  placeAt,
} from "./placement.js";
import { PlaceFinder } from "./places.js";
import { dropRepeated, mergeRepeated } from "./repeats.js";
import { findApplied, findMended, findVerbatim } from "./search.js";
import { solve } from "./solve.js";
import { linesStandAt, standsAlready } from "./standing.js";

/**
 * Finds the one place of every hunk, all together.
 *
 * @returns every hunk placed; or that all of it stands there already; or the first hunk that has no place,
 *   or more than one. Where the deadline has passed the answer means nothing.
 */
export function locateHunks(
  base: BaseText,
  hunks: readonly ShapedHunk[],
  deadline: Deadline,
): Located | AlreadyThere | Misfit {
  const { kept, repeated } = dropRepeated(hunks);
  const located = locateByNumbers(base, kept) ?? locateByContent(base, kept, deadline);
  const doubt = located.kind === "located" ? findLostContext(base, located.placements) : undefined;
  if (doubt !== undefined) return doubt;
  return located.kind === "located"
    ? settleStanding(base, { ...located, repeated: [...repeated, ...located.repeated] })
    : located;
}

function locateByContent(
  base: BaseText,
  hunks: readonly ShapedHunk[],
  deadline: Deadline,
): Located | AlreadyThere | Misfit {
  const finder = new PlaceFinder(base, deadline);
  const verbatim = hunks.map((hunk) => findVerbatim(base, hunk, finder, deadline));
  const applied = findApplied(base, verbatim, finder);
  if (applied !== undefined) return applied;
  const findings = verbatim.map((finding) => findMended(base, finding, finder, deadline));
  if (finder.overflowed) {
    const widest = findings.reduce((one, other) => (other.starts.length > one.starts.length ? other : one));
    return misfit("ambiguous", widest, findings, widest.starts);
  }
  const { kept, repeated, unclear } = mergeRepeated(findings);
  if (unclear !== undefined) return misfit("ambiguous", unclear, findings, unclear.starts);
  const problem = findProblem(kept);
  if (problem !== undefined) return { ...problem, findings };
  const solved = solve(base, kept);
  return solved.kind === "misfit" ? { ...solved, findings } : { ...solved, repeated };
}

/** The quick way, mostly without any index: all hunks stand exactly where their headers say, in order. */
function locateByNumbers(base: BaseText, hunks: readonly ShapedHunk[]): Located | undefined {
  const placements: Placement[] = [];
  const candidates: Candidate[] = [];
  const finder = new SectionFinder(base);
  for (const hunk of hunks) {
    const hint = hintOf(hunk);
    if (hint === undefined || hunk.old.length === 0 || !linesStandAt(base, hunk.old, hint)) return undefined;
    const sections = finder.find(hunk.hunk.header.anchors);
    if (sections.length > 0 && !isInside(sections, hint)) return undefined;
    candidates.push(candidateOf(hunk, [hint]));
    const finding = { hunk, tier: "exact", starts: [hint], alignment: undefined, applied: [] } as const;
    placements.push(placeAt(base, finding, hint));
  }
  return assignInOrder(candidates) === undefined
    ? undefined
    : { kind: "located", placements, outOfOrder: false, repeated: [] };
}

/** The first hunk that cannot be placed whatever the others do. */
function findProblem(findings: readonly Finding[]): Misfit | undefined {
  for (const finding of findings) {
    const { hunk, starts, applied, tier, alignment } = finding;
    if (applied.length > 0) return misfit("already", finding, findings, applied);
    if (starts.length === 0 && hunk.old.length === 0) return misfit("no_anchor", finding, findings, []);
    if (starts.length === 0) return misfit("not_found", finding, findings, []);
    if (tier === "aligned" && alignment === undefined)
      return misfit("insertion_open", finding, findings, starts);
  }
  return undefined;
}

/** A pure insertion at the edge of its context whose text is there already is not inserted again. */
function settleStanding(base: BaseText, located: Located): Located | AlreadyThere | Misfit {
  const standing = located.placements.map((placement) =>
    standsAlready.at(base, placement.hunk, placement.start),
  );
  if (standing.every((start) => start === undefined)) return located;
  if (standing.every((start) => start !== undefined)) return { kind: "already", starts: standing };
  const findings = located.placements.map(({ hunk, tier, start, alignment }, at): Finding => {
    const there = standing[at];
    return { hunk, tier, starts: [start], alignment, applied: there === undefined ? [] : [there] };
  });
  const finding = findings.find((one) => one.applied.length > 0);
  return finding === undefined ? located : misfit("already", finding, findings, finding.applied);
}
