import type { BaseText } from "../model/base-text.js";
import type { HunkLine, Run, ShapedHunk } from "../model/hunk.js";
import { indentOf, isBlankLine } from "../model/line-key.js";
import type { Shift } from "./indent.js";

/** Whether the added lines of a run move with their context, or are at the depth of the file already. */
export type DepthChange = "moves" | "stays" | "unknown";

/**
 * The old lines of a hunk have another depth than the file. This decides for each run whether the whole hunk was
 * written at that depth, or only the quoted lines. The lines beside the added lines decide, by their depth in the diff and
 * in the file.
 *
 *     file               diff            result
 *     1     case 1:      @@              1     case 1:
 *     2       go();       case 1:        2       go();
 *     3       break;        go();        3       stop();
 *     4   }              +      stop();  4       break;
 *                           break;       5   }
 *
 * `go();` and `break;` have two blanks in the diff and six in the file. `stop();` has six: it stays.
 *
 *     file               diff            result
 *     1     case 1:      @@              1     case 1:
 *     2       go();       case 1:        2       go();
 *     3       break;        go();        3       stop();
 *     4   }              +  stop();      4       break;
 *                           break;       5   }
 *
 * Here it has two: it moves with them.
 *
 * @param start the 0-based line of the hunk's first old line.
 */
export function findMoves(
  base: BaseText,
  hunk: ShapedHunk,
  start: number,
  shift: Shift,
): readonly DepthChange[] {
  if (shift.isRepeated) return hunk.runs.map(() => "moves");
  const indent = shift.written + shift.real;
  const region = new HunkSurroundings(base, hunk, start);
  const moves = hunk.runs.map((run) => region.decide(run, indent));
  // If one run shows how the hunk was written, the other runs were written the same way.
  return adopt(moves, moves);
}

/** Unknown runs become like all others, if these agree. The others include the runs themselves. */
export function adopt(moves: readonly DepthChange[], others: readonly DepthChange[]): readonly DepthChange[] {
  const [only, another] = new Set(others.filter((move) => move !== "unknown"));
  return only === undefined || another !== undefined ? moves : moves.map(() => only);
}

/** An old line that is not blank, with its indent as written and in the file. */
interface Neighbor {
  readonly written: string;
  readonly real: string;
  readonly text: string;
}

class HunkSurroundings {
  private readonly lines: readonly (Neighbor | undefined)[];

  constructor(
    private readonly base: BaseText,
    hunk: ShapedHunk,
    private readonly start: number,
  ) {
    this.lines = hunk.old.map(({ text }, at) =>
      isBlankLine(text)
        ? undefined
        : { written: indentOf(text), real: indentOf(base.line(start + at)), text: text.trim() },
    );
  }

  decide(run: Run, indent: string): DepthChange {
    const added = run.added.filter(({ text }) => !isBlankLine(text));
    const [first] = added;
    if (first === undefined) return "unknown";
    const foreign = added.filter((line) => this.isForeign(line, indent));
    if (foreign.length > 0) return foreign.length === added.length ? "stays" : "unknown";
    const shown = indent === " " ? this.decideByFile(added) : "unknown";
    if (shown !== "unknown") return shown;
    const [replaced] = this.lines.slice(run.from, run.to).filter((line) => line !== undefined);
    if (replaced?.written === indentOf(first.text)) return "moves";
    if (this.replacesInPlace(run)) return "stays";
    return this.decideByDepths(run, added);
  }

  /**
   * One blank more is a shift, or only a space that the context lost. Code nearby has the depths of one of the two alone.
   * A line of a block comment is one blank further in than the code beside it, so it says nothing of the depth of code.
   */
  private decideByFile(added: readonly HunkLine[]): DepthChange {
    const isComment = (text: string) => text.trimStart().startsWith("*");
    const ofComments = added.some(({ text }) => isComment(text));
    const known = new Set<number>();
    const to = Math.min(this.base.count, this.start + nearLines);
    for (let at = Math.max(0, this.start - nearLines); at < to; at++) {
      const line = this.base.line(at);
      if (!isBlankLine(line) && (ofComments || !isComment(line))) known.add(indentOf(line).length);
    }
    const depth = Math.min(...added.map(({ text }) => indentOf(text).length));
    if (known.has(depth) === known.has(depth + 1)) return "unknown";
    return known.has(depth) ? "stays" : "moves";
  }

