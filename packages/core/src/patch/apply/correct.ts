import type { LineEnding } from "../../text/index.js";
import { adopt } from "../locate/depth.js";
import { sameShift, shiftLine } from "../locate/indent.js";
import { compareEndings, type Placement, runStartOf } from "../locate/matches.js";
import type { BaseText } from "../model/base-text.js";
import type { Edit } from "../model/edit.js";
import { type HunkLine, runLinesOf, trimCommon } from "../model/hunk.js";
import { isBlankLine } from "../model/line-key.js";
import type { Deadline, Steps } from "../model/steps.js";

/** The edits of all hunks, ascending and disjoint, or the hunk that cannot be indented as the file is. */
type Corrected =
  | {
      readonly kind: "edits";
      readonly edits: readonly Edit[];
      readonly finalNewline: "added" | "removed" | undefined;
    }
  /** An added line is not deep enough to be moved with the others, or nothing says whether it has to be. */
  | {
      readonly kind: "unshiftable" | "depth_unknown";
      readonly placement: Placement;
      readonly line: string;
    };

/**
 * Turns placed hunks into edits of the file's own lines. Only what differs is edited: a line that a hunk
 * removes and adds again stays the file's, with its bytes. New lines take the endings of those they replace
 * or follow, unless the hunk shows that it knows the file's endings.
 *
 *     file   diff   corrected         result
 *     1 a    @@     @@ -1,3 +1,3 @@   1 a
 *     2 b    -a      a                2 B
 *     3 c    -b     -b                3 c
 *     4 d    -c     +B                4 d
 *            +a      c
 *            +B
 *            +c
 *             d
 *
 * `a` and `c` are removed and added again, so the one edit is line 2: `{ from: 1, to: 2, lines: [B] }`. `corrected`
 * is the diff that the strict applier is given for it.
 */
export function* correctHunks(
  base: BaseText,
  placements: readonly Placement[],
  deadline: Deadline,
): Steps<Corrected> {
  const placed: PlacedEdit[] = [];
  for (const placement of agreeOnMoves(placements)) {
    if (placed.length % 256 === 255) yield;
    if (deadline.passes()) break;
    const endings = new EndingChoice(base, placement);
    for (const [at, run] of runLinesOf(placement.hunk.hunk).entries()) {
      const added = shiftAdded(run.added, placement, at);
      if ("kind" in added) return { ...added, placement };
      const from = runStartOf(placement, run, at);
      const edit = narrowEdit(run.removed, run.added, added, from, endings);
      if (edit !== undefined) placed.push({ from, to: from + run.removed.length, edit });
    }
  }
  yield;
  const inOrder = (one: PlacedEdit, other: PlacedEdit) => one.from - other.from || one.to - other.to;
  if (placed.some((edit, at) => at > 0 && inOrder(placed[at - 1] ?? edit, edit) > 0)) placed.sort(inOrder);
  return resolveFinalNewline(
    base,
    placed.map(({ edit }) => edit),
    placements,
  );
}

/** An edit with the lines of its run as written: these say which of two at one point comes first. */
interface PlacedEdit {
  readonly from: number;
  readonly to: number;
  readonly edit: Edit;
}

/** Hunks that were written at another depth by one rule were written alike: what one shows holds for all. */
function agreeOnMoves(placements: readonly Placement[]): readonly Placement[] {
  const [first, ...others] = placements.filter(({ shift }) => shift !== undefined);
  const rule = first?.shift;
  if (rule === undefined || others.length === 0) return placements;
  const isAlike = ({ shift }: Placement) => shift !== undefined && sameShift(shift, rule);
  if (!others.every(isAlike)) return placements;
  const all = placements.flatMap(({ moves }) => moves);
  return placements.map((placement) => ({ ...placement, moves: adopt(placement.moves, all) }));
}

/** The added lines of a run as they go into the file, or the text of one that cannot be moved. */
function shiftAdded(
  added: readonly HunkLine[],
  { shift, moves }: Placement,
  run: number,
): readonly HunkLine[] | { readonly kind: "unshiftable" | "depth_unknown"; readonly line: string } {
  const move = moves[run];
  if (shift === undefined || move === "stays") return added;
  const [line] = added.filter(({ text }) => !isBlankLine(text));
  if (line === undefined) return added;
  if (move === "unknown") return { kind: "depth_unknown", line: line.text };
  const moved: HunkLine[] = [];
  for (const line of added) {
    const text = shiftLine(line.text, shift);
    if (text === undefined) return { kind: "unshiftable", line: line.text };
    moved.push({ ...line, text });
  }
  return moved;
}

