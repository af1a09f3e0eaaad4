import type { BaseText } from "./base-text.js";
import type { LineRange } from "./change.js";
import { differsInEndings, type Edit } from "./correct.js";
import { count } from "./excerpt.js";
import { growth } from "./hunk.js";
import { describeShift } from "./indent.js";
import { hintOf, type Located, type Placement } from "./placement.js";
import type { LandedHunk, Repair, RepairKind } from "./types.js";

/** Where each hunk landed, in the order of the diff. */
export function describeLanding(placements: readonly Placement[]): readonly LandedHunk[] {
  const shifts = shiftsOf(placements);
  return placements.map((placement, at) => {
    const { hunk, start, end } = placement;
    const oldLines = end - start;
    const newLines = Math.max(0, oldLines + growth(hunk));
    const first = (lines: number, line: number) => (lines === 0 ? line : line + 1);
    const newAt = start + (shifts[at] ?? 0);
    return {
      hunk: hunk.hunk.number,
      oldStart: first(oldLines, start),
      oldLines,
      newStart: first(newLines, newAt),
      newLines,
    };
  });
}

/** By how many lines the hunks before each one, in the order of the file, move it. */
function shiftsOf(placements: readonly Placement[]): readonly number[] {
  const order = placements.map((_, at) => at);
  const placed = (at: number) => placements[at] ?? { start: 0, end: 0 };
  const compare = (one: number, other: number) =>
    placed(one).start - placed(other).start || placed(one).end - placed(other).end;
  if (order.some((at) => at > 0 && compare(at - 1, at) > 0)) order.sort(compare);
  const shifts = order.slice();
  let shift = 0;
  for (const at of order) {
    shifts[at] = shift;
    const placement = placements[at];
    if (placement !== undefined) shift += growth(placement.hunk);
  }
  return shifts;
}

/** The lines of the new text that edits put there; `to < from` marks a deletion before line `from`. */
export function toRanges(edits: readonly Edit[]): readonly LineRange[] {
  const ranges: { from: number; to: number }[] = [];
  let shift = 0;
  let lastEnd = -1;
  for (const edit of edits) {
    const from = edit.from + shift;
    const to = from + edit.lines.length;
    const touching = ranges.at(-1);
    if (touching !== undefined && edit.from === lastEnd) touching.to = to;
    else ranges.push({ from: from + 1, to });
    lastEnd = edit.to;
    shift += edit.lines.length - (edit.to - edit.from);
  }
  return ranges;
}

/** Everything that was put right on the way from the diff as written to the edits. */
export function describeRepairs(base: BaseText, located: Located): readonly Repair[] {
  const repairs: Repair[] = [];
  for (const placement of located.placements) noteRepairs(base, placement, repairs);
  for (const hunk of located.repeated) {
    repairs.push({ kind: "repeated_hunk", hunk, detail: "the same hunk again, counted once" });
  }
  for (const { hunk, start } of located.standing) {
    repairs.push({ kind: "applied_before", hunk, detail: `stands already at line ${start + 1}, left out` });
  }
  if (located.outOfOrder) repairs.push({ kind: "hunk_order", detail: "hunks put in the order of the file" });
  return repairs;
}

function noteRepairs(base: BaseText, placement: Placement, repairs: Repair[]): void {
  const { hunk, tier, start, shift, alignment } = placement;
  const { numbers } = hunk.hunk.header;
  const note = (kind: RepairKind, detail: string) => repairs.push({ kind, hunk: hunk.hunk.number, detail });
  const hint = hintOf(hunk);
  if (hint !== undefined && hint !== start && tier !== "aligned")
    note("line_number", `line ${hint + 1} → ${start + 1}`);
  if (numbers !== undefined && (numbers.oldCount !== hunk.oldCount || numbers.newCount !== hunk.newCount)) {
    const real = `-${hunk.oldCount} +${hunk.newCount}`;
    note("line_counts", `-${numbers.oldCount} +${numbers.newCount} → ${real}`);
  }
  if (tier === "trailing") note("trailing_whitespace", "the file's trailing blanks were kept");
  if (tier === "prefix") note("missing_prefix", "context lines without the space before them");
  if (tier === "punctuation") note("punctuation", "the file's own punctuation was kept in context lines");
  if (shift !== undefined) {
    note("indentation", describeShift(shift));
  }
  if (alignment !== undefined) {
    const lost = alignment.dropped.map((line) => JSON.stringify(line.text.trim().slice(0, 60)));
    const parts = [
      ...(lost.length > 0
        ? [`not in the file: ${lost.slice(0, 5).join(", ")}${lost.length > 5 ? ", …" : ""}`]
        : []),
      ...(alignment.skipped > 0
        ? [`${count(alignment.skipped, "line")} of the file left out of the context`]
        : []),
    ];
    note("context_mended", parts.join("; ") || "blank lines or their order differ");
  }
  if (differsInEndings(base, placement)) note("line_endings", "the file's line endings were kept");
}
