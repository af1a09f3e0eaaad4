import type { BaseText } from "../model/base-text.js";
import type { HunkLine, ShapedHunk } from "../model/hunk.js";

/** Whether the file has these lines, byte for byte but for endings, from the 0-based line `start` on. */
export function linesMatchAt(base: BaseText, lines: readonly HunkLine[], start: number): boolean {
  if (start < 0 || start + lines.length > base.count) return false;
  return lines.every((line, at) => base.isLine(start + at, line.text));
}

/** The same for the old lines of a hunk. */
export function oldSideMatchesAt(base: BaseText, { hunk, oldCount }: ShapedHunk, start: number): boolean {
  if (start < 0 || start + oldCount > base.count) return false;
  let position = start;
  for (let at = 0; at < hunk.count; at++) {
    if (hunk.kindOf(at) === "added") continue;
    if (!base.isLine(position, hunk.textOf(at))) return false;
    position += 1;
  }
  return true;
}

/** The same for the new lines of a hunk. */
export function newSideMatchesAt(base: BaseText, { hunk, newCount }: ShapedHunk, start: number): boolean {
  if (start < 0 || start + newCount > base.count) return false;
  let position = start;
  for (let at = 0; at < hunk.count; at++) {
    if (hunk.kindOf(at) === "removed") continue;
    if (!base.isLine(position, hunk.textOf(at))) return false;
    position += 1;
  }
  return true;
}
