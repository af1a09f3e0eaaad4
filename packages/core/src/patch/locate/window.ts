import type { BaseText } from "../model/base-text.js";
import type { HunkLine, ShapedHunk } from "../model/hunk.js";
import { hasTypography, indentOf, isBlankLine, normalize } from "../model/line-key.js";
import type { Deadline } from "../model/steps.js";
import { hasWords } from "./embed.js";

/** The windows of the file that have all old lines of a hunk, some of them written otherwise. */
interface Windows {
  /** `punctuation` if nothing but typographic punctuation differs; then a hunk may have several windows. */
  readonly tier: "punctuation" | "window";
  /** 0-based first lines, ascending. */
  readonly starts: readonly number[];
}

/**
 * Context that was quoted carelessly: as many lines as in the file, in its order, but some of them with another
 * indentation, letter case, quotes or punctuation, or cut short. What is removed stands there as written, except for
 * typographic punctuation of which neither the file nor an added line has any. It is accepted if the file has one such
 * window only, and each change removes words, or at least half of the context lines are its own to the letter. Where the depth of one differs, lines
 * are added only beside such that are not different, since nothing else says how deep they go; and beside one without
 * indentation only others without.
 *
 *     file             diff              result
 *     1 def f(a):      @@                1 def f(a):
 *     2   B = a         def f(a):        2   B = a
 *     3   go(B)           b = a          3   stop(B)
 *     4   return B     -  go(B)          4   return B
 *                      +  stop(B)
 *                         return B
 *
 * `b = a` is line 2 but for the case of a letter; the other two lines of context are exact.
 */
export function findWindow(base: BaseText, hunk: ShapedHunk, deadline: Deadline): Windows | undefined {
  if (deadline.late()) return undefined;
  const { old } = hunk;
  const starts = findWindows(base, hunk, deadline);
  const isExact = (line: HunkLine, at: number) =>
    normalize(base.line(at), "punctuation") === normalize(line.text, "punctuation");
  const punctuated = starts.filter((start) => old.every((line, at) => isExact(line, start + at)));
  if (punctuated.length > 0) return { tier: "punctuation", starts: punctuated };
  const context = [...old.entries()].filter(([, { kind, text }]) => kind === "context" && !isBlankLine(text));
  // What is removed says where the change is, whatever the context: it stands there to the letter.
  const isStrong = hunk.runs.every(({ from, to }) => old.slice(from, to).some(hasWords));
  const isHalfExact = (start: number) =>
    context.filter(([at, line]) => isExact(line, start + at)).length * 2 >= context.length;
  // A line at the edge that stands to the letter just outside: a line of the file was left out, and this one is only like it.
  const losesEdge = (start: number) =>
    old.some((line, at) => {
      const outside = [...(at === 0 ? [start - 1] : []), ...(at === old.length - 1 ? [start + at + 1] : [])];
      return !isExact(line, start + at) && outside.some((beside) => isExact(line, beside));
    });
  // A line that the file has to the letter elsewhere is only like the one in the window.
  const index = base.index("trimmed");
  const isElsewhere = (start: number) =>
    old.some((line, at) => {
      const id = index.idOf(line.text);
      return id >= 0 && id !== index.ids[start + at];
    });
  const isGood =
    starts.some((start) => isStrong || (isHalfExact(start) && !losesEdge(start) && !isElsewhere(start))) &&
    (starts.length > 1 || knowsDepths(base, hunk, starts[0] ?? 0, isExact));
  return isGood ? { tier: "window", starts } : undefined;
}

/** All windows, whether or not enough of their lines are exact: another one makes each of them doubtful. */
function findWindows(base: BaseText, hunk: ShapedHunk, deadline: Deadline): readonly number[] {
  const isStrict =
    base.hasTypography || hunk.runs.some(({ added }) => added.some(({ text }) => hasTypography(text)));
  const readings = hunk.old.map((line) => readingOf(base, line, isStrict ? "trailing" : "punctuation"));
  const [pivot] = [...readings.entries()]
    .flatMap(([at, { positions }]) => (positions === undefined ? [] : [{ at, positions }]))
    .sort((one, other) => one.positions.length - other.positions.length);
  const starts: number[] = [];
  for (const position of pivot?.positions ?? []) {
    if (deadline.passes() || starts.length > windowLimit) break;
    const start = position - (pivot?.at ?? 0);
    if (start < 0 || start + readings.length > base.count) continue;
    if (readings.every(({ fits }, at) => fits(start + at))) starts.push(start);
  }
  return starts;
}

/** Which lines of the file one old line may be. */
interface OldLineReading {
  readonly fits: (position: number) => boolean;
  /** All of them, if they are known beforehand. */
  readonly positions?: Int32Array;
}

function readingOf(
  base: BaseText,
  { kind, text }: HunkLine,
  removed: "trailing" | "punctuation",
): OldLineReading {
  const index = base.index(kind === "context" ? "loose" : removed);
  const id = index.idOf(text);
  const begun = normalize(text, "loose");
  // A line is read as cut short only where the file has none like it.
  if (kind === "context" && id < 0 && begun.length >= cutLength)
    return { fits: (position) => normalize(base.line(position), "loose").startsWith(begun) };
  return { fits: (position) => index.ids[position] === id, positions: index.positionsOf(id) };
}

/** Whether all added lines stand beside a line of the file's depth, if one of the context has another. */
function knowsDepths(
  base: BaseText,
  { old, runs }: ShapedHunk,
  start: number,
  isExact: (line: HunkLine, at: number) => boolean,
): boolean {
  const isMoved = (line: HunkLine | undefined, at: number) =>
    line !== undefined && !isBlankLine(line.text) && indentOf(line.text) !== indentOf(base.line(start + at));
  if (!old.some(isMoved)) return true;
  // Where no line to the letter is indented, the whole hunk may have been moved to the left.
  const isClipped = old.every(
    ({ text }, at) =>
      isBlankLine(text) || indentOf(text).length < Math.max(1, indentOf(base.line(start + at)).length),
  );
  return runs.every(({ from, to, added }) => {
    const words = added.filter(({ text }) => !isBlankLine(text));
    // A line without indentation says nothing of the depth of others.
    const isFlat = words.every(({ text }) => indentOf(text) === "");
    const isSure = (at: number) => {
      const line = old[at];
      if (line === undefined || isBlankLine(line.text) || !isExact(line, start + at)) return false;
      return isFlat || indentOf(line.text) !== "";
    };
    if (isClipped && (isMoved(old[from - 1], from - 1) || isMoved(old[to], to)))
      return words.length <= to - from;
    return words.length === 0 || from < to || isSure(from - 1) || isSure(to);
  });
}

/** Fewer letters than these of the beginning of a line could be that of any. */
const cutLength = 5;
/** More windows than this need not be listed. */
const windowLimit = 1_000;
