import { type Alignment, alignHunk } from "./align.js";
import { findAnchorGaps, findSections } from "./anchors.js";
import { assignInOrder, type Candidate, findCollision, holds } from "./assign.js";
import { type BaseText, isBlankLine } from "./base-text.js";
import type { Deadline } from "./deadline.js";
import { growth, type HunkLine, type HunkNumbers, type ShapedHunk } from "./hunk.js";
import { findShift, PlaceFinder, type Shift, type Tier } from "./places.js";
import { claimsApplied, linesStandAt, newCore, standsAlready } from "./standing.js";

/** A hunk at its one place. */
export interface Placement {
  readonly hunk: ShapedHunk;
  readonly tier: Tier;
  /** 0-based first line of the old side, and the line after its last. */
  readonly start: number;
  readonly end: number;
  /** 0-based line at which each run of changes begins. */
  readonly runStarts: readonly number[];
  readonly shift: Shift | undefined;
  readonly alignment: Alignment | undefined;
}

/** What was found out about one hunk; the material of a refusal. */
export interface Finding {
  readonly hunk: ShapedHunk;
  readonly tier: Tier | undefined;
  /** 0-based first lines of the old side. */
  readonly starts: ArrayLike<number>;
  readonly alignment: Alignment | undefined;
  /** 0-based first lines of the new side, where the old side stands nowhere. */
  readonly applied: ArrayLike<number>;
}

export type Problem =
  | "not_found"
  | "ambiguous"
  | "insertion_open"
  | "no_anchor"
  | "overlap"
  | "already"
  | "numbers_contradict"
  | "indent_unknown"
  | "context_lost";

export interface Misfit {
  readonly kind: "misfit";
  readonly problem: Problem;
  /** The hunk in question. */
  readonly finding: Finding;
  /** 0-based lines, for the ambiguous ones. */
  readonly places: ArrayLike<number>;
  readonly findings: readonly Finding[];
}

export interface Located {
  readonly kind: "located";
  /** In the order of the diff. */
  readonly placements: readonly Placement[];
  readonly outOfOrder: boolean;
  /** Numbers of hunks that repeat another one and were counted once. */
  readonly repeated: readonly number[];
}

export interface AlreadyThere {
  readonly kind: "already";
  /** 0-based first lines of the new side of each hunk, in the order of the diff. */
  readonly starts: readonly number[];
}

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

/** The quick way, without any index: all hunks stand exactly where their numbers say, in order. */
function locateByNumbers(base: BaseText, hunks: readonly ShapedHunk[]): Located | undefined {
  const placements: Placement[] = [];
  const candidates: Candidate[] = [];
  for (const hunk of hunks) {
    const hint = hintOf(hunk);
    if (hint === undefined || hunk.old.length === 0 || !linesStandAt(base, hunk.old, hint)) return undefined;
    candidates.push(candidateOf(hunk, [hint]));
    placements.push(
      placeAt(base, { hunk, tier: "exact", starts: [hint], alignment: undefined, applied: [] }, hint),
    );
  }
  return assignInOrder(candidates) === undefined
    ? undefined
    : { kind: "located", placements, outOfOrder: false, repeated: [] };
}

/** The 0-based line that the header names, if it names one. */
export function hintOf(hunk: ShapedHunk): number | undefined {
  const { numbers } = hunk.hunk.header;
  if (numbers === undefined) return undefined;
  return hunk.old.length === 0 ? numbers.oldStart : numbers.oldStart - 1;
}

function findVerbatim(base: BaseText, hunk: ShapedHunk, finder: PlaceFinder, deadline: Deadline): Finding {
  const nothing = { hunk, tier: undefined, starts: [], alignment: undefined, applied: [] };
  if (deadline.late()) return nothing;
  if (hunk.old.length === 0) return { ...nothing, tier: "exact", starts: findGaps(base, hunk) };
  const places = finder.findVerbatim(hunk.old);
  if (places !== undefined) return { ...nothing, tier: places.tier, starts: places.starts };
  return nothing;
}

/** Where added lines without any context may go: an empty file, an exact number, or below an anchor. */
function findGaps(base: BaseText, hunk: ShapedHunk): readonly number[] {
  if (base.count === 0) return [0];
  const { numbers, anchors } = hunk.hunk.header;
  if (numbers === undefined) return findAnchorGaps(base, anchors);
  return numbers.oldCount === 0 && numbers.oldStart <= base.count ? [numbers.oldStart] : [];
}

