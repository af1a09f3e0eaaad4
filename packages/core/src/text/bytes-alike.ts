/** How many bytes two stretches begin and end with alike; the two parts overlap in neither. */
export interface AlikeBytes {
  readonly head: number;
  readonly tail: number;
}

/** What two stretches of bytes begin and end with alike: as much as possible of one of the two ends. */
export function bytesAlike(left: Uint8Array, right: Uint8Array): AlikeBytes {
  const shorter = Math.min(left.length, right.length);
  const head = countAlike(shorter, (at) => left[at] === right[at]);
  if (head === shorter) return { head, tail: 0 };
  const [leftEnd, rightEnd] = [left.length - 1, right.length - 1];
  const tail = countAlike(shorter, (at) => left[leftEnd - at] === right[rightEnd - at]);
  return tail === shorter ? { head: 0, tail } : { head, tail: Math.min(tail, shorter - head) };
}

function countAlike(most: number, isAlike: (at: number) => boolean): number {
  let count = 0;
  while (count < most && isAlike(count)) count += 1;
  return count;
}
