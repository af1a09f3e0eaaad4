import type { Candidate } from "./assign.js";
import { type BaseText, isBlankLine } from "./base-text.js";
import { type HunkLine, type Run, type ShapedHunk, trimCommon } from "./hunk.js";

/** Whether the file has these lines, byte for byte but for endings, from the 0-based line `start` on. */
export function linesStandAt(base: BaseText, lines: readonly HunkLine[], start: number): boolean {
  if (start < 0 || start + lines.length > base.count) return false;
  return lines.every((line, at) => base.line(start + at) === line.text);
}

export const standsAlready = {
  /**
   * The place where a pure insertion at the edge of its context already stands, seen from the place of
   * that context; undefined where it does not.
   */
  at(base: BaseText, hunk: ShapedHunk, start: number): number | undefined {
    const [run, second] = hunk.runs;
    if (run === undefined || second !== undefined || run.from !== run.to) return undefined;
    const atTop = run.from === 0;
    if (!atTop && run.from !== hunk.old.length) return undefined;
    const from = atTop && hunk.old.length > 0 ? start - run.added.length : start;
    return linesStandAt(base, hunk.new, from) ? from : undefined;
  },

  /** Whether the new side, found in the file, proves that the hunk was applied. */
  isTelling(base: BaseText, hunk: ShapedHunk): boolean {
    if (hunk.old.length === 0) return false;
    const words = hunk.new.filter((line) => !isBlankLine(line.text));
    if (words.length < 2 && !words.some((line) => /[\p{L}\p{N}]/u.test(line.text))) return false;
    return hunk.runs.every((run) => isTellingRun(base, hunk, run));
  },
} as const;

/** That lines are gone shows only between two that have come together, and if the file has them no more. */
function isTellingRun(base: BaseText, { old }: ShapedHunk, run: Run): boolean {
  const removed = old.slice(run.from, run.to);
  const { head, tail } = trimCommon(removed, run.added, (one, other) => one.text === other.text);
  if (run.added.length > head + tail) return true;
  if (run.from + head === 0 || run.to - tail === old.length) return false;
  return removed
    .slice(head, removed.length - tail)
    .every((line) => !isBlankLine(line.text) && base.index("trimmed").idOf(line.text) < 0);
}

/** Whether the numbers say so: the new side stands where it should, the old does not. The 0-based place. */
export function claimsApplied(base: BaseText, hunk: ShapedHunk): number | undefined {
  const { numbers } = hunk.hunk.header;
  if (numbers === undefined || hunk.old.length === 0 || !standsAlready.isTelling(base, hunk))
    return undefined;
  const start = numbers.newStart - 1;
  if (linesStandAt(base, hunk.old, numbers.oldStart - 1)) return undefined;
  return linesStandAt(base, hunk.new, start) ? start : undefined;
}

/** What a hunk changes, counted in the lines of its new side. */
export function newCore(hunk: ShapedHunk): Omit<Candidate, "starts"> {
  const from = hunk.runs[0]?.from ?? 0;
  const after = hunk.old.length - (hunk.runs.at(-1)?.to ?? 0);
  return { coreFrom: from, coreTo: hunk.new.length - after };
}