/** Asked before placing: does the new text stand where the old should? */
function findApplied(
  base: BaseText,
  findings: readonly Finding[],
  finder: PlaceFinder,
): AlreadyThere | undefined {
  const byNumbers = findings.map(({ hunk }) => claimsApplied(base, hunk));
  if (byNumbers.every((start) => start !== undefined)) return { kind: "already", starts: byNumbers };
  if (findings.every((finding) => finding.starts.length > 0)) return undefined;
  const candidates: Candidate[] = [];
  for (const { hunk, starts } of findings) {
    const insertion = hunk.runs.every((run) => run.from === run.to);
    if (starts.length > 0 && !insertion) return undefined;
    candidates.push({ ...newCore(hunk), starts: findNewSide(base, hunk, finder) });
  }
  const assigned = assignInOrder(candidates);
  if (assigned === undefined || assigned.earliest.some((start, at) => start !== assigned.latest[at]))
    return undefined;
  return { kind: "already", starts: assigned.earliest };
}

/** Places of the new side that prove something. */
function findNewSide(base: BaseText, hunk: ShapedHunk, finder: PlaceFinder): ArrayLike<number> {
  if (!standsAlready.isTelling(base, hunk)) return [];
  const starts = finder.findVerbatim(hunk.new)?.starts ?? [];
  const { numbers } = hunk.hunk.header;
  if (numbers === undefined || hunk.new.some((line) => line.kind === "context")) return starts;
  return [numbers.newStart - 1, numbers.oldStart - 1].filter(
    (at, n, all) => all.indexOf(at) === n && holds(starts, at),
  );
}

function findMended(base: BaseText, finding: Finding, finder: PlaceFinder, deadline: Deadline): Finding {
  if (finding.starts.length > 0 || finding.hunk.old.length === 0 || deadline.late()) return finding;
  const { hunk } = finding;
  const applied = findNewSide(base, hunk, finder);
  const places = finder.findMended(hunk);
  if (places !== undefined) return { ...finding, tier: places.tier, starts: places.starts, applied };
  if (applied.length > 0) return { ...finding, applied };
  const outcome = alignHunk(base, hunk, deadline);
  switch (outcome.kind) {
    case "aligned": {
      const { alignment } = outcome;
      return { ...finding, tier: "aligned", starts: [alignment.runStarts[0] ?? 0], alignment };
    }
    case "several":
      return { ...finding, tier: "aligned", starts: outcome.places };
    case "none":
      return finding;
    default:
      return outcome satisfies never;
  }
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

/** A numbered hunk repeated to the letter, header included, is one change written twice. */
function dropRepeated(hunks: readonly ShapedHunk[]): {
  readonly kept: readonly ShapedHunk[];
  readonly repeated: readonly number[];
} {
  const seen = new Set<string>();
  const repeated: number[] = [];
  const kept = hunks.filter((hunk) => {
    if (hunk.hunk.header.numbers === undefined) return true;
    const letters = spell(hunk);
    const isNew = !seen.has(letters);
    seen.add(letters);
    if (!isNew) repeated.push(hunk.hunk.number);
    return isNew;
  });
  return { kept, repeated };
}

interface Merged {
  readonly kept: readonly Finding[];
  readonly repeated: readonly number[];
  readonly unclear: Finding | undefined;
}

/** The same without numbers: as many places as copies means all of them, one place means once. */
function mergeRepeated(findings: readonly Finding[]): Merged {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    if (finding.hunk.hunk.header.numbers !== undefined) continue;
    const letters = spell(finding.hunk);
    const group = groups.get(letters);
    if (group === undefined) groups.set(letters, [finding]);
    else group.push(finding);
  }
  const left = new Set<Finding>();
  for (const group of groups.values()) {
    const [first, ...others] = group;
    if (first === undefined || others.length === 0 || first.starts.length === group.length) continue;
    if (first.starts.length > 1) return { kept: findings, repeated: [], unclear: first };
    for (const other of others) left.add(other);
  }
  const repeated = [...left].map((finding) => finding.hunk.hunk.number);
  return { kept: findings.filter((finding) => !left.has(finding)), repeated, unclear: undefined };
}

function spell({ hunk }: ShapedHunk): string {
  return [hunk.header.raw, ...hunk.lines.map((line) => `${line.kind}:${line.text}`)].join("\n");
}

function solve(base: BaseText, findings: readonly Finding[]): Located | Misfit {
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
  const doubtful = findGapDoubt(findings, starts);
  if (doubtful !== undefined) return misfit("numbers_contradict", doubtful, findings, doubtful.starts);
  const shallow = findIndentDoubt(findings);
  if (shallow !== undefined) return misfit("indent_unknown", shallow, findings, shallow.starts);
  const placements = findings.map((finding, at) => placeAt(base, finding, starts[at] ?? 0));
  return { kind: "located", placements, outOfOrder: false, repeated: [] };
}

