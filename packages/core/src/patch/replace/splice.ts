import { unitsAlike, unitsAlikeAtEnd } from "../compare/line-diff.js";
import type { Steps } from "../model/steps.js";

/** What stood between two offsets of a text (UTF-16 units, the end excluded) became another text. */
export interface TextSplice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The text after splices that are sorted and do not overlap. In steps, for many splices in a large text. */
export function* spliceInSteps(text: string, splices: readonly TextSplice[]): Steps<string> {
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
  // The copies of all of the text cannot be interrupted; nothing else is to be in their slice.
  yield;
  joined.push(parts.join(""));
  yield;
  return joined.length === 1 ? (joined[0] ?? "") : joined.join("");
}

const stepLength = 2_048;

/** The one splice between two texts: what they neither begin nor end with; in steps. */
export function* differenceInSteps(before: string, after: string): Steps<TextSplice> {
  const from = yield* unitsAlike(before, after);
  const tail = yield* unitsAlikeAtEnd(before, after, Math.min(before.length, after.length) - from);
  return { from, to: before.length - tail, text: after.slice(from, after.length - tail) };
}
