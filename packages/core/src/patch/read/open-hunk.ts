import type { Hunk, HunkHeader, HunkLine } from "../model/hunk.js";
import { ListedHunk } from "../model/hunk-lines.js";
import type { Repair } from "../model/types.js";

/** A hunk while its lines are being read. */
export interface OpenHunk {
  readonly header: HunkHeader;
  /** The line of the diff at which its plain lines begin, each with its sign, and how many they are so far. */
  readonly body: number;
  plain: number;
  /** All of its lines, once one of them was not plain. */
  lines: HunkLine[] | undefined;
  /** Indexes of the lines that a marker "\ No newline at end of file" follows. */
  readonly marked: number[];
  /** The line of the diff at which the hunk begins, its header included. */
  readonly from: number;
  /** Whether a marker says that the hunk reaches the end of the file. */
  atEnd: boolean;
}

/** One whose lines are not all plain, so that they were listed. */
type ListedOpenHunk = OpenHunk & { readonly lines: readonly HunkLine[] };

/** A hunk that was read, with what was put right in it. */
interface ClosedHunk {
  readonly hunk: Hunk;
  readonly repairs: readonly Repair[];
}

/**
 * Decides where a hunk ends. Lines with a prefix always belong to it, whatever its counts say; of the lines
 * without one at its end, blank ones separate hunks and others may be prose.
 */
export function closeHunk(
  open: ListedOpenHunk,
  number: number,
  lastOfSpan: boolean,
  isBaseLine: (text: string) => boolean,
): ClosedHunk {
  const end = findEnd(open, lastOfSpan, isBaseLine);
  const whole = end === open.lines.length;
  // A copy has no room to grow, of which many small arrays would waste much.
  const lines = open.lines.slice(0, end);
  const bare = lines.reduce((sum, line) => (line.bare ? sum + 1 : sum), 0);
  const repairs =
    whole && bare === 0 ? none : describeReading(open.lines.slice(end), bare, number, lastOfSpan);
  const { header, atEnd, marked } = open;
  const isMarked = (kind: HunkLine["kind"]) =>
    marked.length > 0 && marked.includes(lines.findLastIndex((line) => line.kind !== kind));
  const [oldLacksNewline, newLacksNewline] = [isMarked("added"), isMarked("removed")];
  const hunk = new ListedHunk({ number, header, oldLacksNewline, newLacksNewline, atEnd }, lines);
  return { hunk, repairs };
}

function describeReading(
  dropped: readonly HunkLine[],
  bare: number,
  hunk: number,
  lastOfSpan: boolean,
): readonly Repair[] {
  const repairs: Repair[] = [];
  if (dropped.some((line) => line.text !== ""))
    repairs.push({ kind: "prose_removed", hunk, detail: "text after the hunk left out" });
  else if (dropped.length > 1 || (dropped.length > 0 && !lastOfSpan))
    repairs.push({
      kind: "blank_lines",
      hunk,
      detail: `${dropped.length} blank ${dropped.length === 1 ? "line" : "lines"} after the hunk left out`,
    });
  if (bare > 0) {
    const lines = bare === 1 ? "line" : "lines";
    repairs.push({ kind: "missing_prefix", hunk, detail: `${bare} context ${lines} without the space` });
  }
  return repairs;
}

const none: readonly Repair[] = [];

function findEnd(open: ListedOpenHunk, lastOfSpan: boolean, isBaseLine: (text: string) => boolean): number {
  const { lines } = open;
  const counted = endByCounts(open);
  if (counted !== undefined) return counted;
  let end = lastOfSpan ? beforeMailSignature(lines) : lines.length;
  end = withoutBlanks(lines, end);
  let prose = end;
  while (prose > 0 && lines[prose - 1]?.bare === true) prose -= 1;
  const maybeProse = lines.slice(prose, end).filter((line) => line.text.trim() !== "");
  if (maybeProse.length > 0 && !maybeProse.some((line) => isBaseLine(line.text)))
    end = withoutBlanks(lines, prose);
  return end;
}

/** The end that makes both counts of the header true, where all that follows lacks a prefix. */
function endByCounts({ header, lines }: ListedOpenHunk): number | undefined {
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

/** Patches sent by mail end with `-- ` and a version number, of which the first reads like a removed line. */
export function isMailSignature(dashes: string, version: string): boolean {
  return /^-- ?$/.test(dashes) && /^\d+\.\d+/.test(version);
}

function beforeMailSignature(lines: readonly HunkLine[]): number {
  const end = withoutBlanks(lines, lines.length);
  const version = lines[end - 1];
  const dashes = lines[end - 2];
  if (version?.bare !== true || dashes?.kind !== "removed") return lines.length;
  return isMailSignature(`-${dashes.text}`, version.text) ? end - 2 : lines.length;
}
