import { clip, counted, escapeForDisplay, showText } from "../../text/index.js";
import type { Stretch } from "../locate/embed.js";
import { describeShift } from "../locate/indent.js";
import { compareEndings, hintOf, type Located, type Placement } from "../locate/matches.js";
import type { BaseText } from "../model/base-text.js";
import type { Edit } from "../model/edit.js";
import { growth, type HunkLine } from "../model/hunk.js";
import { isBlankLine, type LineKey, normalize } from "../model/line-key.js";
import type { LandedHunk, LineChange, Repair, RepairKind } from "../model/types.js";

/** Where each hunk landed, in the order of the diff. */
export function describeLanding(placements: readonly Placement[]): readonly LandedHunk[] {
  const shifts = shiftsOf(placements);
  return placements.map((placement) => {
    const { hunk, start, end } = placement;
    const oldLines = end - start;
    const newLines = Math.max(0, oldLines + growth(hunk));
    const first = (lines: number, line: number) => (lines === 0 ? line : line + 1);
    return {
      hunk: hunk.hunk.number,
      oldStart: first(oldLines, start),
      oldLines,
      newStart: first(newLines, start + (shifts.get(placement) ?? 0)),
      newLines,
    };
  });
}

/** By how many lines the hunks before each one, in the order of the file, move it. */
function shiftsOf(placements: readonly Placement[]): ReadonlyMap<Placement, number> {
  const shifts = new Map<Placement, number>();
  let shift = 0;
  for (const placement of placements.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    shifts.set(placement, shift);
    shift += growth(placement.hunk);
  }
  return shifts;
}

/** Which lines of the base the edits replaced, where they were placed; those that touch are one. */
export function toChanges(edits: readonly Edit[]): readonly LineChange[] {
  const changes: LineChange[] = [];
  let shift = 0;
  for (const edit of edits) {
    const newFrom = edit.from + shift;
    const newTo = newFrom + edit.lines.length;
    const last = changes.at(-1);
    if (last !== undefined && last.oldTo === edit.from)
      changes[changes.length - 1] = { ...last, oldTo: edit.to, newTo };
    else changes.push({ oldFrom: edit.from, oldTo: edit.to, newFrom, newTo });
    shift += edit.lines.length - (edit.to - edit.from);
  }
  return changes;
}

