import type { BaseText } from "../model/base-text.js";
import type { HunkLine, ShapedHunk } from "../model/hunk.js";
import { hasTypography, indentOf, isBlankLine, normalize } from "../model/line-key.js";
import type { Deadline } from "../model/steps.js";

/** The one window of the file that has all old lines of a hunk, some of them written otherwise. */
type WindowOutcome =
  /** 0-based first line. */
  | { readonly kind: "window"; readonly start: number }
  | { readonly kind: "several"; readonly positions: readonly number[] }
  | { readonly kind: "none" };

/**
 * Context that was quoted carelessly: as many lines as in the file, in its order, but some of them with another
 * indentation, letter case, quotes or punctuation, or cut short. What is removed stands there as written, except for
 * typographic punctuation of which the file has none. It is accepted if the file has one such window only, and at
 * least half of the context lines are its own to the letter; a line at its edge that stands to the letter just outside
 * means that one was left out. Where the depth of one differs, lines are
 * added only beside such that are not different, since nothing else says how deep they go; and beside one without
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
export function findWindow(base: BaseText, hunk: ShapedHunk, deadline: Deadline): WindowOutcome {
  if (hunk.runs.length === 0 || deadline.late()) return none;
  const lines = hunk.old.map((line) => new WindowLine(base, line));
  const starts = findWindows(base, lines, deadline);
  const [start] = starts;
  if (start === undefined) return none;
  const isGood = (at: number) =>
    isHalfExact(lines, at) && !losesEdge(base, lines, at) && keepsTypography(hunk, lines, at);
  if (starts.length > 1) return starts.some(isGood) ? { kind: "several", positions: starts } : none;
  return isGood(start) && knowsDepths(base, hunk, lines, start) ? { kind: "window", start } : none;
}

const none: WindowOutcome = { kind: "none" };

/** One old line of a hunk, and where it could stand. */
class WindowLine {
  /** Its positions in the file; undefined where they are not known beforehand. */
  readonly positions: Int32Array | undefined;
  readonly isContext: boolean;
  readonly isBlank: boolean;
  private readonly isCut: boolean;
  private readonly id: number;
  private readonly folded: string;

  constructor(
    private readonly base: BaseText,
    readonly line: HunkLine,
  ) {
    this.isContext = line.kind === "context";
    this.isBlank = isBlankLine(line.text);
    const index = base.index(this.key);
    this.id = this.isBlank ? -1 : index.idOf(line.text);
    // A line is read as cut short only where the file has none like it.
    this.folded = normalize(line.text, "loose");
    this.isCut = this.isContext && this.id < 0 && this.folded.length >= cutLength;
    this.positions = this.isBlank || this.isCut ? undefined : index.positionsOf(this.id);
  }

  fits(at: number): boolean {
    if (this.isBlank) return isBlankLine(this.base.line(at));
    if (this.isCut) return normalize(this.base.line(at), "loose").startsWith(this.folded);
    return this.base.index(this.key).ids[at] === this.id;
  }

  isExact(at: number): boolean {
    return normalize(this.base.line(at), "trailing") === normalize(this.line.text, "trailing");
  }

  private get key(): "loose" | "punctuation" | "trailing" {
    return this.isContext ? "loose" : this.base.hasTypography ? "trailing" : "punctuation";
  }
}

/** All windows, whether or not enough of their lines are exact: another one makes each of them doubtful. */
function findWindows(base: BaseText, lines: readonly WindowLine[], deadline: Deadline): readonly number[] {
  let pivot = -1;
  let candidates: Int32Array | undefined;
  for (const [at, { positions }] of lines.entries()) {
    if (positions === undefined || positions.length >= (candidates?.length ?? Number.POSITIVE_INFINITY))
      continue;
    [pivot, candidates] = [at, positions];
  }
  const starts: number[] = [];
  for (const position of candidates ?? []) {
    if (deadline.passes() || starts.length > windowLimit) break;
    const start = position - pivot;
    if (start < 0 || start + lines.length > base.count) continue;
    if (lines.every((line, at) => line.fits(start + at))) starts.push(start);
  }
  return starts;
}

function isHalfExact(lines: readonly WindowLine[], start: number): boolean {
  let exact = 0;
  let all = 0;
  for (const [at, line] of lines.entries()) {
    if (!line.isContext || line.isBlank) continue;
    all += 1;
    if (line.isExact(start + at)) exact += 1;
  }
  return exact * 2 >= all;
}

/**
 * Whether the first or the last line, other than the file's there, stands to the letter just outside the window: then
 * a line of the file was left out, and another one is only like it.
 */
function losesEdge(base: BaseText, lines: readonly WindowLine[], start: number): boolean {
  const last = lines.length - 1;
  return [
    { line: lines[0], at: start, outside: start - 1 },
    { line: lines[last], at: start + last, outside: start + last + 1 },
  ].some(({ line, at, outside }) => {
    if (line === undefined || line.isBlank || line.isExact(at)) return false;
    return outside >= 0 && outside < base.count && line.isExact(outside);
  });
}

/** What took the file's own punctuation away from removed lines may have taken it from added ones. */
function keepsTypography(hunk: ShapedHunk, lines: readonly WindowLine[], start: number): boolean {
  if (lines.every((line, at) => line.isContext || line.isExact(start + at))) return true;
  return !hunk.new.some(({ kind, text }) => kind === "added" && hasTypography(text));
}

/** Whether all added lines stand beside a line of the file's depth, if one of the context has another. */
function knowsDepths(
  base: BaseText,
  { old, runs }: ShapedHunk,
  lines: readonly WindowLine[],
  start: number,
): boolean {
  const hasDepth = (at: number) => {
    const line = old[at];
    return line !== undefined && indentOf(line.text) === indentOf(base.line(start + at));
  };
  if (old.every((line, at) => isBlankLine(line.text) || hasDepth(at))) return true;
  const isIndented = (at: number) => indentOf(base.line(start + at)) !== "";
  return runs.every(({ from, to, added }) => {
    const words = added.filter(({ text }) => !isBlankLine(text));
    // A line without indentation says nothing of the depth of others.
    const isFlat = words.every(({ text }) => indentOf(text) === "");
    const isSure = (at: number) =>
      lines[at]?.isBlank === false && lines[at].isExact(start + at) && (isFlat || isIndented(at));
    return words.length === 0 || from < to || isSure(from - 1) || isSure(to);
  });
}

/** Fewer letters than these of the beginning of a line could be that of any. */
const cutLength = 5;
/** More windows than this need not be listed. */
const windowLimit = 1_000;