  /**
   * Whole hunks are written too deep or too shallow far more often than only their context. So added lines stay
   * only if no quoted line has one of their depths, and the file has all of these depths here.
   */
  private decideByDepths(run: Run, added: readonly HunkLine[]): DepthChange {
    const above = this.lines.slice(0, run.from).findLast((line) => line !== undefined);
    const below = this.lines.slice(run.to).find((line) => line !== undefined);
    const makesSense = (frame: Frame) => isPlausible(added, above, below, frame);
    const depths = [...new Set(added.map(({ text }) => indentOf(text)))];
    const all = this.lines.filter((line) => line !== undefined);
    const has = (lines: readonly Neighbor[], frame: Frame) => (depth: string) =>
      lines.some((line) => line[frame] === depth);
    const [depth = ""] = depths.toSorted((one, other) => one.length - other.length);
    const beside = [above, ...this.lines.slice(run.from, run.to), below].filter((line) => line !== undefined);
    const isNew = !depths.some(has(all, "written")) && depths.every(has(all, "real"));
    if (isNew && (depths.length > 1 || !makesSense("written")))
      return makesSense("real") ? "stays" : "unknown";
    const isQuoted = has(all, "written")(depth) && !has(all, "real")(depth);
    const isBeside = has(beside, "written")(depth) && !has(beside, "real")(depth);
    if (isQuoted || isBeside) return makesSense("written") ? "moves" : "unknown";
    if (has(beside, "real")(depth) && !has(beside, "written")(depth)) return "unknown";
    return makesSense("written") && !makesSense("real") ? "moves" : "unknown";
  }

  /** Whether a line begins with an indent character that neither the file nor a quoted line has here. */
  private isForeign({ text }: HunkLine, indent: string): boolean {
    const first = indentOf(text).charAt(0);
    return (
      first !== "" &&
      first !== indent.charAt(0) &&
      this.lines.every((line) => line?.real.charAt(0) !== first && line?.written.charAt(0) !== first)
    );
  }

  /** Whether each line replaces a line that begins with the same word and has the same depth in the file. */
  private replacesInPlace({ from, to, added }: Run): boolean {
    return (
      to - from === added.length &&
      added.every(({ text }, at) => {
        const old = this.lines[from + at];
        return old?.real === indentOf(text) && firstWord(old.text) === firstWord(text.trim());
      })
    );
  }
}

/** The depths in the diff, or in the file. */
type Frame = "written" | "real";

/**
 * Whether added lines make sense between two other lines at these depths. A line that opens a block is followed by a
 * deeper line, and no other line is. A line that closes a block is less deep than its content. Between two lines no line
 * is shallower than both.
 */
function isPlausible(
  added: readonly HunkLine[],
  above: Neighbor | undefined,
  below: Neighbor | undefined,
  frame: Frame,
): boolean {
  const depths = added.map(({ text }) => indentOf(text).length);
  if (above !== undefined && below !== undefined) {
    const shallower = Math.min(above[frame].length, below[frame].length);
    if (Math.min(...depths) < shallower) return false;
  }
  const first = depths[0] ?? 0;
  const last = depths.at(-1) ?? 0;
  const opens = above !== undefined && below !== undefined && below.real.length > above.real.length;
  if (above !== undefined) {
    if (opens && first <= above[frame].length) return false;
    if (!opens && first > above[frame].length && !opener.test(above.text)) return false;
  }
  if (below === undefined) return true;
  if (
    closer.test(below.text) &&
    Math.min(...depths) <= below[frame].length &&
    !closer.test(added[0]?.text.trim() ?? "")
  )
    return false;
  return last >= below[frame].length || !opens || opener.test(added.at(-1)?.text.trimEnd() ?? "");
}

function firstWord(text: string): string | undefined {
  return /^[^\s(]+/.exec(text)?.[0];
}

/** Lines of the file on either side that show which depths its code has. */
const nearLines = 200;
const opener = /[{([:,=>|&+]$/;
const closer = /^[)}\]]/;