/** Everything that was put right on the way from the diff as written to the edits. */
export function describeRepairs(base: BaseText, located: Located): readonly Repair[] {
  const repairs: Repair[] = [];
  for (const placement of located.placements) noteRepairs(base, placement, repairs);
  for (const hunk of located.repeated) {
    repairs.push({ kind: "repeated_hunk", hunk, detail: "the same hunk again, counted once" });
  }
  for (const { hunk, start } of located.appliedBefore) {
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
  if (shift !== undefined) {
    note("indentation", describeShift(shift, fateOfAdded(placement)));
  }
  if (tier === "window" || tier === "punctuation") noteQuotes(base, placement, note);
  if (alignment !== undefined) {
    const { dropped } = alignment;
    const parts = [
      ...(dropped.length > 0 ? [`not in the file: ${quoteFew(dropped)}`] : []),
      ...(alignment.skipped > 0
        ? [
            `${counted(alignment.skipped, "line")} of the file left out of the context${listStretches(base, alignment.stretches)}`,
          ]
        : []),
    ];
    note("context_mended", parts.join("; ") || "blank lines or their order differ");
  }
  if (compareEndings(base, placement) === "different")
    note("line_endings", "the file's line endings were kept");
}

function fateOfAdded({ hunk, moves }: Placement): string {
  const fates = new Set(hunk.runs.flatMap(({ added }, at) => (added.length === 0 ? [] : [moves[at]])));
  if (!fates.has("stays")) return "added lines too";
  return fates.size === 1 ? "added lines not" : "of the added lines some";
}

/** Lines that the file has otherwise than the hunk quotes them. */
function noteQuotes(
  base: BaseText,
  { hunk, start }: Placement,
  note: (kind: RepairKind, detail: string) => void,
): void {
  const differing =
    (key: LineKey) =>
    ({ text }: HunkLine, at: number) =>
      !isBlankLine(text) && normalize(text, key) !== normalize(base.line(start + at), key);
  const misquoted = hunk.old.filter(differing("punctuation"));
  const foreign = hunk.old.filter(differing("trailing")).filter((line) => !misquoted.includes(line));
  if (misquoted.length > 0) note("context_mended", `the file has otherwise: ${quoteFew(misquoted)}`);
  if (foreign.some(({ kind }) => kind === "removed"))
    note("punctuation", "removed lines had typographic punctuation that the file does not have");
  else if (foreign.length > 0) note("punctuation", "the file's own punctuation was kept in context lines");
}

function quoteFew(lines: readonly HunkLine[]): string {
  const quoted = lines.slice(0, 5).map((line) => JSON.stringify(line.text.trim().slice(0, 60)));
  return `${quoted.join(", ")}${lines.length > 5 ? ", …" : ""}`;
}

/** Which lines they are; nothing where each only takes the place of one that the file has not. */
function listStretches(base: BaseText, stretches: readonly Stretch[]): string {
  if (stretches.length === 0) return "";
  const { positions } = base.nonBlankLines;
  const ranges = stretches.map(({ above, below }) => {
    const from = (positions[above] ?? -1) + 2;
    const to = positions[below] ?? base.count;
    return from >= to ? `line ${to}` : `lines ${from}-${to}`;
  });
  return ` (${ranges.slice(0, 5).join(", ")}${ranges.length > 5 ? ", …" : ""})`;
}

/** Lines `from` to `to` (after the last, 0-based) of the file, each after its number. */
export function showLines(base: BaseText, from: number, to: number): string {
  const out: string[] = [];
  for (let at = Math.max(0, from); at < Math.min(to, base.count); at++) {
    out.push(`${String(at + 1).padStart(5)}| ${showLine(base.line(at))}`);
  }
  return out.join("\n");
}

/** A line as it is, so that it can be quoted back, except for characters that could act. */
export function showLine(text: string): string {
  return showText(clip(text, 240));
}

/** A line of a hunk in quotes. */
export function quoteLine(line: HunkLine | undefined): string {
  return line === undefined ? "(none)" : line.text.trim() === "" ? "(blank)" : `"${showLine(line.text)}"`;
}

/** Line numbers, 1-based, as in "lines 3, 8". */
export function listLines(positions: ArrayLike<number>): string {
  const shown = Array.from({ length: Math.min(positions.length, 20) }, (_, at) => (positions[at] ?? 0) + 1);
  const more = positions.length > 20 ? ` and ${positions.length - 20} more` : "";
  return `${positions.length === 1 ? "line" : "lines"} ${shown.join(", ")}${more}`;
}

/**
 * The sentence that belongs right after the word of a success: which context was not the file's, and where. A
 * reader who takes it for his own success goes on from a wrong picture of the file.
 *
 * @returns undefined where all context was the file's.
 */
export function describeMendedContext(repairs: readonly Repair[]): string | undefined {
  const mended = repairs.filter(({ kind }) => kind === "context_mended");
  if (mended.length === 0) return undefined;
  const shown = mended
    .slice(0, shownHunks)
    .map(({ hunk, detail }) => `hunk ${hunk ?? 1}, ${clip(showText(detail), 300)}`);
  const more = mended.length > shownHunks ? `; and ${counted(mended.length - shownHunks, "hunk")} more` : "";
  return `Its context is not that of the file everywhere: ${shown.join("; ")}${more}.`;
}

/**
 * The sentence that belongs right after the seed's words where the diff's header names another file: the caller may
 * have meant that one.
 *
 * @returns undefined where it does not.
 */
export function describeOtherFile(repairs: readonly Repair[]): string | undefined {
  const other = repairs.find(({ otherFile }) => otherFile !== undefined)?.otherFile;
  if (other === undefined) return undefined;
  const name = escapeForDisplay(JSON.stringify(clip(other, 200)));
  return `The diff's header names another file, ${name}; the file that the call names counts.`;
}

const shownHunks = 5;
