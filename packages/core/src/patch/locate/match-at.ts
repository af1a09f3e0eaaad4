import type { BaseText } from "../model/base-text.js";
import type { ShapedHunk } from "../model/hunk.js";

/** Whether a hunk's old lines are in the file at the 0-based line `start`, byte for byte but for endings. */
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
