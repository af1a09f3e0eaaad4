/** One line of input without its line feed, or the news that a line was longer than the limit. */
export type InputLine = { readonly kind: "line"; readonly bytes: Buffer } | { readonly kind: "too_long" };

/**
 * Cuts a stream of bytes into lines, in memory that the limit bounds. The lines of one chunk come
 * together, so that who answers them may answer in one go, and a caller who waits for an answer to each
 * line gets it.
 */
export async function* linesOf(
  stream: AsyncIterable<Buffer>,
  limitBytes: number,
): AsyncGenerator<readonly InputLine[]> {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let skipping = false;
  for await (const chunk of stream) {
    const lines: InputLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      const size = keptBytes + end - from;
      lines.push(skipping || size > limitBytes ? tooLong : joined(kept, chunk.subarray(from, end)));
      [kept, keptBytes, skipping] = [[], 0, false];
      from = end + 1;
    }
    if (!skipping && from < chunk.length) {
      kept.push(chunk.subarray(from));
      keptBytes += chunk.length - from;
    }
    if (keptBytes > limitBytes) [kept, keptBytes, skipping] = [[], 0, true];
    if (lines.length > 0) yield lines;
  }
  if (skipping) yield [tooLong];
  else if (keptBytes > 0) yield [joined(kept, Buffer.alloc(0))];
}

const lineFeed = 10;
const tooLong: InputLine = { kind: "too_long" };

function joined(kept: readonly Buffer[], last: Buffer): InputLine {
  return { kind: "line", bytes: kept.length === 0 ? last : Buffer.concat([...kept, last]) };
}
