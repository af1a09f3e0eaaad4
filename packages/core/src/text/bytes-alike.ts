import type { Steps } from "./steps.js";

/** How many bytes two stretches begin and end with alike; the two parts overlap in neither. */
export interface AlikeBytes {
  readonly head: number;
  readonly tail: number;
}

/** What two stretches of bytes begin and end with alike, in steps: as much as possible of one of the two ends. */
export function* bytesAlikeInSteps(left: Uint8Array, right: Uint8Array): Steps<AlikeBytes> {
  const shorter = Math.min(left.length, right.length);
  const head = yield* countAlike(shorter, (at) => left[at] === right[at]);
  if (head === shorter) return { head, tail: 0 };
  const [leftEnd, rightEnd] = [left.length - 1, right.length - 1];
  const tail = yield* countAlike(shorter, (at) => left[leftEnd - at] === right[rightEnd - at]);
  return tail === shorter ? { head: 0, tail } : { head, tail: Math.min(tail, shorter - head) };
}

function* countAlike(most: number, isAlike: (at: number) => boolean): Steps<number> {
  let count = 0;
  while (count < most && isAlike(count)) if (++count % stepBytes === 0) yield;
  return count;
}

/** Compared in some milliseconds at most. */
const stepBytes = 1 << 20;
