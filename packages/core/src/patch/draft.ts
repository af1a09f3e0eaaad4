import type { Hunk, HunkHeader, HunkLine } from "./hunk.js";
import type { Repair } from "./types.js";

/** A hunk while its lines are being read. */
export interface HunkDraft {
  readonly header: HunkHeader;
  readonly lines: HunkLine[];
  /** Indexes of the lines that a marker "\ No newline at end of file" follows. */
  readonly marked: Set<number>;
  /** The line of the diff at which the hunk begins, its header included. */
  readonly from: number;
  /** Whether a marker says that the hunk reaches the end of the file. */
  atEnd: boolean;
}

export interface Settled {
  readonly hunk: Hunk;
  readonly repairs: readonly Repair[];
}

/**
 * Decides where a hunk ends. Lines with a prefix always belong to it, whatever its counts say; of the lines
 * without one at its end, blank ones separate hunks and others may be prose.
 */
export function settleHunk(
  draft: HunkDraft,
  number: number,
  lastOfSpan: boolean,
  isBaseLine: (text: string) => boolean,
): Settled {
  const end = findEnd(draft, lastOfSpan, isBaseLine);
  const lines = draft.lines.slice(0, end);
  const repairs: Repair[] = [];
  const dropped = draft.lines.slice(end);
  const note = (kind: Repair["kind"], detail: string) => repairs.push({ kind, hunk: number, detail });
  if (dropped.some((line) => line.text !== "")) note("prose_removed", "text after the hunk left out");
  else if (dropped.length > 1 || (dropped.length > 0 && !lastOfSpan))
    note("blank_lines", `${dropped.length} blank after the hunk left out`);
  const bare = lines.filter((line) => line.bare);
  if (bare.length > 0)
    note(
      "missing_prefix",
      `${bare.length} context ${bare.length === 1 ? "line" : "lines"} without the space`,
    );
  const lastOld = lines.findLastIndex((line) => line.kind !== "added");
  const lastNew = lines.findLastIndex((line) => line.kind !== "removed");
  const oldLacksNewline = lastOld >= 0 && draft.marked.has(lastOld);
  const newLacksNewline = lastNew >= 0 && draft.marked.has(lastNew);
  const { header, atEnd } = draft;
  return { hunk: { number, header, lines, oldLacksNewline, newLacksNewline, atEnd }, repairs };
}

function findEnd(draft: HunkDraft, lastOfSpan: boolean, isBaseLine: (text: string) => boolean): number {
  const { lines } = draft;
  const counted = endByCounts(draft);
  if (counted !== undefined) return counted;
  let end = lastOfSpan ? beforeMailSignature(lines) : lines.length;
  end = withoutBlanks(lines, end);
  let prose = end;
  while (prose > 0 && lines[prose - 1]?.bare === true) prose -= 1;
  const doubtful = lines.slice(prose, end).filter((line) => line.text.trim() !== "");
  if (doubtful.length > 0 && !doubtful.some((line) => isBaseLine(line.text)))
    end = withoutBlanks(lines, prose);
  return end;
}

/** The end that makes both counts of the header true, where all that follows lacks a prefix. */
function endByCounts({ header, lines }: HunkDraft): number | undefined {
  if (header.numbers === undefined) return undefined;
  let old = 0;
  let fresh = 0;
  for (const line of lines) {
    if (line.kind !== "added") old += 1;
    if (line.kind !== "removed") fresh += 1;
  }
  let end = lines.length;
  const { oldCount, newCount } = header.numbers;
  while (end > 0 && old > oldCount && fresh > newCount && lines[end - 1]?.bare === true) {
    end -= 1;
    old -= 1;
    fresh -= 1;
  }
  return old === oldCount && fresh === newCount ? end : undefined;
}

function withoutBlanks(lines: readonly HunkLine[], from: number): number {
  let end = from;
  while (end > 0 && lines[end - 1]?.bare === true && lines[end - 1]?.text.trim() === "") end -= 1;
  return end;
}

/** Patches sent by mail end with `-- ` and a version number, which read like a removed line. */
function beforeMailSignature(lines: readonly HunkLine[]): number {
  const end = withoutBlanks(lines, lines.length);
  const version = lines[end - 1];
  const dashes = lines[end - 2];
  if (version?.bare !== true || !/^\d+\.\d+/.test(version.text)) return lines.length;
  return dashes?.kind === "removed" && /^- ?$/.test(dashes.text) ? end - 2 : lines.length;
}
