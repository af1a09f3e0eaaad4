import { looksOf } from "../../text/index.js";
import { hintOf } from "../locate/placement.js";
import type { BaseText } from "../model/base-text.js";
import type { HunkLine, ShapedHunk } from "../model/hunk.js";
import { isBlankLine } from "../model/line-key.js";
import { similarity, wordsOf } from "../model/similarity.js";
import type { Deadline, Steps } from "../model/steps.js";

/** Where a hunk that fits nowhere most nearly fits. */
interface NearestMatch {
  /** 0-based line of the file for the hunk's first old line; may lie before the file. */
  readonly start: number;
  /** The first old line that does not match there. */
  readonly mismatch: number;
}

/** The start for which most old lines speak; else that of the line that is most like one that is missing. */
export function* findNearest(
  base: BaseText,
  hunk: ShapedHunk,
  deadline: Deadline,
): Steps<NearestMatch | undefined> {
  yield* base.prepare("trimmed", "loose");
  const start = findByVotes(base, hunk) ?? (yield* findMostSimilar(base, hunk, deadline));
  if (start === undefined) return undefined;
  yield* base.prepare("exact");
  const differs = (key: "exact" | "trimmed") => (line: HunkLine, at: number) =>
    start + at < 0 || base.index(key).ids[start + at] !== base.index(key).idOf(line.text);
  const loose = hunk.old.findIndex(differs("trimmed"));
  const mismatch = loose >= 0 ? loose : hunk.old.findIndex(differs("exact"));
  return { start, mismatch: Math.max(mismatch, 0) };
}

/**
 * Lines that stand in the file vote for where the hunk would begin; those that are there but for letter case and
 * punctuation, with half a voice. A line that the file has very often says nothing.
 */
function findByVotes(base: BaseText, hunk: ShapedHunk): number | undefined {
  const votes = new Map<number, number>();
  const [trimmed, loose] = [base.index("trimmed"), base.index("loose")];
  for (const [at, { text }] of hunk.old.slice(0, 500).entries()) {
    if (isBlankLine(text)) continue;
    const same = trimmed.positionsOf(trimmed.idOf(text));
    const positions = same.length > 0 ? same : loose.positionsOf(loose.idOf(text));
    if (positions.length > oftenLines) continue;
    const voices = same.length > 0 ? 2 : 1;
    for (const position of positions) votes.set(position - at, (votes.get(position - at) ?? 0) + voices);
  }
  return mostVoted(votes, hintOf(hunk) ?? 0);
}

function mostVoted(votes: ReadonlyMap<number, number>, hint: number): number | undefined {
  let best: number | undefined;
  for (const [start, voices] of votes) {
    const most = best === undefined ? 0 : (votes.get(best) ?? 0);
    const nearer = best !== undefined && Math.abs(start - hint) < Math.abs(best - hint);
    if (voices > most || (voices === most && nearer)) best = start;
  }
  return best;
}

/** Similarity serves to show lines, never to change them. */
function* findMostSimilar(base: BaseText, hunk: ShapedHunk, deadline: Deadline): Steps<number | undefined> {
  const at = hunk.old.findIndex((line) => wordsOf(line.text).length > 0);
  const line = hunk.old[at];
  if (line === undefined) return undefined;
  const hint = hintOf(hunk) ?? 0;
  const looks = looksOf(line.text);
  const votes = new Map<number, number>();
  const from = Math.max(0, Math.min(hint, base.count) - searchLines);
  for (let position = from; position < Math.min(base.count, from + 2 * searchLines); position++) {
    if (position % 256 === 0) yield;
    if (deadline.passes()) break;
    const real = base.line(position);
    const likeness = looksOf(real) === looks ? 1 : similarity(line.text, real);
    if (likeness >= minSimilarity) votes.set(position - at, likeness);
  }
  return mostVoted(votes, hint);
}

/** A line of which the file has more is no witness. */
const oftenLines = 50;
/** Lines looked at on either side of the hunk's number. */
const searchLines = 5_000;
const minSimilarity = 0.5;
