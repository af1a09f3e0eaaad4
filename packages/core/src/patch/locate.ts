import { isInside, SectionFinder } from "./anchors.js";
import { holds } from "./assign.js";
import type { BaseText } from "./base-text.js";
import type { Deadline } from "./deadline.js";
import { numbersAgree } from "./doubts.js";
import { growth, type ShapedHunk } from "./hunk.js";
import { findShift } from "./indent.js";
import { findLostContext } from "./lost-context.js";
import {
  type AlreadyThere,
  type Finding,
  hintOf,
  type Located,
  type Misfit,
  misfit,
  type Placement,
  placeVerbatim,
  type StandingHunk,
} from "./placement.js";
import { PlaceFinder, spellWithPrefix } from "./places.js";
import { dropRepeated, mergeRepeated } from "./repeats.js";
import { findApplied, findMended, findVerbatim } from "./search.js";
import { solve } from "./solve.js";
import { AddedLines, standsAlready, standsAt } from "./standing.js";

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
  expectLines(base, hunks);
  const finder = new PlaceFinder(base, deadline);
  const verbatim = hunks.map((hunk) => findVerbatim(base, hunk, finder, deadline));
  const added = new AddedLines(hunks);
  base.expect(verbatim.flatMap(({ hunk, starts }) => (starts.length > 0 ? [] : spellWithPrefix(hunk.old))));
  const applied = findApplied(base, verbatim, finder, added);
  if (applied !== undefined) return applied;
  const findings = verbatim.map((finding) => findMended(base, finding, finder, added, deadline));
  if (finder.overflowed) {
    const widest = findings.reduce((one, other) => (other.starts.length > one.starts.length ? other : one));
    return misfit("ambiguous", widest, findings, widest.starts);
  }
  const { kept, repeated, unclear } = mergeRepeated(findings);
  if (unclear !== undefined) return misfit("ambiguous", unclear, findings, unclear.starts);
  const { open, standing } = setStandingAside(kept);
  const problem = findProblem(open) ?? findMovedCopy(base, open, finder);
  if (problem !== undefined) return { ...problem, findings };
  const solved = solve(base, open);
  return solved.kind === "misfit" ? { ...solved, findings } : { ...solved, repeated, standing };
}

/**
 * Where one hunk of a diff has to be moved in or out, another that stands somewhere as it is may be meant for
 * the place where it stands if it is moved, too.
 */
function findMovedCopy(
  base: BaseText,
  findings: readonly Finding[],
  finder: PlaceFinder,
): Misfit | undefined {
  const moved = findings.find(({ tier }) => tier === "shift");
  const shift = moved && findShift(base, moved.hunk.old, moved.starts[0] ?? 0);
  if (shift === undefined) return undefined;
  for (const finding of findings) {
    if (finding.tier !== "exact" && finding.tier !== "trailing") continue;
    const copies = finder.findMoved(finding.hunk.old, shift);
    if (copies.length > 0)
      return misfit(
        "ambiguous",
        finding,
        findings,
        [...Array.from(finding.starts), ...copies].sort((a, b) => a - b),
      );
  }
  return undefined;
}

/**
 * Some hunks of a diff may have been applied before. They are left out if the numbers of all hunks bear it out:
 * each stands where its number says, counted with those before it that were applied. Without that, a hunk whose
 * context another one has changed could be found elsewhere.
 */
function setStandingAside(findings: readonly Finding[]): {
  readonly open: readonly Finding[];
  readonly standing: readonly StandingHunk[];
} {
  const open: Finding[] = [];
  const standing: StandingHunk[] = [];
  const asTheyAre = { open: findings, standing: [] };
  let shift = 0;
  for (const finding of findings) {
    const { hunk, starts, applied, possible = [], tier } = finding;
    const hint = hintOf(hunk);
    if (hint === undefined || hunk.oldCount === 0) return asTheyAre;
    const start = hint + shift;
    if (starts.length > 0) {
      if (starts.length > 1 || starts[0] !== start || tier === "aligned") return asTheyAre;
      open.push(finding);
    } else {
      if (!holds(applied, start) && !holds(possible, start)) return asTheyAre;
      standing.push({ hunk: hunk.hunk.number, start });
      shift += growth(hunk);
    }
  }
  return open.length > 0 ? { open, standing } : asTheyAre;
}

/** Tells the base all the texts that it will be asked for. */
function expectLines(base: BaseText, hunks: readonly ShapedHunk[]): void {
  let length = 0;
  for (const { hunk } of hunks) length += hunk.header.anchors.length + hunk.count;
  base.expect({
    length,
    *[Symbol.iterator]() {
      for (const { hunk } of hunks) {
        yield* hunk.header.anchors;
        for (let at = 0; at < hunk.count; at++) yield hunk.textOf(at);
      }
    },
  });
}

/** The quick way, mostly without any index: all hunks stand exactly where their headers say, in order. */
function locateByNumbers(base: BaseText, hunks: readonly ShapedHunk[]): Located | undefined {
  if (!numbersAgree(hunks)) return undefined;
  const placements: Placement[] = [];
  const finder = new SectionFinder(base);
  let from = 0;
  let gapAt = -1;
  for (const hunk of hunks) {
    const hint = hintOf(hunk);
    if (hint === undefined || hunk.oldCount === 0 || !standsAt(base, hunk, hint)) return undefined;
    const sections = finder.find(hunk.hunk.header.anchors);
    if (sections.length > 0 && !isInside(sections, hint)) return undefined;
    const { coreFrom, coreTo } = hunk;
    const isGap = coreFrom === coreTo;
    // Two insertions at one point have no order that the file could show.
    if (hint + coreFrom < from || (isGap && hint + coreFrom === gapAt)) return undefined;
    from = hint + coreTo;
    gapAt = isGap ? from : -1;
    placements.push(placeVerbatim(base, hunk, "exact", hint));
  }
  return { kind: "located", placements, outOfOrder: false, repeated: [], standing: [] };
}

/** The first hunk that cannot be placed whatever the others do. */
function findProblem(findings: readonly Finding[]): Misfit | undefined {
  for (const finding of findings) {
    const { hunk, starts, applied, tier, alignment } = finding;
    if (applied.length > 0) return misfit("already", finding, findings, applied);
    if (starts.length === 0 && hunk.oldCount === 0) return misfit("no_anchor", finding, findings, []);
    if (starts.length === 0) return misfit("not_found", finding, findings, []);
    if (tier === "aligned" && alignment === undefined)
      return misfit(
        finding.isOpen === true ? "insertion_open" : "mended_ambiguous",
        finding,
        findings,
        starts,
      );
  }
  return undefined;
}

/** A pure insertion at the edge of its context whose text is there already is not inserted again. */
function settleStanding(base: BaseText, located: Located): Located | AlreadyThere | Misfit {
  const isThere = ({ hunk, start }: Placement) => standsAlready.at(base, hunk, start) !== undefined;
  if (!located.placements.some(isThere)) return located;
  const standing = located.placements.map(({ hunk, start }) => standsAlready.at(base, hunk, start));
  if (standing.every((start) => start !== undefined)) return { kind: "already", starts: standing };
  const findings = located.placements.map(({ hunk, tier, start, alignment }, at): Finding => {
    const there = standing[at];
    return { hunk, tier, starts: [start], alignment, applied: there === undefined ? [] : [there] };
  });
  const finding = findings.find((one) => one.applied.length > 0);
  return finding === undefined ? located : misfit("already", finding, findings, finding.applied);
}