function narrowEdit(
  removed: readonly HunkLine[],
  written: readonly HunkLine[],
  added: readonly HunkLine[],
  start: number,
  endings: EndingChoice,
): Edit | undefined {
  const { head, tail } = trimCommon(
    removed,
    written,
    (one, other) => one.text === other.text && (!endings.credible || one.ending === other.ending),
  );
  const from = start + head;
  const to = start + removed.length - tail;
  const kept = added.slice(head, added.length - tail);
  if (from === to && kept.length === 0) return undefined;
  return {
    from,
    to,
    lines: kept.map((line, at) => ({ text: line.text, ending: endings.choose(line, at, from, to) })),
  };
}

class EndingChoice {
  private known: boolean | undefined;

  constructor(
    private readonly base: BaseText,
    private readonly placement: Placement,
  ) {}

  /** Whether the endings of the hunk's old lines are those of the file, so that its new ones are meant. */
  get credible(): boolean {
    this.known ??= compareEndings(this.base, this.placement) === "same";
    return this.known;
  }

  choose(line: HunkLine, at: number, from: number, to: number): LineEnding {
    const isStated = this.credible || this.base.usualEnding === undefined;
    if (isStated && line.ending !== "") return line.ending;
    const { base } = this;
    const replaced = base.ending(from + at < to ? from + at : to - 1);
    const beside = from < to ? replaced : (base.ending(from - 1) ?? base.ending(from));
    return beside || base.ending(from - 1) || (base.usualEnding ?? writtenEnding(this.placement));
  }
}

function writtenEnding({ hunk }: Placement): LineEnding {
  return hunk.hunk.lines.find((line) => line.ending !== "")?.ending ?? "\n";
}

/**
 * Whether the text ends with a newline: as the diff says where its last hunk reaches the end of the file and
 * its markers make a difference, else as the file had it. No two lines are ever glued together.
 */
function resolveFinalNewline(
  base: BaseText,
  edits: readonly Edit[],
  placements: readonly Placement[],
): Corrected {
  const had = base.count > 0 && base.ending(base.count - 1) !== "";
  const last = placements.find((placement) => placement.end === base.count && reachesEnd(base, placement));
  const { oldLacksNewline = false, newLacksNewline = false } = last?.hunk.hunk ?? {};
  const claimed = oldLacksNewline === newLacksNewline ? undefined : oldLacksNewline;
  const wanted = claimed ?? (base.count === 0 ? !newLacksNewline : had);
  const fallback = base.usualEnding ?? (last?.hunk.new.find((line) => line.kind === "added")?.ending || "\n");
  const ended = endWith(base, edits, wanted, fallback);
  const finalNewline = wanted === had || base.count === 0 ? undefined : wanted ? "added" : "removed";
  return { kind: "edits", edits: ended, finalNewline };
}

function reachesEnd(base: BaseText, placement: Placement): boolean {
  const { hunk, end } = placement;
  const lastRun = hunk.runs.at(-1);
  const lastRunEnd =
    lastRun === undefined
      ? end
      : runStartOf(placement, lastRun, hunk.runs.length - 1) + lastRun.to - lastRun.from;
  return lastRunEnd === base.count || hunk.old.at(-1)?.text === base.line(base.count - 1);
}

/** Makes the last line of the result end, or not end, with a newline. */
function endWith(
  base: BaseText,
  edits: readonly Edit[],
  newline: boolean,
  fallback: LineEnding,
): readonly Edit[] {
  const { count } = base;
  const ended = (at: number): LineEnding => base.ending(at) || base.ending(at - 1) || fallback;
  const had = count > 0 && base.ending(count - 1) !== "";
  const tail = edits.at(-1);
  if (tail === undefined || tail.to < count) {
    if (newline === had || count === 0) return edits;
    const ending = newline ? ended(count - 1) : "";
    return [...edits, { from: count - 1, to: count, lines: [{ text: base.line(count - 1), ending }] }];
  }
  let { from, lines } = tail;
  let kept = edits.length - 1;
  // The line before an insertion at the end needs its newline; the line before a deletion may lose it.
  const takesLineBefore = () =>
    from > 0 &&
    (lines.length > 0 ? base.ending(from - 1) === "" : (base.ending(from - 1) !== "") !== newline);
  while (takesLineBefore()) {
    const before = edits[kept - 1];
    if (before === undefined || before.to < from) {
      from -= 1;
      lines = [{ text: base.line(from), ending: ended(from) }, ...lines];
      break;
    }
    from = before.from;
    lines = [...before.lines, ...lines];
    kept -= 1;
  }
  const final = lines.at(-1);
  if (final === undefined) return edits;
  const ending = newline ? final.ending || ended(count - 1) : "";
  return [
    ...edits.slice(0, kept),
    { from, to: tail.to, lines: [...lines.slice(0, -1), { text: final.text, ending }] },
  ];
}