/** The number names one copy, the order of the hunks leaves only another: two witnesses that disagree. */
function contradicts(finding: Finding, start: number): boolean {
  const hint = hintOf(finding.hunk);
  return hint !== undefined && hint !== start && holds(finding.starts, hint);
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
    numbersAgree(findings) &&
    findings.every((finding, at) => isTied(at) || hintHolds(finding, earliest[at] ?? 0));
  return candidates.map((candidate, at) => {
    const finding = findings[at];
    if (finding === undefined || !isTied(at)) return candidate;
    const sections = findSections(base, finding.hunk.hunk.header.anchors);
    const inside = Array.from(sections.length > 0 ? candidate.starts : []).filter((start) =>
      sections.some((section) => start >= section.from && start < section.to),
    );
    const hint = hintOf(finding.hunk);
    const named = hint !== undefined && holds(candidate.starts, hint) ? hint : undefined;
    if (inside.length > 0 && named !== undefined && !inside.includes(named)) return candidate;
    if (named !== undefined && reliable) return { ...candidate, starts: [named] };
    return inside.length > 0 ? { ...candidate, starts: inside } : candidate;
  });
}

/** Whether old and new numbers of each header belong together, or are simply the same. */
function numbersAgree(findings: readonly Finding[]): boolean {
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

// Of a side without lines the header names the line before.
function oldFirst({ oldStart, oldCount }: HunkNumbers): number {
  return oldCount === 0 ? oldStart + 1 : oldStart;
}

function newFirst({ newStart, newCount }: HunkNumbers): number {
  return newCount === 0 ? newStart + 1 : newStart;
}

function hintHolds(finding: Finding, start: number): boolean {
  const hint = hintOf(finding.hunk);
  return hint === undefined || finding.tier === "aligned" || hint === start;
}

/** A pure insertion that only a number places: all numbers of the diff must agree and bear it out. */
function findGapDoubt(findings: readonly Finding[], starts: readonly number[]): Finding | undefined {
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
function findIndentDoubt(findings: readonly Finding[]): Finding | undefined {
  if (!findings.some((finding) => finding.tier === "shift")) return undefined;
  const says = (line: HunkLine) => !isBlankLine(line.text);
  return findings.find(({ hunk }) => !hunk.old.some(says) && hunk.new.some(says));
}

function solveOutOfOrder(
  base: BaseText,
  findings: readonly Finding[],
  candidates: readonly Candidate[],
): Located | Misfit {
  const several = findings.find((finding) => finding.starts.length > 1);
  if (several !== undefined) return misfit("ambiguous", several, findings, several.starts);
  const starts = findings.map((finding) => finding.starts[0] ?? 0);
  const colliding = findings[findCollision(candidates, starts) ?? -1];
  if (colliding !== undefined) return misfit("overlap", colliding, findings, []);
  const gap = findings.find(({ hunk }) => hunk.old.length === 0 && hunk.hunk.header.numbers !== undefined);
  if (gap !== undefined) return misfit("numbers_contradict", gap, findings, gap.starts);
  const shallow = findIndentDoubt(findings);
  if (shallow !== undefined) return misfit("indent_unknown", shallow, findings, shallow.starts);
  const placements = findings.map((finding, at) => placeAt(base, finding, starts[at] ?? 0));
  return { kind: "located", placements, outOfOrder: true, repeated: [] };
}

/**
 * Where the counts of a header agree with each other but not with its lines, context was lost on the way.
 * An insertion at the edge of such a hunk, inside the file, may have had it beside itself.
 */
function findLostContext(base: BaseText, placements: readonly Placement[]): Misfit | undefined {
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

function candidateOf(hunk: ShapedHunk, starts: ArrayLike<number>, alignment?: Alignment): Candidate {
  const last = hunk.runs.at(-1);
  if (alignment === undefined)
    return { starts, coreFrom: hunk.runs[0]?.from ?? 0, coreTo: last?.to ?? hunk.old.length };
  const end = (alignment.runStarts.at(-1) ?? 0) + (last === undefined ? 0 : last.to - last.from);
  return { starts, coreFrom: 0, coreTo: end - (alignment.runStarts[0] ?? 0) };
}

function placeAt(base: BaseText, finding: Finding, start: number): Placement {
  const { hunk, tier = "exact", alignment } = finding;
  if (alignment !== undefined) {
    const last = hunk.runs.at(-1);
    const end = (alignment.runStarts.at(-1) ?? 0) + (last === undefined ? 0 : last.to - last.from);
    return { hunk, tier, start, end, runStarts: alignment.runStarts, shift: undefined, alignment };
  }
  const runStarts = hunk.runs.map((run) => start + run.from);
  const shift = tier === "shift" ? findShift(base, hunk.old, start) : undefined;
  return { hunk, tier, start, end: start + hunk.old.length, runStarts, shift, alignment };
}

function misfit(
  problem: Problem,
  finding: Finding,
  findings: readonly Finding[],
  places: ArrayLike<number>,
): Misfit {
  return { kind: "misfit", problem, finding, places, findings };
}
