import { alignHunk } from "./align.js";
import { findAnchorGaps } from "./anchors.js";
import { assignInOrder, type Candidate, holds } from "./assign.js";
import type { BaseText } from "./base-text.js";
import type { Deadline } from "./deadline.js";
import { announcesMore, type HunkLine, type ShapedHunk } from "./hunk.js";
import { isBlankLine, levelled } from "./line-key.js";
import { type AlreadyThere, type Finding, hintOf } from "./placement.js";
import type { PlaceFinder, Tier } from "./places.js";
import {
  type AddedLines,
  claimsApplied,
  mayComeFrom,
  mustComeFrom,
  newCore,
  onlyRemoves,
  showsItself,
  standsAlready,
} from "./standing.js";

/** Places of the old side as it is; for lines without any context, the gaps they may go to. */
export function findVerbatim(
  base: BaseText,
  hunk: ShapedHunk,
  finder: PlaceFinder,
  deadline: Deadline,
): Finding {
  const found = (tier: Tier | undefined, starts: ArrayLike<number>): Finding => {
    return { hunk, tier, starts, alignment: undefined, applied: none };
  };
  if (deadline.passes()) return found(undefined, none);
  if (hunk.oldCount === 0) return found("exact", findGaps(base, hunk));
  const places = finder.findOldSide(hunk);
  if (places === undefined) return found(undefined, none);
  const hint = hintOf(hunk);
  // The number may name another copy that differs in trailing blanks only: two witnesses that disagree.
  if (
    places.tier === "exact" &&
    hint !== undefined &&
    !holds(places.starts, hint) &&
    looseAt(base, hunk, hint)
  )
    return found(
      "trailing",
      [...Array.from(places.starts), hint].sort((a, b) => a - b),
    );
  return found(places.tier, places.starts);
}

function looseAt(base: BaseText, { hunk, oldCount }: ShapedHunk, start: number): boolean {
  if (start < 0 || start + oldCount > base.count) return false;
  let place = start;
  for (let at = 0; at < hunk.count; at++) {
    if (hunk.kindOf(at) === "added") continue;
    if (levelled(hunk.textOf(at), "trailing") !== levelled(base.line(place), "trailing")) return false;
    place += 1;
  }
  return true;
}

/** Where added lines without any context may go: an empty file, an exact number, or below an anchor. */
function findGaps(base: BaseText, hunk: ShapedHunk): readonly number[] {
  if (base.count === 0) return [0];
  const { numbers, anchors } = hunk.hunk.header;
  if (hunk.hunk.atEnd) return [base.count];
  if (numbers === undefined) return findAnchorGaps(base, anchors);
  return numbers.oldCount === 0 && numbers.oldStart <= base.count ? [numbers.oldStart] : [];
}

/** Asked before placing: does the new text stand where the old should? */
export function findApplied(
  base: BaseText,
  findings: readonly Finding[],
  finder: PlaceFinder,
  added: AddedLines,
): AlreadyThere | undefined {
  const byNumbers = findings.map(({ hunk }) => claimsApplied(base, hunk));
  const proves = ({ hunk }: Finding) =>
    mustComeFrom(base, hunk, added) ||
    (onlyRemoves(hunk)
      ? findNewSide(base, hunk, finder, added).length > 0
      : standsAlready.isTelling(base, hunk, added));
  // One hunk that proves it vouches for the numbers of the others.
  if (byNumbers.every((start) => start !== undefined) && findings.some(proves))
    return { kind: "already", starts: byNumbers };
  if (findings.every((finding) => finding.starts.length > 0)) return undefined;
  const candidates: Candidate[] = [];
  for (const { hunk, starts } of findings) {
    if (starts.length > 0 && hunk.runs.some((run) => run.from !== run.to)) return undefined;
    candidates.push({ ...newCore(hunk), starts: findNewSide(base, hunk, finder, added) });
  }
  const assigned = assignInOrder(candidates);
  if (assigned === undefined || assigned.earliest.some((start, at) => start !== assigned.latest[at]))
    return undefined;
  return { kind: "already", starts: assigned.earliest };
}

/** Places of the new side that prove something. */
function findNewSide(
  base: BaseText,
  hunk: ShapedHunk,
  finder: PlaceFinder,
  added: AddedLines,
): ArrayLike<number> {
  if (announcesMore(hunk) || !standsAlready.isTelling(base, hunk, added)) return [];
  const starts = finder.findVerbatim(hunk.new)?.starts ?? [];
  const { numbers } = hunk.hunk.header;
  const weak = onlyRemoves(hunk);
  if (weak && (starts.length > 1 || (numbers === undefined && countFull(hunk.new) < 3))) return [];
  const lonely = !hunk.new.some((line) => line.kind === "context");
  if (numbers === undefined || !(weak || lonely || frameStands(base, hunk, numbers.oldStart - 1)))
    return starts;
  return [numbers.newStart - 1, numbers.oldStart - 1].filter(
    (at, n, all) => all.indexOf(at) === n && holds(starts, at),
  );
}

/** Whether all context stands where the number says: then what is to be removed there may only be misquoted. */
function frameStands(base: BaseText, { old }: ShapedHunk, start: number): boolean {
  return old.every((line, at) => line.kind !== "context" || base.line(start + at) === line.text);
}

function countFull(lines: readonly HunkLine[]): number {
  return lines.filter((line) => !isBlankLine(line.text)).length;
}

/** Looks further for a hunk that stands nowhere as it is. */
export function findMended(
  base: BaseText,
  finding: Finding,
  finder: PlaceFinder,
  added: AddedLines,
  deadline: Deadline,
): Finding {
  if (finding.starts.length > 0 || finding.hunk.oldCount === 0 || deadline.late()) return finding;
  const { hunk } = finding;
  const applied = findNewSide(base, hunk, finder, added);
  const places = finder.findMended(hunk);
  if (places !== undefined) return { ...finding, tier: places.tier, starts: places.starts, applied };
  if (applied.length > 0) return { ...finding, applied };
  // If the new lines stand there, it may also be that the hunk was applied: no proof that it is damaged.
  const fresh = finder.findVerbatim(hunk.new);
  if (fresh !== undefined) {
    const proves = mayComeFrom(base, hunk) || mustComeFrom(base, hunk, added);
    const words = showsItself(hunk) ? { fresh: fresh.starts } : {};
    return { ...finding, ...words, ...(proves ? { possible: fresh.starts } : {}) };
  }
  const outcome = alignHunk(base, hunk, deadline);
  switch (outcome.kind) {
    case "aligned": {
      const { alignment } = outcome;
      return { ...finding, tier: "aligned", starts: [alignment.runStarts[0] ?? 0], alignment };
    }
    case "several":
      return { ...finding, tier: "aligned", starts: outcome.places };
    case "open":
      return { ...finding, tier: "aligned", starts: outcome.places, isOpen: true };
    case "none":
      return finding;
    default:
      return outcome satisfies never;
  }
}

const none: readonly number[] = [];
