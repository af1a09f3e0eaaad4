import type { BaseText } from "./base-text.js";
import type { Deadline } from "./deadline.js";
import type { HunkLine, ShapedHunk } from "./hunk.js";
import { likeness, wordsOf } from "./likeness.js";
import { isBlankLine } from "./line-key.js";
import { hintOf } from "./placement.js";

/** Where a hunk that fits nowhere most nearly fits. */
export interface Nearest {
  /** 0-based line of the file for the hunk's first old line; may lie before the file. */
  readonly start: number;
  /** The first old line that does not stand there. */
  readonly mismatch: number;
}

/** The start for which most old lines speak; else that of the line that is most like one that is missing. */
export function findNearest(base: BaseText, hunk: ShapedHunk, deadline: Deadline): Nearest | undefined {
  const start = findVoted(base, hunk) ?? findAlike(base, hunk, deadline);
  if (start === undefined) return undefined;
  const differs = (key: "exact" | "trimmed") => (line: HunkLine, at: number) =>
    start + at < 0 || base.index(key).ids[start + at] !== base.index(key).idOf(line.text);
  const loose = hunk.old.findIndex(differs("trimmed"));
  const mismatch = loose >= 0 ? loose : hunk.old.findIndex(differs("exact"));
  return { start, mismatch: Math.max(mismatch, 0) };
}

function findVoted(base: BaseText, hunk: ShapedHunk): number | undefined {
  const index = base.index("trimmed");
  const votes = new Map<number, number>();
  for (const [at, line] of hunk.old.slice(0, 500).entries()) {
    const places = index.placesOf(index.idOf(line.text));
    if (places.length > 50 || isBlankLine(line.text)) continue;
    for (const place of places) votes.set(place - at, (votes.get(place - at) ?? 0) + 1);
  }
  const hint = hintOf(hunk) ?? 0;
  let best: number | undefined;
  for (const [start, voices] of votes) {
    const most = best === undefined ? 0 : (votes.get(best) ?? 0);
    const nearer = best !== undefined && Math.abs(start - hint) < Math.abs(best - hint);
    if (voices > most || (voices === most && nearer)) best = start;
  }
  return best;
}

/** Likeness serves to show a place, never to change it. */
function findAlike(base: BaseText, hunk: ShapedHunk, deadline: Deadline): number | undefined {
  const at = hunk.old.findIndex((line) => wordsOf(line.text).length > 0);
  const line = hunk.old[at];
  if (line === undefined) return undefined;
  const hint = hintOf(hunk) ?? 0;
  let best: { readonly place: number; readonly alike: number } | undefined;
  const from = Math.max(0, Math.min(hint, base.count) - searchLines);
  for (let place = from; place < Math.min(base.count, from + 2 * searchLines); place++) {
    if (deadline.passes()) break;
    const alike = likeness(line.text, base.line(place));
    const nearer = best !== undefined && Math.abs(place - hint) < Math.abs(best.place - hint);
    if (
      alike >= leastLikeness &&
      (best === undefined || alike > best.alike || (alike === best.alike && nearer))
    )
      best = { place, alike };
  }
  return best === undefined ? undefined : best.place - at;
}

/** Lines looked at on either side of the hunk's number. */
const searchLines = 5_000;
const leastLikeness = 0.5;
