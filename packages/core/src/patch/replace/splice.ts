import { diffSteps, unitsAlike, unitsAlikeAtEnd } from "../compare/line-diff.js";
import type { Steps } from "../model/steps.js";

/** What stood between two offsets of a text (UTF-16 units, the end excluded) became another text. */
export interface TextSplice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The text after splices that are sorted and do not overlap; in steps, for an edit of many places. */
export function* spliceSteps(text: string, splices: readonly TextSplice[]): Steps<string> {
  const joined: string[] = [];
  let parts: string[] = [];
  let done = 0;
  for (const splice of splices) {
    parts.push(text.slice(done, splice.from), splice.text);
    done = splice.to;
    if (parts.length < stepLength) continue;
    joined.push(parts.join(""));
    parts = [];
    yield;
  }
  parts.push(text.slice(done));
  joined.push(parts.join(""));
  return joined.length === 1 ? (joined[0] ?? "") : joined.join("");
}

const stepLength = 2_048;

/** The one splice between two texts: what they neither begin nor end with. */
export function differenceOf(before: string, after: string): TextSplice {
  const from = unitsAlike(before, after);
  const tail = unitsAlikeAtEnd(before, after, Math.min(before.length, after.length) - from);
  return { from, to: before.length - tail, text: after.slice(from, after.length - tail) };
}

/** The splices between two texts, whole lines each. Where comparing takes longer than 200 ms the rest is one. */
export function* changedLines(before: string, after: string): Steps<readonly TextSplice[]> {
  const changes = yield* diffSteps(before, after, 200);
  const [old, fresh] = [beginningsOf(before), beginningsOf(after)];
  return changes.map(({ oldFrom, oldTo, newFrom, newTo }) => {
    return { from: old(oldFrom), to: old(oldTo), text: after.slice(fresh(newFrom), fresh(newTo)) };
  });
}

/** Where a line begins, counted from 0; asked for in order. */
function beginningsOf(text: string): (line: number) => number {
  const terminator = text.includes("\n") ? "\n" : "\r";
  let [line, at] = [0, 0];
  return (wanted) => {
    for (; line < wanted && at < text.length; line++) at = text.indexOf(terminator, at) + 1 || text.length;
    return at;
  };
}
